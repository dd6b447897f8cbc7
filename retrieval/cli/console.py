"""Talking to a terminal: results on stdout, progress and complaints on stderr, Ctrl-C once to stop cleanly."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from retrieval.types import Problem, Progress

if TYPE_CHECKING:
    from tqdm import tqdm

PROBLEMS_SHOWN = 10
_BYTES = {"B", "bytes"}


def print_result(text: str = "") -> None:
    """One line of result."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def print_note(text: str) -> None:
    """One line that is not a result."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Bars:
    """Progress bars: one for each stage, the finished ones left standing. Use as a context."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._stage = self._unit = ""

    def __call__(self, progress: Progress) -> None:
        """Show how far the work has come."""
        bar = self._bar
        if bar is not None and progress.stage != self._stage and self._is_continued(bar, progress):
            bar.set_description(progress.stage, refresh=False)
            self._stage = progress.stage
        elif bar is None or progress.stage != self._stage:
            bar = self._open_bar(progress)
        if progress.total:
            bar.total = progress.total
        details = {name: f"{value:.4g}" for name, value in progress.metrics.items()}
        if progress.message or details:
            parts = [progress.message, *(f"{name} {value}" for name, value in details.items())]
            bar.set_postfix_str(", ".join(part for part in parts if part), refresh=False)
        bar.update(progress.done - bar.n)

    def _is_continued(self, bar: tqdm[Any], progress: Progress) -> bool:
        """Whether a new stage counts on where the last one stopped ("step 2 of 3")."""
        return progress.unit == self._unit == "steps" and progress.total == bar.total and progress.done >= bar.n

    def _open_bar(self, progress: Progress) -> tqdm[Any]:
        from tqdm import tqdm  # noqa: PLC0415 - --help needs none

        self.close()
        in_bytes = progress.unit in _BYTES
        self._stage, self._unit = progress.stage, progress.unit
        self._bar = tqdm(
            total=progress.total or None,
            desc=progress.stage,
            unit="B" if in_bytes else f" {progress.unit}",
            unit_scale=in_bytes,
            file=sys.stderr,
            dynamic_ncols=True,
            mininterval=0.2,
        )
        return self._bar

    def close(self) -> None:
        """Finish the bar that is open."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProblemList:
    """Counts rows that could not be used and shows the first few."""

    def __init__(self) -> None:
        self.count = 0
        self._shown: list[Problem] = []

    def __call__(self, problem: Problem) -> None:
        """Take note of one row."""
        self.count += 1
        if len(self._shown) < PROBLEMS_SHOWN:
            self._shown.append(problem)

    def print_problems(self) -> None:
        """Say what was wrong, by file and line."""
        for problem in self._shown:
            where = f"{problem.file}:{problem.line}" if problem.line else problem.file
            print_note(f"{where}: {problem.message}")
        if self.count > len(self._shown):
            print_note(f"... and {self.count - len(self._shown):,} more rows that could not be used")


@contextmanager
def watch_interrupts() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one interrupts at once."""
    stop = threading.Event()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        print_note("Stopping (Ctrl-C again to stop at once) ...")

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
