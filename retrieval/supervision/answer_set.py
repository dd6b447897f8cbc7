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
from retrieval.linking.questions import compute_shape
from retrieval.linking.text_features import TextEncoder
from retrieval.supervision.candidate_paths import PathsTo, compute_f1, execute_path, find_answer_paths
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, Labelling, Rejections, to_named_path
from retrieval.supervision.provided_labels import should_use_simple_walks
from retrieval.supervision.word_alignment import AlignmentSettings, AlignmentShape, explain
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
        favourites = self._rank_favourites(snapshot, shapes, scores)
        check(cancelled)
        labels: list[Label] = []
        fits: list[float] = []
        for key, members in shapes.items():
            check(cancelled)
            for index in members:
                question = questions[index]
                question_scores = scores.get(index)
                allowed = _remove_rejected(snapshot, question, favourites[key], rejected)
                best = self._select_favourite(snapshot, question, allowed, question_scores)
                if best is None:
                    # None of its shape's: what reaches its own answers best, then.
                    question_scores = question_scores or self.score(snapshot, question)
                    alone = [Favourite(c, s, -_count_hops(c)) for c, s in sorted(question_scores.items(), key=repr)]
                    allowed = _remove_rejected(snapshot, question, alone, rejected)
                    best = self._select_favourite(snapshot, question, allowed, question_scores)
                if best is not None:
                    fits.append(best[1])
                    labels += _make_labels(snapshot, question, *best)
        fit = float(np.mean(fits)) if fits else 0.0
        simple = should_use_simple_walks(snapshot, questions, labels)
        return Labelling(tuple(labels), simple, fit, len(questions) - len(fits))

    def score(self, snapshot: Snapshot, question: Grounded) -> Scores:
        """F1 of every combination of paths that reaches an answer."""
        answers, simple = np.array(question.answers, np.int64), question.avoids_topics
        per_topic = [
            find_answer_paths(snapshot, topic, answers, max_hops=self.max_hops, simple=simple)
            for topic in question.topics
        ]
        count = len(per_topic)
        alone = {
            _make_single(i, path, count): f
            for i, topic_paths in enumerate(per_topic)
            for path, f in topic_paths.compute_scores().items()
        }
        if count == 1:
            return alone
        # Each topic's path must let the answers through; the intersection must leave little else.
        shortlists = [
            [(path, execute_path(snapshot, topic, path, simple=simple)) for path in _select_widest(topic_paths, 8)]
            for topic, topic_paths in zip(question.topics, per_topic, strict=True)
        ]
        for chosen in itertools.product(*shortlists):
            common = chosen[0][1]
            for _, entities in chosen[1:]:
                common = np.intersect1d(common, entities, assume_unique=True)
            alone[tuple(path for path, _ in chosen)] = compute_f1(common, answers)
        return alone

    def _rank_favourites(
        self, snapshot: Snapshot, shapes: dict[str, list[int]], scores: dict[int, Scores]
    ) -> dict[str, list[Favourite]]:
        """Of each shape the combinations worth comparing, best pooled score first."""
        pooled: dict[str, list[tuple[Combination, float]]] = {}
        for key, members in shapes.items():
            total: dict[Combination, float] = defaultdict(float)
            searched = [scores[index] for index in members if index in scores]
            for combination, score in itertools.chain.from_iterable(
                member_scores.items() for member_scores in searched
            ):
                total[combination] += score / len(searched)
            ranked = sorted(total.items(), key=lambda item: (-item[1], _count_hops(item[0]), repr(item[0])))
            pooled[key] = [item for item in ranked if item[1] >= 0.5 * ranked[0][1]][: self.candidates]
        some = {key: items for key, items in pooled.items() if items}
        words = explain(
            [
                AlignmentShape(
                    tuple(key.split()[1:]),
                    tuple(_list_relations(combination) for combination, _ in items),
                    np.array([score for _, score in items]),
                    min(len(shapes[key]), self.pool),
                )
                for key, items in some.items()
            ],
            [snapshot.get_relation_label(r) for r in range(snapshot.num_relations)],
            self.alignment,
        )
        favourites: dict[str, list[Favourite]] = {key: [] for key in shapes}
        for (key, items), nats in zip(some.items(), words, strict=True):
            favourites[key] = [Favourite(c, s, n) for (c, s), n in zip(items, nats.tolist(), strict=True)]
        return favourites

    def _select_favourite(
        self,
        snapshot: Snapshot,
        question: Grounded,
        favourites: Sequence[Favourite],
        scores: Scores | None,
    ) -> tuple[Combination, float] | None:
        """The favourite that fits this question and its shape, and explains its words, best."""
        sharpness = self.alignment.sharpness
        ranked = sorted(favourites, key=lambda f: -(sharpness * f.pooled + f.words))
        if scores is None:
            # The best few by shape; only they are executed.
            ranked = ranked[:_TRIED]
            scores = {f.combination: self._fit(snapshot, question, f.combination) for f in ranked}
        best: tuple[float, Combination, float] | None = None
        for favourite in ranked:
            score = scores.get(favourite.combination, 0.0)
            value = sharpness * (score + favourite.pooled) / 2 + favourite.words
            if score >= self.least and (best is None or value > best[0]):
                best = (value, favourite.combination, score)
        return None if best is None else (best[1], best[2])

    def _fit(self, snapshot: Snapshot, question: Grounded, combination: Combination) -> float:
        """F1 of what a combination reaches for a question."""
        entities = _find_intersection(snapshot, question, combination)
        return compute_f1(entities, np.array(question.answers, np.int64))


