"""Tables as their readers hand them on: cells under headings, before anything says what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from retrieval.kg.model.profile import ColumnProfile, find_prefix, profile_column

#: What a cell holds: text, several texts, or nothing.
Cell = str | list[str] | None
#: A whole number as programs write it in a column that lacks values, and the share of such cells.
_WHOLE, _MOSTLY = re.compile(r"-?\d+\.0"), 0.9


@dataclass
class SourceTable:
    """The rows of one table, or the nodes of one type.

    Attributes:
        name: what its owner calls it: a file, a sheet, a type.
        noun: what its rows are called by that name, singular; empty where it says nothing.
        header: the headings, each once.
        rows: the cells of each row, one for each heading.
        lines: where the rows stand in their file.
        list_marks: by position of a column, what parts the values of its cells.
        is_ordered: whether somebody may ask for the first row, and the next.
        ids: of nodes, what edges refer to them by; None of rows of a table.
        is_named: of nodes, whether their file names them, by the first column.
    """

    name: str
    noun: str
    header: tuple[str, ...]
    rows: list[list[Cell]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    list_marks: Mapping[int, str] = field(default_factory=dict)
    is_ordered: bool = True
    ids: list[str] | None = None
    is_named: bool = False

    def convert_decimals(self) -> None:
        """Write whole numbers as such in columns of nothing else that lack values: programs save those as ``153.0``."""
        for position in range(len(self.header)):
            cells = [row[position] for row in self.rows]
            texts = [cell for cell in cells if cell and isinstance(cell, str)]
            whole = sum(_WHOLE.fullmatch(text) is not None for text in texts)
            if whole and len(texts) < len(cells) and whole >= _MOSTLY * len(texts):
                for row in self.rows:
                    if (cell := row[position]) and isinstance(cell, str) and _WHOLE.fullmatch(cell):
                        row[position] = cell.partition(".")[0]

    @cached_property
    def profiles(self) -> tuple[ColumnProfile, ...]:
        """What the cells of each column are like; computed when all rows are there."""
        prefix = find_prefix(self.header)
        return tuple(
            profile_column(heading, position, [row[position] for row in self.rows], prefix)
            for position, heading in enumerate(self.header)
        )

    @property
    def is_headerless(self) -> bool:
        """Whether the columns are called by their places, since the file has no headings."""
        return all(heading == f"column {place}" for place, heading in enumerate(self.header, start=1))

    def find_profile(self, heading: str) -> ColumnProfile | None:
        """The profile of a column."""
        return self.profiles[self.header.index(heading)] if heading in self.header else None

    def iterate_values(self, position: int, *, whole: bool = False) -> Iterator[tuple[int, str]]:
        """Row and text of each value in a column; cells of several values give each, unless they are wanted whole."""
        mark = None if whole else self.list_marks.get(position)
        for number, row in enumerate(self.rows):
            cell = row[position]
            if isinstance(cell, list):
                yield from ((number, text) for text in cell)
            elif cell and mark and mark in cell:
                yield from ((number, text) for part in cell.split(mark) if (text := part.strip()))
            elif cell:
                yield number, cell
