"""Whether the first row of a table says what its columns are called, and what they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from retrieval.kg.values import MONTH, parse

#: Headings of numbers, shares, differences and titles that are no words: "+/-", "100+".
_MARKED = re.compile(r"[^\w\s]*[#%№+/*(\"'“‘].*|\d+\+")
#: Years, seasons and months, which head a column each: 1999, 1999-00, Jan-24.
_YEAR = re.compile(rf"(?:1[5-9]|20)\d\d(?:\s?[-–/]\s?\d\d(?:\d\d)?)?|(?:{MONTH})[-/ '’]+(?:\d\d)?\d\d", re.IGNORECASE)
#: A dot between words, as flattened JSON and R write it: discovered.by, Sepal.Length.
_DOT = re.compile(r"(?<=[^\W\d_]{2})\.(?=\w)")
_PLACE = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
#: The fewest years that head a table of a column for each, the longest heading, and the share of a column's cells that
#: are values where it is one of values.
_YEARS, _LONGEST, _VALUES = 2, 120, 0.8
#: Rows that show that the values of a column differ.
_MANY = 10


def clean_headings(header: Sequence[str]) -> list[str]:
    """Headings on one line each, without a byte order mark; dots between words become spaces."""
    cells = [" ".join(cell.replace("\ufeff", "").split()) for cell in header]
    return [cell if "://" in cell else _DOT.sub(" ", cell) for cell in cells]


def is_header(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells head columns: words, signs or years over other things, no value of a first row of data.

    Args:
        header: the first row, tidied.
        rows: the rows below it, a cell for each.
    """
    years = {cell for cell in header if _YEAR.fullmatch(cell)}
    years = years if len(years) >= _YEARS else set()
    words = [index for index, cell in enumerate(header) if _is_worded(cell)]
    others = [cell for index, cell in enumerate(header) if cell and index not in words and cell not in years]
    if not words or not all(_MARKED.fullmatch(cell) and len(cell) <= _LONGEST for cell in others):
        return False
    # A heading that is met once among many different values is one of them by chance: the country ID.
    again = [
        index for index in words
        if any(row[index].casefold() == header[index].casefold() for row in rows)
        and (len(rows) < _MANY or len({row[index] for row in rows}) < len(rows))
    ]  # fmt: skip
    return not again or any(_has_values([row[index] for row in rows]) for index in words)


def is_data(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first row, which heads no columns, is data like the rows below: its cells are values where theirs are,
    and at least one of them is, or is met again in its column.

    Args:
        first: the cells of the first row; what is missing is empty.
        rows: the rows below it, as wide; what is missing is empty.
    """
    if is_header(first, rows):
        return False
    columns = [[row[index] for row in rows] for index in range(len(first))]
    with_values = [index for index, cells in enumerate(columns) if first[index] and _has_values(cells)]
    if any(parse(first[index]) is None for index in with_values):
        return False
    return bool(with_values) or any(cell in cells for cell, cells in zip(first, columns, strict=True) if cell)


def _is_worded(cell: str) -> bool:
    """Whether a cell has a word and is no value: "1926 census", "5th", "Depth (m)"."""
    if _PLACE.fullmatch(cell):
        return True
    lettered = any(c.isalpha() for c in cell) and len(cell) <= _LONGEST
    return lettered and parse(cell) is None


def _has_values(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and sum(parse(cell) is not None for cell in filled) >= _VALUES * len(filled)


def make_distinct_headings(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """What columns are called where headings are missing or repeated; nothing, where they only number the rows.

    The time behind "Men's winner" and that behind "Women's winner" are called so; where nothing else tells columns
    of one heading apart, numbers do.
    """
    filled = [
        cell or ("" if _is_numbering([row[index] for row in rows]) else f"column {index + 1}")
        for index, cell in enumerate(header)
    ]
    counts = Counter(cell.casefold() for cell in filled)
    headings = list[str]()
    before = ""
    for cell in filled:
        single = counts[cell.casefold()] == 1
        headings.append(cell if single or not before else f"{before} {cell}")
        before = cell if single else before
    again = Counter(cell.casefold() for cell in headings)
    if max(again.values(), default=1) > 1:
        met = Counter[str]()
        for index, cell in enumerate(filled):
            met[cell.casefold()] += 1
            if again[headings[index].casefold()] > 1:
                headings[index] = f"{cell} {met[cell.casefold()]}" if met[cell.casefold()] > 1 else cell
    return headings if len({cell.casefold() for cell in headings}) == len(headings) else _add_numbers(filled)


def _is_numbering(cells: Sequence[str]) -> bool:
    """Whether cells are the numbers of their rows, from 0 or 1 on."""
    return any(list(cells) == [str(number) for number in range(first, first + len(cells))] for first in (0, 1))


def _add_numbers(header: Sequence[str]) -> list[str]:
    """Each heading that is met again with the number of its column."""
    met = set[str]()
    headings = list[str]()
    for index, cell in enumerate(header):
        headings.append(f"{cell} ({index + 1})" if cell.casefold() in met else cell)
        met.add(cell.casefold())
    return headings
