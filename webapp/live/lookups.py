"""Look-ups that the sockets of a process share: many of one person ask the same of the database again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async

KEPT_MAX = 10_000
_kept: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, tuple[float, asyncio.Future[Any]]]] = (
    WeakKeyDictionary()
)


async def query_cached(key: Hashable, query: Callable[[], Any], *, kept_s: float) -> Any:
    """Return what a query finds, or what it found for the same key at most ``kept_s`` ago."""
    cache = _kept.setdefault(asyncio.get_running_loop(), {})
    began, result = cache.get(key, (float("-inf"), None))
    if result is None or time.monotonic() - began >= kept_s:
        if len(cache) >= KEPT_MAX:
            cache.clear()
        result = asyncio.ensure_future(database_sync_to_async(query)())
        cache[key] = time.monotonic(), result
    return await asyncio.shield(result)
