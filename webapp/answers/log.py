"""The append-only log of a run. Whoever holds the run's claim is its only writer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from retrieval.events import Event, to_payload
from webapp.answers.envelope import wrap
from webapp.answers.models import RunEvent

Timed = tuple[Event, datetime]
"""An event and when it happened, which is before it is written."""

_APPEND = """
    INSERT INTO answers_runevent (run_id, seq, at, type, payload)
    SELECT %s, seq, at, type, payload
    FROM jsonb_to_recordset(%s) AS event (seq integer, at timestamptz, type text, payload jsonb)
"""
"""All rows travel as one text: passing each value of hundreds of rows takes longer than writing them."""


def append(
    run_id: UUID, *, after: int, events: Sequence[Event], times: Sequence[datetime] | None = None
) -> list[dict[str, Any]]:
    """Append events behind sequence number ``after``; they are returned in wire form.

    Args:
        after: the last sequence number in the log.
        events: what happened, in order.
        times: when each of them happened; now when not given.

    Raises:
        IntegrityError: another writer was first with one of these numbers; nothing was appended.
    """
    times = times or [timezone.now()] * len(events)
    payloads = [to_payload(event) for event in events]
    rows = [
        {"seq": seq, "at": time.isoformat(), "type": payload["type"], "payload": payload}
        for seq, (payload, time) in enumerate(zip(payloads, times, strict=True), start=after + 1)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [run_id, json.dumps(rows)])
    return [
        wrap(run=run_id, seq=seq, time=time, payload=payload)
        for seq, (payload, time) in enumerate(zip(payloads, times, strict=True), start=after + 1)
    ]


def append_end(run_id: UUID, *, after: int, unwritten: Sequence[Timed], event: Event) -> list[dict[str, Any]]:
    """Append what is not in the log yet and the event that a run ends or pauses with; see :func:`append`."""
    events, times = zip(*unwritten, (event, timezone.now()), strict=True)
    return append(run_id, after=after, events=events, times=times)


def get_last_seq(run_id: UUID) -> int:
    """The last sequence number of a run; 0 when its log is empty."""
    last = RunEvent.objects.filter(run_id=run_id).order_by("-seq").values_list("seq", flat=True).first()
    return last or 0
