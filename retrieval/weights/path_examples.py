"""Questions that relation paths answer, with the features of their candidates: what path scorers are fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import execute
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.text_features import get_relation_vectors
from retrieval.methods.zero_shot.candidates import find_candidates, has_simple_walks
from retrieval.methods.zero_shot.features import Comparer, compute_features, encode_questions
from retrieval.methods.zero_shot.wordings import Wordings
from retrieval.programs.grounding.schema import Schema
from retrieval.supervision.path_questions.writer import PathWriter

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.text_features import TextEncoder
    from retrieval.methods.zero_shot.candidates import PathMatch
    from retrieval.methods.zero_shot.features import QuestionFeatures

_HOPS = 3
#: Wrong candidates that are kept of a question: those that explain most, and others drawn at random.
_LIKELY, _OTHERS = 16, 16
#: Share of questions that are asked a second time of a graph without their relation, so that nothing answers them.
_LACKING = {"people": 0.7, "written": 0.4}
#: Graphs without a relation that are kept in memory.
_KEPT = 40
#: Least F1 of what a candidate reaches and the answers.
_LEAST_F1 = 0.6


@dataclass(frozen=True, slots=True)
class ExampleCounts:
    """How many questions are drawn.

    Attributes:
        people: of a question set and a number of hops; of a suite's graph all.
        written: from a graph's schema.
        more, repeated: of so many more written ones, some that take the same step twice: children of children.
    """

    people: int = 350
    written: int = 300
    more: int = 300
    repeated: int = 60


@dataclass(frozen=True, slots=True)
class PathExample:
    """One question as it is learned from.

    Attributes:
        origin: examples of one origin are left out together.
        graph: its name.
        source: ``people`` or ``written``.
        words, paths: see ``zero_shot.features.compute_features``; float16, float32.
        right: how right each candidate is, float32 [c]; all nought where nothing answers. Right ones come first, then
            those that explain most.
    """

    origin: str
    graph: str
    source: str
    words: np.ndarray
    paths: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A question that names one entity, with that topic, how it is written, and the answers."""

    text: str
    topic: int
    names: tuple[str, ...]
    answers: frozenset[int]


def find_topic(snapshot: Snapshot, text: str, answers: Iterable[str]) -> TopicQuestion | None:
    """A question with the longest name of its graph that stands in it; None where that is none, or an answer."""
    words = text.rstrip("?.! ").split()
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            mention = " ".join(words[first : first + size])
            topic = snapshot.find_entity(mention)
            if topic is not None and snapshot.get_degree(topic) and len(mention) > 2:
                right = frozenset(node for answer in answers if (node := snapshot.find_entity(answer)) is not None)
                usable = right and topic not in right
                return TopicQuestion(text, topic, (mention,), right) if usable else None
    return None


