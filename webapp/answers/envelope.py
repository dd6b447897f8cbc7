"""An event on the wire: ``{run, seq, at, type, ...fields}``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID


def wrap(*, run: UUID | str, seq: int, time: datetime, payload: dict[str, Any]) -> dict[str, Any]:
    """The wire form of one event's payload."""
    return {"run": str(run), "seq": seq, "at": format_time(time), "type": payload["type"], **payload}


def format_time(time: datetime) -> str:
    """ISO 8601 in UTC with microseconds, such as ``2026-01-31T12:00:00.000000Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
