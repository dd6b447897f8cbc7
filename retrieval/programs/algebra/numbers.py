"""Numbers: what operations, comparisons and places of values come to, one by one or as arrays. Numpy only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.values import compute_day_number, compute_month_day
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.programs.algebra.operations import Constant, Operation
from retrieval.programs.algebra.rows import Rows

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import ValueType

#: Values that differ by less than this share are equal.
_CLOSE = 1e-9


IN_YEARS, DAYS_OF_A_YEAR = 2.0, 365.2425
"""What lasts less than so many years is told in days, and how many a year has."""


Result = np.ndarray | float | bool | Rows
"""A set of node ids (int64, ascending), a number (NaN: of nothing), a truth, or the rows of a table."""


def is_nothing(result: Result) -> bool:
    """Whether a result is the empty set, or a number of nothing."""
    if isinstance(result, np.ndarray | Rows):
        return not len(result)
    return isinstance(result, float) and math.isnan(result)


def get_result_nodes(result: Result) -> np.ndarray | None:
    """The nodes of a set, or those that the rows of a table are of, int64 ascending; None of numbers and truths."""
    if isinstance(result, Rows):
        nodes = np.unique(result.list_row_nodes())
        return nodes[nodes >= 0]
    return result if isinstance(result, np.ndarray) else None


def reduce_values(how: Folding, values: np.ndarray) -> float:
    """One number of several; NaN of none, but the sum of none is 0."""
    if how is Folding.SUM:
        return float(values.sum())
    if not len(values):
        return math.nan
    if how is Folding.AVERAGE:
        return float(values.mean())
    return float(values.min() if how is Folding.LEAST else values.max())


def reduce_runs(how: Folding, values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """One number of each run of values, by where the runs start."""
    if how in (Folding.SUM, Folding.AVERAGE):
        totals = np.add.reduceat(values, starts)
        return totals / np.diff(np.append(starts, len(values))) if how is Folding.AVERAGE else totals
    extremes: np.ndarray = (np.maximum if how is Folding.MOST else np.minimum).reduceat(values, starts)
    return extremes


def mark_places(values: np.ndarray, rank: int, count: int) -> np.ndarray:
    """Which of some values have the places from a rank on, the largest first, bool [n]; a single place is one of the
    distinct values.
    """
    if count == 1:
        distinct = np.unique(values)[::-1]
        return values == distinct[rank - 1] if rank <= len(distinct) else np.zeros(len(values), bool)
    order = np.sort(values)[::-1]
    first, last = rank - 1, min(rank + count - 1, len(order)) - 1
    if first > last:
        return np.zeros(len(values), bool)
    mask: np.ndarray = (values <= order[first]) & (values >= order[last])
    return mask


def mark_places_per_group(groups: np.ndarray, values: np.ndarray, rank: int, count: int) -> np.ndarray:
    """:func:`mark_places` of each group, bool [n]; ordered by group and from the largest value of each."""
    if not len(groups):
        return np.zeros(0, bool)
    begins = np.concatenate([[True], groups[1:] != groups[:-1]])
    group = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    if count == 1:
        place = np.cumsum(begins | np.concatenate([[True], values[1:] != values[:-1]]))
        single: np.ndarray = place - place[starts][group] + 1 == rank
        return single
    sizes = np.diff(np.append(starts, len(values)))
    first, last = np.minimum(rank - 1, sizes), np.minimum(rank + count - 1, sizes) - 1
    high, low = values[starts + np.minimum(first, sizes - 1)][group], values[starts + last][group]
    several: np.ndarray = (first <= last)[group] & (values <= high) & (values >= low)
    return several


def apply_operation(operation: Operation, left: float, right: float) -> float:
    """What two numbers come to; NaN where one is, and of a division by nothing."""
    match operation:
        case Operation.DIFFERENCE:
            return abs(left - right)
        case Operation.DAYS:
            known = not (math.isnan(left) or math.isnan(right))
            return float(abs(compute_day_number(left) - compute_day_number(right))) if known else math.nan
        case Operation.SUM:
            return left + right
        case Operation.PRODUCT:
            return left * right
        case Operation.RATIO | Operation.SHARE:
            return left / right if right else math.nan


def compare_values(values: np.ndarray, comparison: Comparison, value: float, slack: float | None = None) -> np.ndarray:
    """Which values compare with one, bool [n]; nothing compares with NaN."""
    if math.isnan(value) or np.isnan(values).any():
        return (
            np.zeros(len(values), bool)
            if math.isnan(value)
            else ~np.isnan(values) & compare_values(np.nan_to_num(values), comparison, value, slack)
        )
    slack = abs(value) * _CLOSE if slack is None else slack
    equal = np.abs(values - value) <= slack
    match comparison:
        case Comparison.EQUAL:
            return equal
        case Comparison.NOT_EQUAL:
            return ~equal
        case Comparison.LESS:
            return (values < value) & ~equal
        case Comparison.AT_MOST:
            return (values < value) | equal
        case Comparison.MORE:
            return (values > value) & ~equal
        case Comparison.AT_LEAST:
            return (values > value) | equal


def compute_years_between(later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """How many years lie between dates; of less than two the exact days, whatever years they are in."""
    years = later - earlier
    days = (compute_day_numbers(later) - compute_day_numbers(earlier)) / DAYS_OF_A_YEAR
    exact: np.ndarray = np.where(np.abs(years) < IN_YEARS, days, years)
    return exact


def compute_day_numbers(dates: np.ndarray) -> np.ndarray:
    """:func:`compute_day_number` for an array of dates."""
    years = np.floor(dates + 1e-9)
    leaps, now = ((y // 4 - y // 100 + y // 400) for y in (years - 1, years))
    numbers: np.ndarray = 365 * years + leaps + np.floor((dates - years) * (365 + now - leaps) + 1e-4)
    return numbers


def match_equal_items(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all pairs of equal items, int64 [n] each, by the first; ``right`` ascending."""
    first = np.searchsorted(right, left)
    sizes = np.searchsorted(right, left, side="right") - first
    place = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return np.repeat(np.arange(len(left)), sizes), place


def compare_with_constant(
    kind: ValueType | None, values: np.ndarray, comparison: Comparison, constant: Constant
) -> np.ndarray:
    """Which values of a kind compare with a constant, bool [n]: dates also with years, and with days of any year."""
    if kind is None or kind.kind is not ValueKind.DATE:
        return compare_values(values, comparison, constant.value)
    if constant.kind is ValueKind.MONTH_DAY:  # value: month * 100 + day
        here = np.array([m * 100 + d for m, d in map(compute_month_day, values.tolist())], float)
        return compare_values(here, comparison, constant.value)
    if constant.kind is ValueKind.NUMBER:  # a year: the whole of it
        return compare_values(np.floor(values + 1e-9), comparison, constant.value)
    return compare_values(values, comparison, constant.value, 1e-7)
