"""A connection pool that replaces all broken connections as soon as it finds one.

psycopg's own pool finds them one at a time, with a delay that doubles after each: after a restart of PostgreSQL, a
request times out if the pool holds five or more (fecgov/fecfile-web-api#2208).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection, Error
from psycopg_pool import ConnectionPool


class CheckingPool(ConnectionPool[Connection[Any]]):
    """A pool that checks a connection before handing it out, and all idle ones if it is broken."""

    def __init__(self, **options: Any) -> None:
        super().__init__(check=self._check_before_lending, **options)

    def _check_before_lending(self, connection: Connection[Any]) -> None:
        try:
            self.check_connection(connection)
        except Error:
            self.check()
            raise


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with ``CheckingPool``."""

    @property
    def pool(self) -> Any:
        """The pool that all threads share, created closed; None if the settings configure none."""
        pools = self._connection_pools  # type: ignore[attr-defined]  # the stubs lack what they think private
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias != NO_DB_ALIAS and self.alias not in pools:
            parameters = {**self.get_connection_params(), "autocommit": True}
            configure = self._configure_connection  # type: ignore[attr-defined]
            pools.setdefault(self.alias, CheckingPool(kwargs=parameters, open=False, configure=configure, **options))
        return super().pool
