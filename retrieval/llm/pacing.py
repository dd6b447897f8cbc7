"""No more requests a minute than an endpoint allows."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Protocol

from retrieval.environment import LLMSettings

WINDOW_S = 60.0


class Pace(Protocol):
    """Decides when the next request may be made. Threads may share it."""

    def compute_delay(self, settings: LLMSettings) -> float:
        """Seconds to wait before asking again; 0 lets one request pass, and counts it."""
        ...


class LocalPace:
    """The pace of one process. Workers that are several use one they share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[tuple[str, str], deque[float]] = {}

    def compute_delay(self, settings: LLMSettings) -> float:
        """See :class:`Pace`."""
        most = settings.requests_per_minute
        if not most:
            return 0.0
        now = time.monotonic()
        with self._lock:
            times = self._asked.setdefault((settings.base_url, settings.model), deque())
            while times and times[0] <= now - WINDOW_S:
                times.popleft()
            if len(times) < most:
                times.append(now)
                return 0.0
            return times[0] + WINDOW_S - now


_pace: list[Pace] = [LocalPace()]


def use(pace: Pace) -> None:
    """Use another pace for all that this process asks."""
    _pace[0] = pace


def get_pace() -> Pace:
    """The pace in use."""
    return _pace[0]
