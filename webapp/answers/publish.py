"""Publishing a run's events: first into the log in PostgreSQL, then to whoever watches.

The engine's thread only puts events into a queue. A writer thread takes what has gathered, appends it in one
insert, and announces it: the first event goes out at once, and those that follow closely travel together. What has
gathered when the run ends is left to whoever writes its end, in the same insert. While the database is away events
gather, and nothing is lost.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import close_old_connections, connection
from django.utils import timezone

from retrieval.events import Event
from webapp.answers import announce, log
from webapp.answers.log import Timed
from webapp.jobs.database_retry import retry_while_away

BATCH_MAX = 64
GATHER_S = 0.025
"""How long after a write the next one waits for more events: each takes a transaction and a message."""


def publish(run_id: UUID, *, after: int, events: Sequence[Event], times: Sequence[datetime] | None = None) -> int:
    """Append and announce; the new last sequence number."""
    announce.send_events(run_id, log.append(run_id, after=after, events=events, times=times))
    return after + len(events)


class Publisher:
    """The stream of one run, fed by the engine's thread.

    Args:
        run_id: the run, which this process has claimed.
        after: last sequence number that is in the log already.
    """

    def __init__(self, run_id: UUID, *, after: int = 0) -> None:
        self._run_id = run_id
        self._seq = after
        self._unwritten: list[Timed] = []
        self._queue: queue.SimpleQueue[Timed | None] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._write, name=f"publish-{run_id}", daemon=True)
        self._thread.start()

    def add(self, event: Event) -> None:
        """Publish an event soon.

        Raises:
            Exception: what broke the writing of an earlier one.
        """
        self.check()
        self._queue.put((event, timezone.now()))

    def check(self) -> None:
        """Raise what broke the writing, if anything did."""
        if self._error is not None:
            raise self._error

    def finish(self) -> tuple[int, list[Timed]]:
        """End the writing: the last sequence number in the log, and what was added since. No more may be added.

        Raises:
            Exception: what broke the writing.
        """
        self._queue.put(None)
        self._thread.join()
        self.check()
        return self._seq, self._unwritten

    def _write(self) -> None:
        close_old_connections()
        try:
            written = 0.0
            while self._gather(written + GATHER_S):
                self._append(self._unwritten)
                self._unwritten, written = [], time.monotonic()
        except BaseException as error:
            self._error = error
        finally:
            connection.close()

    def _gather(self, until: float) -> bool:
        """Wait for the next events, and for more of them until a time; whether the stream goes on behind them."""
        item = self._queue.get()
        while item is not None:
            self._unwritten.append(item)
            if len(self._unwritten) == BATCH_MAX:
                return True
            try:
                item = self._queue.get(timeout=max(until - time.monotonic(), 0.0))
            except queue.Empty:
                return True
        return False

    def _append(self, batch: list[Timed]) -> None:
        events, times = zip(*batch, strict=True)
        tries = 0

        def append() -> int:
            nonlocal tries
            tries += 1
            # A connection may break after the rows were written; nobody else writes to this log.
            if tries > 1 and log.get_last_seq(self._run_id) == self._seq + len(events):
                return self._seq + len(events)
            return publish(self._run_id, after=self._seq, events=events, times=times)

        self._seq = retry_while_away(append)
