"""What this worker is at, so that nothing of it is stuck.

Rows that name this worker and are not held here were forgotten. Work that ignores that it was stopped, or takes longer
than it may, is interrupted; what cannot be interrupted either is given up, and the process with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from retrieval.errors import Cancelled

logger = logging.getLogger(__name__)
RUN = "run"
JOB = "job"
DIAGNOSIS = "diagnosis"
GRACE_S = 10.0
"""How long work that was stopped may take to stop by itself."""

GIVE_UP_S = 30.0
"""How long after that it may take to be interrupted."""


class Why(StrEnum):
    """Why work is to end."""

    STOPPED = "stopped"
    OVERDUE = "time_limit"


class Interrupted(Cancelled):
    """Raised in the middle of work that did not stop when it was asked to."""

    def __init__(self, message: str = "It was stopped.", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)


@dataclass(slots=True, eq=False)
class HeldWork:
    """One piece of work, at most one in a thread.

    Attributes:
        limit_s: how long it may take.
        stopped: whether somebody asked for it to stop.
        give_up: ends its row, since the work itself does not end.
        why: why it is to end; None while it may go on.
        gave_way: it ends because others are more urgent, and goes on later.
    """

    kind: str
    key: Any
    limit_s: float
    stopped: Callable[[], bool]
    give_up: Callable[[Why], None]
    why: Why | None = None
    given_up: bool = False
    gave_way: bool = False
    _began: float = field(default_factory=time.monotonic)
    _asked: float = 0.0
    _thread: int = field(default_factory=threading.get_ident)
    _at_work: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def allow_interrupts(self) -> Iterator[None]:
        """Within it the work can be interrupted."""
        with self._lock:
            self._at_work = True
        try:
            yield
        finally:
            with self._lock:
                self._at_work = False
                _raise_in(self._thread, None)

    @property
    def overdue(self) -> bool:
        """Whether its time is over."""
        return self.why == Why.OVERDUE

    def check_limits(self, now: float) -> bool:
        """Do what is due; whether it was given up just now."""
        if self.why is None:
            self._ask(now)
            return False
        if now - self._asked < GRACE_S or self.given_up:
            return False
        if now - self._asked < GRACE_S + GIVE_UP_S:
            self._raise_interrupt()
            return False
        with self._lock:
            self.given_up = self._at_work
        if self.given_up:
            logger.error("%s %s does not stop; it is given up", self.kind, self.key)
            self.give_up(self.why)
        return self.given_up

    def _ask(self, now: float) -> None:
        if now - self._began > self.limit_s:
            self.why, self._asked = Why.OVERDUE, now
        elif self.stopped():
            self.why, self._asked = Why.STOPPED, now

    def _raise_interrupt(self) -> None:
        with self._lock:
            if self._at_work:
                logger.warning("%s %s is interrupted: %s", self.kind, self.key, self.why)
                _raise_in(self._thread, Interrupted)


_held: dict[int, HeldWork] = {}
_numbers = itertools.count()


@contextlib.contextmanager
def register_work(
    kind: str,
    key: Any,
    *,
    limit_s: float,
    stopped: Callable[[], bool],
    give_up: Callable[[Why], None],
) -> Iterator[HeldWork]:
    """Within it this worker has a row, until its end is written."""
    hold, number = HeldWork(kind, key, limit_s, stopped, give_up), next(_numbers)
    _held[number] = hold
    try:
        yield hold
    finally:
        del _held[number]


def list_keys(kind: str) -> set[Any]:
    """What is held of a kind; what was given up is not."""
    return {hold.key for hold in list(_held.values()) if hold.kind == kind and not hold.given_up}


def check_all() -> bool:
    """Look after all that is held; whether something was given up, so that this process is to end."""
    now = time.monotonic()
    given_up = [hold for hold in list(_held.values()) if hold.check_limits(now)]
    return bool(given_up)


def is_process_ending(error: BaseException) -> bool:
    """Whether an error says that this process is to end, and nothing of the work in which it was raised."""
    return isinstance(error, KeyboardInterrupt)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in another thread as soon as it is between two steps of Python; None takes it back."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )
