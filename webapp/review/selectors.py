"""Reading review queues and items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from webapp.accounts.models import Role, User
from webapp.review.domain.annotation import Annotation, VerdictData
from webapp.review.models import (
    CandidatePath,
    CurrentAnnotation,
    Draft,
    DraftPurpose,
    EventKind,
    Item,
    ItemState,
    Queue,
    Reservation,
    Submission,
    Verdict,
)


def list_queues() -> QuerySet[Queue]:
    """Queues, newest first."""
    return _query_queues().filter(deleted_at=None)


def list_deleted() -> QuerySet[Queue]:
    """Queues that can be restored, the last deleted first."""
    return _query_queues().exclude(deleted_at=None).select_related("deleted_by").order_by("-deleted_at", "-pk")


def _query_queues() -> QuerySet[Queue]:
    return Queue.objects.select_related("graph", "graph__snapshot", "snapshot", "job", "created_by")


def list_items(*, queue: Queue | None = None, states: Sequence[str] = (), text: str = "") -> QuerySet[Item]:
    """Items in their order, of some states, or holding some text."""
    rows = Item.objects.select_related("queue", "queue__graph", "queue__snapshot")
    rows = rows.filter(queue__deleted_at=None)
    if queue is not None:
        rows = rows.filter(queue=queue)
    if states:
        rows = rows.filter(state__in=states)
    return rows.filter(question__icontains=text) if text else rows


def list_candidates(item: Item) -> list[CandidatePath]:
    """An item's candidates in their order, without those that were taken back."""
    return list(item.candidates.filter(retired=False))


def find_path(item: Item, topic: str, path: Sequence[tuple[str, bool]]) -> CandidatePath | None:
    """The candidate of an item that is this path, if it has it; it may have been taken back."""
    return item.candidates.filter(topic=topic, path=[list(step) for step in path]).first()


def get_drafts(item: Item, user: User) -> Mapping[str, Draft]:
    """A person's drafts on an item, by purpose."""
    return {draft.purpose: draft for draft in Draft.objects.filter(item=item, analyst=user)}


def make_blind_filter(user: User) -> Q:
    """The condition of items on which a person must not see other people's verdicts.

    These are items that may still take independent judgements, and those that the person began to judge and did not
    submit. Administrators see everything.
    """
    if user.has_role(Role.ADMIN):
        return Q(pk__in=[])
    mine = {"item": OuterRef("pk"), "analyst": user}
    began = Exists(Draft.objects.filter(purpose=DraftPurpose.JUDGEMENT, **mine)) | Exists(
        Reservation.objects.filter(until__gt=timezone.now(), **mine)
    )
    submitted = Exists(CurrentAnnotation.objects.filter(**mine))
    return Q(state=ItemState.OPEN) | (Q(began) & ~Q(submitted))


def list_current(item: Item) -> QuerySet[Submission]:
    """What counts of each analyst on an item, oldest first, with the verdicts."""
    return _query_with_verdicts().filter(current__item=item).order_by("at", "pk")


def list_current_of_items(items: Iterable[int]) -> QuerySet[Submission]:
    """What counts of each analyst on some items, by item id."""
    return Submission.objects.filter(current__item__in=list(items))


def to_annotation(event: Submission) -> Annotation:
    """An event with its verdicts, as an annotation."""
    verdicts = tuple(
        VerdictData(verdict.candidate_id, verdict.kind, tuple(verdict.reasons), verdict.comment)
        for verdict in event.verdicts.all()
    )
    return Annotation(event.analyst_name, event.analyst_id, None, event.pk, verdicts)


def get_own_submission(item: Item, user: User) -> Submission | None:
    """What an analyst said of an item, if it still counts."""
    return list_current(item).filter(current__analyst=user).first()


def get_decision(item: Item) -> Submission | None:
    """The event that decided an item, with its verdicts."""
    return None if item.adjudicated_id is None else _query_with_verdicts().get(pk=item.adjudicated_id)


def list_suggestions(item: Item) -> list[Submission]:
    """What people call the right answers since the event that counts was said, the last of each."""
    if not item.queue.flagged:  # elsewhere whatever is said counts
        return []
    rows = Submission.objects.filter(item=item, kind=EventKind.ANSWERED).order_by("at", "pk")
    if item.answered is not None:
        rows = rows.filter(at__gt=item.answered.at).exclude(pk=item.answered.pk)
    undone = Submission.objects.filter(item=item, undoes=OuterRef("pk"))
    last = {event.analyst_name: event for event in rows.exclude(Exists(undone))}
    return [event for event in last.values() if (event.answers or {})["now"] != item.answers]


def _query_with_verdicts() -> QuerySet[Submission]:
    return Submission.objects.prefetch_related(Prefetch("verdicts", Verdict.objects.order_by("pk")))
