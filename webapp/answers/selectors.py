"""Reading runs and their logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from retrieval.events import TERMINAL_TYPES
from webapp.answers.envelope import wrap
from webapp.answers.models import Flag, Run, RunEvent


def runs(
    *,
    graph_id: int | None = None,
    text: str = "",
    state: str = "",
    group: UUID | None = None,
    thread: UUID | None = None,
    user_id: int | None = None,
    history: bool = False,
) -> QuerySet[Run]:
    """Runs, newest first; of one person where ``user_id`` is given, without trials where it is for a history."""
    rows = Run.objects.select_related("graph", "user", "checkpoint")
    if graph_id is not None:
        rows = rows.filter(graph_id=graph_id)
    if group is not None:
        rows = rows.filter(group=group)
    if thread is not None:
        rows = rows.filter(thread=thread)
    if user_id is not None:
        rows = rows.filter(user_id=user_id)
    if history:
        rows = rows.filter(trial=False)
    if text:
        rows = rows.filter(question__icontains=text)
    return rows.filter(state=state) if state else rows


def flags(run: Run) -> QuerySet[Flag]:
    """What people doubt of a run, oldest first."""
    return Flag.objects.filter(run=run, item__queue__deleted_at=None).select_related("item", "user")


@dataclass(frozen=True, slots=True)
class Rest:
    """What a watcher of a run still lacks."""

    exists: bool
    events: list[dict[str, Any]]
    ended: bool


def rest(run_id: UUID | str, *, after: int) -> Rest:
    """The events behind ``after``, and whether the run has ended with them or before."""
    found = events(run_id, after=after)
    if found:
        return Rest(True, found, found[-1]["type"] in TERMINAL_TYPES)
    exists = Run.objects.filter(pk=run_id).exists()
    return Rest(exists, found, exists and has_ended(run_id))


def events(run_id: UUID | str, *, after: int = 0) -> list[dict[str, Any]]:
    """The events of a run after a sequence number, in order, in wire form."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")
    return [
        wrap(run=run_id, seq=seq, at=at, payload=payload)
        for seq, at, payload in rows.values_list("seq", "at", "payload")
    ]


def has_ended(run_id: UUID | str) -> bool:
    """Whether the log ends with an event that ends the run. One that was taken up goes on behind such an event."""
    last = RunEvent.objects.filter(run_id=run_id).order_by("-seq").values_list("type", flat=True).first()
    return last in TERMINAL_TYPES
