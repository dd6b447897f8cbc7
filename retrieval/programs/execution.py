"""Runs programs over a snapshot: exact, vectorised, cancellable, every part computed once. Numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.search.walks import step
from retrieval.kg.snapshot.arrays import among, sorted_unique
from retrieval.kg.values import day_number, month_day
from retrieval.programs.algebra import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Folding,
    Having,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    TextMatch,
    Top,
    ValueKind,
    Walk,
)  # fmt: skip
from retrieval.programs.columns import Columns

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

    def nodes(self, program: Program) -> np.ndarray:
        """The set that a program denotes, int64 ascending.

        Raises:
            ProgramError: it denotes no set.
        """
        found = self.run(program)
        if not isinstance(found, np.ndarray):
            raise ProgramError(f"{type(program).__name__} is no set.")
        return found

    def _run(self, program: Program) -> Result:
        match program:
            case Entities(ids):
                if ids and not 0 <= ids[0] <= ids[-1] < self.snapshot.num_entities:
                    raise ProgramError(f"The graph has no entity {ids[-1]}.")
                return np.array(ids, np.int64)
            case Having(relation):
                return self.columns.sources(self._relation(relation))
            case Walk(source, relation):
                return self.walk(self.nodes(source), self._relation(relation))
            case And(left, right):
                few, many = sorted((self.nodes(left), self.nodes(right)), key=len)
                shared: np.ndarray = few[self.inside(few, many)]
                return shared
            case Or(left, right):
                return sorted_unique(np.concatenate([self.nodes(left), self.nodes(right)]))
            case Except(source, without):
                nodes = self.nodes(source)
                kept: np.ndarray = nodes[~self.inside(nodes, self.nodes(without))]
                return kept
            case Filter(source, key, comparison, value):
                return self._filter(source, key, comparison, value)
            case TextFilter():
                return self._text_filter(program)
            case Top():
                return self._top(program)
            case Count(source):
                return float(len(self.nodes(source)))
            case Fold(how, source, key):
                return fold(how, self._all_values(self.nodes(source), key))
            case KeyOf(source, key):
                return self._key_of(source, key)
            case Arithmetic(operation, left, right):
                return calculated(operation, self.number(left), self.number(right))
            case Exists(source):
                return bool(len(self.nodes(source)))
            case Holds(left, comparison, right):
                return bool(compared(np.array([self.number(left)]), comparison, self.number(right))[0])
            case Constant(value):
                return value
        raise ProgramError(f"{type(program).__name__} cannot be executed.")

    def size(self, program: Program) -> int:
        """How many nodes the set has that a program denotes.

        Raises:
            ProgramError: it denotes no set.
        """
        return len(self.nodes(program))

    def ranking(self, program: Top) -> Keyed:
        """The keys that a ranking compares.

        Raises:
            ProgramError: it does not fit the graph.
        """
        return self.keyed(self.nodes(program.source), program.key, largest=program.largest)

    def number(self, program: Program) -> float:
        """The number that a program denotes; of a set of one value, that value.

        Raises:
            ProgramError: it denotes none.
        """
        found = self.run(program)
        if isinstance(found, np.ndarray):
            values = self.columns.values[found] if len(found) else np.zeros(0)
            return float(values[0]) if len(values) == 1 else math.nan
        return float(found)

    def inside(self, nodes: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Which of some nodes are in a set, ascending; bool [n]. Costs as much as both are long."""
        if len(known) > _MARKED * len(nodes):
            return among(nodes, known)
        self._marks[known] = True
        found: np.ndarray = self._marks[nodes]
        self._marks[known] = False
        return found

    def walk(self, nodes: np.ndarray, relation: int) -> np.ndarray:
        """What a directed relation leads to from any of some nodes, int64 ascending."""
        if len(nodes) > len(self.columns.sources(relation)) // 2:
            owners, targets = self.columns.arcs(relation)
            return sorted_unique(targets[self.inside(owners, nodes)])
        inverse, forward = divmod(relation, self.snapshot.num_relations)
        return sorted_unique(step(self.snapshot, nodes, forward, bool(inverse))[1])

    def pairs(self, nodes: np.ndarray, path: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Which of some nodes a path leads to which, each pair once: owners and ends, int64 [n], owners ascending."""
        owners = ends = nodes
        for relation in path:
            inverse, forward = divmod(self._relation(relation), self.snapshot.num_relations)
            position, ends, _ = step(self.snapshot, ends, forward, bool(inverse))
            owners = owners[position]
            if len(path) > 1:
                owners, ends = np.divmod(
                    sorted_unique(owners * self.snapshot.num_entities + ends), self.snapshot.num_entities
                )
            check(self.cancelled)
        order = np.argsort(owners, kind="stable")
        return owners[order], ends[order]

    def keyed(self, nodes: np.ndarray, key: Key, *, largest: bool = True) -> Keyed:
        """The key of each of some nodes; those without a value are left out, counts are 0.

        Args:
            nodes: int64 ascending.
            key: what to compute.
            largest: of several values of a node the largest counts, else the smallest.
        """
        if key.counted:
            owners, ends = self.pairs(nodes, key.path)
            if key.among is not None:
                owners = owners[self.inside(ends, self.nodes(key.among))]
            counts = np.bincount(np.searchsorted(nodes, owners), minlength=len(nodes))
            return Keyed(nodes, counts.astype(float))
        owners, values = self._values(nodes, key)
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

    def _values(self, nodes: np.ndarray, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """All values of a key: owners int64 ascending and values float64."""
        beside = key.times or key.less
        if beside is not None:
            return self._computed(nodes, key, beside)
        if len(key.path) == 1:
            column = self.columns.column(self._relation(key.path[0]))
            mine = self.inside(column.owners, nodes)
            return column.owners[mine], column.values[mine]
        owners, ends = self.pairs(nodes, key.path[:-1])
        column = self.columns.column(self._relation(key.path[-1]))
        who, entries = _meeting(ends, column.owners)
        return owners[who], column.values[entries]

    def _computed(
        self, nodes: np.ndarray, key: Key, beside: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What two values of the same node come to, of the nodes that a key's path leads to and that have both."""
        owners, ends = (nodes, nodes) if len(key.path) == 1 else self.pairs(nodes, key.path[:-1])
        having = sorted_unique(ends)
        holders, left = self._values(having, Key(key.path[-1:]))
        others, right = self._values(having, Key(beside))
        entries, partners = _meeting(holders, others)
        left, right = left[entries], right[partners]
        if key.times is not None:
            values = left * right / self.columns.divisor(key)
        else:
            kind = self.columns.value_type(key.path[-1])
            values = _apart(left, right) if kind is not None and kind.kind is ValueKind.DATE else left - right
        who, entries = _meeting(ends, holders[entries])
        return owners[who], values[entries]

    def _all_values(self, nodes: np.ndarray, key: Key) -> np.ndarray:
        if key.counted or key.folding is not None:
            return self.keyed(nodes, key).values
        return self._values(nodes, key)[1]

    def _key_of(self, source: Program, key: Key) -> float:
        nodes = self.nodes(source)
        keyed = self.keyed(nodes, key)
        return float(keyed.values[0]) if len(nodes) == 1 and len(keyed.values) == 1 else math.nan

    def _filter(self, source: Program, key: Key, comparison: Comparison, value: Program) -> np.ndarray:
        nodes = self.nodes(source)
        if key.counted or key.folding is not None:
            keyed = self.keyed(nodes, key)
            owners, values = keyed.owners, keyed.values
        else:
            owners, values = self._values(nodes, key)
        if isinstance(value, Constant):
            kept = self._against(values, key, comparison, value)
        else:
            kept = compared(values, comparison, self.number(value))
        return sorted_unique(owners[kept])

    def _against(
        self, values: np.ndarray, key: Key, comparison: Comparison, constant: Constant
    ) -> np.ndarray:
        kind = self.columns.key_type(key)
        if kind is None or kind.kind is not ValueKind.DATE:
            return compared(values, comparison, constant.value)
        if constant.kind is ValueKind.MONTH_DAY:  # value: month * 100 + day
            here = np.array([m * 100 + d for m, d in map(month_day, values.tolist())], float)
            return compared(here, comparison, constant.value)
        if constant.kind is ValueKind.NUMBER:  # a year: the whole of it
            return compared(np.floor(values + 1e-9), comparison, constant.value)
        return compared(values, comparison, constant.value, 1e-7)

    def _text_filter(self, program: TextFilter) -> np.ndarray:
        nodes, wanted = self.nodes(program.source), program.text.casefold()
        if program.relation is None:
            owners = ends = nodes
        else:
            owners, ends = self.pairs(nodes, (program.relation,))
        label = self.snapshot.entity_label
        test: Callable[[str], bool] = {
            TextMatch.CONTAINS: lambda text: wanted in text,
            TextMatch.STARTS: lambda text: text.startswith(wanted),
            TextMatch.ENDS: lambda text: text.endswith(wanted),
        }[program.match]
        kept = np.fromiter((test(label(end).casefold()) for end in ends.tolist()), bool, len(ends))
        return sorted_unique(owners[kept])

    def _top(self, program: Top) -> np.ndarray:
        keyed = self.keyed(self.nodes(program.source), program.key, largest=program.largest)
        if not len(keyed.owners):
            return NO_NODES
        values = keyed.values if program.largest else -keyed.values
        if program.per is not None:
            return self._top_of_each(keyed.owners, values, program)
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

    def _top_of_each(self, nodes: np.ndarray, values: np.ndarray, program: Top) -> np.ndarray:
        """The largest of each group; a node that is in several groups is taken where it has the place in one."""
        owners, groups = self.pairs(nodes, program.per or ())
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
            return sorted_unique(owners[place - place[starts][group] + 1 == program.rank])
        sizes = np.diff(np.append(starts, len(owners)))
        first = np.minimum(program.rank - 1, sizes)
        last = np.minimum(program.rank + program.count - 1, sizes) - 1
        some = (first <= last)[group]
        high, low = values[starts + np.minimum(first, sizes - 1)][group], values[starts + last][group]
        return sorted_unique(owners[some & (values <= high) & (values >= low)])

    def _relation(self, relation: int) -> int:
        if not 0 <= relation < 2 * self.snapshot.num_relations:
            raise ProgramError(f"The graph has no relation {relation}.")
        return relation


def is_nothing(result: Result) -> bool:
    """Whether a result is the empty set, or a number of nothing."""
    if isinstance(result, np.ndarray):
        return not len(result)
    return isinstance(result, float) and math.isnan(result)


def fold(how: Folding, values: np.ndarray) -> float:
    """One number of several; NaN of none, but the sum of none is 0."""
    if how is Folding.SUM:
        return float(values.sum())
    if not len(values):
        return math.nan
    if how is Folding.AVERAGE:
        return float(values.mean())
    return float(values.min() if how is Folding.LEAST else values.max())


def calculated(operation: Operation, left: float, right: float) -> float:
    """What two numbers come to; NaN where one is, and of a division by nothing."""
    match operation:
        case Operation.DIFFERENCE:
            return abs(left - right)
        case Operation.DAYS:
            known = not (math.isnan(left) or math.isnan(right))
            return float(abs(day_number(left) - day_number(right))) if known else math.nan
        case Operation.SUM:
            return left + right
        case Operation.PRODUCT:
            return left * right
        case Operation.RATIO | Operation.SHARE:
            return left / right if right else math.nan


def compared(
    values: np.ndarray, comparison: Comparison, value: float, slack: float | None = None
) -> np.ndarray:
    """Which values compare with one, bool [n]; nothing compares with NaN."""
    if math.isnan(value) or np.isnan(values).any():
        return (
            np.zeros(len(values), bool)
            if math.isnan(value)
            else ~np.isnan(values) & compared(np.nan_to_num(values), comparison, value, slack)
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


def _apart(later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """How many years lie between dates; of less than two the exact days, whatever years they are in."""
    years = later - earlier
    days = (_day_numbers(later) - _day_numbers(earlier)) / DAYS_OF_A_YEAR
    exact: np.ndarray = np.where(np.abs(years) < IN_YEARS, days, years)
    return exact


def _day_numbers(dates: np.ndarray) -> np.ndarray:
    """:func:`day_number` of many dates."""
    years = np.floor(dates + 1e-9)
    leaps, now = ((y // 4 - y // 100 + y // 400) for y in (years - 1, years))
    numbers: np.ndarray = 365 * years + leaps + np.floor((dates - years) * (365 + now - leaps) + 1e-4)
    return numbers


def _meeting(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all pairs of equal items, int64 [n] each, by the first; ``right`` ascending."""
    first = np.searchsorted(right, left)
    sizes = np.searchsorted(right, left, side="right") - first
    place = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return np.repeat(np.arange(len(left)), sizes), place
