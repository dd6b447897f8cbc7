"""Sessions in the database, with copies in the cache; a cache that is away logs nobody out."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import cached_db
from redis.exceptions import RedisError


class SessionStore(cached_db.SessionStore):
    """A session, read from the database alone while the cache is away."""

    def load(self) -> dict[str, Any]:
        """What the session holds."""
        try:
            return dict(super().load())
        except RedisError:
            kept = self._get_session_from_db()
            return dict(self.decode(kept.session_data)) if kept else {}
