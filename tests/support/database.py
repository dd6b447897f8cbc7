"""The test database: made from a dump of a migrated one, and emptied between tests without Django's slow ``flush``."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
import psycopg
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from webapp.project import postgres
from webapp.project.env import ROOT
from webapp.project.layout import ServerLayout

KEPT = {ContentType._meta.db_table, Permission._meta.db_table}
"""What follows from the models alone, and is therefore the same for every test."""
TEMPLATE = "clew_migrated"


@contextmanager
def keep_migrated(folder: Path) -> Iterator[None]:
    """Migrate once for all processes and runs of tests: while this is open, the test database is to be made.

    The first process migrates and dumps what it gets. The others clone a database that is loaded from the dump, until
    a migration changes.

    Args:
        folder: where dumps are kept between runs.
    """
    dump = folder / f"{_compute_digest()}.sql"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if dump.exists():
            fcntl.flock(lock, fcntl.LOCK_UN)
            with psycopg.connect(ServerLayout(settings.CLEW.home).database_url, autocommit=True) as sql:
                sql.execute(f"CREATE DATABASE {TEMPLATE}")
            _run("psql", TEMPLATE, "--set=ON_ERROR_STOP=1", "--single-transaction", f"--file={dump}")
            connection.settings_dict["TEST"]["TEMPLATE"] = TEMPLATE
            yield
            return
        yield
        for old in folder.glob("*.sql"):
            old.unlink()
        half = dump.with_suffix(".half")
        _run("pg_dump", connection.settings_dict["NAME"], "--no-owner", f"--file={half}")
        half.rename(dump)


def _compute_digest() -> str:
    """What the migrated database follows from."""
    digest = hashlib.sha256(f"{django.__version__} {postgres.VERSION}".encode())
    for file in sorted((ROOT / "webapp").glob("*/migrations/*.py")):
        digest.update(f"{file.parent.parent.name}/{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _run(program: str, database: str, *options: str) -> None:
    address = ServerLayout(settings.CLEW.home).build_address(database)
    command = [str(postgres._find_programs(None) / program), *options, address]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def empty() -> None:
    """Delete the rows of all tables, as ``flush`` does without resetting sequences.

    ``TRUNCATE`` makes new files for every table and index, and ``flush`` then writes all permissions again. A test
    fills few tables, with few rows. Like ``TRUNCATE``, this waits for transactions that others have not ended.
    """
    tables = sorted(set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - KEPT)
    quoted = [connection.ops.quote_name(table) for table in tables]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(quoted)} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(" UNION ALL ".join(f"SELECT '{one}' WHERE EXISTS (SELECT FROM {one})" for one in quoted))
        filled = [row[0] for row in cursor.fetchall()]
        if filled:
            # No order of tables suits their references to each other.
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("; ".join(f"DELETE FROM {one}" for one in filled))
