"""What a question was answered lately, for methods that answer it alike: one of them computes, the others tell it too.

Without a checkpoint no method that retrieves relation paths ranks otherwise than another, so that of those that are
compared each would do again what the first has done.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import check
from retrieval.events import AnswerFinal, Event

if TYPE_CHECKING:
    from retrieval.answering.run import PipelineRun

REMEMBERED = 8
FRESH_S = 10.0
"""How long an answer is told again: methods that are compared begin together, and how names are found may change."""

LOOK_S = 0.05
"""How long who waits for another's next events waits at once: they are taken as they have gathered."""

PATIENCE_S = 2.0
"""Where the other brings nothing for so long, it may have been left: who waits computes itself."""


class Retelling:
    """Answers of one graph. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lately: OrderedDict[Hashable, _SharedAnswer] = OrderedDict()

    def stream_events(self, key: Hashable, run: PipelineRun, answer: Callable[[], Iterator[Event]]) -> Iterator[Event]:
        """The events of an answer, as another run has brought or brings them, or by ``answer``.

        Args:
            key: all that the answer depends on.
            run: the run that asks; the time that its end tells is its own.
            answer: computes it, each time alike.

        Raises:
            ClewError: what ``answer`` raises, or ``Cancelled`` while another's events are waited for.
        """
        with self._lock:
            shared = self._lately.get(key)
            mine = shared is None or shared.broken or time.monotonic() - shared.begun > FRESH_S
            if mine:
                shared = self._lately[key] = _SharedAnswer()
                self._lately.move_to_end(key)
                if len(self._lately) > REMEMBERED:
                    self._lately.popitem(last=False)
        assert shared is not None
        if mine:
            yield from shared.collect_events(answer())
            return
        seen = 0
        for event in shared.stream_events(run.cancelled):
            seen += 1
            yield replace(event, took_ms=run.measure_ms()) if isinstance(event, AnswerFinal) else event
        if not shared.is_over(seen):
            for number, event in enumerate(answer()):
                if number >= seen:
                    yield event


class _SharedAnswer:
    """The events of one answer, which one run brings and others follow."""

    def __init__(self) -> None:
        self._more = threading.Condition()
        self._events: list[Event] = []
        self.begun = time.monotonic()
        self.whole = False
        self.broken = False

    def collect_events(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events, kept as they come."""
        try:
            for event in events:
                self._events.append(event)
                yield event
            self.whole = True
        finally:
            with self._more:
                self.broken = not self.whole
                self._more.notify_all()

    def is_over(self, seen: int) -> bool:
        """Whether so many events are all of them."""
        return self.whole and seen == len(self._events)

    def stream_events(self, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """The events from the first on, until the last, or until there are no more to be expected."""
        seen, idle = 0, 0.0
        while True:
            over = self.whole or self.broken
            new = self._events[seen:]
            for event in new:
                check(cancelled)
                yield event
            seen += len(new)
            if over or idle >= PATIENCE_S:
                return
            check(cancelled)
            with self._more:
                if not (self.whole or self.broken):
                    self._more.wait(LOOK_S)
            idle = 0.0 if new else idle + LOOK_S
