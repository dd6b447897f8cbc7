"""The pool drops every broken connection when it meets one.

psycopg's own pool meets them one by one and waits twice as long after each, so that a request after a restart of
PostgreSQL times out where the pool holds five or more (fecgov/fecfile-web-api#2208).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection, Error
from psycopg_pool import ConnectionPool


class CheckingPool(ConnectionPool[Connection[Any]]):
    """A pool that checks each connection before it lends it, and all that wait when one is broken."""

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
        """The pool that all threads share, not yet opened when it is made; None where the settings name none."""
        pools = self._connection_pools  # type: ignore[attr-defined]  # the stubs lack what they think private
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias != NO_DB_ALIAS and self.alias not in pools:
            parameters = {**self.get_connection_params(), "autocommit": True}
            configure = self._configure_connection  # type: ignore[attr-defined]
            pools.setdefault(self.alias, CheckingPool(kwargs=parameters, open=False, configure=configure, **options))
        return super().pool
