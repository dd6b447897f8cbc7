"""Everything that happened in a queue: who did what, when, and what was shown to them. Events are never changed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Prefetch, Q, QuerySet

from retrieval.kg.analysis.import_report import make_cell_safe
from webapp.accounts.models import User
from webapp.review import selectors
from webapp.review.models import Item, Queue, Submission, Verdict

BATCH = 2000
FORMATS = ("jsonl", "csv")
COLUMNS = (
    *("id", "at", "analyst", "kind", "item", "question_id", "question", "shown", "comment", "path", "undoes"),
    *("replaces", "batch", "answers", "withheld", "candidate", "verdict", "reasons", "verdict_comment"),
)


def list_events(queue: Queue, user: User, *, item: int | None = None, analyst: str = "") -> QuerySet[Submission]:
    """The events of a queue, newest first, of one item or one analyst.

    ``withheld`` of a row says that the user must not see what it says of paths (:func:`selectors.make_blind_filter`).
    """
    rows = Submission.objects.filter(queue=queue).order_by("-at", "-id").select_related("item")
    blind = Exists(Item.objects.filter(selectors.make_blind_filter(user), pk=OuterRef("item")))
    rows = rows.annotate(**{"withheld": ExpressionWrapper(Q(blind) & ~Q(analyst=user), BooleanField())})
    if item is not None:
        rows = rows.filter(item=item)
    if analyst:
        rows = rows.filter(analyst_name=analyst)
    return rows.prefetch_related(Prefetch("verdicts", Verdict.objects.order_by("pk")))


def write(rows: QuerySet[Submission], format: str) -> IO[bytes]:
    """All of them, oldest first, as an open temporary file at its beginning.

    Args:
        rows: of :func:`list_events`.
        format: ``jsonl``: an event a line; ``csv``: a row for each verdict, or for an event without one.
    """
    file = TemporaryFile()  # noqa: SIM115 - the answer that it is sent with closes it
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    oldest_first = rows.order_by("at", "id").iterator(BATCH)
    if format == "jsonl":
        for event in oldest_first:
            text.write(json.dumps(_render_event(event), ensure_ascii=False) + "\n")
    else:
        table = csv.writer(text)
        table.writerow(COLUMNS)
        for event in oldest_first:
            table.writerows([make_cell_safe(cell) for cell in row] for row in _render_rows(event))
    text.detach()
    file.seek(0)
    return file


def get_shown_verdicts(event: Submission) -> list[Verdict]:
    """The verdicts of an event; none where they are withheld from the person who reads it."""
    return [] if event.withheld else list(event.verdicts.all())


def get_shown_comment(event: Submission) -> str:
    """The comment of an event; empty where it is withheld."""
    return "" if event.withheld else event.comment


def _render_event(event: Submission) -> dict[str, Any]:
    return {
        "id": str(event.pk),
        "at": event.at.isoformat(),
        "analyst": event.analyst_name,
        "kind": event.kind,
        "item": event.item_id,
        "question_id": event.item.key,
        "question": event.item.question,
        "shown": event.shown,
        "comment": get_shown_comment(event),
        "path": event.path_id,
        "undoes": _format_id(event.undoes_id),
        "replaces": _format_id(event.replaces_id),
        "batch": _format_id(event.batch),
        "answers": event.answers,
        "withheld": event.withheld,
        "verdicts": [
            {"candidate": v.candidate_id, "kind": v.kind, "reasons": v.reasons, "comment": v.comment}
            for v in get_shown_verdicts(event)
        ],
    }


def _render_rows(event: Submission) -> Iterator[list[Any]]:
    plain = _render_event(event)
    verdicts = plain.pop("verdicts")
    plain["answers"] = "; ".join(plain["answers"]["now"]) if plain["answers"] else ""
    for verdict in verdicts or [{"candidate": None, "kind": "", "reasons": [], "comment": ""}]:
        reasons = "; ".join(verdict["reasons"])
        yield [*plain.values(), verdict["candidate"], verdict["kind"], reasons, verdict["comment"]]


def _format_id(id: UUID | None) -> str | None:
    return None if id is None else str(id)
