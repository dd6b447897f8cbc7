"""Delimiter-separated triples: fast over whole blocks, line by line only for the rows that fail."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from retrieval.errors import ConfigError
from retrieval.kg.readers.file_contents import FACT_SCHEMA, FactFile, FactSink, Frames
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.sources import Source
from retrieval.kg.table import LABEL_LIMIT

DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "pipe": "|", "semicolon": ";"}
_GUESSED = ("\t", "|", ",", ";")
_HEAD_WORDS = {"head", "subject", "source", "from", "h", "s", "entity1", "entity_1", "start", "node1"}
_RELATION_WORDS = {
    "relation",
    "predicate",
    "property",
    "edge",
    "relationship",
    "rel",
    "label",
    "type",
    "r",
    "p",
}
_TAIL_WORDS = {"tail", "object", "target", "to", "t", "o", "entity2", "entity_2", "end", "value", "node2"}
_COLUMNS = ("head", "relation", "tail")
#: The most columns that a row may have.
WIDTH = 1000


@dataclass(frozen=True, slots=True)
class Shape:
    """How rows are laid out: the delimiter, how many columns there are, and which are head, relation and tail."""

    mark: str
    width: int = 3
    columns: tuple[int, int, int] = (0, 1, 2)


def read_delimited(
    source: Source,
    log: ProblemLog,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Mapping[str, int | str] | None = None,
    sink: FactSink | None = None,
) -> FactFile:
    """Read a file of ``head <delimiter> relation <delimiter> tail`` rows.

    Args:
        source: the opened file.
        log: takes the bad rows.
        delimiter: one character or a name of ``DELIMITERS``; None guesses.
        header: whether the first row is a header; None guesses.
        columns: which columns are ``head``, ``relation`` and ``tail``, by position from 0 or by the header's name;
            None takes rows of three columns in that order.
        sink: takes the rows as they are read; None keeps them, and they are in what is returned.

    Raises:
        ConfigError: the delimiter or the columns do not fit, or a row has more than ``WIDTH`` columns.
    """
    head = [line for line in source.text_head().splitlines() if line.strip()]
    mark = parse_delimiter(delimiter) if delimiter else guess_delimiter(head)
    first = cells_of(head[0], mark) if head else []
    if columns is not None and len(first) > WIDTH:
        raise ConfigError(
            f"The rows of {source.name} have {len(first):,} columns; at most {WIDTH:,} are read.",
            hint="Choose another delimiter, or keep the columns that are needed.",
        )
    shape = Shape(mark) if columns is None else Shape(mark, len(first), choose_columns(columns, first))
    named = columns is not None and any(isinstance(column, str) for column in columns.values())
    skip_first = names_columns(first, shape) if header is None else header
    skip_first |= named and header is not False
    kept, rows = Frames(), 0
    takes: FactSink | Frames = sink or kept
    for first_line, block in source.blocks(log.add):
        facts = None if skip_first else _plain_rows(block, shape)
        if facts is None or not takes.offer(facts):
            facts = _read_block(block, first_line, shape, log, skip_first=skip_first)
            takes.add(facts)
        rows += facts.height
        # A header is the first line that is not blank; it is certain to be in the first block.
        skip_first = False
    return FactFile(source.name, kept.frame(), log.count, streamed=rows if sink else 0)


def choose_columns(columns: Mapping[str, int | str], header: Sequence[str]) -> tuple[int, int, int]:
    """Positions of head, relation and tail.

    Args:
        columns: by role; a position from 0 or a name of the header.
        header: the cells of the first row.

    Raises:
        ConfigError: a role is missing or unknown, a column does not exist, or two roles share one.
    """
    hint = f"Name the columns of head, relation and tail, each from 0 to {max(len(header) - 1, 0)}."
    if set(columns) != set(_COLUMNS):
        raise ConfigError(f"The columns are given for {', '.join(sorted(columns)) or 'nothing'}.", hint=hint)
    found = []
    names = [cell.lower() for cell in header]
    for role in _COLUMNS:
        column = columns[role]
        position = column
        if isinstance(position, str):
            position = names.index(position.lower()) if position.lower() in names else -1
        if not 0 <= position < len(header):
            raise ConfigError(f"There is no column {column!r} for the {role}.", hint=hint)
        found.append(position)
    if len(set(found)) < 3:
        raise ConfigError("Two of head, relation and tail are the same column.", hint=hint)
    return found[0], found[1], found[2]


def guess_columns(header: Sequence[str]) -> tuple[int, int, int] | None:
    """Head, relation and tail among the cells of a header, by their names; None where it does not name them."""
    lower = [cell.lower() for cell in header]
    found: list[int] = []
    for words in (_HEAD_WORDS, _RELATION_WORDS, _TAIL_WORDS):
        at = next((i for i, cell in enumerate(lower) if cell in words and i not in found), None)
        if at is None:
            return None
        found.append(at)
    return found[0], found[1], found[2]


def parse_delimiter(text: str) -> str:
    """A delimiter as given by a person: its character, or ``tab``, ``comma``, ``pipe``, ``semicolon``.

    Raises:
        ConfigError: it is neither.
    """
    mark = DELIMITERS.get(text.lower(), text)
    if len(mark) != 1 or mark in '"\r\n':
        raise ConfigError(
            f"The delimiter {text!r} is not one character.", hint=f"Use one of: {', '.join(DELIMITERS)}."
        )
    return mark


def guess_delimiter(lines: list[str]) -> str:
    """The delimiter that splits most of the first lines into three; a tab where none does."""
    sample = lines[:200]
    fits = {mark: sum(columns(line, mark) == 3 for line in sample) for mark in _GUESSED}
    best = max(_GUESSED, key=lambda mark: fits[mark])
    if fits[best]:
        return best
    return max(_GUESSED, key=lambda mark: sum(mark in line for line in sample))


def looks_like_header(line: str, mark: str) -> bool:
    """Whether a row names columns (``subject, predicate, object``) rather than stating a fact."""
    return names_columns(cells_of(line, mark), Shape(mark))


def names_columns(cells: Sequence[str], shape: Shape) -> bool:
    """Whether the cells of a row, where head, relation and tail should stand, are such names."""
    if len(cells) != shape.width:
        return False
    head, relation, tail = (cells[i].lower() for i in shape.columns)
    return head in _HEAD_WORDS and relation in _RELATION_WORDS and tail in _TAIL_WORDS


def cells_of(line: str, mark: str) -> list[str]:
    """The cells of one row, trimmed and without quotes."""
    text = line.strip("\r\n")
    if mark == "," and '"' in text:
        try:
            return [cell.strip() for cell in next(csv.reader([text]))]
        except (csv.Error, StopIteration):
            pass
    return [cell.strip().strip('"') for cell in text.split(mark)]


def columns(line: str, mark: str) -> int:
    """How many columns a line has; quoted ones count as one where commas separate them."""
    if mark == "," and '"' in line:
        try:
            return len(next(csv.reader([line])))
        except (csv.Error, StopIteration):
            return 0
    return line.count(mark) + 1


def _plain_rows(block: bytes, shape: Shape) -> pl.DataFrame | None:
    """The rows of a block that is nothing but cells and delimiters, untrimmed, at full speed; None of any other."""
    mark = shape.mark
    if len(mark.encode()) > 1 or (mark == "," and b'"' in block):
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    names = [f"column_{i}" for i in range(shape.width)]
    schema = dict.fromkeys(names, pl.String)
    try:
        rows = pl.read_csv(block, separator=mark, has_header=False, quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None  # a row of more columns, or bytes that are not UTF-8
    if any(rows.null_count().row(0)):
        return None  # an empty cell, or a row of fewer columns
    return rows.select(pl.col(names[i]).alias(name) for i, name in zip(shape.columns, _COLUMNS, strict=True))


def _read_block(
    block: bytes, first_line: int, shape: Shape, log: ProblemLog, *, skip_first: bool
) -> pl.DataFrame:
    mark = shape.mark
    try:
        text = block.decode()
    except UnicodeDecodeError:
        text = _without_bad_lines(block, first_line, log)
    lines = pl.DataFrame({"text": text.split("\n")}).with_row_index("line", offset=first_line)
    lines = lines.filter(pl.col("text").str.strip_chars() != "")
    if skip_first:
        lines = lines.slice(1)
    plain = pl.col("text").str.count_matches(mark, literal=True) == shape.width - 1
    plain &= ~pl.col("text").str.contains("\0", literal=True)
    if mark == ",":
        plain &= ~pl.col("text").str.contains('"', literal=True)
    cells = pl.col("text").str.split_exact(mark, max(shape.columns))
    lines = lines.with_columns(plain=plain).with_columns(
        cells.struct.field(f"field_{i}").str.strip_chars().alias(name)
        for i, name in zip(shape.columns, _COLUMNS, strict=True)
    )
    good = pl.col("plain")
    for name in _COLUMNS:
        size = pl.col(name).str.len_bytes().fill_null(0)
        good &= (size > 0) & (size <= LABEL_LIMIT)
    lines = lines.with_columns(good=good)
    facts = lines.filter("good").select(_COLUMNS)
    rest = lines.filter(~pl.col("good")).select("line", "text")
    if not rest.height:
        return facts
    rescued = [row for line, text in rest.iter_rows() if (row := _read_row(line, text, shape, log))]
    return pl.concat([facts, pl.DataFrame(rescued, schema=FACT_SCHEMA, orient="row")])


def _without_bad_lines(block: bytes, first_line: int, log: ProblemLog) -> str:
    """The block as text, its lines that are not UTF-8 reported and left blank."""
    lines = []
    for number, raw in enumerate(block.split(b"\n"), first_line):
        try:
            lines.append(raw.decode())
        except UnicodeDecodeError as error:
            shown = raw.decode("utf-8", errors="replace")
            log.add(number, f"not UTF-8 text (byte {error.start + 1} of the line)", shown, "encoding")
            lines.append("")
    return "\n".join(lines)


def _read_row(line: int, text: str, shape: Shape, log: ProblemLog) -> tuple[str, str, str] | None:
    """One row the slow way: quoting understood, what is wrong with it said."""
    mark = shape.mark
    try:
        cells = next(csv.reader([text.strip("\r")], strict=True)) if mark == "," else text.split(mark)
    except csv.Error as error:
        log.add(line, f"broken quoting ({error})", text)
        return None
    cells = [cell.strip() for cell in cells]
    if len(cells) != shape.width:
        found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
        needed = ": head, relation, tail" if shape.width == 3 else ""
        log.add(line, f"{found} found, {shape.width} needed{needed}", text)
        return None
    head, relation, tail = (cells[i] for i in shape.columns)
    for name, cell in zip(_COLUMNS, (head, relation, tail), strict=True):
        if not cell:
            log.add(line, f"the {name} is empty", text, "blank")
            return None
        if len(cell.encode()) > LABEL_LIMIT:
            log.add(line, f"the {name} is longer than {LABEL_LIMIT} bytes", text)
            return None
        if "\0" in cell:
            log.add(line, f"the {name} holds a NUL character", text)
            return None
    return head, relation, tail
