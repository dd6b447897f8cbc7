"""Waiting for something slow, a client that sends or a server elsewhere, at nobody else's cost.

Threads share few connections to the database. One that waits for minutes gives its own back meanwhile; the next query
takes one again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

from retrieval.errors import ClewError


def release_connection() -> None:
    """Give the thread's connection to the database back, unless a transaction holds it."""
    if not connection.in_atomic_block:
        connection.close()


def is_too_slow(size: int, seconds: float) -> bool:
    """Whether a body that has brought ``size`` bytes in so long comes too slowly to be waited for."""
    return seconds > settings.BODY_PATIENCE_S and size < settings.BODY_LEAST_RATE * seconds


class ConcurrencyLimit:
    """How much of one kind a person, or an address, may have under way at once, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[int | str] = Counter()

    @contextmanager
    def take_turn(self, person: int | str, *, most: int, refusal: ClewError) -> Iterator[None]:
        """Take a turn, and give it back.

        Raises:
            ClewError: ``refusal``, where the person has ``most`` already.
        """
        with self._lock:
            if self._taken[person] >= most:
                raise refusal
            self._taken[person] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[person] -= 1
                if not self._taken[person]:
                    del self._taken[person]
