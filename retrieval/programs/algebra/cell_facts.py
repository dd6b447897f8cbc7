"""The facts that a cell of a table comes from. Numpy only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.operations import Key
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    DatePart,
    Grouping,
    Measure,
    Table,
    Tally,
    get_column,
)
from retrieval.programs.algebra.tables import get_date_parts

if TYPE_CHECKING:
    from retrieval.programs.algebra.keys import KeyWalker
    from retrieval.programs.algebra.rows import Rows


def list_cell_facts(executor: KeyWalker, table: Table, rows: Rows, row: int, number: int) -> np.ndarray:
    """The facts behind a cell: what its column reads from the nodes of the row, then why these are in the row.

    Args:
        executor: has run the table.
        row: its number, from 0.
        number: of the column, the groups first.

    Returns:
        Heads, forward relations and tails, each fact once; int64 [n, 3].
    """
    reader = _FactReader(executor, table, rows, row)
    facts = [*reader.read_column(number), *reader.read_groups()]
    every = np.concatenate([np.zeros((0, 3), np.int64), *facts])
    first = np.unique(every, axis=0, return_index=True)[1]
    kept: np.ndarray = every[np.sort(first)]
    return kept


class _FactReader:
    """Reads the facts of one row."""

    def __init__(self, executor: KeyWalker, table: Table, rows: Rows, row: int) -> None:
        self.executor, self.table, self.rows, self.row = executor, table, rows, row
        self.members = rows.members.get_nodes(row)

    def read_column(self, number: int) -> list[np.ndarray]:
        """What a column reads."""
        match get_column(self.table, number):
            case Grouping():
                return [self._read_group(number)]
            case Attribute(path, of, best, largest):
                shown = self.rows.columns[number].nodes
                starts, read = self._list_starts(of), list[np.ndarray]()
                if best is not None:
                    keyed = self.executor.compute_keys(starts, best, largest=largest)
                    values = keyed.values if largest else -keyed.values
                    starts = keyed.owners[values == values.max(initial=-np.inf)]
                    read = self._read_key(starts, best)
                ends = None if shown is None else shown.get_nodes(self.row)
                return [self._list_path_facts(starts, path, ends), *read]
            case Measure(key, _, of):
                return self._read_key(self._list_starts(of), key)
            case Tally(path, among):
                return [
                    self._list_path_facts(
                        self.members, path, None if among is None else self.executor.compute_nodes(among)
                    )
                ]
            case Calculation(_, left, right):
                sides = [left] if right is None else [left, right]
                return [facts for side in sides for facts in self.read_column(side)]

    def read_groups(self) -> list[np.ndarray]:
        """Why the nodes are in the row."""
        return [self._read_group(number) for number in range(len(self.table.groups))]

    def _list_starts(self, of: int | None) -> np.ndarray:
        shown = None if of is None else self.rows.columns[of].nodes
        return self.members if shown is None else shown.get_nodes(self.row)

    def _read_group(self, number: int) -> np.ndarray:
        group, cells = self.table.groups[number], self.rows.columns[number]
        if cells.nodes is not None:
            return self._list_path_facts(self.members, group.path, cells.nodes.get_nodes(self.row))
        assert group.part is not None
        ends = np.unique(self.executor.compute_pairs(self.members, group.path)[1])
        values = self.executor.columns.values[ends]
        known = ~np.isnan(values)
        ends, values = ends[known], values[known]
        wanted = cells.numbers[self.row : self.row + 1]
        part = get_date_parts(wanted, group.part) if group.part is DatePart.MONTH else wanted
        return self._list_path_facts(self.members, group.path, ends[get_date_parts(values, group.part) == part])

    def _read_key(self, starts: np.ndarray, key: Key) -> list[np.ndarray]:
        """The facts of the values of a key, of the nodes that it takes them from."""
        if key.counted:
            among = None if key.among is None else self.executor.compute_nodes(key.among)
            return [self._list_path_facts(starts, key.path, among)]
        owners = starts if len(key.path) == 1 else np.unique(self.executor.compute_pairs(starts, key.path[:-1])[1])
        if key.among is not None:
            owners = owners[self.executor.test_membership(owners, self.executor.compute_nodes(key.among))]
        factor = key.times or key.less
        for path in (key.path[-1:], *([] if factor is None else [factor])):
            owners = np.intersect1d(owners, self.executor.compute_pairs(owners, path)[0])
        values = [
            self._list_path_facts(owners, path, None) for path in (key.path[-1:], *([] if factor is None else [factor]))
        ]
        return [*values, self._list_path_facts(starts, key.path[:-1], owners)]

    def _list_path_facts(self, starts: np.ndarray, path: tuple[int, ...], ends: np.ndarray | None) -> np.ndarray:
        """The facts of a path from some nodes to some others, or wherever it leads; int64 [n, 3]."""
        levels = [np.unique(starts)]
        for relation in path:
            levels.append(np.unique(self.executor.compute_pairs(levels[-1], (relation,))[1]))
        kept = levels[-1] if ends is None else np.intersect1d(levels[-1], ends)
        facts = [np.zeros((0, 3), np.int64)]
        for level, relation in zip(reversed(levels[:-1]), reversed(path), strict=True):
            owners, reached = self.executor.compute_pairs(level, (relation,))
            mine = self.executor.test_membership(reached, kept)
            owners, reached = owners[mine], reached[mine]
            inverse, forward = divmod(relation, self.executor.snapshot.num_relations)
            heads, tails = (reached, owners) if inverse else (owners, reached)
            facts.append(np.column_stack([heads, np.full(len(heads), forward), tails]))
            kept = np.unique(owners)
        return np.concatenate(facts[::-1])
