"""Telling who watches a run that it has new events."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from webapp.live import channels


def get_group_name(run_id: UUID | str) -> str:
    """The channel group of everybody who watches a run."""
    return f"run.{run_id}"


def send_events(run_id: UUID | str, events: list[dict[str, Any]]) -> None:
    """Announce events of a run, in wire form, that are already in the log."""
    channels.send(get_group_name(run_id), {"type": "run.events", "events": events})