class PathExampleMaker:
    """Makes the examples of one graph.

    Args:
        snapshot: the graph.
        encoder: of texts.
        origin: of the graph.
        seed: of all draws.
    """

    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, origin: str, seed: int = 0) -> None:
        self.snapshot, self.encoder, self.origin, self.seed = snapshot, encoder, origin, seed
        self.schema = Schema(snapshot)
        self.wordings = Wordings.from_schema(self.schema, encoder)
        self.vectors = get_relation_vectors(snapshot, encoder)
        self.simple = has_simple_walks(snapshot)
        self.rng = np.random.default_rng(seed)
        self._restricted: dict[frozenset[int], Snapshot] = {}

    def make_asked(self, questions: Sequence[TopicQuestion]) -> Iterator[PathExample]:
        """Examples of questions of people; a candidate that reaches the answers is right."""
        for question in questions:
            text = replace_topic_names(question.text, 0, question.names)
            yield from self._make(text, question.topic, "people", partial(self._compute_f1, question))

    def make_written(self, counts: ExampleCounts) -> Iterator[PathExample]:
        """Examples of questions that are written from the schema; the walk that was put in words is right."""
        drawn = PathWriter(self.schema, self.seed).write(counts.written + counts.more)
        repeated = [
            question
            for question in drawn[counts.written :]
            if any(first == second for path in question.paths for first, second in pairwise(path))
        ]
        for question in drawn[: counts.written] + repeated[: counts.repeated]:
            names = [self.snapshot.get_entity_label(topic) for topic in question.topics]
            place = int(self.rng.integers(len(names)))
            text = replace_topic_names(question.question, place, names)
            is_walk = partial(_compare_walk, question.paths[place])
            yield from self._make(text, question.topics[place], "written", is_walk)

    def find_needed_relations(self, question: TopicQuestion) -> frozenset[int]:
        """One relation of each path that answers a question: without them none does. Empty where none does."""
        features = encode_questions([replace_topic_names(question.text, 0, question.names)], self.encoder)[0]
        comparer = Comparer(features, self.wordings)
        candidates = self._find_candidates(self.snapshot, question.topic, features, comparer)
        right = np.array([self._compute_f1(question, candidate) for candidate in candidates])
        return self._draw_relations(candidates, right)

    def _compute_f1(self, question: TopicQuestion, candidate: PathMatch) -> float:
        """F1 of what a candidate reaches and the answers; nought where it is low."""
        total = self.snapshot.num_relations
        steps = [(relation % total, relation >= total) for relation in candidate.relations]
        simple = self.simple and not candidate.returns
        reached = execute(self.snapshot, [question.topic], steps, simple=simple)[-1]
        if not len(reached) or len(reached) > 50 * len(question.answers) + 50:
            return 0.0
        shared = len(question.answers.intersection(reached.tolist()))
        f1 = 2 * shared / (len(reached) + len(question.answers))
        return f1 if f1 >= _LEAST_F1 else 0.0

    def _make(self, text: str, topic: int, source: str, judge: Callable[[PathMatch], float]) -> Iterator[PathExample]:
        """The question if a candidate is right, and perhaps the same over a graph that lacks what it asks for."""
        question = encode_questions([text], self.encoder)[0]
        comparer = Comparer(question, self.wordings)
        candidates = self._find_candidates(self.snapshot, topic, question, comparer)
        right = np.array([judge(candidate) for candidate in candidates], np.float32)
        if not right.any():
            return
        best = np.where(right >= right.max() - 1e-6, right, 0.0).astype(np.float32)
        yield self._build_example(question, comparer, candidates, best, source)
        if self.rng.random() < _LACKING[source]:
            restricted = self._restrict(self._draw_relations(candidates, right))
            left = self._find_candidates(restricted, topic, question, comparer)
            if left and not any(judge(candidate) for candidate in left):
                yield self._build_example(question, comparer, left, np.zeros(len(left), np.float32), source)

    def _find_candidates(
        self, snapshot: Snapshot, topic: int, question: QuestionFeatures, comparer: Comparer
    ) -> list[PathMatch]:
        """As the retriever finds them, those that end at their topic too."""
        return find_candidates(
            snapshot,
            topic,
            comparer.compute_explanations,
            _HOPS,
            simple=self.simple,
            returning=not question.shares,
        )

    def _draw_relations(self, candidates: list[PathMatch], right: np.ndarray) -> frozenset[int]:
        """One relation of each right candidate."""
        total = self.snapshot.num_relations
        paths = [candidate.relations for candidate, good in zip(candidates, right, strict=True) if good]
        return frozenset(int(self.rng.choice(path)) % total for path in paths)

    def _build_example(
        self,
        question: QuestionFeatures,
        comparer: Comparer,
        candidates: list[PathMatch],
        right: np.ndarray,
        source: str,
    ) -> PathExample:
        words, paths = compute_features(question, comparer, candidates, self.vectors, self.snapshot.num_relations)
        explained = [
            comparer.compute_explanations(np.array(candidate.relations)).max(axis=0).sum() for candidate in candidates
        ]
        order = np.lexsort((-np.array(explained), right == 0))
        good = int((right > 0).sum())
        wrong = order[good:]
        others = self.rng.permutation(wrong[_LIKELY:])[:_OTHERS]
        kept = np.concatenate([order[:good], wrong[:_LIKELY], others])
        name = self.snapshot.path.name
        return PathExample(self.origin, name, source, words[kept].astype(np.float16), paths[kept], right[kept])

    def _restrict(self, relations: frozenset[int]) -> Snapshot:
        """The graph without the facts of some relations."""
        if relations not in self._restricted:
            while len(self._restricted) >= _KEPT:
                self._restricted.pop(next(iter(self._restricted)))
            removed = np.isin(np.asarray(self.snapshot.relations), list(relations))
            self._restricted[relations] = RestrictedSnapshot(self.snapshot, np.flatnonzero(~removed))
        return self._restricted[relations]


def _compare_walk(path: tuple[int, ...], candidate: PathMatch) -> float:
    return float(candidate.relations == path)
