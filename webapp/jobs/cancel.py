"""Cancel flags: set by the web process, read by workers between pieces of work."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from uuid import UUID

from redis.exceptions import RedisError

from webapp.api.redis import get_redis_client

KEPT_S = 24 * 3600
READ_EVERY_S = 0.1


def ask_to_stop(kind: str, key: int | str | UUID) -> None:
    """Ask whoever works on this to stop."""
    get_redis_client().set(_build_key(kind, key), "1", ex=KEPT_S)


def clear(key: int | str | UUID, *kinds: str) -> None:
    """Forget requests. While Redis is away they stay; they are forgotten by themselves after a day."""
    with contextlib.suppress(RedisError):
        get_redis_client().delete(*(_build_key(kind, key) for kind in kinds))


def make_stop_check(kind: str, key: int | str | UUID) -> Callable[[], bool]:
    """A function that says whether stopping was asked for. It looks at most ten times a second.

    While Redis is away, nothing is known to be asked for: the work goes on.
    """
    name = _build_key(kind, key)
    state = {"at": 0.0, "set": False}

    def is_cancelled() -> bool:
        now = time.monotonic()
        if not state["set"] and now - state["at"] >= READ_EVERY_S:
            with contextlib.suppress(RedisError):
                state["set"] = bool(get_redis_client().exists(name))
            state["at"] = time.monotonic()
        return bool(state["set"])

    return is_cancelled


def _build_key(kind: str, key: int | str | UUID) -> str:
    return f"clew:cancel:{kind}:{key}"
