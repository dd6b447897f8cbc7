"""Where an endpoint's own words about its errors go, which only administrators read."""

from __future__ import annotations

import logging
from collections.abc import Callable

from retrieval.environment import LLMSettings
from retrieval.errors import LLMError

Record = Callable[[LLMSettings, LLMError], None]
log = logging.getLogger(__name__)


def _log(settings: LLMSettings, error: LLMError) -> None:
    log.warning("%s: %s %s", settings.title, error.message, error.detail)


_record: list[Record] = [_log]


def use(record: Record) -> None:
    """Record failures elsewhere than in the log."""
    _record[0] = record


def log_failure(settings: LLMSettings, error: LLMError) -> None:
    """Record that a request failed for good."""
    _record[0](settings, error)
