"""Parquet: facts, nodes and edges, passages, or the subgraphs of a question set, told by the columns' names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from retrieval.errors import SourceError
from retrieval.kg.readers.file_contents import LINE, FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import read_cells
from retrieval.kg.readers.property_layout import Layout, layout_of
from retrieval.kg.readers.property_rows import BadRowError, PropertyRows, format_value
from retrieval.kg.readers.rows_layout import ROLES, infer_columns, select_columns
from retrieval.kg.readers.sources import is_parquet
from retrieval.kg.readers.subgraphs import read_subgraph_rows
from retrieval.kg.table import LABEL_LIMIT

_SUBGRAPHS = ("graph", "subgraph")
_BATCH = 10_000
#: A file may have so many rows a byte, beyond the first ``_EASY``: more is a bomb.
_RATIO = 100
_EASY = 1_000_000
#: What broken files raise; a panic of Polars is no ``Exception``.
_BROKEN = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def open_parquet(path: Path, name: str) -> pl.LazyFrame:
    """A file opened; its columns and how many rows it has are known and nothing else is read.

    Raises:
        SourceError: it is broken, or has more rows than its bytes can honestly hold.
    """
    try:
        frame = pl.scan_parquet(path)
        frame.collect_schema()
        rows = frame.select(pl.len()).collect().item()
    except _BROKEN as error:
        raise _make_broken_error(name) from error
    if rows > _EASY + _RATIO * path.stat().st_size:
        raise SourceError(
            f"{name} has {rows:,} rows, more than {_RATIO} for each of its bytes, as a bomb does.",
            hint="If that is honest, give the rows as text.",
        )
    return frame


def iter_rows(frame: pl.LazyFrame, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number (from 1) and values of each row.

    Raises:
        SourceError: the file is broken.
    """
    total = _collect_frame(frame.select(pl.len()), name).item()
    for first in range(0, total, _BATCH):
        part = _collect_frame(frame.slice(first, _BATCH), name)
        yield from enumerate(part.iter_rows(named=True), first + 1)


def read_parquet(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one Parquet file; the line of a bad row is the row's number.

    Raises:
        SourceError: the file is broken, or is no Parquet file.
        ConfigError: the columns do not fit.
    """
    if not is_parquet(file.path):
        _ = file.source  # says what is wrong with one that nobody can read
        raise SourceError(f"{file.name} is no Parquet file.", hint="Leave the format out, so that it is guessed.")
    columns = file.options.columns
    frame = open_parquet(file.path, log.file)
    frame = frame if file.limit is None else frame.head(file.limit)
    names = frame.collect_schema().names()
    if columns is None:
        if any(name in names for name in _SUBGRAPHS):
            return read_subgraph_rows(iter_rows(frame, log.file), log)
        if {"text", "contents", "context", "paragraphs"} & set(names):
            return _read_passages(frame, names, log)
        layout = layout_of(names)
        if layout is not None and len(names) > 3:
            return _read_properties(frame, layout, log)
        if layout is not None and infer_columns(names) is None:
            return _read_properties(frame, layout, log)
    chosen = select_columns(columns, names) if columns is not None else infer_columns(names) or (0, 1, 2)
    if len(names) < 3:
        log.add(0, f"{len(names)} columns found, 3 needed: head, relation, tail", ", ".join(names))
        return FactFile(log.file, None, log.count, properties=PropertyRows(log))
    return _read_facts(frame, [names[i] for i in chosen], log)


def _read_facts(frame: pl.LazyFrame, chosen: list[str], log: ProblemLog) -> FactFile:
    """Three columns as facts, whole columns at a time."""
    text = frame.select(
        pl.col(column).cast(pl.String).str.strip_chars().fill_null("").alias(role)
        for column, role in zip(chosen, ROLES, strict=True)
    )
    rows = _collect_frame(text.with_row_index(LINE, offset=1), log.file)
    good = pl.lit(value=True)
    for role in ROLES:
        size = pl.col(role).str.len_bytes()
        good &= (size > 0) & (size <= LABEL_LIMIT) & ~pl.col(role).str.contains("\0", literal=True)
    for line, *cells in rows.filter(~good).iter_rows():
        empty = next((role for role, cell in zip(ROLES, cells, strict=True) if not cell), None)
        if empty:
            log.add(line, f"the {empty} is empty", " | ".join(cells), "blank")
        else:
            log.add(line, f"a name is longer than {LABEL_LIMIT} bytes or holds a NUL character", " | ".join(cells))
    return FactFile(log.file, rows.filter(good).select(*ROLES, pl.col(LINE).cast(pl.Int64)), log.count)


def _read_properties(frame: pl.LazyFrame, layout: Layout, log: ProblemLog) -> FactFile:
    rows = PropertyRows(log, named=layout.named)
    for line, row in iter_rows(frame, log.file):
        cells = [
            ";".join(map(format_value, value)) if isinstance(value, list) else format_value(value)
            for value in row.values()
        ]
        try:
            read_cells(layout, cells, rows, line)
        except BadRowError as error:
            log.add(line, str(error), " | ".join(cells), error.kind)
    return FactFile(log.file, None, log.count, properties=rows)


def _read_passages(frame: pl.LazyFrame, names: list[str], log: ProblemLog) -> FactFile:
    from retrieval.kg.readers.documents.reading import read_passage_rows  # noqa: PLC0415 - only passages need it

    fmt = "musique" if "paragraphs" in names else "hotpotqa" if "context" in names else "passages"
    return read_passage_rows(iter_rows(frame, log.file), log.file, fmt, log)


def _collect_frame(frame: pl.LazyFrame, name: str) -> pl.DataFrame:
    try:
        return frame.collect()
    except _BROKEN as error:
        raise _make_broken_error(name) from error


def _make_broken_error(name: str) -> SourceError:
    return SourceError(f"{name} is a broken Parquet file.", hint="Make or upload it again.")
