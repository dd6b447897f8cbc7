"""Tables of things: each row is a node called by its name, each other cell is said of it under its heading."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.list_cells import split_values
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import decode_lines
from retrieval.kg.readers.property_rows import TYPE, BadRowError, PropertyRows, extract_attributes
from retrieval.kg.readers.rows_layout import parse_delimiter
from retrieval.kg.readers.table_layout import TableLayout, find_table, is_missing
from retrieval.kg.values import parse

#: What rows are called that add up those above them.
_TOTALS = frozenset({"grand total", "sub-total", "subtotal", "sum", "total", "totals"})


def read_table(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one table; what its first column of names, or the file's name and the row's number, calls is a node."""
    delimiter = file.options.delimiter
    table = find_table(file.head, file.name, sure=True, mark=parse_delimiter(delimiter) if delimiter else None)
    rows = PropertyRows(log)
    if table is None:
        log.add(1, "the first line does not name the columns", file.source.find_first_line())
        return FactFile(log.file, None, log.count, properties=rows)
    reader = csv.reader(decode_lines(file.source, log), delimiter=table.mark)
    number = -1  # the header is no row
    while True:
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return FactFile(log.file, None, log.count, properties=rows)
        except csv.Error as error:
            log.add(reader.line_num, f"broken quoting ({error})", "")
            continue
        if not any(cells):
            continue
        number += 1
        try:
            if number:
                _take(table, cells, number, rows)
        except BadRowError as error:
            shown = table.mark.join(cells).encode(errors="replace").decode()
            log.add(reader.line_num, str(error), shown, error.kind)


def _take(table: TableLayout, cells: list[str], number: int, rows: PropertyRows) -> None:
    """Take one row; cells that are missing at its end hold nothing.

    Raises:
        BadRowError: it cannot be used.
    """
    width = len(table.header)
    if len(cells) > width:
        raise BadRowError(f"{len(cells)} columns found, the header has {width}")
    if any("\udc80" <= c <= "\udcff" for cell in cells if not cell.isascii() for c in cell):
        raise BadRowError("not UTF-8 text", "encoding")
    if is_total(cells, width):
        raise BadRowError("left out: it adds up the rows above")
    cells += [""] * (width - len(cells))
    values: dict[str, object] = {
        heading: split_values(cell, table.lists[index])
        if index in table.lists
        else cell.replace(".", "")
        if index in table.points
        else cell
        for index, (heading, cell) in enumerate(zip(table.header, cells, strict=True))
        if not is_missing(cell)
    }
    rows.listed.append(add_row(table, values, number, rows))


def is_total(cells: Sequence[str], width: int) -> bool:
    """Whether a row adds up those above it, as spreadsheets end: "Total", once or in each column of words, and numbers
    in others.
    """
    filled = [cell for cell in cells if cell]
    others = [cell for cell in filled[1:] if cell != filled[0]]
    has_total_label = filled[0].rstrip(":").casefold() in _TOTALS
    return has_total_label and (len(others) < width - 1 or all(parse(cell) is not None for cell in others))


def add_row(table: TableLayout, values: dict[str, object], number: int, rows: PropertyRows) -> str:
    """Make a node of a row, and say which.

    Args:
        table: its layout.
        values: what it holds, text or several values, by heading.
        number: of the row, from 1.
        rows: takes it.

    Raises:
        BadRowError: it has no name where others have one, or what it says is too long.
    """
    if not any(values.values()):
        raise BadRowError("the row holds nothing", "blank")
    key = [table.header[index] for index in table.key]
    parts = [str(values[heading]) for heading in key if heading in values]
    if key and not parts:
        raise BadRowError(f"the {key[0]} is empty", "blank")
    number_text = values.get(table.header[table.number]) if table.number is not None else None
    name = " ".join(parts) or f"{table.kinds[0] if table.kinds else 'row'} {number_text or number}"
    if len(key) == 1:
        values = {heading: value for heading, value in values.items() if heading != key[0]}
    column = next((heading for heading in values if heading.casefold() == TYPE), "")
    narrower = values.pop(column, "")
    types = [kind for kind in (*table.kinds, *(narrower if isinstance(narrower, list) else [narrower])) if kind]
    if types:  # what a column says of it is a narrower kind
        values = {TYPE: types, **values}
    attributes = list(extract_attributes(values))
    known = rows.contents.setdefault(name, hash(tuple(attributes)))
    node = name if known == hash(tuple(attributes)) else f"{name} ({number})"  # two of one name
    rows.add_node(node, node, attributes)
    return node
