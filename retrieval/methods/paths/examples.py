"""From labels to arrays: what a batch is cut from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import find_facts
from retrieval.linking.questions import QuestionTexts, compute_shape, replace_topic_names
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.paths.composition import TopicQuestion, generate_composed_questions
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path
from retrieval.types import Progress

#: At most so many questions are also encoded as written, for mentions that are not found when asking.
_AS_WRITTEN = 600
#: At most so many questions are composed: large sets have most paths already, and encoding takes time.
_COMPOSED = 3000


@dataclass(frozen=True, slots=True)
class Examples:
    """N labels of (question, topic) pairs.

    Attributes:
        starts: where each pair's labels begin, int64 [P+1]; one of them is drawn at each visit.
        own: the facts that each label's question brings as its own subgraph, ascending; None for the whole graph.
        topics: entity ids, int64 [N].
        paths: directed relations, -1 after the end, int64 [N, L].
        lengths: int64 [N].
        rows: row of ``texts`` for the masked question, int64 [N].
        as_written: row for the question as written, or ``rows`` again, int64 [N].
        first: other first relations that count as positive (eq. 13), bool [N, 2R].
        texts: each of the M distinct texts once.
    """

    starts: np.ndarray
    own: tuple[np.ndarray | None, ...]
    topics: np.ndarray
    paths: np.ndarray
    lengths: np.ndarray
    rows: np.ndarray
    as_written: np.ndarray
    first: np.ndarray
    texts: QuestionTexts

    def __len__(self) -> int:
        return len(self.topics)

    @property
    def pairs(self) -> int:
        """P, the number of (question, topic) pairs."""
        return len(self.starts) - 1

    def draw(self, pairs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One label of each pair at random, as both papers do where several paths are valid (REL-RAG 4.1)."""
        first, count = self.starts[pairs], self.starts[pairs + 1] - self.starts[pairs]
        drawn: np.ndarray = first + (rng.random(len(pairs)) * count).astype(np.int64)
        return drawn


def make_examples(
    snapshot: Snapshot,
    questions: Sequence[Grounded],
    labels: Sequence[Label],
    encoder: TextEncoder,
    relation_vectors: np.ndarray,
    *,
    max_hops: int,
    similar: float,
    words: bool,
    mask_names: bool = True,
    composed: float = 0.0,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Examples:
    """Join labels with their questions; labels of other questions or unknown relations are left out, and
    so are rejected ones and those that lead to no answer.

    Args:
        labels: of any split.
        encoder: for the question texts.
        relation_vectors: text features of directed relations, [2R, d].
        max_hops: longer labels are left out.
        similar: see ``PathConfig.similar_relations``.
        words: read the questions' words too.
        mask_names: of topics, in what is read of a question.
        composed: questions of longer paths made of these, for each of them; see ``composition``.
    """
    rows = _collect_rows(snapshot, questions, labels, max_hops, mask_names=mask_names)
    longest = max((len(question.path) for question in rows.asked), default=0)
    on_full_graph = [question for question, facts in zip(rows.asked, rows.own, strict=True) if facts is None]
    count = min(round(composed * len(on_full_graph)), _COMPOSED)
    for question in generate_composed_questions(
        snapshot, on_full_graph, count, longest=longest, rng=np.random.default_rng([seed, 2])
    ):
        rows.add(question, question.text, question.text)
    texts = QuestionTexts.encode(encoder, list(rows.texts), words=words, progress=progress, cancelled=cancelled)
    paths = [question.path for question in rows.asked]
    padded = np.full((len(paths), max_hops), -1, np.int64)
    for i, path in enumerate(paths):
        padded[i, : len(path)] = path
    masked = np.array([rows.texts[question.text] for question in rows.asked], np.int64)
    first = _find_other_firsts(rows.shapes, paths, texts.vectors[masked], relation_vectors, similar)
    for i, targeted in enumerate(rows.firsts):
        if targeted:
            first[i] = False
            first[i, [*targeted, paths[i][0]]] = True
    return Examples(
        starts=np.array(rows.starts, np.int64),
        own=tuple(rows.own),
        topics=np.array([question.topic for question in rows.asked], np.int64),
        paths=padded,
        lengths=np.array([len(path) for path in paths], np.int64),
        rows=masked,
        as_written=np.array(rows.written, np.int64),
        first=first,
        texts=texts,
    )


@dataclass(slots=True)
class _Rows:
    """Labels as they are gathered, one after the other; ``starts`` as in :class:`Examples`, the rest by label.

    Attributes:
        texts: each distinct text, with its row.
        asked: the question as seen from the topic.
        written: row of its text as asked.
        shapes: what questions of the same wording share.
        firsts: R_* where a language model named it, else empty.
        own: its own subgraph.
        starts: where each question and topic begins.
    """

    texts: dict[str, int] = field(default_factory=dict)
    asked: list[TopicQuestion] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    firsts: list[Sequence[int]] = field(default_factory=list)
    own: list[np.ndarray | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])

    def add(
        self,
        question: TopicQuestion,
        written: str,
        shape: str,
        firsts: Sequence[int] = (),
        subgraph: np.ndarray | None = None,
        *,
        again: bool = False,
    ) -> None:
        """One more label; ``again`` when the label before it is of the same question and topic."""
        row = self.texts.setdefault(question.text, len(self.texts))
        keep = len(self.texts) < _AS_WRITTEN or written in self.texts
        self.asked.append(question)
        self.written.append(self.texts.setdefault(written, len(self.texts)) if keep else row)
        self.shapes.append(shape)
        self.firsts.append(firsts)
        self.own.append(subgraph)
        if again:
            self.starts[-1] += 1
        else:
            self.starts.append(self.starts[-1] + 1)


