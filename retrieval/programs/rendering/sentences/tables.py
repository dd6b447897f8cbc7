"""Sentences of tables: what stands in their first rows."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.sentences.answer_tables import build_answer_table
from retrieval.programs.rendering.sentences.context import AnsweredProgram
from retrieval.programs.rendering.sentences.grammar import capitalise
from retrieval.programs.rendering.sentences.values import format_in_unit, write_list
from retrieval.results import AnswerTable, TableCell, TableColumn


def write_table_sentence(run: AnsweredProgram, program: Table) -> str | None:
    """Write "Number of products of each category: heavy (2), light (2) and steel (1).", "Bolt: price £2 and weight
    0.5 kg.".
    """
    rows = run.describer.executor.run(program)
    assert isinstance(rows, Rows)
    table, size = build_answer_table(run.describer, program, rows), len(program.groups)
    heads = [column.label for column in table.columns]
    if not size:
        cells = zip(table.rows[0], table.columns, strict=True)
        totals = [f"{column.label}: {_write_cell(cell, column)}" for cell, column in cells]
        return f"{capitalise('; '.join(totals))}."
    if table.total == 1 and size < len(heads):
        cells = zip(table.rows[0][size:], table.columns[size:], strict=True)
        values = [f"{column.label} {_write_cell(cell, column)}" for cell, column in cells]
        return f"{capitalise(_write_names(table.rows[0][:size]))}: {write_list(values)}."
    listed = write_list([_write_row(table, row, size) for row in table.rows] + [""] * (table.total - len(table.rows)))
    of = f" of each {' and '.join(heads[:size])}" if size < len(heads) else ""
    what = write_list(heads[size:]) or write_list(heads)
    return f"{capitalise(what)}{of}: {listed}."


def _write_row(table: AnswerTable, row: tuple[TableCell, ...], size: int) -> str:
    names = _write_names(row[:size])
    cells = [_write_cell(*pair) for pair in zip(row[size:], table.columns[size:], strict=True)]
    return f"{names} ({'; '.join(cells)})" if cells else names


def _write_names(cells: Iterable[TableCell]) -> str:
    return " – ".join(cell.text for cell in cells)


def _write_cell(cell: TableCell, column: TableColumn) -> str:
    if not cell.text:
        return "–"
    return f"{cell.text}%" if column.unit == "%" else format_in_unit(cell.text, column.unit)
