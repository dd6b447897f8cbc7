"""Shortest relation paths as labels: the baseline that answer-set consistency is measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.supervision.candidate_paths import compute_f1, execute_path, find_answer_paths
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, Labelling, NamedPath, Rejections, to_named_path
from retrieval.supervision.provided_labels import should_use_simple_walks
from retrieval.types import Progress


@dataclass(frozen=True, slots=True)
class ShortestPathRationalizer:
    """Of each topic, the shortest relation path to an answer; the one that reaches most answers when equal.

    Attributes:
        max_hops: longest path.
        every: all shortest relation paths to each answer instead (the papers' baseline: RAPL Table 2, REL-RAG Table 7).
    """

    max_hops: int = 3
    every: bool = False

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
        """See :class:`labels.Rationalizer`. Walks come back to their topic only to reach it as an answer."""
        del encoder
        labels: list[Label] = []
        fits: list[float] = []
        for done, question in enumerate(questions):
            check(cancelled)
            answers = np.array(question.answers, np.int64)
            path_scores: list[float] = []
            for topic in question.topics:
                name = snapshot.get_entity_label(topic)
                refused = {path for q, t, path in rejected if (q, t) == (question.question.id, name)}
                simple = question.avoids_topics
                scored_paths = self._find_all_shortest(snapshot, topic, answers, refused, simple) if self.every else []
                best = None if self.every else self._find_shortest(snapshot, topic, answers, refused, simple)
                for path, score in scored_paths if best is None else [best]:
                    path_scores.append(score)
                    labels.append(Label(question.question.id, name, path, "shortest-path", score))
            if path_scores:
                fits.append(max(path_scores))
            if progress is not None and done % 100 == 0:
                progress(Progress("finding shortest paths", done, len(questions), "questions"))
        fit = float(np.mean(fits)) if fits else 0.0
        simple = should_use_simple_walks(snapshot, questions, labels)
        return Labelling(tuple(labels), simple, fit, len(questions) - len(fits))

    def _find_all_shortest(
        self, snapshot: Snapshot, topic: int, answers: np.ndarray, refused: set[NamedPath], simple: bool
    ) -> list[tuple[NamedPath, float]]:
        """Every relation path that is a shortest one to some answer, with the F1 of what it reaches."""
        left, chosen = answers, list[tuple[NamedPath, float]]()
        for hops in range(1, self.max_hops + 1):
            if not len(left):
                break
            near = [left[:0]]
            for path in find_answer_paths(snapshot, topic, left, max_hops=hops, simple=simple).paths:
                to = execute_path(snapshot, topic, path, simple=simple)
                near.append(np.intersect1d(left, to))
                name = to_named_path(snapshot, path)
                if len(path) == hops and name not in refused:
                    chosen.append((name, compute_f1(to, answers)))
            left = np.setdiff1d(left, np.concatenate(near))
        return chosen

    def _find_shortest(
        self, snapshot: Snapshot, topic: int, answers: np.ndarray, refused: set[NamedPath], simple: bool
    ) -> tuple[NamedPath, float] | None:
        for hops in range(1, self.max_hops + 1):
            candidates = find_answer_paths(snapshot, topic, answers, max_hops=hops, simple=simple)
            scores = candidates.compute_scores()
            ranked = sorted(zip(-candidates.hits, candidates.paths, strict=True))
            for _, path in ranked:
                name = to_named_path(snapshot, path)
                if name not in refused:
                    return name, scores[path]
        return None
