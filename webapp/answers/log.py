"""The append-only log of a run. Whoever holds the run's claim is its only writer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from retrieval.events import Event, to_payload
from webapp.answers.envelope import wrap
from webapp.answers.models import RunEvent


def append(
    run_id: UUID, *, after: int, events: Sequence[Event], times: Sequence[datetime] | None = None
) -> list[dict[str, Any]]:
    """Append events behind sequence number ``after``; they are returned in wire form.

    Args:
        run_id: the run.
        after: the last sequence number in the log.
        events: what happened, in order.
        times: when each of them happened; now when not given.

    Raises:
        IntegrityError: another writer was first with one of these numbers; nothing was appended.
    """
    times = times or [timezone.now()] * len(events)
    rows = [
        RunEvent(run_id=run_id, seq=after + i, at=at, type=event.type, payload=to_payload(event))
        for i, (event, at) in enumerate(zip(events, times, strict=True), start=1)
    ]
    RunEvent.objects.bulk_create(rows)
    return [wrap(run=run_id, seq=row.seq, at=row.at, payload=row.payload) for row in rows]


def last_seq(run_id: UUID) -> int:
    """The last sequence number of a run; 0 when its log is empty."""
    last = RunEvent.objects.filter(run_id=run_id).order_by("-seq").values_list("seq", flat=True).first()
    return last or 0
