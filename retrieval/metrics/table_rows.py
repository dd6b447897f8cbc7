"""How well the rows of a table are answered."""

from __future__ import annotations

import math
from collections.abc import Sequence

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.kg.values import parse

Cell = tuple[str, float | None]
"""A cell: its text, and its value in the base unit of its dimension, None where it has none."""
_Readings = tuple[str, tuple[float, ...]]
#: Values may differ by this share, as people round them.
_ROUNDED = 1e-3


def score_rows(predicted: Sequence[Sequence[Cell]], gold: Sequence[Sequence[str]]) -> tuple[float, float]:
    """F1 of the rows, each counted once, and whether the tables are equal.

    A row is right where each of its cells is one of a right row: as numbers, dates or units where both are values, else
    as names. The order of rows and columns does not count. A row with more columns than the right one may be right, but
    the tables are then not equal. Empty cells are equal.
    """
    wanted = [[_read(text) for text in row] for row in gold]
    answered = [[(normalize_name(text), _list_values(text, value)) for text, value in row] for row in predicted]
    open_rows, right = list(range(len(wanted))), 0
    for row in answered:
        place = next((place for place in open_rows if _has_cells(row, wanted[place])), None)
        if place is not None:
            open_rows.remove(place)
            right += 1
    if not answered and not wanted:
        return 1.0, 1.0
    same_width = all(len(row) == len(wanted[0]) for row in answered) if wanted else False
    return 2 * right / (len(answered) + len(wanted)), float(right == len(answered) == len(wanted) and same_width)


def _read(text: str) -> _Readings:
    return normalize_name(text), _list_values(text, None)


def _list_values(text: str, value: float | None) -> tuple[float, ...]:
    """What a cell may be as a value: as it is kept, and as its text is read."""
    read = parse(text)
    return tuple(known for known in (value, None if read is None else read.value) if known is not None)


def _has_cells(row: Sequence[_Readings], wanted: Sequence[_Readings]) -> bool:
    """Whether each wanted cell is another cell of the row."""
    rest = list(row)
    for cell in wanted:
        place = next((place for place, other in enumerate(rest) if _is_same(other, cell)), None)
        if place is None:
            return False
        del rest[place]
    return True


def _is_same(left: _Readings, right: _Readings) -> bool:
    if left[0] == right[0]:
        return True
    return any(math.isclose(a, b, rel_tol=_ROUNDED) for a in left[1] for b in right[1])
