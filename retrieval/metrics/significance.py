"""A paired randomisation test: whether two systems differ on the same questions. Plain Python and numpy."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, sqrt

import numpy as np

#: Below it a difference is called significant.
ALPHA = 0.05
#: How the test is called in captions.
TEST = f"paired randomisation test over the questions, two-sided p < {ALPHA}"
#: With up to so many questions that the systems score differently, all ways to swap their scores are counted.
EXACT = 16


def compute_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how probable a mean difference as large is when the two scores of each question are swapped at random.

    Exact for up to ``EXACT`` questions with different scores; for more, the normal approximation of the same
    distribution.

    Args:
        first, second: scores of the same questions in the same order.

    Returns:
        The two-sided p; 1 where no question is scored differently.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} scores are not of the same questions")
    differences = np.asarray(second, float) - np.asarray(first, float)
    differences = differences[differences != 0]
    count, total = len(differences), abs(float(differences.sum()))
    if not count:
        return 1.0
    if count > EXACT:
        return erfc(total / sqrt(2 * float((differences**2).sum())))
    signs = 1 - 2 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
    return float((np.abs(signs @ differences) >= total - 1e-9).mean())
