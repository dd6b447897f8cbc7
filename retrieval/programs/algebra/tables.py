"""Computes the rows of tables over a snapshot: exact and vectorised. Numpy only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.values import compute_month_day, compute_year_fraction
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.columns import Columns, ValueType
from retrieval.programs.algebra.numbers import (
    compare_with_constant,
    compute_day_numbers,
    compute_years_between,
    match_equal_items,
    reduce_runs,
)
from retrieval.programs.algebra.operations import Operation
from retrieval.programs.algebra.rows import Cells, NodeLists, Rows
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    Column,
    Condition,
    DatePart,
    Grouping,
    Measure,
    Ordering,
    Table,
    Tally,
    check_table,
)
from retrieval.programs.algebra.table_types import infer_column_type, is_ordered_by_number

if TYPE_CHECKING:
    from retrieval.programs.algebra.keys import KeyWalker

#: Rows that are kept of a table.
ROWS = 100_000


def compute_rows(executor: KeyWalker, table: Table) -> Rows:
    """The rows of a table, the first ``ROWS`` of them.

    Raises:
        ProgramError: it does not fit the graph.
        Cancelled: the executor's ``cancelled`` said so.
    """
    try:
        check_table(table)
    except ValueError as error:
        raise ProgramError(str(error)) from None
    builder = _RowBuilder(executor, table)
    cells = [builder.compute_group(number) for number in range(len(table.groups))]
    for column in table.columns:
        check(executor.cancelled)
        cells.append(builder.compute_column(column, cells))
    kept = np.arange(builder.size)
    for condition in table.conditions:
        kept = kept[_test_condition(executor.columns, table, condition, cells[condition.column].numbers[kept])]
    kept = _sort_rows(executor, table, cells, kept)
    shown = kept[:ROWS]
    return Rows(tuple(column.select(shown) for column in cells), builder.members.select(shown), len(kept))


class _RowBuilder:
    """Groups the nodes of a table's source and computes its columns.

    Attributes:
        members: the nodes of the source in each.
        keys: what each row is grouped by, int64 [size, groups]: nodes, or numbers of parts of dates.
    """

    def __init__(self, executor: KeyWalker, table: Table) -> None:
        self.executor, self.table = executor, table
        nodes = executor.compute_nodes(table.source)
        members, keys = nodes, np.zeros((len(nodes), 0), np.int64)
        for group in table.groups:
            owners, ends = self._list_group_ends(nodes, group)
            places, entries = match_equal_items(members, owners)
            members, keys = members[places], np.column_stack([keys[places], ends[entries]])
            check(executor.cancelled)
        row = _assign_numbers(keys)
        order = np.lexsort((members, row))
        row, members, keys = row[order], members[order], keys[order]
        self.size = int(row[-1]) + 1 if len(row) else int(not table.groups)
        self.members = NodeLists.from_pairs(row, members, self.size)
        self.keys = keys[self.members.starts[:-1]] if len(row) else keys[:0].reshape(0, len(table.groups))

    def _list_group_ends(self, nodes: np.ndarray, group: Grouping) -> tuple[np.ndarray, np.ndarray]:
        """What each node is grouped by: nodes ascending and, of each once, nodes or numbers of parts of dates."""
        owners, ends = self.executor.compute_pairs(nodes, group.path)
        if group.part is None:
            return owners, ends
        values = self.executor.columns.values[ends]
        kind = self.executor.columns.get_value_type(group.path[-1]) if group.path else None
        if kind is not None and kind.kind is not ValueKind.DATE and not (kind.year and group.part is DatePart.YEAR):
            raise ProgramError(f"There are no dates to group by {group.part.value}.")
        known = ~np.isnan(values)
        pairs = np.unique(np.column_stack([owners[known], get_date_parts(values[known], group.part)]), axis=0)
        return pairs[:, 0], pairs[:, 1]

    def compute_group(self, number: int) -> Cells:
        """The column of what rows are grouped by."""
        group, keys = self.table.groups[number], self.keys[:, number]
        match group.part:
            case None:
                return self._make_node_cells(np.arange(self.size), keys, number)
            case DatePart.MONTH:
                known = {key: compute_year_fraction(*split_month(key)) for key in np.unique(keys).tolist()}
                return Cells(np.array([known[key] for key in keys.tolist()], float))
        return Cells(keys.astype(float))

    def compute_column(self, column: Column, before: list[Cells]) -> Cells:
        """A column by what stands in the table, and the columns before it."""
        match column:
            case Attribute(path, of):
                rows, nodes = self._list_starts(of)
                if column.best is not None:
                    rows, nodes = self._select_best(rows, nodes, column)
                rows, ends = self._walk_path(rows, nodes, path)
                return self._make_node_cells(rows, ends, len(before))
            case Measure(key, how, of):
                rows, nodes = self._list_starts(of)
                several = key.counted or key.folding is not None
                distinct = np.unique(nodes)
                if several:
                    keyed = self.executor.compute_keys(distinct, key)
                    owners, values = keyed.owners, keyed.values
                else:
                    owners, values = self.executor.collect_values(distinct, key)
                places, entries = match_equal_items(nodes, owners)
                return Cells(self._reduce_members(how or Folding.MOST, rows[places], values[entries]))
            case Tally(path, among):
                rows, ends = self._walk_path(*self._list_starts(None), path)
                if among is not None:
                    rows = rows[self.executor.test_membership(ends, self.executor.compute_nodes(among))]
                return Cells(np.bincount(rows, minlength=self.size).astype(float))
            case Calculation(operation, left, right):
                first = before[left].numbers
                second = np.full(self.size, np.nansum(first)) if right is None else before[right].numbers
                kind = infer_column_type(self.executor.columns, self.table, left)
                return Cells(_compute_calculation(operation, first, second, kind))

    def _list_starts(self, of: int | None) -> tuple[np.ndarray, np.ndarray]:
        """The nodes that a column begins at: rows ascending and nodes, int64 [m] each."""
        if of is not None:
            return np.arange(self.size), self.keys[:, of]
        return self.members.list_rows(), self.members.nodes

    def _walk_path(self, rows: np.ndarray, nodes: np.ndarray, path: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """What a path leads to from the nodes of each row, of each once: rows ascending and ends, int64 [m] each."""
        owners, ends = self.executor.compute_pairs(np.unique(nodes), path)
        places, entries = match_equal_items(nodes, owners)
        pairs = np.unique(rows[places] * self.executor.snapshot.num_entities + ends[entries])
        return np.divmod(pairs, self.executor.snapshot.num_entities)

    def _select_best(self, rows: np.ndarray, nodes: np.ndarray, column: Attribute) -> tuple[np.ndarray, np.ndarray]:
        """Of the nodes of each row those with the largest or smallest key."""
        assert column.best is not None
        keyed = self.executor.compute_keys(np.unique(nodes), column.best, largest=column.largest)
        places, entries = match_equal_items(nodes, keyed.owners)
        rows, nodes, values = rows[places], nodes[places], keyed.values[entries]
        best = self._reduce_members(Folding.MOST if column.largest else Folding.LEAST, rows, values)
        kept = values == best[rows]
        return rows[kept], nodes[kept]

    def _reduce_members(self, how: Folding, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """One number of the values of each row, rows ascending; NaN of none."""
        numbers = np.full(self.size, math.nan)
        if len(rows):
            starts = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
            numbers[rows[starts]] = reduce_runs(how, values, starts)
        return numbers

    def _make_node_cells(self, rows: np.ndarray, nodes: np.ndarray, number: int) -> Cells:
        """Cells of nodes; their numbers are the largest values, where they are values."""
        shown, numbers = NodeLists.from_pairs(rows, nodes, self.size), np.full(self.size, math.nan)
        if infer_column_type(self.executor.columns, self.table, number) is not None:
            values = self.executor.columns.values[nodes]
            known = ~np.isnan(values)
            numbers = self._reduce_members(Folding.MOST, rows[known], values[known])
        return Cells(numbers, shown)


def split_month(key: int) -> tuple[int, int, int]:
    """Year, month and first day of a month that is counted from the year 0."""
    year, month = divmod(key, 12)
    return year, month + 1, 1


def get_date_parts(values: np.ndarray, part: DatePart) -> np.ndarray:
    """Years, months counted from the year 0, or months 1 to 12 of dates; int64 [n]."""
    years = np.floor(values + 1e-9).astype(np.int64)
    if part is DatePart.YEAR:
        return years
    distinct, places = np.unique(values, return_inverse=True)
    months = np.array([compute_month_day(value)[0] for value in distinct.tolist()], np.int64)[places]
    return 12 * years + months - 1 if part is DatePart.MONTH else months


def _assign_numbers(keys: np.ndarray) -> np.ndarray:
    """The number of each combination of keys, in their order: int64 [n] of int64 [n, k]."""
    numbers = np.zeros(len(keys), np.int64)
    for column in range(keys.shape[1]):
        distinct, places = np.unique(keys[:, column], return_inverse=True)
        numbers = np.unique(numbers * len(distinct) + places, return_inverse=True)[1]
    return numbers


def _compute_calculation(
    operation: Operation, left: np.ndarray, right: np.ndarray, kind: ValueType | None
) -> np.ndarray:
    """What two columns come to, float64 [n]; NaN where either has nothing, and of a division by nothing."""
    numbers: np.ndarray
    match operation:
        case Operation.DIFFERENCE if kind is not None and kind.kind is ValueKind.DATE:
            numbers = compute_years_between(left, right)
        case Operation.DIFFERENCE:
            numbers = left - right
        case Operation.DAYS:
            numbers = np.abs(compute_day_numbers(left) - compute_day_numbers(right))
        case Operation.SUM:
            numbers = left + right
        case Operation.PRODUCT:
            numbers = left * right
        case _:
            numbers = np.divide(left, right, out=np.full(len(left), math.nan), where=right != 0)
    return numbers


def _test_condition(columns: Columns, table: Table, condition: Condition, numbers: np.ndarray) -> np.ndarray:
    """Which rows have what is compared, bool [n]."""
    if not is_ordered_by_number(columns, table, condition.column):
        raise ProgramError(f"Column {condition.column} of the table has no numbers to compare.")
    kind = infer_column_type(columns, table, condition.column)
    return compare_with_constant(kind, numbers, condition.comparison, condition.value)


def _sort_rows(executor: KeyWalker, table: Table, cells: list[Cells], kept: np.ndarray) -> np.ndarray:
    """Rows in the order of the table, with all that share the last place of its limit."""
    keys = [_make_order_key(executor, table, ordering, cells)[kept] for ordering in table.order]
    if keys:
        order = np.lexsort((kept, *reversed(keys)))
        kept, keys = kept[order], [key[order] for key in keys]
    if table.limit is None or len(kept) <= table.limit:
        return kept
    last, size = table.limit - 1, table.limit
    if keys:
        tied = np.all([_is_same(key, key[last]) for key in keys], axis=0)
        size = int(np.flatnonzero(tied)[-1]) + 1
    return kept[:size]


def _is_same(values: np.ndarray, value: float) -> np.ndarray:
    same: np.ndarray = np.isnan(values) if math.isnan(value) else values == value
    return same


def _make_order_key(executor: KeyWalker, table: Table, ordering: Ordering, cells: list[Cells]) -> np.ndarray:
    """A number of each row that ascends in an order; NaN, which comes last, of empty cells."""
    column = cells[ordering.column]
    numbers = column.numbers
    if not is_ordered_by_number(executor.columns, table, ordering.column) and column.nodes is not None:
        distinct, places = np.unique(column.nodes.nodes, return_inverse=True)
        names = [executor.snapshot.get_entity_label(node).casefold() for node in distinct.tolist()]
        ranks = np.unique(names, return_inverse=True)[1].astype(float)[places] if names else np.zeros(0)
        rows, numbers = column.nodes.list_rows(), np.full(len(numbers), math.nan)
        np.fmin.at(numbers, rows, ranks)
    return -numbers if ordering.descending else numbers
