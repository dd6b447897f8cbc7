"""Delimiter-separated triples: fast over whole blocks, line by line only for the rows that fail."""

from __future__ import annotations

import csv

import polars as pl

from retrieval.errors import ConfigError, EmptySourceError
from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.file_contents import FactFile, FactSink, Frames
from retrieval.kg.readers.formats.properties import has_property_header
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import read_property_csv
from retrieval.kg.readers.rows_layout import (
    ROLES,
    WIDTH,
    RowShape,
    describe_unnamed,
    find_common_width,
    has_column_names,
    infer_columns,
    infer_delimiter,
    parse_delimiter,
    select_columns,
    split_cells,
)
from retrieval.kg.table import LABEL_LIMIT


def read_delimited(file: InputFile, log: ProblemLog) -> FactFile:
    """Read a file of ``head <delimiter> relation <delimiter> tail`` rows; one that has their header, of nodes or edges.

    Raises:
        ConfigError: the delimiter or the columns do not fit, or a row has more than ``WIDTH`` columns.
    """
    if has_property_header(file):
        log.format = "property-csv"
        return read_property_csv(file, log)
    source, columns, sink = file.source, file.options.columns, file.sink
    delimiter = file.options.delimiter or FORMATS[log.format].delimiter
    head = [line for line in source.decode_head().splitlines() if line.strip()]
    mark = parse_delimiter(delimiter) if delimiter else infer_delimiter(head)
    first = split_cells(head[0], mark) if head else []
    if columns is not None and len(first) > WIDTH:
        raise ConfigError(
            f"The rows of {source.name} have {len(first):,} columns; at most {WIDTH:,} are read.",
            hint="Choose another delimiter, or keep the columns that are needed.",
        )
    if columns is None and infer_columns(first) is None and find_common_width(head[:-1] or head, mark) > 3:
        raise EmptySourceError(f"{source.name} is not read as facts.", hint=describe_unnamed(len(first)))
    shape = RowShape(mark) if columns is None else RowShape(mark, len(first), select_columns(columns, first))
    by_name = columns is not None and any(isinstance(column, str) for column in columns.values())
    header = file.options.header
    skip_first = has_column_names(first, shape) if header is None else header
    skip_first |= by_name and header is not False
    kept, rows = Frames(), 0
    takes: FactSink | Frames = sink or kept
    for first_line, block in source.read_blocks(log.add):
        facts = None if skip_first else _parse_plain_rows(block, shape)
        if facts is None or not takes.add_if_clean(facts, first_line):
            facts = _read_block(block, first_line, shape, log, skip_first=skip_first)
            takes.add(facts)
        rows += facts.height
        # A header is the first line that is not blank; it is certain to be in the first block.
        skip_first = False
    return FactFile(source.name, kept.build_frame(), log.count, streamed=rows if sink else 0)


def _parse_plain_rows(block: bytes, shape: RowShape) -> pl.DataFrame | None:
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
    return rows.select(pl.col(names[i]).alias(name) for i, name in zip(shape.columns, ROLES, strict=True))


def _read_block(block: bytes, first_line: int, shape: RowShape, log: ProblemLog, *, skip_first: bool) -> pl.DataFrame:
    mark = shape.mark
    try:
        text = block.decode()
    except UnicodeDecodeError:
        text = _drop_bad_lines(block, first_line, log)
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
        for i, name in zip(shape.columns, ROLES, strict=True)
    )
    good = pl.col("plain")
    for name in ROLES:
        size = pl.col(name).str.len_bytes().fill_null(0)
        good &= (size > 0) & (size <= LABEL_LIMIT)
    lines = lines.with_columns(good=good)
    facts = lines.filter("good").select(*ROLES, pl.col("line").cast(pl.Int64))
    rest = lines.filter(~pl.col("good")).select("line", "text")
    if not rest.height:
        return facts
    rescued = [(*row, line) for line, text in rest.iter_rows() if (row := _read_row(line, text, shape, log))]
    return pl.concat([facts, pl.DataFrame(rescued, schema=facts.schema, orient="row")])


def _drop_bad_lines(block: bytes, first_line: int, log: ProblemLog) -> str:
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


def _read_row(line: int, text: str, shape: RowShape, log: ProblemLog) -> tuple[str, str, str] | None:
    """One row the slow way: quoting understood, what is wrong with it said."""
    mark = shape.mark
    try:
        cells = next(csv.reader([text.strip("\r")], strict=True)) if mark == "," else text.split(mark)
    except csv.Error as error:
        log.add(line, f"broken quoting ({error})", text)
        return None
    cells = [cell.strip() for cell in cells]
    if len(cells) != shape.width:
        column_count = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
        needed = ": head, relation, tail" if shape.width == 3 else ""
        log.add(line, f"{column_count} found, {shape.width} needed{needed}", text)
        return None
    head, relation, tail = (cells[i] for i in shape.columns)
    for name, cell in zip(ROLES, (head, relation, tail), strict=True):
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
