"""Runs programs over a snapshot: exact, vectorised, cancellable, every part computed once. Numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.language.amounts import TextMatch
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.keys import Keyed, KeyWalker
from retrieval.programs.algebra.numbers import (
    Result,
    apply_operation,
    compare_values,
    compare_with_constant,
    mark_places,
    mark_places_per_group,
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
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.algebra.tables import compute_rows

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_TEXT_TESTS = {TextMatch.CONTAINS: str.__contains__, TextMatch.STARTS: str.startswith, TextMatch.ENDS: str.endswith}
#: Results that are kept, in nodes.
_KEPT = 4_000_000


class Executor(KeyWalker):
    """Executes programs over one snapshot; keeps what it computed. Not thread-safe.

    Args:
        columns: its values, shared between executors.
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
            if isinstance(known, np.ndarray | Rows):
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
            case Filter():
                return self._filter(program)
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
            case Table():
                return compute_rows(self, program)
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
        if isinstance(result, Rows):
            raise ProgramError("A table is no number.")
        if isinstance(result, np.ndarray):
            values = self.columns.values[result] if len(result) else np.zeros(0)
            return float(values[0]) if len(values) == 1 else math.nan
        return float(result)

    def _list_all_values(self, nodes: np.ndarray, key: Key) -> np.ndarray:
        if key.counted or key.folding is not None:
            return self.compute_keys(nodes, key).values
        return self.collect_values(nodes, key)[1]

    def _compute_key(self, source: Program, key: Key) -> float:
        nodes = self.compute_nodes(source)
        keyed = self.compute_keys(nodes, key)
        return float(keyed.values[0]) if len(nodes) == 1 and len(keyed.values) == 1 else math.nan

    def _filter(self, program: Filter) -> np.ndarray:
        nodes, key = self.compute_nodes(program.source), program.key
        if key.counted or key.folding is not None:
            keyed = self.compute_keys(nodes, key)
            owners, values = keyed.owners, keyed.values
        else:
            owners, values = self.collect_values(nodes, key)
        return sort_unique(owners[self.compare_keys(program, values)])

    def compare_keys(self, program: Filter, values: np.ndarray) -> np.ndarray:
        """Which values of its key a filter keeps; bool [n]."""
        if isinstance(program.value, Constant):
            kind = self.columns.get_key_type(program.key)
            return compare_with_constant(kind, values, program.comparison, program.value)
        mask: np.ndarray = compare_values(values, program.comparison, self.compute_number(program.value))
        return mask

    def _filter_by_text(self, program: TextFilter) -> np.ndarray:
        nodes = self.compute_nodes(program.source)
        if program.relation is None:
            owners = ends = nodes
        else:
            owners, ends = self.compute_pairs(nodes, (program.relation,))
        kept = np.fromiter((self.test_text(program, end) for end in ends.tolist()), bool, len(ends))
        return sort_unique(owners[kept])

    def test_text(self, program: TextFilter, node: int) -> bool:
        """Whether a node's name is what a text filter looks for."""
        return _TEXT_TESTS[program.match](self.snapshot.get_entity_label(node).casefold(), program.text.casefold())

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
