"""Sessions in the database, with copies in the cache; a cache that is away logs nobody out."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import cached_db
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from redis.exceptions import RedisError


class SessionStore(cached_db.SessionStore):
    """A session, read from the database alone while the cache is away."""

    def load(self) -> dict[str, Any]:
        """What the session holds."""
        try:
            return dict(super().load())
        except RedisError:
            return dict(DatabaseStore.load(self))
