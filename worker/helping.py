"""Answering in two processes at once: a worker of jobs that has no job helps the answers worker.

One process of Python computes one question at a time, however many threads it has. A question that comes while the
answers worker has another is handed to the helper, if that has fewer. The answers worker takes it back where it is
done first: messages only wake, and whoever is woken takes the run whose turn it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from webapp.answers.models import Diagnosis, Run, RunState
from webapp.jobs import heartbeats
from webapp.jobs.database_retry import retry_while_away
from webapp.jobs.models import Job, JobState

if TYPE_CHECKING:
    from collections.abc import Iterator


class Desk:
    """The questions that this process has, and how many messages of others it has handed on since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work = 0
        self._handed = 0

    @contextmanager
    def register_question(self) -> Iterator[int]:
        """Within it one more question is at work here; how many there were before."""
        with self._lock:
            before = self._at_work
            self._at_work += 1
        try:
            yield before
        finally:
            with self._lock:
                self._at_work -= 1

    def dispatch_message(self, hand: Callable[[], None]) -> None:
        """Hand a message to the helper."""
        with self._lock:
            self._handed += 1
        hand()

    def take_back(self) -> bool:
        """Whether something was handed on that may still wait; each is looked for once."""
        with self._lock:
            waits = self._handed > 0
            self._handed -= waits
        return waits


def has_time(own_count: int) -> bool:
    """Whether a helper is there that has fewer questions than ``own_count``, and no job."""
    if not own_count:
        return False
    try:
        helpers = heartbeats.list_alive(heartbeats.HELP)
    except RedisError:
        return False
    return bool(helpers) and retry_while_away(partial(_has_time, helpers, own_count))


def _has_time(helpers: list[str], own_count: int) -> bool:
    if Job.objects.filter(state=JobState.RUNNING, worker__in=helpers).exists():
        return False
    at_work = {"state": RunState.RUNNING, "worker__in": helpers}
    return sum(rows.objects.filter(**at_work).count() for rows in (Run, Diagnosis)) < own_count
