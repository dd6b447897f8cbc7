"""Delimiter-separated triples: fast over whole blocks, line by line only for the rows that fail."""

from __future__ import annotations

import csv

import polars as pl

from retrieval.errors import ConfigError
from retrieval.kg.readers.collecting import FACT_SCHEMA, FactFile, ProblemLog
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


def read_delimited(
    source: Source, log: ProblemLog, *, delimiter: str | None = None, header: bool | None = None
) -> FactFile:
    """Read a file of ``head <delimiter> relation <delimiter> tail`` rows.

    Args:
        source: the opened file.
        log: takes the bad rows.
        delimiter: one character or a name of ``DELIMITERS``; None guesses.
        header: whether the first row is a header; None guesses.
    """
    head = [line for line in source.text_head().splitlines() if line.strip()]
    mark = parse_delimiter(delimiter) if delimiter else guess_delimiter(head)
    skip_first = looks_like_header(head[0], mark) if header is None and head else bool(header)
    frames = []
    for first_line, block in source.blocks():
        facts = _read_block(block, first_line, mark, log, skip_first=skip_first)
        # A header is the first line that is not blank; it is certain to be in the first block.
        skip_first = False
        frames.append(facts)
    facts = pl.concat(frames) if frames else pl.DataFrame(schema=FACT_SCHEMA)
    return FactFile(source.name, facts, log.count)


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
    cells = [cell.strip().strip('"').lower() for cell in line.strip().split(mark)]
    if len(cells) != 3:
        return False
    return cells[0] in _HEAD_WORDS and cells[1] in _RELATION_WORDS and cells[2] in _TAIL_WORDS


def columns(line: str, mark: str) -> int:
    """How many columns a line has; quoted ones count as one where commas separate them."""
    if mark == "," and '"' in line:
        try:
            return len(next(csv.reader([line])))
        except (csv.Error, StopIteration):
            return 0
    return line.count(mark) + 1


def _read_block(
    block: bytes, first_line: int, mark: str, log: ProblemLog, *, skip_first: bool
) -> pl.DataFrame:
    try:
        text = block.decode()
    except UnicodeDecodeError:
        text = _without_bad_lines(block, first_line, log)
    lines = pl.DataFrame({"text": text.split("\n")}).with_row_index("line", offset=first_line)
    lines = lines.filter(pl.col("text").str.strip_chars() != "")
    if skip_first:
        lines = lines.slice(1)
    plain = pl.col("text").str.count_matches(mark, literal=True) == 2
    plain &= ~pl.col("text").str.contains("\0", literal=True)
    if mark == ",":
        plain &= ~pl.col("text").str.contains('"', literal=True)
    cells = pl.col("text").str.split_exact(mark, 2)
    lines = lines.with_columns(plain=plain).with_columns(
        cells.struct.field(f"field_{i}").str.strip_chars().alias(name) for i, name in enumerate(_COLUMNS)
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
    rescued = [row for line, text in rest.iter_rows() if (row := _read_row(line, text, mark, log))]
    return pl.concat([facts, pl.DataFrame(rescued, schema=FACT_SCHEMA, orient="row")])


def _without_bad_lines(block: bytes, first_line: int, log: ProblemLog) -> str:
    """The block as text, its lines that are not UTF-8 reported and left blank."""
    lines = []
    for number, raw in enumerate(block.split(b"\n"), first_line):
        try:
            lines.append(raw.decode())
        except UnicodeDecodeError as error:
            shown = raw.decode("utf-8", errors="replace")
            log.add(number, f"not UTF-8 text (byte {error.start + 1} of the line)", shown)
            lines.append("")
    return "\n".join(lines)


def _read_row(line: int, text: str, mark: str, log: ProblemLog) -> tuple[str, str, str] | None:
    """One row the slow way: quoting understood, what is wrong with it said."""
    try:
        cells = next(csv.reader([text.strip("\r")], strict=True)) if mark == "," else text.split(mark)
    except csv.Error as error:
        log.add(line, f"broken quoting ({error})", text)
        return None
    cells = [cell.strip() for cell in cells]
    if len(cells) != 3:
        found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
        log.add(line, f"{found} found, 3 needed: head, relation, tail", text)
        return None
    for name, cell in zip(_COLUMNS, cells, strict=True):
        if not cell:
            log.add(line, f"the {name} is empty", text)
            return None
        if len(cell.encode()) > LABEL_LIMIT:
            log.add(line, f"the {name} is longer than {LABEL_LIMIT} bytes", text)
            return None
        if "\0" in cell:
            log.add(line, f"the {name} holds a NUL character", text)
            return None
    return cells[0], cells[1], cells[2]
