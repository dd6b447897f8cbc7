"""Rows of a query of a database, read without a right to write, and written as CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from retrieval.errors import EmptySourceError, SourceError
from retrieval.types import Progress
from webapp.api.errors import InvalidError
from webapp.sources import sqlite_queries
from webapp.sources.connections import Connection, parse_database
from webapp.sources.models import SourceKind

CONNECT_S = 10
BATCH = 5_000
ROWS_MAX = 20_000_000


def write_rows(
    connection: Connection, target: Path, *, limit: int, timeout: float, progress: Callable[[Progress], None]
) -> int:
    """Write the rows of a query as CSV, with the names of its columns.

    Args:
        limit: bytes that the file may have.
        timeout: seconds for which one request may keep the database busy.
        progress: called after every batch; may break off.

    Returns:
        How many rows there are.

    Raises:
        EmptySourceError: there are none.
        SourceError: the database does not answer, or there is more than the limit.
        InvalidError: the query is wrong, or would write.
        NotAllowedError: the operator does not allow the host (any more).
    """
    done = 0
    with _open_cursor(connection, timeout) as cursor, target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_list_columns(cursor))
        while rows := cursor.fetchmany(BATCH):
            writer.writerows([_to_cell(value) for value in row] for row in rows)
            done += len(rows)
            if file.tell() > limit or done > ROWS_MAX:
                raise SourceError(
                    f"The query answers with more than {ROWS_MAX:,} rows or {limit:,} bytes.", hint="Select less."
                )
            progress(Progress("fetching rows", done, done, "rows"))
    if not done:
        raise EmptySourceError("The query answers with no rows.", hint="Check the query; the graph stays as it is.")
    return done


def sample_rows(connection: Connection, *, most: int, timeout: float) -> list[list[str]]:
    """The names of the columns of a query and its first rows.

    Raises:
        SourceError, InvalidError, NotAllowedError: as :func:`write_rows`.
    """
    with _open_cursor(connection, timeout) as cursor:
        return [_list_columns(cursor), *([_to_cell(value) for value in row] for row in cursor.fetchmany(most))]


def _open_cursor(connection: Connection, timeout: float) -> AbstractContextManager[Any]:
    """A cursor of PEP 249 at the first row."""
    if connection.kind == SourceKind.SQLITE:
        return sqlite_queries.open_cursor(connection, timeout)
    return _open_postgresql(connection, timeout)


@contextmanager
def _open_postgresql(connection: Connection, timeout: float) -> Iterator[psycopg.ServerCursor[tuple[Any, ...]]]:
    """A cursor at the first row. Declaring it refuses all but one SELECT, and the transaction functions that write."""
    parameters = parse_database(connection.address)
    try:
        opened = psycopg.connect(
            **{**parameters, "password": connection.password or None},
            connect_timeout=CONNECT_S,
            application_name="Clew",
        )
    except psycopg.Error as error:
        raise SourceError(
            f"The database does not answer: {_get_reason(error)}", hint="Check its address, user and password."
        ) from None
    try:
        with opened:
            opened.read_only = True
            opened.execute("SELECT set_config('statement_timeout', %s, true)", [str(int(timeout * 1000))])
            with opened.cursor("clew_refresh") as cursor:
                cursor.execute(connection.query.strip().rstrip(";"))
                yield cursor
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise SourceError(
            f"The database broke off: {_get_reason(error)}", hint=f"A query may take {timeout:g} seconds. Try again."
        ) from None
    except psycopg.Error as error:
        raise InvalidError(
            f"The database refuses the query: {_get_reason(error)}", hint="Write one SELECT query that only reads."
        ) from None


def _get_reason(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error)).strip().splitlines()[0]


def _list_columns(cursor: Any) -> list[str]:
    names = [column[0] for column in cursor.description or ()]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InvalidError(
            f"Several columns are called {', '.join(repeated)}.", hint="Give them different names with AS."
        )
    return names


def _to_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.hex() if isinstance(value, bytes) else str(value)
