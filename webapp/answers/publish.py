"""Publishing a run's events: first into the log in PostgreSQL, then to whoever watches.

The engine's thread only puts events into a queue. A writer thread takes what has gathered, appends it in one
insert, and announces it: the first event goes out at once, and when events come faster than the database commits
they travel together, without a timer. While the database is away events gather, and nothing is lost.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import close_old_connections, connection
from django.utils import timezone

from retrieval.events import Event
from webapp.answers import announce, log
from webapp.jobs.database_retry import retry_while_away

BATCH_MAX = 64


Timed = tuple[Event, datetime]
"""An event and when it happened, which is before it is written."""


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

    def flush(self) -> int:
        """Wait until everything added is in the log; its last sequence number. No more may be added.

        Raises:
            Exception: what broke the writing.
        """
        self._queue.put(None)
        self._thread.join()
        self.check()
        return self._seq

    def _write(self) -> None:
        close_old_connections()
        try:
            open_ = True
            while open_:
                batch, open_ = _take_next(self._queue.get)
                while open_ and len(batch) < BATCH_MAX and not self._queue.empty():
                    more, open_ = _take_next(self._queue.get_nowait)
                    batch += more
                if batch:
                    self._append(batch)
        except BaseException as error:
            self._error = error
        finally:
            connection.close()

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


def _take_next(get: Callable[[], Timed | None]) -> tuple[list[Timed], bool]:
    item = get()
    return ([], False) if item is None else ([item], True)
