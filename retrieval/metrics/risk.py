"""Risk and coverage: how many questions are answered, and how many of the answers are wrong, by falling confidence.

An answer is wrong where it is not the whole answer set and nothing else. Answers of the same confidence are given
together, so no figure depends on an order among them. Where nothing is answered, there is no figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

ERROR = 0.05
"""Share of wrong answers at which coverage is told."""
BINS = 10
"""Bins of equal width in a reliability diagram."""
_POINTS = 100


class RiskTable:
    """Questions by falling confidence of their answers.

    Args:
        confidences: of each question's answer, in [0, 1]; None where nothing was answered.
        right: whether the answer is right; counts for nothing where nothing was answered.
    """

    def __init__(self, confidences: Sequence[float | None], right: Sequence[bool]) -> None:
        answered = [i for i, confidence in enumerate(confidences) if confidence is not None]
        values = np.clip(np.array([confidences[i] for i in answered], float), 0.0, 1.0)
        order = np.argsort(-values, kind="stable")
        self.n = len(confidences)
        self.confidence = values[order]  # [a], falling
        self._places = np.array(answered, int)[order]
        self.right = np.array([right[i] for i in answered], float)[order]  # [a]
        # Where the answers of one confidence end: [a]
        self._ends = np.append(self.confidence[1:] < self.confidence[:-1], True)[: len(values)]
        self._bins = np.minimum((self.confidence * BINS).astype(int), BINS - 1)

    def compute_coverage(self, weights: np.ndarray, error: float = ERROR) -> np.ndarray:
        """The largest share of questions that can be answered with at most ``error`` of the answers wrong.

        Args:
            weights: of each question in b samples, [b, n].
            error: share of wrong answers.

        Returns:
            [b]; 0 where even the surest answers are wrong too often.
        """
        ordered = weights[:, self._places]
        answered = np.cumsum(ordered, axis=1)[:, self._ends]
        wrong = np.cumsum(ordered * (1 - self.right), axis=1)[:, self._ends]
        covered = np.where(wrong <= error * answered + 1e-9, answered, 0.0)
        largest: np.ndarray = covered.max(axis=1, initial=0.0) / weights.sum(axis=1)
        return largest

    def compute_calibration_error(self, weights: np.ndarray) -> np.ndarray:
        """Expected calibration error over bins of equal width, [b]; NaN where a sample has no answer."""
        ordered = weights[:, self._places]
        gaps = ordered * (self.confidence - self.right)
        by_bin = np.stack([gaps[:, self._bins == i].sum(axis=1) for i in range(BINS)])
        with np.errstate(invalid="ignore", divide="ignore"):
            error: np.ndarray = np.abs(by_bin).sum(axis=0) / ordered.sum(axis=1)
        return error

    def describe(self) -> dict[str, Any]:
        """The curve and the reliability diagram as plain JSON.

        Returns:
            ``{n, answered, wrong, curve: [{confidence, coverage, error}], bins: [{low, high, n, confidence, right}]}``.
            A point of the curve says what share of the questions is answered, and what share of these answers is wrong,
            where answers of at least its confidence are given; of many points 100 are kept. Bins without answers are
            left out.
        """
        ends = np.flatnonzero(self._ends)
        kept = ends[np.unique(np.linspace(0, len(ends) - 1, min(_POINTS, len(ends))).round().astype(int))]
        wrong = np.cumsum(1 - self.right)
        return {
            "n": self.n,
            "answered": len(self.confidence),
            "wrong": int(wrong[-1]) if len(wrong) else 0,
            "curve": [
                {
                    "confidence": round(float(self.confidence[i]), 4),
                    "coverage": round((i + 1) / self.n, 4),
                    "error": round(float(wrong[i]) / (i + 1), 4),
                }
                for i in kept.tolist()
            ],
            "bins": [
                {
                    "low": i / BINS,
                    "high": (i + 1) / BINS,
                    "n": int(inside.sum()),
                    "confidence": round(float(self.confidence[inside].mean()), 4),
                    "right": round(float(self.right[inside].mean()), 4),
                }
                for i in range(BINS)
                if (inside := self._bins == i).any()
            ],
        }
