"""Telling who watches a run that it has new events."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from webapp.live import channels


def group(run_id: UUID | str) -> str:
    """The channel group of everybody who watches a run."""
    return f"run.{run_id}"


def run_events(run_id: UUID | str, events: list[dict[str, Any]]) -> None:
    """Announce events of a run, in wire form, that are already in the log."""
    channels.send(group(run_id), {"type": "run.events", "events": events})
