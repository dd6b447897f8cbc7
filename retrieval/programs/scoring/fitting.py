"""Fits the ranker's weights: the likelihood of the programs whose result is right, among all that were composed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from retrieval.programs.weights import Weights


@dataclass(frozen=True, slots=True)
class FittingExample:
    """A question's candidates: features of each, and which are right. ``weight`` is its share of the loss."""

    features: tuple[dict[str, float], ...]
    right: tuple[bool, ...]
    weight: float = 1.0


def fit(examples: Sequence[FittingExample], prior: Weights, *, pull: float = 0.02, rare: int = 2) -> Weights:
    """Weights that make right programs likely.

    Args:
        examples: those without any right candidate, or without a wrong one, are left out.
        prior: where the weights start, and what they are pulled to.
        pull: strength of that, per squared difference and example.
        rare: features of fewer examples keep their prior weight.
    """
    used = [e for e in examples if any(e.right) and not all(e.right)]
    if not used:
        return prior
    seen: dict[str, int] = {}
    for example in used:
        for name in {name for features in example.features for name, value in features.items() if value}:
            seen[name] = seen.get(name, 0) + 1
    names = sorted(name for name, count in seen.items() if count >= rare)
    column = {name: index for index, name in enumerate(names)}
    rows, columns, cells, fixed = [], [], [], []
    for example in used:
        for features in example.features:
            fixed.append(sum(prior.values.get(n, 0.0) * v for n, v in features.items() if n not in column))
            for name, value in features.items():
                if name in column and value:
                    rows.append(len(fixed) - 1)
                    columns.append(column[name])
                    cells.append(value)
    matrix = csr_matrix((cells, (rows, columns)), shape=(len(fixed), len(names)))
    base = np.array(fixed)
    sizes = np.array([len(e.features) for e in used])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    right = np.array([r for e in used for r in e.right])
    weight = np.array([e.weight for e in used])
    begin = np.array([prior.values.get(name, 0.0) for name in names])
    total = weight.sum()

    def compute_loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ theta + base
        shares, norm = _compute_softmax(scores, starts, sizes)
        good, good_norm = _compute_softmax(np.where(right, scores, -np.inf), starts, sizes)
        likelihood = good_norm - norm
        gradient = matrix.T @ ((shares - good) * np.repeat(weight, sizes))
        away = theta - begin
        return (float(-(likelihood * weight).sum() / total + pull * (away @ away) / 2), gradient / total + pull * away)

    solution = minimize(compute_loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    values = dict(prior.values)
    values.update(zip(names, solution.x.tolist(), strict=True))
    return Weights(values, prior.temperature, dict(prior.calibration))


def _compute_softmax(scores: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Softmax within each stretch, and the log of its normaliser; float64 [n] and [stretches]."""
    highest = np.maximum.reduceat(scores, starts)
    shifted = np.exp(scores - np.repeat(highest, sizes))
    sums = np.add.reduceat(shifted, starts)
    return shifted / np.repeat(sums, sizes), np.log(sums) + highest
