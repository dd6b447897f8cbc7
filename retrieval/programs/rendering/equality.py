"""When the executor takes two values for equal, so that queries of other engines do as well."""

from __future__ import annotations

import numpy as np

from retrieval.language.amounts import Folding
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Constant, Count, Key, KeyOf, Program

#: Values that differ by less than this share are equal; dates, by less than so many years.
CLOSE, CLOSE_DATES = 1e-9, 1e-7


def compute_tolerance(columns: Columns, key: Key, value: float, slack: float) -> float | None:
    """How far from a constant a key still is equal to it; None where no other value of the graph is that near.

    Args:
        value: with what.
        slack: what differs by no more is equal.
    """
    if key.counted:
        return None
    if key.times or key.less:
        return slack
    if key.folding not in (Folding.SUM, Folding.AVERAGE):
        apart = np.abs(columns.get_column(key.path[-1]).values - value)
        if not np.any((apart > 0) & (apart <= 2 * slack)):
            return None
    return slack


def is_whole_number(program: Program) -> bool:
    """Whether it is a whole number, so that it is compared exactly."""
    if isinstance(program, Constant):
        return float(program.value).is_integer() and abs(program.value) < 1e8
    return isinstance(program, Count) or (isinstance(program, KeyOf) and program.key.counted)
