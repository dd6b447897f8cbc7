"""Small operations on arrays of ids."""

from __future__ import annotations

import numpy as np


def sort_unique(values: np.ndarray) -> np.ndarray:
    """``np.unique`` by sorting; numpy's own hashes long integer arrays, which is several times slower."""
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]


def expand_spans(starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all spans one after the other, and which span each belongs to; int64 [sum of lengths]."""
    owner = np.repeat(np.arange(len(starts)), lengths)
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(len(owner)), owner


def is_among(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which values are in ``known``, ascending; bool [n]."""
    if not len(known) or not len(values):
        return np.zeros(len(values), bool)
    is_known: np.ndarray = known.take(np.searchsorted(known, values), mode="clip") == values
    return is_known


def find_common(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """What is in both, ascending, each looked up from the shorter."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    shared: np.ndarray = few[is_among(few, many)]
    return shared
