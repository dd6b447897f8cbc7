"""Shortest relation paths as labels: the baseline that answer-set consistency is measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.supervision.candidate_paths import f1, paths_to, reached
from retrieval.supervision.given import prefers_simple
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, Labelling, NamedPath, Rejections, named
from retrieval.text.features import TextEncoder
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
            own: list[float] = []
            for topic in question.topics:
                name = snapshot.entity_label(topic)
                refused = {path for q, t, path in rejected if (q, t) == (question.question.id, name)}
                simple = question.avoids_topics
                found = self._every(snapshot, topic, answers, refused, simple) if self.every else []
                best = None if self.every else self._shortest(snapshot, topic, answers, refused, simple)
                for path, score in found if best is None else [best]:
                    own.append(score)
                    labels.append(Label(question.question.id, name, path, "shortest-path", score))
            if own:
                fits.append(max(own))
            if progress is not None and done % 100 == 0:
                progress(Progress("finding shortest paths", done, len(questions), "questions"))
        fit = float(np.mean(fits)) if fits else 0.0
        simple = prefers_simple(snapshot, questions, labels)
        return Labelling(tuple(labels), simple, fit, len(questions) - len(fits))

    def _every(
        self, snapshot: Snapshot, topic: int, answers: np.ndarray, refused: set[NamedPath], simple: bool
    ) -> list[tuple[NamedPath, float]]:
        """Every relation path that is a shortest one to some answer, with the F1 of what it reaches."""
        left, chosen = answers, list[tuple[NamedPath, float]]()
        for hops in range(1, self.max_hops + 1):
            if not len(left):
                break
            near = [left[:0]]
            for path in paths_to(snapshot, topic, left, max_hops=hops, simple=simple).paths:
                to = reached(snapshot, topic, path, simple=simple)
                near.append(np.intersect1d(left, to))
                name = named(snapshot, path)
                if len(path) == hops and name not in refused:
                    chosen.append((name, f1(to, answers)))
            left = np.setdiff1d(left, np.concatenate(near))
        return chosen

    def _shortest(
        self, snapshot: Snapshot, topic: int, answers: np.ndarray, refused: set[NamedPath], simple: bool
    ) -> tuple[NamedPath, float] | None:
        for hops in range(1, self.max_hops + 1):
            found = paths_to(snapshot, topic, answers, max_hops=hops, simple=simple)
            scores = found.scores()
            ranked = sorted(zip(-found.hits, found.paths, strict=True))
            for _, path in ranked:
                name = named(snapshot, path)
                if name not in refused:
                    return name, scores[path]
        return None
