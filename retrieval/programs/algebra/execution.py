"""Runs programs over a snapshot: exact, vectorised, cancellable, every part computed once. Numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.kg.values import compute_month_day
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.numbers import (
    Result,
    apply_operation,
    compare_values,
    compute_years_between,
    mark_places,
    mark_places_per_group,
    match_equal_items,
    reduce_runs,
    reduce_values,
)
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
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.algebra.walking import PathWalker

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_TEXT_TESTS = {TextMatch.CONTAINS: str.__contains__, TextMatch.STARTS: str.startswith, TextMatch.ENDS: str.endswith}
#: Results that are kept, in nodes.
_KEPT = 4_000_000


@dataclass(frozen=True, slots=True)
class Keyed:
    """Nodes with a key: ``owners`` int64 ascending, each once, and their ``values`` float64."""

    owners: np.ndarray
    values: np.ndarray


class Executor(PathWalker):
    """Executes programs over one snapshot; keeps what it computed. Not thread-safe.

    Args:
        snapshot: the graph.
        columns: its values, shared between executors.
        cancelled: asked between operations.
    """

    def __init__(
        self, snapshot: Snapshot, columns: Columns | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(snapshot, columns or Columns(snapshot), cancelled)
        self._done: dict[Program, Result] = {}
        self._size = 0

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
            return Keyed(np.zeros(0, np.int64), np.zeros(0))
        starts = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))
        how = key.folding or (Folding.MOST if largest else Folding.LEAST)
        return Keyed(owners[starts], reduce_runs(how, values, starts))

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
        who, entries = match_equal_items(ends, column.owners)
        return owners[who], column.values[entries]

    def _compute_combined_values(
        self, nodes: np.ndarray, key: Key, second_path: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What two values of the same node come to, of the nodes that a key's path leads to and that have both."""
        owners, ends = (nodes, nodes) if len(key.path) == 1 else self.compute_pairs(nodes, key.path[:-1])
        having = sort_unique(ends)
        holders, left = self._collect_values(having, Key(key.path[-1:]))
        others, right = self._collect_values(having, Key(second_path))
        entries, partners = match_equal_items(holders, others)
        left, right = left[entries], right[partners]
        if key.times is not None:
            values = left * right / self.columns.compute_divisor(key)
        else:
            kind = self.columns.get_value_type(key.path[-1])
            values = (
                compute_years_between(left, right) if kind is not None and kind.kind is ValueKind.DATE else left - right
            )
        who, entries = match_equal_items(ends, holders[entries])
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
        label, test = self.snapshot.get_entity_label, _TEXT_TESTS[program.match]
        kept = np.fromiter((test(label(end).casefold(), wanted) for end in ends.tolist()), bool, len(ends))
        return sort_unique(owners[kept])

    def _select_top(self, program: Top) -> np.ndarray:
        keyed = self.compute_keys(self.compute_nodes(program.source), program.key, largest=program.largest)
        values = keyed.values if program.largest else -keyed.values
        if program.per is not None:
            return self._select_top_per_group(keyed.owners, values, program)
        best: np.ndarray = keyed.owners[mark_places(values, program.rank, program.count)]
        return best

    def _select_top_per_group(self, nodes: np.ndarray, values: np.ndarray, program: Top) -> np.ndarray:
        """The largest of each group; a node that is in several groups is taken where it has the place in one."""
        owners, groups = self.compute_pairs(nodes, program.per or ())
        values = values[np.searchsorted(nodes, owners)]
        order = np.lexsort((-values, groups))
        mask = mark_places_per_group(groups[order], values[order], program.rank, program.count)
        return sort_unique(owners[order][mask])
