"""Reading review queues and items."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Prefetch, QuerySet

from webapp.accounts.models import User
from webapp.review.models import Candidate, Item, Queue, Standing, Verdict


def queues(*, graph_id: int | None = None) -> QuerySet[Queue]:
    """Queues, newest first."""
    rows = Queue.objects.select_related("graph", "graph__snapshot", "snapshot", "job", "created_by")
    return rows.filter(graph_id=graph_id) if graph_id is not None else rows


def items(*, queue: Queue | None = None, states: Sequence[str] = (), text: str = "") -> QuerySet[Item]:
    """Items in their order, of some states, or holding some text."""
    rows = Item.objects.select_related("queue", "queue__graph", "queue__snapshot")
    if queue is not None:
        rows = rows.filter(queue=queue)
    if states:
        rows = rows.filter(state__in=states)
    return rows.filter(question__icontains=text) if text else rows


def candidates(item: Item) -> list[Candidate]:
    """An item's candidates in their order."""
    return list(item.candidates.all())


def standing(item: Item) -> QuerySet[Standing]:
    """What counts of each analyst on an item, oldest first, with the verdicts."""
    verdicts = Prefetch("submission__verdicts", Verdict.objects.order_by("pk"))
    rows = Standing.objects.filter(item=item).select_related("submission").prefetch_related(verdicts)
    return rows.order_by("submission__at", "pk")


def mine(item: Item, user: User) -> Standing | None:
    """What an analyst said of an item, if it stands."""
    return standing(item).filter(analyst=user).first()
