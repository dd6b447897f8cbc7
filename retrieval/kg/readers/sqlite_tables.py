"""SQLite databases: each table is handed on as CSV. Nothing that is stored in a database is executed."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from retrieval.errors import SourceError
from retrieval.kg.readers.archive_kinds import TablePart
from retrieval.kg.readers.compression import EASY, RATIO, detect_compression, open_bytes
from retrieval.kg.readers.headings import clean_headings
from retrieval.kg.readers.property_layout import find_layout
from retrieval.kg.readers.rows_layout import infer_columns
from retrieval.kg.readers.workbooks import format_cell, make_headings

SIGNATURE = b"SQLite format 3\0"
#: The longest value that is read, in bytes.
_VALUE_LIMIT = 1 << 24
#: What statements may do. Triggers, views and stored expressions need more.
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA})
#: Positions in a row of ``PRAGMA table_list`` and of ``PRAGMA table_info``.
_NAME, _KIND, _KEY = 1, 2, 5
#: The file with the keys that a database declares.
_MODEL = "declared keys.json"

#: A value of SQLite.
Value = str | int | float | bytes | None


def is_sqlite(path: Path) -> bool:
    """Whether a file, compressed or not, is an SQLite database, by its first bytes."""
    try:
        with open_bytes(path) as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except (OSError, SourceError):
        return False


def extract_database_tables(path: Path, name: str, folder: Path) -> list[TablePart]:
    """Write the tables that have rows as CSV files; views, virtual tables, computed columns and blobs are left out.

    Args:
        path: where the database lies.
        name: what its owner calls it.
        folder: where the files are put; it exists.

    Returns:
        The tables; their format is empty where a table holds facts, nodes or edges.

    Raises:
        SourceError: it is broken or encrypted, or its rows are more than a file of its size can honestly hold.
    """
    if detect_compression(path) is not None:
        unpacked = folder / "database"
        with open_bytes(path, name) as packed, unpacked.open("wb") as written:
            shutil.copyfileobj(packed, written)
        path = unpacked
    left = EASY + RATIO * path.stat().st_size
    written_tables: list[tuple[str, Path, list[str], int]] = []
    try:
        with closing(_connect(path)) as connection:
            for number, table in enumerate(_list_tables(connection)):
                out = folder / str(number) / "table.csv"
                out.parent.mkdir()
                header = [str(row[_NAME]) for row in connection.execute(f"PRAGMA table_info({_quote(table)})")]
                if header and (count := _write_table(_read_rows(connection, table, header), header, out, left)):
                    left -= out.stat().st_size
                    written_tables.append((_make_table_name(table), out, header, count))
            model = _read_declared_keys(connection, name, [table for table, *_ in written_tables])
    except sqlite3.Error as error:
        raise SourceError(
            f"{name} is an SQLite database that cannot be read ({str(error).rstrip('.')}).",
            hint="It is broken or encrypted. Decrypt it, or write it again: sqlite3 FILE '.backup copy.db'.",
        ) from error
    except _TooManyRowsError:
        raise SourceError(
            f"{name} holds rows of more than {RATIO} times its size, as a bomb does.",
            hint="Export its tables as CSV, and give those.",
        ) from None
    formats = _detect_formats([header for _, _, header, _ in written_tables])
    tables = [
        TablePart(title, out, form, range(count + 1))
        for (title, out, _, count), form in zip(written_tables, formats, strict=True)
    ]
    if model["kinds"] or model["references"]:
        (folder / _MODEL).write_text(json.dumps(model), encoding="utf-8")
        tables.append(TablePart(_MODEL, folder / _MODEL, ""))
    return tables


def _make_table_name(table: str) -> str:
    return f"{table.replace('/', ' ')}.csv"


def _read_declared_keys(connection: sqlite3.Connection, name: str, written: Sequence[str]) -> dict[str, Any]:
    """The keys and references of one column each that a database declares, as a data model."""
    kinds: list[dict[str, Any]] = []
    references: list[dict[str, Any]] = []
    tables = [table for table in _list_tables(connection) if _make_table_name(table) in written]
    keys = {table.casefold(): _list_keys(connection, table) for table in tables}
    for table in tables:
        called = f"{name}/{_make_table_name(table)}"
        if len(keys[table.casefold()]) == 1 and clean_headings(keys[table.casefold()]) == keys[table.casefold()]:
            kinds.append({"table": called, "key": keys[table.casefold()][0]})
        declared: dict[int, list[tuple[str, str, str | None]]] = defaultdict(list)
        for number, _, target, column, target_column, *_ in connection.execute(
            f"PRAGMA foreign_key_list({_quote(table)})"
        ):
            declared[number].append((target, column, target_column))
        for [(target, column, target_column), *more] in declared.values():
            spelt = next((other for other in tables if other.casefold() == target.casefold()), None)
            theirs = [target_column] if target_column else keys.get(target.casefold(), [])
            if (
                spelt is not None
                and len(theirs) == 1
                and not more
                and clean_headings([column, *theirs]) == [column, *theirs]
            ):
                place = {"table": called, "column": column, "target": f"{name}/{_make_table_name(spelt)}"}
                references.append({**place, "target_column": theirs[0]})
    return {"kinds": kinds, "references": references}


def _list_keys(connection: sqlite3.Connection, table: str) -> list[str]:
    return [str(row[_NAME]) for row in connection.execute(f"PRAGMA table_info({_quote(table)})") if row[_KEY]]


class _TooManyRowsError(Exception):
    """The rows of a database have more bytes than may be read."""


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database so that neither it nor a file beside it is changed and no expression in it is evaluated."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda text: text.decode(errors="replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_LIMIT)
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    return connection


def _list_tables(connection: sqlite3.Connection) -> list[str]:
    """The names of the tables that hold rows themselves, in the order of their creation."""
    kinds = {str(row[_NAME]): row[_KIND] for row in connection.execute("PRAGMA table_list")}
    created = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    return [name for (name,) in created if kinds.get(name) == "table" and not name.startswith("sqlite_")]


def _read_rows(connection: sqlite3.Connection, table: str, header: Sequence[str]) -> Iterator[Sequence[Value]]:
    return connection.execute(f"SELECT {', '.join(map(_quote, header))} FROM {_quote(table)}")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_table(rows: Iterator[Sequence[Value]], header: Sequence[str], out: Path, left: int) -> int:
    """Write rows under their header and return their number.

    Raises:
        _TooManyRowsError: they have more than ``left`` bytes.
    """
    count = 0
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(make_headings(header))
        for row in rows:
            cells = ["" if value is None or isinstance(value, bytes) else format_cell(value) for value in row]
            left -= len(cells) + sum(map(len, cells))
            if left < 0:
                raise _TooManyRowsError
            writer.writerow(cells)
            count += 1
    return count


def _detect_formats(headers: Sequence[Sequence[str]]) -> list[str]:
    """The format of each table. Only beside a table of edges is a table with an id and a name one of nodes: ids of
    other tables are their own.
    """
    layouts = [find_layout(",".join(header)) for header in headers]
    edges = [layout is not None and {"source", "target"} <= layout[1].columns.keys() for layout in layouts]
    return [
        "" if infer_columns(header) or is_edges or (layout is not None and any(edges)) else "table"
        for header, layout, is_edges in zip(headers, layouts, edges, strict=True)
    ]
