"""The processor time of reading a long question: when it is spent, reading stops with what it has."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

READ_CHARACTERS = 1_000
"""So much of a question is read, up to the end of a word."""

LONG_CHARACTERS = 400
"""A question that is longer has a budget; a shorter one cannot cost much, whatever it says."""

SECONDS = 2.0
"""Of processor time, so that a question is read alike on a busy machine."""


class Effort:
    """The processor time of one question, counted in the thread that answers it.

    Args:
        characters: length of the question; only long ones have a limit.
    """

    def __init__(self, characters: int) -> None:
        self._limit = SECONDS if characters > LONG_CHARACTERS else float("inf")
        self._used = 0.0
        self._resumed: float | None = None
        self.was_cut = characters > READ_CHARACTERS

    def measure_items(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items; making them is paid from this budget, and their reader's work is not."""
        made = iter(items)
        while True:
            token, self._resumed = _current.set(self), time.thread_time()
            try:
                item = next(made)
            except StopIteration:
                return
            finally:
                self._used, self._resumed = self._compute_spent(), None
                _current.reset(token)
            yield item

    def is_spent(self) -> bool:
        """Whether nothing is left. Who asks and stops leaves something out."""
        spent = self._compute_spent() > self._limit
        self.was_cut = self.was_cut or spent
        return spent

    def _compute_spent(self) -> float:
        return self._used + (0.0 if self._resumed is None else time.thread_time() - self._resumed)


_current: ContextVar[Effort | None] = ContextVar("effort", default=None)


def is_spent() -> bool:
    """Whether the budget of the question that is being read is spent; without a budget it never is."""
    effort = _current.get()
    return effort is not None and effort.is_spent()


def get_readable_part(text: str) -> str:
    """Return the text up to the last word within READ_CHARACTERS."""
    if len(text) <= READ_CHARACTERS:
        return text
    part, _, _ = text[: READ_CHARACTERS + 1].rpartition(" ")
    return part or text[:READ_CHARACTERS]
