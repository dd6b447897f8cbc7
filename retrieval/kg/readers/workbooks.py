"""Workbooks of spreadsheets (xlsx, xlsm, xlsb, xls, ods): each sheet is a table, handed on as CSV."""

from __future__ import annotations

import csv
import datetime
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

from retrieval.errors import SourceError
from retrieval.kg.readers.archive_kinds import TablePart
from retrieval.kg.readers.compression import EASY, RATIO
from retrieval.kg.readers.number_formats import Cell, read_formatted_numbers
from retrieval.kg.readers.property_layout import find_layout
from retrieval.kg.readers.rows_layout import infer_columns
from retrieval.kg.values import parse

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOOKS = ("xl/workbook.xml", "xl/workbook.bin")
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"
#: Rows that may stand above the header, and the share of the widest of them that a header has.
_ABOVE, _WIDE = 20, 0.6
_PIECE = 1 << 20

Value = int | float | str | bool | datetime.time | datetime.date | datetime.datetime | datetime.timedelta


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook, by its content."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
        if start == _OLE:
            return True
        if not start.startswith(_ZIP):
            return False
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if names & set(_BOOKS):
                return True
            return "mimetype" in names and archive.read("mimetype")[:100].strip() == _ODS
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return False


def extract_sheets(path: Path, name: str, folder: Path) -> list[TablePart]:
    """The sheets that are shown and hold something, as CSV files in a folder.

    Args:
        path: where the workbook lies.
        name: what its owner calls it.
        folder: where the files are put; it exists.

    Returns:
        The tables; their format is empty where a sheet holds facts, nodes or edges. The only sheet
        of a book is called as the book is where its own name says nothing.

    Raises:
        SourceError: it is broken, locked, or unpacks to more than a workbook can honestly hold.
    """
    from python_calamine import CalamineError, SheetTypeEnum, SheetVisibleEnum, load_workbook  # noqa: PLC0415

    _check_unpacked_size(path, name)
    tables: list[TablePart] = []
    try:
        book, formatted = load_workbook(str(path)), read_formatted_numbers(path)
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
        ]
        for number, title in enumerate(shown):
            out = folder / str(number) / "sheet.csv"
            out.parent.mkdir()
            header, numbers = _write(book.get_sheet_by_name(title), formatted.get(title, {}), out)
            if header:
                known = infer_columns(header) or find_layout(",".join(header))
                tables.append(TablePart(f"{title.replace('/', ' ')}.csv", out, "" if known else "table", numbers))
    except (CalamineError, OSError, ValueError) as error:
        raise SourceError(
            f"{name} is not a workbook that can be read ({str(error).rstrip('.')}).",
            hint="Save it again without a password, as xlsx or CSV, and give that.",
        ) from error
    if len(tables) == 1 and tables[0][0].lower().startswith("sheet"):
        tables = [tables[0]._replace(name=f"{Path(name).stem}.csv")]
    return tables


def _check_unpacked_size(path: Path, name: str) -> None:
    """Pass through what a workbook unpacks to, which its reader would hold as a whole."""
    if not zipfile.is_zipfile(path):
        return
    left = EASY + RATIO * path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as file:
                    left -= sum(map(len, _read_pieces(file, left)))
                if left < 0:
                    raise SourceError(
                        f"{name} unpacks to more than {RATIO} times its size, as a bomb does.",
                        hint="Save its tables as CSV, and give those.",
                    )
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
        raise SourceError(
            f"{name} is a locked or broken workbook.", hint="Save it again without a password, and give that."
        ) from error


def _read_pieces(file: IO[bytes], left: int) -> Iterator[bytes]:
    while left >= 0 and (piece := file.read(_PIECE)):
        left -= len(piece)
        yield piece


def _write(sheet: CalamineSheet, formatted: Mapping[Cell, str], out: Path) -> tuple[list[str], list[int]]:
    """Write a sheet from its header on; returns the headings, none where it holds nothing, and the rows' numbers."""
    cells, spanning = _read_cells(sheet, formatted)
    held = [index for index, row in enumerate(cells) if any(row)]
    rows = [cells[index] for index in held]
    first = _find_header(rows[:_ABOVE]) if rows else 0
    above = _find_spanning_header(rows, first, [index in spanning for index in held])
    if above is not None:
        first = max(above, first)
        if above == first:
            first, above = first + 1, first
    rows, top = rows[first:], rows[above] if above is not None else None
    used = [index for index in range(len(rows[0])) if any(row[index] for row in rows)] if rows else []
    header = (
        make_headings([_join_headings(top[index] if top else "", rows[0][index]) for index in used]) if used else []
    )
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([row[index] for index in used] for row in rows[1:])
    return header, [index + 1 for index in held[first:]]


def _find_spanning_header(rows: Sequence[Sequence[str]], first: int, spanning: Sequence[bool]) -> int | None:
    """The row of headings that span several columns and have others below them, if the header has one."""
    for index in (first - 1, first):
        if index < 0 or index + 2 >= len(rows) or not spanning[index] or any(map(parse, rows[index + 1])):
            continue
        above, below = rows[index], rows[index + 1]
        pairs = list(zip(above, below, strict=True))
        spans = {left for left, right in pairwise(above) if left and left == right}
        alone = [(upper, lower) for upper, lower in pairs if upper not in spans]
        fits = all("" in pair or pair[0] == pair[1] for pair in alone)
        if fits and (len(spans) > 1 or any(upper == lower != "" for upper, lower in pairs)):
            return index
    return None


def _join_headings(above: str, below: str) -> str:
    return below if above == below else f"{above} {below}".strip()


def _read_cells(sheet: CalamineSheet, formatted: Mapping[Cell, str]) -> tuple[list[list[str]], set[int]]:
    """The cells of a sheet as text, merged ones with what is shown in them, but for titles across the sheet; and the
    rows that have cells across several columns.
    """
    rows = [[format_cell(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    for (row, column), text in formatted.items():
        if row < len(rows) and column < len(rows[row]):
            rows[row][column] = text
    width = max((sum(map(bool, row)) for row in rows), default=0)
    spanning = set[int]()
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        title = bottom == top and right - left + 1 >= max(_WIDE * width, 2)
        if top >= len(rows) or title:
            continue
        for index in range(top, min(bottom + 1, len(rows))):
            rows[index][left : right + 1] = [rows[top][left]] * len(rows[index][left : right + 1])
            spanning |= {index} if right > left else set()
    return rows, spanning


def format_cell(cell: Value) -> str:
    """A cell as a person writes it: whole numbers without a point, days without midnight."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell).strip()


def _find_header(rows: Sequence[Sequence[str]]) -> int:
    """Where the header stands: the first wide row of words, else (years are headings too) the first wide row.

    Titles and remarks above it have a cell or two.
    """
    widths = [sum(map(bool, row)) for row in rows]
    wide = [index for index, width in enumerate(widths) if width >= _WIDE * max(widths)]
    word_rows = (index for index in wide if all(parse(cell) is None for cell in rows[index] if cell))
    return next(word_rows, wide[0])


def make_headings(cells: Sequence[str]) -> list[str]:
    """Headings that differ, on one line each; a column without one is called by its place."""
    headings: list[str] = []
    for number, cell in enumerate(cells, 1):
        heading = " ".join(cell.split()) or f"column {number}"
        again = sum(heading.casefold() == other.casefold() for other in cells[: number - 1])
        headings.append(f"{heading} {again + 1}" if again else heading)
    return headings
