"""How a table of things is laid out: its delimiter, its columns, and which of them hold several values."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from retrieval.kg.model.code_lists import CODES, MEANINGS
from retrieval.kg.model.profile import TRUTHS
from retrieval.kg.readers.headings import clean_headings, is_data, is_header, make_distinct_headings
from retrieval.kg.readers.list_cells import find_list_mark
from retrieval.kg.readers.property_rows import NAMES
from retrieval.kg.readers.rows_layout import WIDTH, infer_columns
from retrieval.kg.values import parse
from retrieval.lexicon import get_words

MISSING = get_words("missing_value_words") | {""}
"""What cells hold that hold nothing, in lower case."""
#: How programs write that a value is no number; somebody may be called Nan.
_NOT_A_NUMBER = frozenset({"nan", "NaN", "NAN"})
_LONGEST_MISSING = max(map(len, MISSING | _NOT_A_NUMBER))
_MARKS = (",", "\t", ";", "|")
#: Words that end the heading of the column that names a thing, or begin it: "Name of site".
_NAMING = re.compile(rf"(?:^|[\s_])(?:{'|'.join(NAMES)})$|^(?:name|title)[\s_]of[\s_]", re.IGNORECASE)
#: Rows that are looked at, the share of them that a column of numbers must have, and of names that must be distinct.
SAMPLE, _NUMBERS, _DISTINCT = 200, 0.8, 0.98
#: Rows below which little tells what they are, and what share of a second column must differ to be no relation.
_ROWS, _RELATIONS, _MOSTLY = 5, 0.3, 0.7
#: The fewest columns and rows of a table without a header; facts have three columns.
_UNNAMED_WIDTH, _UNNAMED_ROWS = 4, 3
#: The share of its rows that are as wide as the first; a few are broken.
_ALIKE = 0.9
#: What headings of numbers of rows end in.
_NUMBERING = frozenset({"code", "id", "key", "no", "nr", "number"})
#: Headings of what a fact says, where it is one to a row.
_SAYS = get_words("attribute_headings")
#: Headings of what is measured of each thing, where one number stands on a row.
_MEASURING = get_words("measure_headings")
#: Numbers with a decimal comma, and whole ones with points between their thousands.
_COMMA = re.compile(r"[^\w\s]?\s?[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}\s?[^\w\s]?")
_POINTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})*")
#: A code: "P-104".
_CODE = re.compile(r"(?=\S*\d)[\w./#-]+")


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table's layout.

    Attributes:
        lists: of columns whose cells hold several values, what parts them.
        points: columns of numbers that have points between their thousands: ``4.176`` beside ``459,36``.
        has_header: whether the first row names the columns; else they are called by their places.
    """

    mark: str
    header: tuple[str, ...]
    lists: dict[int, str]
    points: frozenset[int] = frozenset()
    has_header: bool = True


def is_missing(cell: str) -> bool:
    """Return whether a cell holds nothing."""
    return len(cell) <= _LONGEST_MISSING and (cell in _NOT_A_NUMBER or cell.casefold() in MISSING)


def find_table(head: str, *, sure: bool, mark: str | None = None, has_header: bool | None = None) -> TableLayout | None:
    """The layout of the table that a text begins.

    Args:
        head: the first lines, the last of them maybe cut.
        sure: whether it is known to be a table; else it must not look like facts: one column has numbers under a
            heading of words, or the first is headed as a name.
        mark: the delimiter, where it is known.
        has_header: whether the first row names the columns; None tells by the rows.
    """
    lines = head.splitlines(keepends=True)
    for guess in (mark,) if mark else _MARKS:
        try:
            rows = [row for row in csv.reader(lines[: SAMPLE + 1], delimiter=guess) if any(row)]
        except csv.Error:
            continue
        header = clean_headings(rows[0]) if rows else []
        if not 2 <= len(header) <= WIDTH or len(rows) < 2 - (has_header is False):
            continue
        if has_header is not True and _has_no_header(rows, is_known=has_header is False, is_table=sure):
            same = [[cell.strip() for cell in row] for row in rows if len(row) == len(header)]
            headings = [f"column {number}" for number in range(1, len(header) + 1)]
            return replace(_build_layout(headings, same, guess), has_header=False)
        below = [[cell.strip() for cell in row] for row in rows[1:] if len(row) == len(header)]
        if has_header is False or not below or not any(header):
            continue
        if not sure and (infer_columns(header) or not _is_table(header, below)):
            continue
        return _build_layout(make_distinct_headings(header, below), below, guess)
    return None


def _has_no_header(rows: Sequence[Sequence[str]], *, is_known: bool, is_table: bool) -> bool:
    """Whether rows are those of a table without a header.

    Args:
        rows: the first rows, the last of them maybe cut.
        is_known: whether somebody said that they have no header.
        is_table: whether somebody said that they are a table; else three columns, or more that begin as facts do, are
            none.
    """
    if is_known and is_table:
        return True
    width = len(rows[0])
    if width < _UNNAMED_WIDTH or _compute_share([len(row) == width for row in rows[:-1]]) < _ALIKE:
        return False
    cells = [["" if is_missing(cell.strip()) else cell.strip() for cell in row] for row in rows if len(row) == width]
    if not is_table and _begins_as_facts(cells):
        return False
    return is_known or (len(cells) >= _UNNAMED_ROWS and is_data(clean_headings(cells[0]), cells[1:]))


