"""What speaks for a relation path in the words of a question: numbers that name neither relations nor words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.operators import SHARING
from retrieval.language.stemming import stem_word
from retrieval.lexicon import get_sequence
from retrieval.linking.questions import OTHER, TOPIC
from retrieval.methods.zero_shot.common_relations import encode_common_relations as common_vectors
from retrieval.methods.zero_shot.splitting import encode_texts, split_question
from retrieval.methods.zero_shot.wordings import RelationWordings, Wordings

if TYPE_CHECKING:
    from retrieval.linking.text_features import TextEncoder
    from retrieval.linking.text_vectors import TextVectors
    from retrieval.methods.zero_shot.candidates import PathMatch

#: Likeness under which a text says nothing of a relation.
_LEAST = 0.35
_ASKING = ("who", "what", "which", "when", "where", "how", "whose")
#: Which of people, places and times a first word may ask for.
_SORTS = {"who": (0, 1), "where": (1,), "when": (2,)}
_LINKS = get_sequence("linking_words")
#: Of a word and a relation: names by stretches, names by the word, kinds, stems of names and of kinds, and names of
#: the relation walked the other way.
CHANNELS = 6
STEPS = 3
WORD = 5 + len(_ASKING) + len(_LINKS)
#: Read by weights that doubt alone. Of a word: how near it is to what graphs commonly hold, and how much nearer
#: than to the path; of a path: the most and the mean of the latter.
LACKING_WORD, LACKING_PATH = 2, 2
PER_WORD = STEPS * CHANNELS + 3 + WORD + LACKING_WORD
OF_PATH = 3 + 3 + 6 + 2 + 1 + 3 + LACKING_PATH


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """A question as it is compared with relations.

    Attributes:
        words: in lower case but for the marks of topics.
        own: what stands for each word in itself, float32 [n, WORD].
        content: which words say something, bool [n].
        vector: of the whole question, float32 [d].
        stretches: vectors of stretches of words, [s, d].
        spans: words [first, last) of each stretch, int64 [s, 2].
        common: how near each word is to what graphs commonly hold (:mod:`.common`), alone or with others, float32 [n].
    """

    words: list[str]
    own: np.ndarray
    content: np.ndarray
    vector: np.ndarray
    stretches: np.ndarray
    spans: np.ndarray
    common: np.ndarray

    @property
    def shares(self) -> bool:
        """Whether it asks for others that have something in common with a topic."""
        return not SHARING.isdisjoint(self.words)  # as asks_for_others, of words that are read already

    def needs_other_sorts(self, sorts: np.ndarray) -> bool:
        """Whether its first word asks for other things than these: people, places, times, [3]; who fights may be
        a country.
        """
        fit = _SORTS.get(self.words[0])
        return fit is not None and bool(sorts.any()) and not sorts[list(fit)].any()


def encode_questions(texts: Sequence[str], encoder: TextEncoder) -> list[QuestionFeatures]:
    """Questions as seen from their topics (``text.questions.replace_topic_names``)."""
    split, known = [split_question(text) for text in texts], common_vectors(encoder)
    encoded = encode_texts(encoder, [part for question in split for part in question.encoded])
    encoded_questions = []
    for question in split:
        words, content, spans = question.words, question.content, question.spans
        stretches = np.stack([encoded[phrase] for phrase in question.phrases])
        common = np.zeros(len(words), np.float32)
        for (first, last), near in zip(spans, (stretches @ known.T).max(axis=1), strict=True):
            common[first:last] = np.maximum(common[first:last], near)
        common[~content] = 0
        features = _encode_words(words, content)
        vector, places = encoded[question.text], np.array(spans, np.int64)
        encoded_questions.append(QuestionFeatures(words, features, content, vector, stretches, places, common))
    return encoded_questions


def _encode_words(words: list[str], content: np.ndarray) -> np.ndarray:
    topic_index = words.index(TOPIC) if TOPIC in words else -1
    rows = np.zeros((len(words), WORD), np.float32)
    for i, word in enumerate(words):
        apart = (i - topic_index) / 8 if topic_index >= 0 else 0.0
        rows[i, :5] = (word == TOPIC, word == OTHER, content[i], np.clip(apart, -2, 2), word in SHARING)
        if word in _ASKING:
            rows[i, 5 + _ASKING.index(word)] = 1
        mark = "'s" if word == "’s" else word
        if mark in _LINKS:
            rows[i, 5 + len(_ASKING) + _LINKS.index(mark)] = 1
    return rows


class Comparer:
    """Compares the words of one question with relations.

    Args:
        question: see :func:`encode_questions`.
    """

    def __init__(self, question: QuestionFeatures, wordings: Wordings) -> None:
        self._asked = question
        self._wordings = wordings
        self._total = len(wordings.names.starts) - 1
        self._stems = [stem_word(w) if c else "" for w, c in zip(question.words, question.content, strict=True)]
        sizes = question.spans[:, 1] - question.spans[:, 0]
        self._short = np.flatnonzero(sizes <= 2)
        self._rows: dict[int, np.ndarray] = {}

    def compute_explanations(self, relations: np.ndarray) -> np.ndarray:
        """How much directed relations explain of each word that says something, float32 [relations, n]."""
        made = self.compute_channels(relations)
        like = np.maximum(made[:, :, 0], np.maximum(made[:, :, 2], np.maximum(made[:, :, 3], made[:, :, 4])))
        explained: np.ndarray = np.maximum(like - _LEAST, 0) * self._asked.content
        return explained

    def get_sorts(self, relation: int) -> np.ndarray:
        """Whether a directed relation leads to people, places, times, [3]."""
        sorts: np.ndarray = self._wordings.sorts[relation]
        return sorts

    def compute_channels(self, relations: np.ndarray) -> np.ndarray:
        """Float32 [relations, n, CHANNELS]."""
        fresh = np.array([r for r in np.unique(relations).tolist() if r not in self._rows], np.int64)
        if len(fresh):
            for relation, row in zip(fresh.tolist(), self._compute(fresh), strict=True):
                self._rows[relation] = row
        return np.stack([self._rows[r] for r in relations.tolist()])

    def _compute(self, relations: np.ndarray) -> np.ndarray:
        q, names, kinds = self._asked, self._wordings.names, self._wordings.kinds
        channels = np.zeros((len(relations), len(q.words), CHANNELS), np.float32)
        back = (relations + self._total // 2) % self._total
        every = np.arange(len(q.spans))
        both = self._compute_likeness(names, np.concatenate([relations, back]), every)
        here, there = both[: len(relations)], both[len(relations) :]
        for number, (first, last) in enumerate(q.spans.tolist()):
            part = channels[:, first:last]
            part[..., 0] = np.maximum(part[..., 0], here[:, number, None])
            part[..., 5] = np.maximum(part[..., 5], there[:, number, None])
            if last == first + 1:
                part[..., 1] = here[:, number, None]
        to = self._compute_likeness(kinds, relations, self._short)
        for number, (first, last) in enumerate(q.spans[self._short].tolist()):
            part = channels[:, first:last]
            part[..., 2] = np.maximum(part[..., 2], to[:, number, None])
        for i, relation in enumerate(relations.tolist()):
            for j, word_stem in enumerate(self._stems):
                if word_stem:
                    channels[i, j, 3] = word_stem in names.stems[relation]
                    channels[i, j, 4] = word_stem in kinds.stems[relation]
        channels[:, ~q.content, 1:3] = 0
        return channels

    def _compute_likeness(self, texts: RelationWordings, relations: np.ndarray, spans: np.ndarray) -> np.ndarray:
        vectors, starts = texts.get_vectors(relations)
        cosines = vectors @ self._asked.stretches[spans].T
        best: np.ndarray = np.maximum.reduceat(cosines, starts, axis=0)
        return best


def compute_features(
    question: QuestionFeatures,
    comparer: Comparer,
    candidates: Sequence[PathMatch],
    vectors: np.ndarray | TextVectors,
    total: int,
) -> tuple[np.ndarray, np.ndarray]:
    """What speaks for each candidate.

    Args:
        candidates: c candidates.
        vectors: of the 2R directed relations' texts, [2R, d].
        total: R.

    Returns:
        By word, float32 [c, n, PER_WORD], and of the paths, float32 [c, OF_PATH].
    """
    used = np.unique([r for candidate in candidates for r in candidate.relations])
    rows = comparer.compute_channels(used)
    row = {r: i for i, r in enumerate(used.tolist())}
    best = rows.max(axis=0)
    cosines = vectors[used] @ question.vector
    n = len(question.words)
    words = np.zeros((len(candidates), n, PER_WORD), np.float32)
    paths = np.zeros((len(candidates), OF_PATH), np.float32)
    words[:, :, STEPS * CHANNELS + 3 : -LACKING_WORD] = question.own
    words[:, :, -2] = question.common
    content = max(1, int(question.content.sum()))
    for number, candidate in enumerate(candidates):
        steps = _compute_steps(candidate, rows, row)
        for i, step in enumerate(steps[:STEPS]):
            words[number, :, i * CHANNELS : (i + 1) * CHANNELS] = step
        most = np.max(steps, axis=0)
        words[number, :, STEPS * CHANNELS : STEPS * CHANNELS + 3] = (best - most)[:, [0, 2, 5]]
        explained = np.maximum(most[:, 0], most[:, 2])
        nearer = np.where(question.content, question.common - explained, 0)
        words[number, :, -1] = nearer
        content_explained, more = explained[question.content], nearer[question.content]
        similarities = [float(cosines[row[r]]) for r in candidate.relations]
        mean = vectors[list(candidate.relations)].sum(axis=0)
        back = [
            (b - a) % (2 * total) == total for a, b in zip(candidate.relations, candidate.relations[1:], strict=False)
        ]
        paths[number] = (
            *(len(steps) == k for k in (1, 2, 3)),
            len(candidate.relations) - len(steps), any(back), np.log1p(candidate.reached),
            max(similarities), similarities[-1], similarities[0], float(mean @ question.vector) / max(1e-6,
            float(np.linalg.norm(mean))),
            float(cosines.max()) - max(similarities), float(np.mean(similarities)),
            float(np.mean(content_explained < 0.5)) if len(content_explained) else 0.0, content / 8,
            any(a == b for a, b in pairwise(candidate.relations)), *comparer.get_sorts(candidate.relations[-1]),
            float(more.max()) if len(more) else 0.0, float(np.maximum(more, 0).mean()) if len(more) else 0.0,
        )  # fmt: skip
    return words, paths


def _compute_steps(candidate: PathMatch, rows: np.ndarray, row: dict[int, int]) -> list[np.ndarray]:
    """Channels of each step that is told, [n, CHANNELS]; what goes through a node without a name is one."""
    steps: list[np.ndarray] = []
    joined = False
    for relation, through in zip(candidate.relations, (*candidate.through, False), strict=True):
        channels = rows[row[relation]]
        if joined:
            steps[-1] = np.maximum(steps[-1], channels)
        else:
            steps.append(channels)
        joined = through
    return steps
