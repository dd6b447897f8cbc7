"""Logistic models of being right, and how well their probabilities agree with the share that is right."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import minimize

#: Added to the deviation of each sign, so that rare ones do not get large weights; strength of the ridge.
_SLACK, _RIDGE = 0.05, 0.001
_BINS = 10
CONSTANT = "one"
"""The sign that is 1 in every row."""


def fit_logistic(
    rows: Sequence[Mapping[str, float]],
    right: Sequence[bool],
    weight: np.ndarray,
    *,
    rare: int,
    ridge: float = _RIDGE,
) -> dict[str, float]:
    """Fit weights of signs, standardised while fitting and given for signs as they are.

    Args:
        rows: the signs of each example, by name.
        right: what is to be predicted.
        weight: of each example, float64 [rows]; any scale.
        rare: signs that fewer examples have get no weight.
        ridge: strength of the pull towards nought.
    """
    counts = Counter(name for row in rows for name, value in row.items() if value)
    names = sorted(name for name, count in counts.items() if count >= rare and name != CONSTANT)
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))
    target, share = np.array(right, np.float64), weight / weight.sum()
    mean, deviation = matrix.mean(0), matrix.std(0) + _SLACK
    scaled = np.column_stack([(matrix - mean) / deviation, np.ones(len(rows))])
    pull = np.append(np.full(len(names), ridge), 0.0)

    def compute_loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        odds = scaled @ theta
        loss = (share * (np.logaddexp(0.0, odds) - target * odds)).sum()
        slope = scaled.T @ (share * (1.0 / (1.0 + np.exp(-odds)) - target))
        return float(loss + (pull * theta * theta).sum()), slope + 2 * pull * theta

    theta = minimize(compute_loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    slopes = theta[:-1] / deviation
    return dict(zip(names, slopes.tolist(), strict=True)) | {CONSTANT: float(theta[-1] - slopes @ mean)}


def compute_probability(weights: Mapping[str, float], signs: Mapping[str, float]) -> float:
    """The probability of being right that weights of :func:`fit_logistic` give to an example."""
    odds = sum(weights.get(name, 0.0) * value for name, value in {**signs, CONSTANT: 1.0}.items())
    return float(1.0 / (1.0 + np.exp(-odds)))


def compute_calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error over ten bins of equal width.

    Args:
        confidence: probabilities, float [n].
        right: whether each was right, bool [n].
    """
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = [abs(confidence[bins == bin_].sum() - right[bins == bin_].sum()) for bin_ in range(_BINS)]
    return float(sum(gaps) / max(1, len(confidence)))


def assign_fold(graph: str, folds: int) -> int:
    """The part of the data that a graph belongs to, by a hash of its name: whole graphs are left out."""
    return int(hashlib.sha256(graph.encode()).hexdigest(), 16) % folds
