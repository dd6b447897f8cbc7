"""Rationalizers by the name of their strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from retrieval.errors import ConfigError
from retrieval.supervision.answer_set import AnswerSetRationalizer
from retrieval.supervision.labels import Rationalizer
from retrieval.supervision.shortest_path import ShortestPathRationalizer

RATIONALIZERS: Mapping[str, Callable[[], Rationalizer]] = MappingProxyType(
    {"answer-set": AnswerSetRationalizer, "shortest-path": ShortestPathRationalizer}
)


def get(strategy: str) -> Rationalizer:
    """The rationalizer of a strategy, with its default settings.

    Raises:
        ConfigError: there is none of that name.
    """
    try:
        return RATIONALIZERS[strategy]()
    except KeyError:
        known = ", ".join(sorted(RATIONALIZERS))
        raise ConfigError(
            f"No labelling strategy is called {strategy!r}.", hint=f"There is: {known}."
        ) from None
