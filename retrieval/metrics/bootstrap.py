"""Confidence intervals by resampling questions: of one report, and of the difference between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.metrics.scores import QuestionScore, build_risk_table

#: Metrics that are means over the questions that have them, and the field each is the mean of.
MEANS = {
    "hit": "hit",
    "hit_at_1": "hit_at_1",
    "macro_f1": "f1",
    "exact_set": "exact",
    "answer_recall": "answer_recall",
    "path_recall": "path_recall",
    "passage_recall_at_2": "passage_recall_at_2",
    "passage_recall_at_5": "passage_recall_at_5",
    "exact_match": "exact_match",
    "token_f1": "token_f1",
    "row_f1": "row_f1",
    "exact_table": "exact_table",
    "program_exact": "program",
    "program_answers": "program_answers",
    "avg_triples": "triples",
}
RESAMPLES = 2_000
LEVEL = 0.95
_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two reports is, question by question.

    Attributes:
        value: second minus first.
        low, high: bounds of the 95% interval.
        p: two-sided: how probable a difference as far from none is, if there were none; at least 1 / resamples.
    """

    value: float
    low: float
    high: float
    p: float


def compute_intervals(
    scores: Sequence[QuestionScore], *, seed: int = 0, resamples: int = RESAMPLES
) -> dict[str, tuple[float, float]]:
    """95% percentile intervals of the metrics by drawing as many questions, with replacement.

    The same scores and seed give the same intervals. A metric that no question has is left out.
    """
    if not scores:
        return {}
    table = _Table(scores)
    drawn = np.concatenate([table.compute_metrics(w) for w in _sample_weights(len(scores), seed, resamples)], axis=1)
    return {
        name: _find_bounds(values[np.isfinite(values)])
        for name, values in zip(table.names, drawn, strict=True)
        if np.isfinite(values).any()
    }


def compute_differences(
    first: Sequence[QuestionScore],
    second: Sequence[QuestionScore],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Difference]:
    """Paired bootstrap: both reports' metrics on the same drawn questions, second minus first.

    Args:
        first, second: scores of the same questions in the same order.
        resamples: how often questions are drawn.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} scores are not of the same questions")
    if not first:
        return {}
    first_table, second_table = _Table(first), _Table(second)
    everything = np.ones((1, len(first)))
    value = (second_table.compute_metrics(everything) - first_table.compute_metrics(everything))[:, 0]
    drawn = np.concatenate(
        [
            second_table.compute_metrics(w) - first_table.compute_metrics(w)
            for w in _sample_weights(len(first), seed, resamples)
        ],
        axis=1,
    )
    results = {}
    for name, difference, values in zip(first_table.names, value, drawn, strict=True):
        seen = values[np.isfinite(values)]
        if np.isfinite(difference) and len(seen):
            # Centred on no difference, how often is one as large drawn?
            extreme = np.abs(seen - difference) >= abs(difference) - 1e-12
            p = max(float(extreme.mean()), 1 / resamples)
            results[name] = Difference(float(difference), *_find_bounds(seen), p)
    return results


class _Table:
    """Scores as columns: what is summed, and of how many questions."""

    def __init__(self, scores: Sequence[QuestionScore]) -> None:
        columns = [
            [np.nan if (value := getattr(score, field)) is None else float(value) for score in scores]
            for field in MEANS.values()
        ]
        values = np.array(columns, float).reshape(len(MEANS), len(scores)).T
        self.names = (*MEANS, "micro_f1", "coverage_at_5", "ece")
        self._risk = build_risk_table(scores)
        present = ~np.isnan(values)
        hits = np.array([2 * score.true_positives for score in scores], float).reshape(-1, 1)
        sizes = np.array([score.predicted + score.gold for score in scores], float).reshape(-1, 1)
        self._sums = np.hstack([np.where(present, values, 0.0), hits])  # [n, m]
        self._counts = np.hstack([present.astype(float), sizes])  # [n, m]

    def compute_metrics(self, weights: np.ndarray) -> np.ndarray:
        """Metrics of b weighted samples of the n questions, [m, b]; NaN where no question has one."""
        counts = weights @ self._counts
        with np.errstate(invalid="ignore", divide="ignore"):
            figures: np.ndarray = (weights @ self._sums / counts).T
        # Nothing predicted where nothing was to be found is right.
        figures[-1][counts[:, -1] == 0] = 1.0
        if self._risk is None:
            return np.vstack([figures, np.full((2, len(weights)), np.nan)])
        risk = self._risk.compute_coverage(weights), self._risk.compute_calibration_error(weights)
        return np.vstack([figures, *risk])


def _sample_weights(questions: int, seed: int, resamples: int) -> list[np.ndarray]:
    """How often each question is drawn, [b, n] a piece; the same for every report of as many questions."""
    if not questions:
        return []
    rng = np.random.default_rng(seed)
    shares = np.full(questions, 1 / questions)
    sizes = [min(_AT_ONCE, resamples - start) for start in range(0, resamples, _AT_ONCE)]
    return [rng.multinomial(questions, shares, size=size).astype(float) for size in sizes]


def _find_bounds(values: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
