"""Queries of SQLite databases on the server or at an address, which can only read."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from retrieval.errors import SourceError
from retrieval.types import Progress
from webapp.api.errors import InvalidError
from webapp.sources.connections import Connection
from webapp.uploads import remote_sources

VALUE_BYTES = 1 << 24
STEPS = 100_000
"""Instructions of SQLite between two looks at the clock."""

_ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
_REFUSALS = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_AUTH)


def compute_fingerprint(address: str) -> str:
    """What stays the same while a database does; empty while changes wait in its write-ahead log.

    Raises:
        SourceError, NotAllowedError: as :func:`webapp.uploads.remote_sources.compute_fingerprint`.
    """
    fingerprint = remote_sources.compute_fingerprint(address)
    if remote_sources.is_address(address):
        return fingerprint
    real = remote_sources.resolve_file(address)
    return "" if real.with_name(f"{real.name}-wal").exists() else fingerprint


@contextmanager
def open_cursor(connection: Connection, timeout: float) -> Iterator[sqlite3.Cursor]:
    """A cursor at the first row of a query.

    Raises:
        SourceError: there is no database, it is locked or damaged, or the query takes too long.
        InvalidError: the query is wrong, or would write.
        NotAllowedError: the operator does not allow the address (any more).
    """
    until = time.monotonic() + timeout
    with _open_file(connection.address, until) as path:
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as opened:
                _set_limits(opened, until)
                yield opened.execute(connection.query.strip())
        except (sqlite3.ProgrammingError, sqlite3.Warning) as error:
            raise _make_refusal(error) from None
        except sqlite3.Error as error:
            if error.sqlite_errorcode in _REFUSALS:
                raise _make_refusal(error) from None
            raise SourceError(
                f"The database {connection.address} cannot be read: {error}.",
                hint=f"Check that it is an SQLite database; a query may take {timeout:g} seconds.",
            ) from None


@contextmanager
def _open_file(address: str, until: float) -> Iterator[Path]:
    """The file itself, so that its write-ahead log is read as well; a copy of one at an address."""
    if not remote_sources.is_address(address):
        yield remote_sources.resolve_file(address)
        return
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as directory:
        path = Path(directory) / "database"

        def check_time(_: Progress) -> None:
            if time.monotonic() > until:
                raise SourceError(f"{address} sends too slowly.", hint="Try again, or save without the test.")

        remote_sources.fetch(address, path, limit=settings.RESUMABLE_MAX_BYTES, progress=check_time)
        yield path


def _set_limits(opened: sqlite3.Connection, until: float) -> None:
    """Let a connection do nothing but read, with values of a limited size, until a time."""
    opened.text_factory = lambda content: content.decode(errors="replace")
    opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
    opened.execute("PRAGMA trusted_schema = OFF")
    opened.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    opened.set_progress_handler(lambda: time.monotonic() > until, STEPS)


def _make_refusal(error: Exception) -> InvalidError:
    return InvalidError(f"The database refuses the query: {error}.", hint="Write one SELECT query that only reads.")
