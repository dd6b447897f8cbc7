"""Answer-set consistency: the rational path is the one that reaches *the answer set* (DESIGN, idea 3).

Of all relation paths that reach an answer, each is scored by the F1 of the set it reaches against the
answers, pooled over questions of the same shape (the same words once names are masked, or the nearest
shapes where a shape is rare), so that a path that fits by accident loses to the one that always fits.
The similarity of question and relation texts, and shortness, break ties. Several topics: one path each,
their sets intersected.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers.base import check
from retrieval.retrievers.features import TextEncoder, encode_all, relation_texts
from retrieval.retrievers.questions import shape
from retrieval.supervision.candidate_paths import f1, paths_to, reached
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, Labelling, Rejections, named
from retrieval.types import Progress

#: One path a topic; None for a topic that does not restrict the answers.
Combination = tuple[tuple[int, ...] | None, ...]
Scores = dict[Combination, float]


@dataclass(frozen=True, slots=True)
class AnswerSetRationalizer:
    """See the module.

    Attributes:
        max_hops: longest path.
        pool: questions looked at per shape; a rarer shape borrows from its nearest neighbours.
        least: a question whose best path scores lower gets no label.
    """

    max_hops: int = 3
    pool: int = 8
    least: float = 0.05

    def label(
        self,
        snapshot: Snapshot,
        questions: Sequence[Grounded],
        *,
        encoder: TextEncoder,
        rejected: Rejections = frozenset(),
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Labelling:
        """Label by answer-set consistency. Deterministic. See :class:`labels.Rationalizer`."""
        shapes = group_by_shape(questions)
        simple = self._prefers_simple(snapshot, questions, shapes, cancelled)
        scores: dict[int, Scores] = {}
        for done, members in enumerate(shapes.values()):
            for index in members[: self.pool]:
                check(cancelled)
                scores[index] = self.score(snapshot, questions[index], simple=simple)
            if progress is not None and done % 10 == 0:
                progress(Progress("finding rational paths", done, len(shapes), "question shapes"))
        similarity = _Similarity(snapshot, encoder, list(shapes), progress=progress, cancelled=cancelled)
        labels: list[Label] = []
        fits: list[float] = []
        for key, members in shapes.items():
            check(cancelled)
            pooled = self._pool(key, shapes, scores, similarity)
            for index in members:
                allowed = _without(snapshot, questions[index], pooled, rejected) if rejected else pooled
                best = self._choose(snapshot, questions[index], allowed, scores.get(index), simple=simple)
                if best is not None:
                    fits.append(best[1])
                    labels += _labels(snapshot, questions[index], *best)
        fit = float(np.mean(fits)) if fits else 0.0
        return Labelling(tuple(labels), simple, fit, len(questions) - len(fits))

    def score(self, snapshot: Snapshot, question: Grounded, *, simple: bool) -> Scores:
        """F1 of every combination of paths that reaches an answer."""
        answers = np.array(question.answers, np.int64)
        per_topic = [
            paths_to(snapshot, topic, answers, max_hops=self.max_hops, simple=simple)
            for topic in question.topics
        ]
        alone: Scores = {}
        for i, paths in enumerate(per_topic):
            for path, found in paths.items():
                alone[_only(i, path, len(per_topic))] = f1(found, answers)
        if len(per_topic) == 1:
            return alone
        # Each topic's path must let the answers through; the intersection must leave little else.
        shortlists = [
            sorted(paths.items(), key=lambda item: (-_recall(item[1], answers), len(item[1])))[:8]
            for paths in per_topic
        ]
        for chosen in itertools.product(*shortlists):
            common = chosen[0][1]
            for _, found in chosen[1:]:
                common = np.intersect1d(common, found, assume_unique=True)
            alone[tuple(path for path, _ in chosen)] = f1(common, answers)
        return alone

    def _prefers_simple(
        self,
        snapshot: Snapshot,
        questions: Sequence[Grounded],
        shapes: dict[str, list[int]],
        cancelled: Callable[[], bool],
    ) -> bool:
        """Whether walks that avoid their topic fit the answers better, by best F1 on a sample of shapes."""
        every = max(1, len(shapes) // 80)
        simple_sum = free_sum = 0.0
        for members in list(shapes.values())[::every]:
            check(cancelled)
            pair = [self.score(snapshot, questions[members[0]], simple=simple) for simple in (True, False)]
            simple_best, free_best = (max(s.values(), default=0.0) for s in pair)
            simple_sum, free_sum = simple_sum + simple_best, free_sum + free_best
        return simple_sum >= free_sum

    def _pool(
        self,
        key: str,
        shapes: dict[str, list[int]],
        scores: dict[int, Scores],
        similarity: _Similarity,
    ) -> list[tuple[Combination, float]]:
        """Combinations with their pooled score, best first."""
        members = [(index, 1.0) for index in shapes[key] if index in scores]
        if len(members) < self.pool:
            for other, weight in similarity.nearest(key, self.pool):
                members += [(i, weight) for i in shapes[other] if i in scores]
        total: dict[Combination, float] = defaultdict(float)
        topics = len(next(iter(scores[members[0][0]]), ()))
        weights = 0.0
        for index, weight in members:
            fitting = {c: s for c, s in scores[index].items() if len(c) == topics}
            weights += weight if fitting else 0.0
            for combination, score in fitting.items():
                total[combination] += weight * score
        ranked = [
            (combination, score / weights, similarity.bonus(key, combination) - 0.01 * _length(combination))
            for combination, score in total.items()
        ]
        ranked.sort(key=lambda item: (-item[1] - item[2], repr(item[0])))
        return [(combination, score) for combination, score, _ in ranked]

    def _choose(
        self,
        snapshot: Snapshot,
        question: Grounded,
        pooled: list[tuple[Combination, float]],
        own: Scores | None,
        *,
        simple: bool,
    ) -> tuple[Combination, float] | None:
        """The pooled favourite, unless a close rival fits this very question clearly better."""
        if not pooled:
            return None
        answers = np.array(question.answers, np.int64)
        close = [(c, s) for c, s in pooled[:4] if s >= 0.5 * pooled[0][1] and len(c) == len(question.topics)]
        best: tuple[float, Combination, float] | None = None
        for combination, pooled_score in close:
            score = (
                own.get(combination, 0.0)
                if own is not None
                else f1(_intersection(snapshot, question, combination, simple=simple), answers)
            )
            value = score + pooled_score
            if best is None or value > best[0] + 0.1:
                best = (value, combination, score)
        if best is None or best[2] < self.least:
            return None
        return best[1], best[2]


def group_by_shape(questions: Sequence[Grounded]) -> dict[str, list[int]]:
    """Indices of the questions of each shape, in order."""
    shapes: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        shapes[f"{len(question.topics)} {shape(question.question.question, 0, question.names)}"].append(index)
    return dict(shapes)


class _Similarity:
    """Cosines between question shapes, and of shapes and relation paths."""

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        shapes: list[str],
        *,
        progress: Callable[[Progress], None] | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._keys = shapes
        self._rows = {key: row for row, key in enumerate(shapes)}
        texts = [key.partition(" ")[2] for key in shapes]
        self._shapes = encode_all(
            encoder, texts, stage="encoding question shapes", progress=progress, cancelled=cancelled
        )
        self._relations = encoder.encode(relation_texts(snapshot))

    def nearest(self, key: str, count: int) -> list[tuple[str, float]]:
        """The nearest other shapes of as many topics, with a weight in (0, 1)."""
        row = self._rows[key]
        cosines = self._shapes @ self._shapes[row]
        cosines[row] = -1.0
        order = np.argsort(-cosines, kind="stable")[: 4 * count]
        topics = key.partition(" ")[0]
        near = [(self._keys[i], float(cosines[i])) for i in order.tolist()]
        # Below a cosine of 0.6, MiniLM's sentences share words, not what they ask.
        same = [(k, (c - 0.6) / 0.4) for k, c in near if c > 0.6 and k.partition(" ")[0] == topics]
        return [(k, weight * 0.5) for k, weight in same[:count]]

    def bonus(self, key: str, combination: Combination) -> float:
        """A small reward for relations that sound like the question, in [-0.05, 0.05]."""
        relations = [r for path in combination if path is not None for r in path]
        mean = self._relations[relations].mean(0)
        return 0.05 * float(self._shapes[self._rows[key]] @ mean)


def _only(topic: int, path: tuple[int, ...], topics: int) -> Combination:
    return tuple(path if i == topic else None for i in range(topics))


def _length(combination: Combination) -> int:
    return sum(len(path) for path in combination if path is not None)


def _recall(found: np.ndarray, answers: np.ndarray) -> float:
    return len(np.intersect1d(found, answers, assume_unique=True)) / len(answers)


def _intersection(
    snapshot: Snapshot, question: Grounded, combination: Combination, *, simple: bool
) -> np.ndarray:
    common: np.ndarray | None = None
    for topic, path in zip(question.topics, combination, strict=True):
        if path is not None:
            found = reached(snapshot, topic, path, simple=simple)
            common = found if common is None else np.intersect1d(common, found, assume_unique=True)
    return common if common is not None else np.zeros(0, np.int64)


def _without(
    snapshot: Snapshot,
    question: Grounded,
    pooled: list[tuple[Combination, float]],
    rejected: Rejections,
) -> list[tuple[Combination, float]]:
    """The combinations that hold no path which was rejected for this question."""
    key = question.question.id
    names = [snapshot.entity_label(topic) for topic in question.topics]
    return [
        (combination, score)
        for combination, score in pooled
        if not any(
            path is not None and (key, name, named(snapshot, path)) in rejected
            for name, path in zip(names, combination, strict=False)
        )
    ]


def _labels(snapshot: Snapshot, question: Grounded, combination: Combination, score: float) -> list[Label]:
    return [
        Label(question.question.id, snapshot.entity_label(topic), named(snapshot, path), "answer-set", score)
        for topic, path in zip(question.topics, combination, strict=True)
        if path is not None
    ]
