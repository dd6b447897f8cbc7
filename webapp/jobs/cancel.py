"""Cancel flags: set by the web process, read by workers between pieces of work."""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

from webapp.jobs import presence

KEPT_S = 24 * 3600
READ_EVERY_S = 0.1


def request(kind: str, key: int | str | UUID) -> None:
    """Ask whoever works on this to stop."""
    presence.client().set(_key(kind, key), "1", ex=KEPT_S)


def clear(kind: str, key: int | str | UUID) -> None:
    """Forget a request."""
    presence.client().delete(_key(kind, key))


def flag(kind: str, key: int | str | UUID) -> Callable[[], bool]:
    """A function that says whether stopping was asked for. It looks at most ten times a second."""
    name = _key(kind, key)
    state = {"at": 0.0, "set": False}

    def cancelled() -> bool:
        now = time.monotonic()
        if not state["set"] and now - state["at"] >= READ_EVERY_S:
            state["set"] = bool(presence.client().exists(name))
            state["at"] = now
        return bool(state["set"])

    return cancelled


def _key(kind: str, key: int | str | UUID) -> str:
    return f"clew:cancel:{kind}:{key}"
