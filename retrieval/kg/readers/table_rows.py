"""Tables of things, a thing on each row: cells under headings, as their files hold them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.model.source_table import Cell, SourceTable
from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import decode_lines
from retrieval.kg.readers.property_rows import BadRowError
from retrieval.kg.readers.rows_layout import parse_delimiter
from retrieval.kg.readers.table_layout import TableLayout, find_table, is_missing
from retrieval.kg.values import parse

#: What rows are called that add up those above them.
_TOTALS = frozenset({"grand total", "sub-total", "subtotal", "sum", "total", "totals"})


def read_table(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one table; what names its rows is inferred when all files are read."""
    delimiter = file.options.delimiter
    mark = parse_delimiter(delimiter) if delimiter else None
    layout = find_table(file.head, sure=True, mark=mark, has_header=file.options.header)
    if layout is None:
        log.add(1, "the first line does not name the columns", file.source.find_first_line())
        return FactFile(log.file, None, log.count)
    table = SourceTable(file.name, infer_noun(get_plain_name(file.name)), layout.header, list_marks=layout.lists)
    reader = csv.reader(decode_lines(file.source, log), delimiter=layout.mark)
    is_header, record = layout.has_header, -1
    while file.limit is None or len(table.rows) < file.limit:
        try:
            cells = [cell.strip() for cell in next(reader)]
            record += 1
        except StopIteration:
            break
        except csv.Error as error:
            log.add(reader.line_num, f"broken quoting ({error})", "")
            continue
        if not any(cells):
            continue
        if is_header:
            is_header = False
            continue
        line = file.row_numbers[record] if file.row_numbers else reader.line_num
        try:
            table.rows.append(_read_cells(layout, cells))
            table.lines.append(line)
        except BadRowError as error:
            shown = layout.mark.join(cells).encode(errors="replace").decode()
            log.add(line, str(error), shown, error.kind)
    return FactFile(log.file, None, log.count, table=table, log=log)


def _read_cells(layout: TableLayout, cells: list[str]) -> list[Cell]:
    """The cells of one row; cells that are missing at its end hold nothing.

    Raises:
        BadRowError: it cannot be used.
    """
    width = len(layout.header)
    if len(cells) > width:
        raise BadRowError(f"{len(cells)} columns found, the header has {width}")
    if any("\udc80" <= c <= "\udcff" for cell in cells if not cell.isascii() for c in cell):
        raise BadRowError("not UTF-8 text", "encoding")
    if is_total(cells, width):
        raise BadRowError("left out: it adds up the rows above")
    cells += [""] * (width - len(cells))
    row: list[Cell] = [
        None if is_missing(cell) else cell.replace(".", "") if index in layout.points else cell
        for index, cell in enumerate(cells)
    ]
    if not any(row):
        raise BadRowError("the row holds nothing", "blank")
    return row


def is_total(cells: Sequence[str], width: int) -> bool:
    """Whether a row adds up those above it, as spreadsheets end: "Total", once or in each column of words, and numbers
    in others.
    """
    first = next(cell for cell in cells if cell)
    if first.rstrip(":").casefold() not in _TOTALS:
        return False
    others = [cell for cell in cells if cell and cell != first]
    return len(others) < width - 1 or all(parse(cell) is not None for cell in others)
