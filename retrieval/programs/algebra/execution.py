"""Runs programs over a snapshot: exact, vectorised, cancellable, every part computed once. Numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.search.walks import walk_relation
from retrieval.kg.snapshot.arrays import is_among, sort_unique
from retrieval.kg.values import compute_day_number, compute_month_day
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

NO_NODES = np.zeros(0, np.int64)
#: Values that differ by less than this share are equal.
_CLOSE = 1e-9
IN_YEARS, DAYS_OF_A_YEAR = 2.0, 365.2425
"""What lasts less than so many years is told in days, and how many a year has."""
#: Results that are kept, in nodes.
_KEPT = 4_000_000
#: Sets so many times larger than what is looked up are searched, smaller ones marked.
_MARKED = 8

Result = np.ndarray | float | bool
"""A set of node ids (int64, ascending), a number (NaN: of nothing) or a truth."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """Nodes with a key: ``owners`` int64 ascending, each once, and their ``values`` float64."""

    owners: np.ndarray
    values: np.ndarray


class Executor:
    """Executes programs over one snapshot; keeps what it computed. Not thread-safe.

    Args:
        snapshot: the graph.
        columns: its values, shared between executors.
        cancelled: asked between operations.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        columns: Columns | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.snapshot = snapshot
        self.columns = columns or Columns(snapshot)
        self.cancelled = cancelled
        self._done: dict[Program, Result] = {}
        self._size = 0
        self._marks = np.zeros(snapshot.num_entities, bool)

    def run(self, program: Program) -> Result:
        """What a program denotes.

        Raises:
            ProgramError: it is ill-typed for this graph.
            Cancelled: ``cancelled`` said so.
        """
        known = self._done.get(program)
        if known is None:
            check(self.cancelled)
            known = self._run(program)
            if isinstance(known, np.ndarray):
                self._size += len(known)
                if self._size > _KEPT:
                    self._done.clear()
                    self._size = 0
            self._done[program] = known
        return known

    def compute_nodes(self, program: Program) -> np.ndarray:
        """The set that a program denotes, int64 ascending.

        Raises:
            ProgramError: it denotes no set.
        """
        result = self.run(program)
        if not isinstance(result, np.ndarray):
            raise ProgramError(f"{type(program).__name__} is no set.")
        return result

    def _run(self, program: Program) -> Result:
        match program:
            case Entities(ids):
                if ids and not 0 <= ids[0] <= ids[-1] < self.snapshot.num_entities:
                    raise ProgramError(f"The graph has no entity {ids[-1]}.")
                return np.array(ids, np.int64)
            case Having(relation):
                return self.columns.list_sources(self._check_relation(relation))
            case Walk(source, relation):
                return self.walk(self.compute_nodes(source), self._check_relation(relation))
            case And(left, right):
                few, many = sorted((self.compute_nodes(left), self.compute_nodes(right)), key=len)
                shared: np.ndarray = few[self.test_membership(few, many)]
                return shared
            case Or(left, right):
                return sort_unique(np.concatenate([self.compute_nodes(left), self.compute_nodes(right)]))
            case Except(source, without):
                nodes = self.compute_nodes(source)
                kept: np.ndarray = nodes[~self.test_membership(nodes, self.compute_nodes(without))]
                return kept
            case Filter(source, key, comparison, value):
                return self._filter(source, key, comparison, value)
            case TextFilter():
                return self._filter_by_text(program)
            case Top():
                return self._select_top(program)
            case Count(source):
                return float(len(self.compute_nodes(source)))
            case Fold(how, source, key):
                return reduce_values(how, self._list_all_values(self.compute_nodes(source), key))
            case KeyOf(source, key):
                return self._compute_key(source, key)
            case Arithmetic(operation, left, right):
                return apply_operation(operation, self.compute_number(left), self.compute_number(right))
            case Exists(source):
                return bool(len(self.compute_nodes(source)))
            case Holds(left, comparison, right):
                return bool(
                    compare_values(np.array([self.compute_number(left)]), comparison, self.compute_number(right))[0]
                )
            case Constant(value):
                return value
        raise ProgramError(f"{type(program).__name__} cannot be executed.")

    def count_nodes(self, program: Program) -> int:
        """How many nodes the set has that a program denotes.

        Raises:
            ProgramError: it denotes no set.
        """
        return len(self.compute_nodes(program))

    def compute_ranking(self, program: Top) -> Keyed:
        """The keys that a ranking compares.

        Raises:
            ProgramError: it does not fit the graph.
        """
        return self.compute_keys(self.compute_nodes(program.source), program.key, largest=program.largest)

    def compute_number(self, program: Program) -> float:
        """The number that a program denotes; of a set of one value, that value.

        Raises:
            ProgramError: it denotes none.
        """
        result = self.run(program)
        if isinstance(result, np.ndarray):
            values = self.columns.values[result] if len(result) else np.zeros(0)
            return float(values[0]) if len(values) == 1 else math.nan
        return float(result)

    def test_membership(self, nodes: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Which of some nodes are in a set, ascending; bool [n]. Costs as much as both are long."""
        if len(known) > _MARKED * len(nodes):
            return is_among(nodes, known)
        self._marks[known] = True
        mask: np.ndarray = self._marks[nodes]
        self._marks[known] = False
        return mask

    def walk(self, nodes: np.ndarray, relation: int) -> np.ndarray:
        """What a directed relation leads to from any of some nodes, int64 ascending."""
        if len(nodes) > len(self.columns.list_sources(relation)) // 2:
            owners, targets = self.columns.list_arcs(relation)
            return sort_unique(targets[self.test_membership(owners, nodes)])
        inverse, forward = divmod(relation, self.snapshot.num_relations)
        return sort_unique(walk_relation(self.snapshot, nodes, forward, bool(inverse))[1])

    def compute_pairs(self, nodes: np.ndarray, path: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Which of some nodes a path leads to which, each pair once: owners and ends, int64 [n], owners ascending."""
        owners = ends = nodes
        for relation in path:
            inverse, forward = divmod(self._check_relation(relation), self.snapshot.num_relations)
            position, ends, _ = walk_relation(self.snapshot, ends, forward, bool(inverse))
            owners = owners[position]
            if len(path) > 1:
                owners, ends = np.divmod(
                    sort_unique(owners * self.snapshot.num_entities + ends), self.snapshot.num_entities
                )
            check(self.cancelled)
        order = np.argsort(owners, kind="stable")
        return owners[order], ends[order]

    def compute_keys(self, nodes: np.ndarray, key: Key, *, largest: bool = True) -> Keyed:
        """The key of each of some nodes; those without a value are left out, counts are 0.

        Args:
            nodes: int64 ascending.
            key: what to compute.
            largest: of several values of a node the largest counts, else the smallest.
        """
        if key.counted:
            owners, ends = self.compute_pairs(nodes, key.path)
            if key.among is not None:
                owners = owners[self.test_membership(ends, self.compute_nodes(key.among))]
            counts = np.bincount(np.searchsorted(nodes, owners), minlength=len(nodes))
            return Keyed(nodes, counts.astype(float))
        owners, values = self._collect_values(nodes, key)
        if not len(owners):
            return Keyed(NO_NODES, np.zeros(0))
        starts = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))
        if key.folding in (Folding.SUM, Folding.AVERAGE):
            totals = np.add.reduceat(values, starts)
            sizes = np.diff(np.append(starts, len(owners)))
            return Keyed(owners[starts], totals / sizes if key.folding is Folding.AVERAGE else totals)
        most = largest if key.folding is None else key.folding is Folding.MOST
        reduce = np.maximum if most else np.minimum
        return Keyed(owners[starts], reduce.reduceat(values, starts))

    def _collect_values(self, nodes: np.ndarray, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """All values of a key: owners int64 ascending and values float64."""
        second_path = key.times or key.less
        if second_path is not None:
            return self._compute_combined_values(nodes, key, second_path)
        if len(key.path) == 1:
            column = self.columns.get_column(self._check_relation(key.path[0]))
            mine = self.test_membership(column.owners, nodes)
            return column.owners[mine], column.values[mine]
        owners, ends = self.compute_pairs(nodes, key.path[:-1])
        column = self.columns.get_column(self._check_relation(key.path[-1]))
        who, entries = _match_equal_items(ends, column.owners)
        return owners[who], column.values[entries]

    def _compute_combined_values(
        self, nodes: np.ndarray, key: Key, second_path: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What two values of the same node come to, of the nodes that a key's path leads to and that have both."""
        owners, ends = (nodes, nodes) if len(key.path) == 1 else self.compute_pairs(nodes, key.path[:-1])
        having = sort_unique(ends)
        holders, left = self._collect_values(having, Key(key.path[-1:]))
        others, right = self._collect_values(having, Key(second_path))
        entries, partners = _match_equal_items(holders, others)
        left, right = left[entries], right[partners]
        if key.times is not None:
            values = left * right / self.columns.compute_divisor(key)
        else:
            kind = self.columns.get_value_type(key.path[-1])
            values = (
                _compute_years_between(left, right)
                if kind is not None and kind.kind is ValueKind.DATE
                else left - right
            )
        who, entries = _match_equal_items(ends, holders[entries])
        return owners[who], values[entries]

    def _list_all_values(self, nodes: np.ndarray, key: Key) -> np.ndarray:
        if key.counted or key.folding is not None:
            return self.compute_keys(nodes, key).values
        return self._collect_values(nodes, key)[1]

    def _compute_key(self, source: Program, key: Key) -> float:
        nodes = self.compute_nodes(source)
        keyed = self.compute_keys(nodes, key)
        return float(keyed.values[0]) if len(nodes) == 1 and len(keyed.values) == 1 else math.nan

    def _filter(self, source: Program, key: Key, comparison: Comparison, value: Program) -> np.ndarray:
        nodes = self.compute_nodes(source)
        if key.counted or key.folding is not None:
            keyed = self.compute_keys(nodes, key)
            owners, values = keyed.owners, keyed.values
        else:
            owners, values = self._collect_values(nodes, key)
        if isinstance(value, Constant):
            kept = self._compare_with_constant(values, key, comparison, value)
        else:
            kept = compare_values(values, comparison, self.compute_number(value))
        return sort_unique(owners[kept])

    def _compare_with_constant(
        self, values: np.ndarray, key: Key, comparison: Comparison, constant: Constant
    ) -> np.ndarray:
        kind = self.columns.get_key_type(key)
        if kind is None or kind.kind is not ValueKind.DATE:
            return compare_values(values, comparison, constant.value)
        if constant.kind is ValueKind.MONTH_DAY:  # value: month * 100 + day
            here = np.array([m * 100 + d for m, d in map(compute_month_day, values.tolist())], float)
            return compare_values(here, comparison, constant.value)
        if constant.kind is ValueKind.NUMBER:  # a year: the whole of it
            return compare_values(np.floor(values + 1e-9), comparison, constant.value)
        return compare_values(values, comparison, constant.value, 1e-7)

    def _filter_by_text(self, program: TextFilter) -> np.ndarray:
        nodes, wanted = self.compute_nodes(program.source), program.text.casefold()
        if program.relation is None:
            owners = ends = nodes
        else:
            owners, ends = self.compute_pairs(nodes, (program.relation,))
        label = self.snapshot.get_entity_label
        test: Callable[[str], bool] = {
            TextMatch.CONTAINS: lambda text: wanted in text,
            TextMatch.STARTS: lambda text: text.startswith(wanted),
            TextMatch.ENDS: lambda text: text.endswith(wanted),
        }[program.match]
        kept = np.fromiter((test(label(end).casefold()) for end in ends.tolist()), bool, len(ends))
        return sort_unique(owners[kept])

    def _select_top(self, program: Top) -> np.ndarray:
        keyed = self.compute_keys(self.compute_nodes(program.source), program.key, largest=program.largest)
        if not len(keyed.owners):
            return NO_NODES
        values = keyed.values if program.largest else -keyed.values
        if program.per is not None:
            return self._select_top_per_group(keyed.owners, values, program)
        distinct = np.unique(values)[::-1]
        if program.count == 1:
            if program.rank > len(distinct):
                return NO_NODES
            best: np.ndarray = keyed.owners[values == distinct[program.rank - 1]]
            return best
        order = np.sort(values)[::-1]
        first, last = program.rank - 1, min(program.rank + program.count - 1, len(order)) - 1
        if first > last:
            return NO_NODES
        several: np.ndarray = keyed.owners[(values <= order[first]) & (values >= order[last])]
        return several

    def _select_top_per_group(self, nodes: np.ndarray, values: np.ndarray, program: Top) -> np.ndarray:
        """The largest of each group; a node that is in several groups is taken where it has the place in one."""
        owners, groups = self.compute_pairs(nodes, program.per or ())
        values = values[np.searchsorted(nodes, owners)]
        order = np.lexsort((-values, groups))
        owners, groups, values = owners[order], groups[order], values[order]
        if not len(owners):
            return NO_NODES
        begins = np.concatenate([[True], groups[1:] != groups[:-1]])
        group = np.cumsum(begins) - 1
        starts = np.flatnonzero(begins)
        if program.count == 1:
            new = begins | np.concatenate([[True], values[1:] != values[:-1]])
            place = np.cumsum(new)
            return sort_unique(owners[place - place[starts][group] + 1 == program.rank])
        sizes = np.diff(np.append(starts, len(owners)))
        first = np.minimum(program.rank - 1, sizes)
        last = np.minimum(program.rank + program.count - 1, sizes) - 1
        some = (first <= last)[group]
        high, low = values[starts + np.minimum(first, sizes - 1)][group], values[starts + last][group]
        return sort_unique(owners[some & (values <= high) & (values >= low)])

    def _check_relation(self, relation: int) -> int:
        if not 0 <= relation < 2 * self.snapshot.num_relations:
            raise ProgramError(f"The graph has no relation {relation}.")
        return relation


def is_nothing(result: Result) -> bool:
    """Whether a result is the empty set, or a number of nothing."""
    if isinstance(result, np.ndarray):
        return not len(result)
    return isinstance(result, float) and math.isnan(result)


def reduce_values(how: Folding, values: np.ndarray) -> float:
    """One number of several; NaN of none, but the sum of none is 0."""
    if how is Folding.SUM:
        return float(values.sum())
    if not len(values):
        return math.nan
    if how is Folding.AVERAGE:
        return float(values.mean())
    return float(values.min() if how is Folding.LEAST else values.max())


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


def _compute_years_between(later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """How many years lie between dates; of less than two the exact days, whatever years they are in."""
    years = later - earlier
    days = (_compute_day_numbers(later) - _compute_day_numbers(earlier)) / DAYS_OF_A_YEAR
    exact: np.ndarray = np.where(np.abs(years) < IN_YEARS, days, years)
    return exact


def _compute_day_numbers(dates: np.ndarray) -> np.ndarray:
    """:func:`compute_day_number` for an array of dates."""
    years = np.floor(dates + 1e-9)
    leaps, now = ((y // 4 - y // 100 + y // 400) for y in (years - 1, years))
    numbers: np.ndarray = 365 * years + leaps + np.floor((dates - years) * (365 + now - leaps) + 1e-4)
    return numbers


def _match_equal_items(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all pairs of equal items, int64 [n] each, by the first; ``right`` ascending."""
    first = np.searchsorted(right, left)
    sizes = np.searchsorted(right, left, side="right") - first
    place = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return np.repeat(np.arange(len(left)), sizes), place
