"""The rows of a table as an answer shows them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.operations import Operation
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Calculation, Measure, Table, get_column
from retrieval.programs.algebra.table_types import infer_column_type, is_ordered_by_number
from retrieval.programs.rendering.sentences import keys
from retrieval.programs.rendering.sentences.values import Measure as Head
from retrieval.programs.rendering.sentences.values import split_measure
from retrieval.programs.rendering.table_formatting import format_cell
from retrieval.programs.rendering.table_wording import describe_calculation, describe_column, describe_measure
from retrieval.results import AnswerTable, TableCell, TableColumn

if TYPE_CHECKING:
    from retrieval.programs.rendering.set_wording import SetDescriber

#: Rows, and nodes of a cell, that an answer shows.
ROWS, _NODES = 1_000, 20


def build_answer_table(describer: SetDescriber, table: Table, rows: Rows) -> AnswerTable:
    """The first rows of a table with the heads of its columns; ``describer`` has run it."""
    numbers = range(len(rows.columns))
    return AnswerTable(
        tuple(_build_head(describer, table, rows, number) for number in numbers),
        tuple(
            tuple(_build_cell(describer, table, rows, row, number) for number in numbers)
            for row in range(min(len(rows), ROWS))
        ),
        rows.total,
    )


def _build_head(describer: SetDescriber, table: Table, rows: Rows, number: int) -> TableColumn:
    head, kind = describe_head(describer, table, number), infer_column_type(describer.columns, table, number)
    column_kind: Literal["text", "number", "date"] = "text"
    if is_ordered_by_number(describer.columns, table, number):
        column_kind = "date" if kind is not None and kind.kind is ValueKind.DATE else "number"
    # Nodes are shown by their labels, which have their units.
    return TableColumn(head.noun, column_kind, "" if rows.columns[number].nodes is not None else head.unit)


def _build_cell(describer: SetDescriber, table: Table, rows: Rows, row: int, number: int) -> TableCell:
    cells, value = rows.columns[number], float(rows.columns[number].numbers[row])
    nodes = () if cells.nodes is None else tuple(cells.nodes.get_nodes(row)[:_NODES].tolist())
    return TableCell(
        format_cell(describer.columns, table, rows, row, number),
        None if math.isnan(value) else value,
        tuple(map(describer.executor.snapshot.get_node, nodes)),
    )


def describe_head(describer: SetDescriber, table: Table, number: int) -> Head:
    """The head of a column, by its number: its noun, and the unit of its numbers."""
    match get_column(table, number):
        case Measure(key) as column:
            head, kind = keys.describe_key(describer, key), infer_column_type(describer.columns, table, number)
            unit = head.unit or ("" if kind is None or kind.age else kind.unit)
            return Head(describe_measure(describer, column, head.noun), unit)
        case Calculation(operation, left, right):
            heads = [describe_head(describer, table, side) for side in (left, right) if side is not None]
            units = [head.unit for head in heads]
            unit = _infer_unit(operation, units[0], units[-1] if right is not None else units[0])
            return Head(describe_calculation(operation, [head.noun for head in heads]), unit)
    return split_measure(describe_column(describer, table, number))


def _infer_unit(operation: Operation, left: str, right: str) -> str:
    match operation:
        case Operation.SHARE:
            return "%"
        case Operation.DAYS:
            return "days"
        case Operation.RATIO:
            return "" if left == right else f"{left}/{right}" if right else left
    return left or right
