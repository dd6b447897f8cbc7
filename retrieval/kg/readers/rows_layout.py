"""How rows of cells are laid out: delimiter, columns of head, relation and tail, and whether a row names them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.errors import ConfigError
from retrieval.lexicon import get_words

DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "pipe": "|", "semicolon": ";"}
_GUESSED = ("\t", "|", ",", ";")
_HEAD_WORDS = get_words("triple_head_headings")
_RELATION_WORDS = get_words("triple_relation_headings")
_TAIL_WORDS = get_words("triple_tail_headings")
#: What the columns of a fact are called.
ROLES = ("head", "relation", "tail")
#: The most columns that a row may have.
WIDTH = 1000
#: Lines whose widths are compared.
_COMPARED = 50


@dataclass(frozen=True, slots=True)
class RowShape:
    """How rows are laid out: the delimiter, how many columns there are, and which are head, relation and tail."""

    mark: str
    width: int = 3
    columns: tuple[int, int, int] = (0, 1, 2)


def select_columns(columns: Mapping[str, int | str], header: Sequence[str]) -> tuple[int, int, int]:
    """Positions of head, relation and tail.

    Args:
        columns: by role; a position from 0 or a name of the header.
        header: the cells of the first row.

    Raises:
        ConfigError: a role is missing or unknown, a column does not exist, or two roles share one.
    """
    hint = f"Name the columns of head, relation and tail, each from 0 to {max(len(header) - 1, 0)}."
    if set(columns) != set(ROLES):
        raise ConfigError(f"The columns are given for {', '.join(sorted(columns)) or 'nothing'}.", hint=hint)
    positions = []
    names = [cell.lower() for cell in header]
    for role in ROLES:
        column = columns[role]
        position = column
        if isinstance(position, str):
            position = names.index(position.lower()) if position.lower() in names else -1
        if not 0 <= position < len(header):
            raise ConfigError(f"There is no column {column!r} for the {role}.", hint=hint)
        positions.append(position)
    if len(set(positions)) < 3:
        raise ConfigError("Two of head, relation and tail are the same column.", hint=hint)
    return positions[0], positions[1], positions[2]


def infer_columns(header: Sequence[str]) -> tuple[int, int, int] | None:
    """Head, relation and tail among the cells of a header, by their names; None where it does not name them."""
    lower = [cell.lower() for cell in header]
    positions: list[int] = []
    for words in (_HEAD_WORDS, _RELATION_WORDS, _TAIL_WORDS):
        index = next((i for i, cell in enumerate(lower) if cell in words and i not in positions), None)
        if index is None:
            return None
        positions.append(index)
    return positions[0], positions[1], positions[2]


def parse_delimiter(text: str) -> str:
    """A delimiter as given by a person: its character, or ``tab``, ``comma``, ``pipe``, ``semicolon``.

    Raises:
        ConfigError: it is neither.
    """
    mark = DELIMITERS.get(text.lower(), text)
    if len(mark) != 1 or mark in '"\r\n':
        raise ConfigError(f"The delimiter {text!r} is not one character.", hint=f"Use one of: {', '.join(DELIMITERS)}.")
    return mark


def infer_delimiter(lines: list[str]) -> str:
    """The delimiter that splits most of the first lines into three; a tab where none does."""
    sample = lines[:200]
    fits = {mark: sum(count_columns(line, mark) == 3 for line in sample) for mark in _GUESSED}
    best = max(_GUESSED, key=lambda mark: fits[mark])
    if fits[best]:
        return best
    return max(_GUESSED, key=lambda mark: sum(mark in line for line in sample))


def is_header(line: str, mark: str) -> bool:
    """Whether a row names columns (``subject, predicate, object``) rather than stating a fact."""
    return has_column_names(split_cells(line, mark), RowShape(mark))


def has_column_names(cells: Sequence[str], shape: RowShape) -> bool:
    """Whether the cells of a row, where head, relation and tail should stand, are such names."""
    if len(cells) != shape.width:
        return False
    head, relation, tail = (cells[i].lower() for i in shape.columns)
    return head in _HEAD_WORDS and relation in _RELATION_WORDS and tail in _TAIL_WORDS


def split_cells(line: str, mark: str) -> list[str]:
    """The cells of one row, trimmed and without quotes."""
    text = line.strip("\r\n")
    if mark == "," and '"' in text:
        try:
            return [cell.strip() for cell in next(csv.reader([text]))]
        except (csv.Error, StopIteration):
            pass
    return [cell.strip().strip('"') for cell in text.split(mark)]


def find_common_width(lines: Sequence[str], mark: str) -> int:
    """Return how many columns all of the first lines have; 0 where they differ."""
    widths = {count_columns(line, mark) for line in lines[:_COMPARED]}
    return widths.pop() if len(widths) == 1 else 0


def describe_unnamed(columns: int) -> str:
    """Return what to do with rows of more than three columns that no header names."""
    return (
        f"Rows have {columns:,} columns, and the first row does not name them. Choose which are head, relation and "
        "tail, or the format table; a first line with the names of the columns makes a table that says more."
    )


def count_columns(line: str, mark: str) -> int:
    """How many columns a line has; quoted ones count as one where commas separate them."""
    if mark == "," and '"' in line:
        try:
            return len(next(csv.reader([line])))
        except (csv.Error, StopIteration):
            return 0
    return line.count(mark) + 1
