"""Answer-set consistency: the rational path is the one that reaches *the answer set* (DESIGN, idea 3).

Of all relation paths that reach an answer, each is scored by the F1 of the set it reaches against the
answers, for the question itself and pooled over questions of the same shape (the same words once names are
masked), so that a path that fits by accident loses to the one that always fits. Between paths that fit alike
the one that explains the question's words wins (``word_alignment``). Several topics: one path each, their
sets intersected.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.supervision.candidate_paths import PathsTo, f1, paths_to, reached
from retrieval.supervision.given import prefers_simple
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, Labelling, Rejections, named
from retrieval.supervision.word_alignment import AlignmentSettings, Shape, explain
from retrieval.text.features import TextEncoder
from retrieval.text.questions import shape
from retrieval.types import Progress

#: Favourites of its shape that a question which was not searched itself tries.
_TRIED = 6

#: One path a topic; None for a topic that does not restrict the answers.
Combination = tuple[tuple[int, ...] | None, ...]
Scores = dict[Combination, float]


@dataclass(frozen=True, slots=True)
class Favourite:
    """A combination as the questions of one shape see it.

    Attributes:
        combination: paths.
        pooled: mean F1 over the shape's questions that were looked at.
        words: log-likelihood of the shape's words, in nats.
    """

    combination: Combination
    pooled: float
    words: float


@dataclass(frozen=True, slots=True)
class AnswerSetRationalizer:
    """See the module.

    Attributes:
        max_hops: longest path.
        pool: questions of a shape that are searched for paths; the others only try the shape's favourites.
        candidates: combinations a shape that are compared.
        least: a question whose best path scores lower gets no label.
        alignment: of the model of words.
    """

    max_hops: int = 3
    pool: int = 16
    candidates: int = 64
    least: float = 0.05
    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)

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
        del encoder
        shapes = group_by_shape(questions)
        scores: dict[int, Scores] = {}
        for done, members in enumerate(shapes.values()):
            for index in members[: self.pool]:
                check(cancelled)
                scores[index] = self.score(snapshot, questions[index])
            if progress is not None and done % 10 == 0:
                progress(Progress("finding rational paths", done, len(shapes), "question shapes"))
        favourites = self._favourites(snapshot, shapes, scores)
        check(cancelled)
        labels: list[Label] = []
        fits: list[float] = []
        for key, members in shapes.items():
            check(cancelled)
            for index in members:
                question = questions[index]
                own = scores.get(index)
                allowed = _without(snapshot, question, favourites[key], rejected)
                best = self._choose(snapshot, question, allowed, own)
                if best is None:
                    # None of its shape's: what reaches its own answers best, then.
                    own = own or self.score(snapshot, question)
                    alone = [Favourite(c, s, -_length(c)) for c, s in sorted(own.items(), key=repr)]
                    allowed = _without(snapshot, question, alone, rejected)
                    best = self._choose(snapshot, question, allowed, own)
                if best is not None:
                    fits.append(best[1])
                    labels += _labels(snapshot, question, *best)
        fit = float(np.mean(fits)) if fits else 0.0
        simple = prefers_simple(snapshot, questions, labels)
        return Labelling(tuple(labels), simple, fit, len(questions) - len(fits))

    def score(self, snapshot: Snapshot, question: Grounded) -> Scores:
        """F1 of every combination of paths that reaches an answer."""
        answers, simple = np.array(question.answers, np.int64), question.avoids_topics
        per_topic = [
            paths_to(snapshot, topic, answers, max_hops=self.max_hops, simple=simple)
            for topic in question.topics
        ]
        count = len(per_topic)
        alone = {
            _only(i, path, count): f
            for i, found in enumerate(per_topic)
            for path, f in found.scores().items()
        }
        if count == 1:
            return alone
        # Each topic's path must let the answers through; the intersection must leave little else.
        shortlists = [
            [(path, reached(snapshot, topic, path, simple=simple)) for path in _widest_recall(found, 8)]
            for topic, found in zip(question.topics, per_topic, strict=True)
        ]
        for chosen in itertools.product(*shortlists):
            common = chosen[0][1]
            for _, found in chosen[1:]:
                common = np.intersect1d(common, found, assume_unique=True)
            alone[tuple(path for path, _ in chosen)] = f1(common, answers)
        return alone

    def _favourites(
        self, snapshot: Snapshot, shapes: dict[str, list[int]], scores: dict[int, Scores]
    ) -> dict[str, list[Favourite]]:
        """Of each shape the combinations worth comparing, best pooled score first."""
        pooled: dict[str, list[tuple[Combination, float]]] = {}
        for key, members in shapes.items():
            total: dict[Combination, float] = defaultdict(float)
            searched = [scores[index] for index in members if index in scores]
            for combination, score in itertools.chain.from_iterable(own.items() for own in searched):
                total[combination] += score / len(searched)
            ranked = sorted(total.items(), key=lambda item: (-item[1], _length(item[0]), repr(item[0])))
            pooled[key] = [item for item in ranked if item[1] >= 0.5 * ranked[0][1]][: self.candidates]
        some = {key: found for key, found in pooled.items() if found}
        words = explain(
            [
                Shape(
                    tuple(key.split()[1:]),
                    tuple(_relations(combination) for combination, _ in found),
                    np.array([score for _, score in found]),
                    min(len(shapes[key]), self.pool),
                )
                for key, found in some.items()
            ],
            [snapshot.relation_label(r) for r in range(snapshot.num_relations)],
            self.alignment,
        )
        favourites: dict[str, list[Favourite]] = {key: [] for key in shapes}
        for (key, found), nats in zip(some.items(), words, strict=True):
            favourites[key] = [Favourite(c, s, n) for (c, s), n in zip(found, nats.tolist(), strict=True)]
        return favourites

    def _choose(
        self,
        snapshot: Snapshot,
        question: Grounded,
        favourites: Sequence[Favourite],
        own: Scores | None,
    ) -> tuple[Combination, float] | None:
        """The favourite that fits this question and its shape, and explains its words, best."""
        sharpness = self.alignment.sharpness
        ranked = sorted(favourites, key=lambda f: -(sharpness * f.pooled + f.words))
        if own is None:
            # The best few by shape; only they are executed.
            ranked = ranked[:_TRIED]
            own = {f.combination: self._fit(snapshot, question, f.combination) for f in ranked}
        best: tuple[float, Combination, float] | None = None
        for favourite in ranked:
            score = own.get(favourite.combination, 0.0)
            value = sharpness * (score + favourite.pooled) / 2 + favourite.words
            if score >= self.least and (best is None or value > best[0]):
                best = (value, favourite.combination, score)
        return None if best is None else (best[1], best[2])

    def _fit(self, snapshot: Snapshot, question: Grounded, combination: Combination) -> float:
        """F1 of what a combination reaches for a question."""
        found = _intersection(snapshot, question, combination)
        return f1(found, np.array(question.answers, np.int64))


def group_by_shape(questions: Sequence[Grounded]) -> dict[str, list[int]]:
    """Indices of the questions of each shape, in order."""
    shapes: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        shapes[f"{len(question.topics)} {shape(question.question.question, 0, question.names)}"].append(index)
    return dict(shapes)


def _only(topic: int, path: tuple[int, ...], topics: int) -> Combination:
    return tuple(path if i == topic else None for i in range(topics))


def _length(combination: Combination) -> int:
    return sum(len(path) for path in combination if path is not None)


def _relations(combination: Combination) -> tuple[int, ...]:
    return tuple(r for path in combination if path is not None for r in path)


def _widest_recall(found: PathsTo, count: int) -> list[tuple[int, ...]]:
    """The paths that let most answers through, those that reach least first among equals."""
    order = np.lexsort((found.sizes, -found.hits))[:count]
    return [found.paths[i] for i in order.tolist()]


def _intersection(snapshot: Snapshot, question: Grounded, combination: Combination) -> np.ndarray:
    common: np.ndarray | None = None
    for topic, path in zip(question.topics, combination, strict=True):
        if path is not None:
            found = reached(snapshot, topic, path, simple=question.avoids_topics)
            common = found if common is None else np.intersect1d(common, found, assume_unique=True)
    return common if common is not None else np.zeros(0, np.int64)


def _without(
    snapshot: Snapshot, question: Grounded, favourites: Sequence[Favourite], rejected: Rejections
) -> list[Favourite]:
    """The favourites that hold no path which was rejected for this question."""
    if not rejected:
        return list(favourites)
    key = question.question.id
    names = [snapshot.entity_label(topic) for topic in question.topics]
    return [
        favourite
        for favourite in favourites
        if not any(
            path is not None and (key, name, named(snapshot, path)) in rejected
            for name, path in zip(names, favourite.combination, strict=True)
        )
    ]


def _labels(snapshot: Snapshot, question: Grounded, combination: Combination, score: float) -> list[Label]:
    return [
        Label(question.question.id, snapshot.entity_label(topic), named(snapshot, path), "answer-set", score)
        for topic, path in zip(question.topics, combination, strict=True)
        if path is not None
    ]