def _collect_rows(
    snapshot: Snapshot,
    questions: Sequence[Grounded],
    labels: Sequence[Label],
    max_hops: int,
    *,
    mask_names: bool,
) -> _Rows:
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in select_usable(labels):
        by_question[label.question].append(label)
    named_firsts = _list_named_firsts(snapshot, labels)
    rows = _Rows()
    for question in questions:
        text, facts = question.question.question, None
        if question.question.triples:
            matched = find_facts(snapshot, question.question.triples).facts
            facts = matched if len(matched) else None
        before: str | None = None
        for label in sorted(by_question.get(question.question.id, ()), key=lambda label: label.topic):
            topic = snapshot.find_entity(label.topic)
            path = to_directed_path(snapshot, label.path)
            if topic not in question.topics or path is None or len(path) > max_hops:
                continue
            index = question.topics.index(topic)
            rows.add(
                TopicQuestion(replace_topic_names(text, index, question.names) if mask_names else text, topic, path),
                text,
                compute_shape(text, index, question.names),
                named_firsts.get((label.question, label.topic), ()),
                facts,
                again=label.topic == before,
            )
            before = label.topic
    return rows


def _list_named_firsts(snapshot: Snapshot, labels: Sequence[Label]) -> dict[tuple[str, str], list[int]]:
    """R_* where a language model named it: directed relations by question id and topic."""
    firsts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for label in select_usable(labels, "first-relation"):
        firsts[label.question, label.topic] += to_directed_path(snapshot, label.path) or ()
    return firsts


def _find_other_firsts(
    shapes: list[str],
    paths: list[tuple[int, ...]],
    questions: np.ndarray,
    relations: np.ndarray,
    similar: float,
) -> np.ndarray:
    """R_* of eq. 13 without an LLM: relations that start a rational path of a question of the same shape,
    or that say what the question says (cosine at least ``similar``)."""
    first = np.zeros((len(paths), len(relations)), bool)
    if not paths:
        return first
    starts: dict[str, set[int]] = defaultdict(set)
    for key, path in zip(shapes, paths, strict=True):
        starts[key].add(path[0])
    for i, key in enumerate(shapes):
        first[i, list(starts[key])] = True
    first |= questions @ relations.T >= similar
    return first
