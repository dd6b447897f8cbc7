"""Cells of a table that hold several values: "gluten; milk; nuts"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from retrieval.kg.values import parse

#: What parts the values of a cell, surest first; a comma also parts towns from countries and names from titles.
_MARKS, _COMMA = (";", "|", "\n"), ","
#: Cells that must be parted, the longest value, and the share of those in cells with commas that other cells have too.
_CELLS, _LONGEST, _REPEATED = 2, 40, 0.6


def find_list_mark(cells: Sequence[str]) -> str:
    """What parts the values in the cells of a column; empty where each cell holds one.

    A comma does where the values are met again in other company or alone, as the colours of flags are and a town
    before its country is not.
    """
    distinct = list(dict.fromkeys(cells))
    for mark in _MARKS:
        parted = [split_values(cell, mark) for cell in distinct if mark in cell]
        if len(parted) >= _CELLS and all(map(_has_short_values, parted)):
            return mark
    every = [split_values(cell, _COMMA) for cell in distinct]
    parted = [values for values in every if len(values) > 1]
    plain = all(_has_short_values(values) and all(parse(value) is None for value in values) for values in parted)
    if len(parted) < _CELLS or not plain:
        return ""
    met = Counter(value for values in every for value in set(values))
    values = [value for group in parted for value in group]
    again = [value for value in values if met[value] > 1]
    places = {
        value: {group.index(value) if len(group) > 1 else -1 for group in every if value in group} for value in again
    }
    moving = any(len(positions) > 1 for positions in places.values())
    return _COMMA if moving and len(again) >= _REPEATED * len(values) else ""


def split_values(cell: str, mark: str) -> list[str]:
    """The values of a cell, each once."""
    return list(dict.fromkeys(value for part in cell.split(mark) if (value := part.strip())))


def _has_short_values(values: Sequence[str]) -> bool:
    """Whether these are names or numbers, and no sentences."""
    return all(len(value) <= _LONGEST for value in values)
