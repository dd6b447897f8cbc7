"""What language models may cost and have cost: every request passes the meters around it, then is counted.

A run, a job or an evaluation puts its meter around its work (``with metered(Meter(...))``); whoever asks a model
within need not know. Meters nest: a request needs the leave of all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from retrieval.environment import LLMSettings
from retrieval.errors import OverBudgetError
from retrieval.types import Usage

BYTES_OF_TOKEN = 3
"""Bytes of UTF-8 that make a token, for estimates before an endpoint has counted. English has four or more, so that
estimates are high rather than low."""

SHORTEST_REPLY = 16
"""Tokens below which a reply is not worth asking for."""


class Metering(Protocol):
    """Gives leave for requests and counts them. Threads may share it."""

    def check_budget(self, settings: LLMSettings, prompt_tokens: int) -> int:
        """The longest reply in tokens that is allowed after a prompt of about ``prompt_tokens``.

        Raises:
            OverBudgetError: no request is allowed any more.
        """
        ...

    def count(self, usage: Usage) -> None:
        """Count what a request has cost, whether it went well or not."""
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be spent: prompt and completion tokens together, and cost in the currency of the prices.

    None is no limit. A limit of the cost binds only where the prices are known.
    """

    tokens: int | None = None
    cost: float | None = None

    def compute_left(self, settings: LLMSettings, spent: Usage, prompt_tokens: int) -> int:
        """Tokens that a reply may have after a prompt, when ``spent`` has been used; negative when not even that."""
        most = settings.max_tokens
        if self.tokens is not None:
            most = min(most, self.tokens - spent.prompt_tokens - spent.completion_tokens - prompt_tokens)
        price = settings.compute_usage(0, prompt_tokens, 0).cost
        if self.cost is not None and price is not None:
            rest = self.cost - (spent.cost or 0.0) - price
            reply = (settings.completion_price or 0.0) / 1e6
            if rest < 0:
                return -1
            most = min(most, int(rest / reply)) if reply else most
        return most

    def __str__(self) -> str:
        limits = [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        limits += [f"a cost of {self.cost:g}"] if self.cost is not None else []
        return " and ".join(limits) or "no limit"


class Meter:
    """A limit in memory.

    Args:
        limit: what may be spent.
        whose: of what the limit is, as a person reads it: ``this run``.
        spent: before this meter was made.

    Attributes:
        refusal: why a request was refused; None while none was.
    """

    def __init__(self, limit: Limit | None = None, *, whose: str = "this run", spent: Usage | None = None) -> None:
        self.limit = limit or Limit()
        self.whose = whose
        self.usage = spent or Usage()
        self.refusal: OverBudgetError | None = None
        self._lock = threading.Lock()

    def check_budget(self, settings: LLMSettings, prompt_tokens: int) -> int:
        """See :class:`Metering`."""
        left = self.limit.compute_left(settings, self.usage, prompt_tokens)
        if left < SHORTEST_REPLY:
            raise self.mark_refused(make_budget_error(self.whose, self.limit))
        return left

    def mark_refused(self, why: OverBudgetError) -> OverBudgetError:
        """Remember why a request was refused."""
        self.refusal = why
        return why

    def require_open(self) -> None:
        """Refuse to go on when a request was refused.

        Raises:
            OverBudgetError: as that request was told.
        """
        if self.refusal is not None:
            raise self.refusal

    def count(self, usage: Usage) -> None:
        """See :class:`Metering`."""
        with self._lock:
            self.usage = self.usage.add(usage)


def make_budget_error(whose: str, limit: Limit) -> OverBudgetError:
    """The error of a limit that is reached."""
    return OverBudgetError(
        f"The language-model budget of {whose} is spent: {limit}.",
        hint="Ask an administrator for a larger one, or go on without the language model.",
    )


_around: ContextVar[tuple[Metering, ...]] = ContextVar("llm_meters", default=())


@contextmanager
def use_meter(meter: Metering) -> Iterator[None]:
    """Put a meter around what is asked within. Not for generators, whose body runs in their reader's context."""
    token = _around.set((*_around.get(), meter))
    try:
        yield
    finally:
        _around.reset(token)


def list_meters() -> tuple[Metering, ...]:
    """The meters around the caller, the outermost first."""
    return _around.get()


def estimate(*texts: str) -> int:
    """About how many tokens texts have, rather too many than too few."""
    return ceil(sum(len(text.encode()) for text in texts) / BYTES_OF_TOKEN)
