"""Telling how far long work has come, and stopping it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from retrieval.errors import Cancelled
from retrieval.types import Progress

#: Steps of writing a snapshot that are counted.
STEPS = 3


class BuildProgress:
    """What a build reports to, and asks between pieces of work whether to go on."""

    def __init__(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        steps: int = STEPS,
    ) -> None:
        self._progress, self._cancelled, self._steps = progress, cancelled, steps
        self._last: Progress | None = None

    def forward_progress(self, progress: Progress) -> None:
        """Pass on the progress of a part.

        Raises:
            Cancelled: somebody pressed Stop.
        """
        if self._cancelled():
            raise Cancelled("The building of the graph was stopped.")
        self._last = progress
        if self._progress is not None:
            self._progress(progress)

    def start_stage(self, stage: str, done: int) -> None:
        """Tell what is done next, and how many steps are done."""
        self.forward_progress(Progress(stage, done, self._steps, "steps"))

    def mark_done(self, stage: str) -> None:
        """Tell that all is done; it is too late to stop."""
        if self._progress is not None:
            self._progress(Progress(stage, self._steps, self._steps, "steps"))

    def check(self) -> None:
        """Nothing new; raises as :meth:`forward_progress` does, or as what is told of the progress does."""
        if self._last is not None:
            self.forward_progress(self._last)


@contextmanager
def run_in_parallel(work: Callable[[Callable[[], None]], None]) -> Iterator[None]:
    """Do ``work`` in a thread while the block runs, and end when both have ended.

    ``work`` gets a check to call between its pieces: it raises when the block has failed.
    """
    stop = threading.Event()

    def check() -> None:
        if stop.is_set():
            raise Cancelled("What ran beside has failed.")

    with ThreadPoolExecutor(1, "clew-build") as pool:
        done = pool.submit(work, check)
        try:
            yield
        except BaseException:
            stop.set()
            raise
        done.result()
