"""Reading review queues and items."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from webapp.accounts.models import User
from webapp.review.models import CandidatePath, EventKind, Item, Queue, Submission, Verdict


def queues() -> QuerySet[Queue]:
    """Queues, newest first."""
    return _queues().filter(deleted_at=None)


def deleted() -> QuerySet[Queue]:
    """Queues that can be restored, the last deleted first."""
    return _queues().exclude(deleted_at=None).select_related("deleted_by").order_by("-deleted_at", "-pk")


def _queues() -> QuerySet[Queue]:
    return Queue.objects.select_related("graph", "graph__snapshot", "snapshot", "job", "created_by")


def items(*, queue: Queue | None = None, states: Sequence[str] = (), text: str = "") -> QuerySet[Item]:
    """Items in their order, of some states, or holding some text."""
    rows = Item.objects.select_related("queue", "queue__graph", "queue__snapshot")
    rows = rows.filter(queue__deleted_at=None)
    if queue is not None:
        rows = rows.filter(queue=queue)
    if states:
        rows = rows.filter(state__in=states)
    return rows.filter(question__icontains=text) if text else rows


def candidates(item: Item) -> list[CandidatePath]:
    """An item's candidates in their order, without those that were taken back."""
    return list(item.candidates.filter(retired=False))


def same_path(item: Item, topic: str, path: Sequence[tuple[str, bool]]) -> CandidatePath | None:
    """The candidate of an item that is this path, if it has it; it may have been taken back."""
    return item.candidates.filter(topic=topic, path=[list(step) for step in path]).first()


def current(item: Item) -> QuerySet[Submission]:
    """What counts of each analyst on an item, oldest first, with the verdicts."""
    return _with_verdicts().filter(current__item=item).order_by("at", "pk")


def mine(item: Item, user: User) -> Submission | None:
    """What an analyst said of an item, if it still counts."""
    return current(item).filter(current__analyst=user).first()


def adjudicated(item: Item) -> Submission | None:
    """The event that decided an item, with its verdicts."""
    return None if item.adjudicated_id is None else _with_verdicts().get(pk=item.adjudicated_id)


def suggested(item: Item) -> list[Submission]:
    """What people call the right answers since the event that counts was said, the last of each."""
    if not item.queue.flagged:  # elsewhere whatever is said counts
        return []
    rows = Submission.objects.filter(item=item, kind=EventKind.ANSWERED).order_by("at", "pk")
    if item.answered is not None:
        rows = rows.filter(at__gt=item.answered.at).exclude(pk=item.answered.pk)
    undone = Submission.objects.filter(item=item, undoes=OuterRef("pk"))
    last = {one.analyst_name: one for one in rows.exclude(Exists(undone))}
    return [one for one in last.values() if (one.answers or {})["now"] != item.answers]


def _with_verdicts() -> QuerySet[Submission]:
    return Submission.objects.prefetch_related(Prefetch("verdicts", Verdict.objects.order_by("pk")))