def group_by_shape(questions: Sequence[Grounded]) -> dict[str, list[int]]:
    """Indices of the questions of each shape, in order."""
    shapes: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        shapes[f"{len(question.topics)} {compute_shape(question.question.question, 0, question.names)}"].append(index)
    return dict(shapes)


def _make_single(topic: int, path: tuple[int, ...], topics: int) -> Combination:
    return tuple(path if i == topic else None for i in range(topics))


def _count_hops(combination: Combination) -> int:
    return sum(len(path) for path in combination if path is not None)


def _list_relations(combination: Combination) -> tuple[int, ...]:
    return tuple(r for path in combination if path is not None for r in path)


def _select_widest(topic_paths: PathsTo, count: int) -> list[tuple[int, ...]]:
    """The paths that let most answers through, those that reach least first among equals."""
    order = np.lexsort((topic_paths.sizes, -topic_paths.hits))[:count]
    return [topic_paths.paths[i] for i in order.tolist()]


def _find_intersection(snapshot: Snapshot, question: Grounded, combination: Combination) -> np.ndarray:
    common: np.ndarray | None = None
    for topic, path in zip(question.topics, combination, strict=True):
        if path is not None:
            entities = execute_path(snapshot, topic, path, simple=question.avoids_topics)
            common = entities if common is None else np.intersect1d(common, entities, assume_unique=True)
    return common if common is not None else np.zeros(0, np.int64)


def _remove_rejected(
    snapshot: Snapshot, question: Grounded, favourites: Sequence[Favourite], rejected: Rejections
) -> list[Favourite]:
    """The favourites that hold no path which was rejected for this question."""
    if not rejected:
        return list(favourites)
    key = question.question.id
    names = [snapshot.get_entity_label(topic) for topic in question.topics]
    return [
        favourite
        for favourite in favourites
        if not any(
            path is not None and (key, name, to_named_path(snapshot, path)) in rejected
            for name, path in zip(names, favourite.combination, strict=True)
        )
    ]


def _make_labels(snapshot: Snapshot, question: Grounded, combination: Combination, score: float) -> list[Label]:
    return [
        Label(
            question.question.id,
            snapshot.get_entity_label(topic),
            to_named_path(snapshot, path),
            "answer-set",
            score,
        )
        for topic, path in zip(question.topics, combination, strict=True)
        if path is not None
    ]
