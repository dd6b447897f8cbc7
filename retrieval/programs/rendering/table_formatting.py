"""Cells of tables, and what programs give as answers, as text. Loads no torch."""

from __future__ import annotations

import calendar
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.values import compute_month_day
from retrieval.programs.algebra.operations import Operation
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Calculation, DatePart, Grouping, Table, get_column
from retrieval.programs.algebra.table_types import infer_column_type
from retrieval.programs.rendering.formatting import format_result, format_share, format_value

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.algebra.numbers import Result
    from retrieval.programs.algebra.operations import Program


def get_answer_labels(snapshot: Snapshot, columns: Columns, program: Program, result: Result) -> tuple[str, ...]:
    """What a program gives as answers are written: the labels of nodes, a number or a truth; none of nothing (NaN).

    Of the rows of a table the first cells.
    """
    if isinstance(result, Rows):
        assert isinstance(program, Table)
        return tuple(format_cell(columns, program, result, row, 0) for row in range(len(result)))
    if isinstance(result, np.ndarray):
        return tuple(snapshot.get_entity_label(node) for node in result.tolist())
    text = format_result(columns, program, result)
    return (text,) if text else ()


def format_cell(columns: Columns, table: Table, rows: Rows, row: int, number: int) -> str:
    """A cell of a table by the number of its column: without the unit of the column, which stands in its head.

    The labels of several nodes are separated by commas.
    """
    cells, label = rows.columns[number], columns.snapshot.get_entity_label
    if cells.nodes is not None:
        return ", ".join(sorted(map(label, cells.nodes.get_nodes(row).tolist())))
    value = float(cells.numbers[row])
    if math.isnan(value):
        return ""
    match get_column(table, number):
        case Grouping(_, DatePart.MONTH_OF_YEAR):
            return calendar.month_name[round(value)]
        case Grouping(_, DatePart.MONTH):
            return f"{math.floor(value):04}-{compute_month_day(value)[0]:02}"
        case Calculation(Operation.SHARE):
            return format_share(value)
    kind = infer_column_type(columns, table, number)
    return format_value(kind if kind is None or kind.age else replace(kind, unit=""), value)
