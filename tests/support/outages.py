"""Taking PostgreSQL or Redis away from this process for a while, for real."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from asgiref.sync import SyncToAsync
from django.conf import settings
from django.db import connection, connections

from webapp.project import embedded


@contextlib.contextmanager
def without_postgres() -> Iterator[None]:
    """Every connection to the test database is cut, and new ones are refused."""
    name = connection.settings_dict["NAME"]
    with psycopg.connect(embedded.ServerLayout(settings.CLEW.home).database_url, autocommit=True) as sql:
        sql.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            sql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            yield
        finally:
            sql.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
            # This thread and asgiref's shared one would otherwise reuse their terminated connections.
            connections.close_all()
            SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@contextlib.contextmanager
def without_redis(servers: Any) -> Iterator[None]:
    """The embedded Redis is stopped, and started again with what it had."""
    stop_redis(servers)
    try:
        yield
    finally:
        start_redis(servers)


def stop_redis(servers: Any) -> None:
    """Stop the embedded Redis."""
    _redis(servers).stop()


def start_redis(servers: Any) -> None:
    """Start it again, and wait until it serves."""
    server = _redis(servers)
    server.mark_ready()  # that it ended is no failure
    until = time.monotonic() + 60
    while not server.is_ready():
        assert time.monotonic() < until, "Redis does not start"
        server.ensure_running()
        time.sleep(0.02)
    server.mark_ready()


def _redis(servers: Any) -> Any:
    return next(server for server in servers.servers if server.name == "Redis")
