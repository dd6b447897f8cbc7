"""Reading runs and their logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from retrieval.events import TERMINAL_TYPES
from webapp.answers.envelope import wrap
from webapp.answers.models import Flag, Run, RunEvent


def list_runs(
    *,
    graph_id: int | None = None,
    text: str = "",
    state: str = "",
    group: UUID | None = None,
    thread: UUID | None = None,
    user_id: int | None = None,
    history: bool = False,
) -> QuerySet[Run]:
    """Runs, newest first; of one person where ``user_id`` is given, without trials and retrievals for a history.

    ``flagged`` of a run is the review state of its question, where somebody flagged it.
    """
    flags = Flag.objects.filter(run=OuterRef("pk"), item__queue__deleted_at=None).order_by("-at")
    rows = Run.objects.select_related("graph", "user", "checkpoint")
    rows = rows.annotate(flagged=Subquery(flags.values("item__state")[:1]))
    if graph_id is not None:
        rows = rows.filter(graph_id=graph_id)
    if group is not None:
        rows = rows.filter(group=group)
    if thread is not None:
        rows = rows.filter(thread=thread)
    if user_id is not None:
        rows = rows.filter(user_id=user_id)
    if history:
        rows = rows.filter(trial=False, retrieval=False)
    if text:
        rows = rows.filter(question__icontains=text)
    return rows.filter(state=state) if state else rows


def list_flags(run: Run) -> QuerySet[Flag]:
    """What people doubt of a run, oldest first."""
    rows = Flag.objects.filter(run=run, item__queue__deleted_at=None)
    return rows.select_related("item__answered__analyst", "user")


@dataclass(frozen=True, slots=True)
class Rest:
    """What a watcher of a run still lacks."""

    exists: bool
    events: list[dict[str, Any]]
    ended: bool


def load_rest(after: Mapping[UUID, int]) -> dict[UUID, Rest]:
    """What several runs have behind their sequence numbers, and whether each has ended with that or before."""
    behind = Q(pk__in=())
    for run, seq in after.items():
        behind |= Q(run_id=run, seq__gt=seq)
    events_by_run: dict[UUID, list[dict[str, Any]]] = {run: [] for run in after}
    rows = RunEvent.objects.filter(behind).order_by("run_id", "seq")
    for run, seq, time, payload in rows.values_list("run_id", "seq", "at", "payload"):
        events_by_run[run].append(wrap(run=run, seq=seq, time=time, payload=payload))
    last: dict[UUID, str | None] = {
        run: run_events[-1]["type"] for run, run_events in events_by_run.items() if run_events
    }
    if silent := after.keys() - last.keys():
        latest = RunEvent.objects.filter(run=OuterRef("pk")).order_by("-seq")
        ends = Run.objects.filter(pk__in=silent).values_list(
            "pk", Subquery(latest.values("type")[:1]), Subquery(latest.values("seq")[:1])
        )
        # One that was written since the events were read is still to be sent.
        last |= {run: kind if seq is not None and seq <= after[run] else None for run, kind, seq in ends}
    return {
        run: Rest(run in last, run_events, last.get(run) in TERMINAL_TYPES) for run, run_events in events_by_run.items()
    }


def load_events(run_id: UUID | str, *, after: int = 0) -> list[dict[str, Any]]:
    """The events of a run after a sequence number, in order, in wire form."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")
    return [
        wrap(run=run_id, seq=seq, time=time, payload=payload)
        for seq, time, payload in rows.values_list("seq", "at", "payload")
    ]