def _begins_as_facts(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first three columns are words, and the second repeats identifiers of relations."""
    columns = [[row[index] for row in rows] for index in range(3)]
    words = all(cell and parse(cell) is None for cells in columns for cell in cells)
    names = _compute_share([_is_capitalised(cell) for cell in columns[1]]) >= _NUMBERS
    return words and not names and len(set(columns[1])) <= _MOSTLY * len(rows)


def _build_layout(header: Sequence[str], rows: Sequence[Sequence[str]], mark: str) -> TableLayout:
    """The layout of a table with these headings, and these rows to begin with."""
    marks = [find_list_mark(cells) for cells in _list_columns(header, rows)]
    lists = {index: list_mark for index, list_mark in enumerate(marks) if list_mark}
    return TableLayout(mark, tuple(header), lists, _find_pointed_columns(header, rows, mark))


def _find_pointed_columns(header: Sequence[str], rows: Sequence[Sequence[str]], mark: str) -> frozenset[int]:
    """Columns of whole numbers with points between their thousands, where other numbers have decimal commas."""
    columns = _list_columns(header, rows)
    commas = any(
        _compute_share([_COMMA.fullmatch(cell) is not None for cell in cells]) >= _NUMBERS for cells in columns
    )
    if mark == "," or not commas:
        return frozenset()
    return frozenset(
        index for index, cells in enumerate(columns)
        if any("." in cell for cell in cells) and all(_POINTS.fullmatch(cell) for cell in cells)
    )  # fmt: skip


def _split_words(text: str) -> list[str]:
    parted = re.split(r"[\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return [word.lower() for word in parted if word]


def _is_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are no facts: of three columns, which facts have, the first must be of names, each given once, or
    the second of values, which no relations are.
    """
    if not is_header(header, rows):
        return False
    columns = _list_columns(header, rows)
    if len(header) == 3 and _compute_share([parse(cell) is not None for cell in columns[1]]) < _NUMBERS:
        distinct = len(set(columns[0])) >= _DISTINCT * len(rows)
        numbers = header[0].endswith("#") or set(_split_words(header[0])[-1:]) & _NUMBERING
        is_specific = (
            _split_words(header[0])[-1:] not in (["id"], ["key"])
            or any(_NAMING.search(cell) for cell in header[1:])
            or _compute_share([cell.isdecimal() for cell in columns[0]]) >= _NUMBERS
        )
        numbered = numbers and is_specific
        if header[1].casefold() in _SAYS:
            return False
        if _is_code_list(header) or _is_join_table(header, columns):
            return True
        if not distinct:  # parts that are played are no relations, each is met once
            return _is_described(header, columns, _MOSTLY)
        return bool(_NAMING.search(header[0]) or numbered) or _is_described(header, columns)
    return (
        bool(_NAMING.search(header[0]))
        or any(_compute_share([parse(cell) is not None for cell in cells]) >= _NUMBERS for cells in columns if cells)
        or len(header) != 3
    )


def _is_code_list(header: Sequence[str]) -> bool:
    """Whether headings are those of a list of what codes mean: ``field,code,meaning``."""
    word_sets = [set(_split_words(cell)) for cell in header]
    return any(word_set & CODES for word_set in word_sets) and any(word_set & MEANINGS for word_set in word_sets)


def _is_join_table(header: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether three columns say what two things had together, ``Callout,Volunteer,Hours``, or what was when: heads of
    facts are no dates, and where all tails are numbers, or yes and no, relations are no names.
    """
    if _compute_share([parse(cell) is not None for cell in columns[0]]) >= _NUMBERS:
        return not header[0].endswith("#") and not set(_split_words(header[0])[-1:]) & _NUMBERING
    measured = _compute_share([parse(cell) is not None for cell in columns[2]]) >= _NUMBERS
    only_truths = {cell.casefold() for cell in columns[2]} <= TRUTHS
    has_names = _compute_share([cell[:1].isupper() for cell in columns[1]]) >= _NUMBERS
    measures = set(_split_words(header[1])) & (_SAYS | _MEASURING)
    return bool(columns[2]) and (measured or only_truths) and has_names and not measures


def _is_described(header: Sequence[str], columns: Sequence[Sequence[str]], most: float = _RELATIONS) -> bool:
    """Whether three columns of words are a thing and two things said of it, ``Book,Author,Genre``: facts say the same
    relation of many, of no more than ``most`` of all another, and what they say it with is the head of others.

    Of things that stand on a row each, names in the second column tell a table of any length: relations are written
    small, or as identifiers.
    """
    heads, middle, tails = map(set, columns)
    if heads & tails or {*header} & (heads | middle | tails) or set(_split_words(header[1])) & _SAYS:
        return False
    if len(heads) == len(columns[0]) and _compute_share([_is_capitalised(cell) for cell in columns[1]]) >= _NUMBERS:
        return True
    return len(columns[0]) >= _ROWS and len(middle) > most * len(columns[1])


def _is_capitalised(cell: str) -> bool:
    """Whether a cell is written as a name, not as the identifier of a relation: ``BORN_IN``, ``P31``, ``IsA``."""
    if not cell[:1].isupper() or "_" in cell or _CODE.fullmatch(cell):
        return False
    return not cell.isupper() and not any(a.islower() and b.isupper() for a, b in pairwise(cell))


def _list_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The cells of each column that hold something."""
    return [[row[index] for row in rows if not is_missing(row[index])] for index in range(len(header))]


def _compute_share(holds: Sequence[bool]) -> float:
    return sum(holds) / len(holds) if holds else 0.0
