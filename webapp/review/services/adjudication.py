"""Deciding what analysts do not agree on, and accepting what they all agree on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from webapp.accounts.models import Role, User
from webapp.api.errors import ConflictError, ForbiddenError
from webapp.api.signals import Event, event_occurred
from webapp.review import selectors
from webapp.review.domain import consensus, counters
from webapp.review.domain.annotation import Annotation
from webapp.review.models import (
    Accord,
    CandidatePath,
    DraftPurpose,
    EventKind,
    Item,
    ItemState,
    Queue,
    Reservation,
    Submission,
    Verdict,
)
from webapp.review.services import submissions
from webapp.review.services.drafts import delete_draft

_ACCEPT = """
    WITH accepted AS (
        UPDATE review_item SET settled = true, version = version + 1
        WHERE queue_id = %(queue)s AND state <> 'open' AND accord = 'unanimous'
            AND NOT settled AND adjudicated_id IS NULL
        RETURNING id, shown
    )
    INSERT INTO review_submission (id, queue_id, item_id, kind, analyst_id, analyst_name, at, shown, comment, batch)
    SELECT gen_random_uuid(), %(queue)s, id, 'settled', %(user)s, %(name)s, clock_timestamp(), shown, '', %(batch)s
    FROM accepted
"""
_TAKE_BACK = """
    WITH open_again AS (
        UPDATE review_item i SET settled = false, version = version + 1
        FROM review_submission s
        WHERE s.batch = %(batch)s AND s.queue_id = %(queue)s AND s.kind = 'settled' AND i.id = s.item_id
            AND i.settled
            AND NOT EXISTS (SELECT FROM review_submission u WHERE u.undoes_id = s.id)
        RETURNING i.id, i.shown, s.id AS event
    )
    INSERT INTO review_submission
        (id, queue_id, item_id, kind, analyst_id, analyst_name, at, shown, comment, undoes_id)
    SELECT gen_random_uuid(), %(queue)s, id, 'unsettled', %(user)s, %(name)s, clock_timestamp(), shown, '', event
    FROM open_again
"""


def list_disagreements(queue: Queue, user: User, *, decided: bool = False) -> QuerySet[Item]:
    """Items that enough analysts judged, and not alike; ``decided``: also those that were adjudicated.

    Without those that the user began to judge and did not submit.
    """
    rows = queue.rows.filter(accord=Accord.SPLIT).exclude(state=ItemState.OPEN).order_by("position")
    rows = rows.exclude(selectors.make_blind_filter(user))
    rows = rows.select_related("adjudicated")
    return rows if decided else rows.filter(adjudicated=None)


def collect_opinions(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Each item with what every analyst who annotated it says of each path, and of the question as a whole."""
    keys = [item.pk for item in items]
    annotations = consensus.load_annotations(keys)
    paths: dict[int, list[CandidatePath]] = defaultdict(list)
    for candidate in CandidatePath.objects.filter(item__in=keys, retired=False).order_by("item", "position"):
        paths[candidate.item_id].append(candidate)
    return [
        {
            "item": item,
            "candidates": [
                {"candidate": path, "said": _list_verdicts(path.pk, annotations.get(item.pk, []))}
                for path in paths[item.pk]
            ],
            "broken": _list_verdicts(None, annotations.get(item.pk, [])),
        }
        for item in items
    ]


def _list_verdicts(candidate: int | None, annotations: Sequence[Annotation]) -> list[dict[str, Any]]:
    return [
        {
            "analyst": annotation.analyst,
            "kind": verdict.kind,
            "reasons": list(verdict.reasons),
            "comment": verdict.comment,
        }
        for annotation in annotations
        for verdict in annotation.verdicts
        if verdict.candidate == candidate
    ]


def save_decision(*, item: Item | QuerySet[Item], user: User, annotation: submissions.NewAnnotation) -> Item:
    """Decide an item, whatever others said of it; a later decision replaces an earlier one.

    Args:
        item: or rows that hold it.
        user: an administrator, or an analyst who did not judge it.
        annotation: ``shown`` is not looked at.

    Raises:
        Item.DoesNotExist: there is none.
        ForbiddenError: the analyst judged it.
        AnnotationConflictError: it changed since it was shown.
        DecidedError: what all agree on was accepted.
        InvalidError: the verdicts are not those of the item's candidates.
        ConflictError: the id is another event's.
    """
    try:
        with transaction.atomic():
            row = consensus.lock_item(item)
            if submissions.is_repeat(annotation.id, row, user):
                return row
            annotations = consensus.load_item_annotations(row)
            if not user.has_role(Role.ADMIN) and any(existing.analyst_id == user.pk for existing in annotations):
                raise ForbiddenError(
                    "You judged this question, so that another analyst decides it.",
                    hint="Ask one who did not judge it, or an administrator.",
                )
            if annotation.version != row.version:
                raise submissions.AnnotationConflictError(row)
            if row.settled:
                raise consensus.DecidedError(row)
            submissions.require_whole(row, annotation)
            return _apply_decision(row, annotations, user, annotation)
    except IntegrityError:
        raise ConflictError(
            f"The id {annotation.id} is another event's.", hint="Make a new one for each decision."
        ) from None


def _apply_decision(
    item: Item, annotations: Sequence[Annotation], user: User, annotation: submissions.NewAnnotation
) -> Item:
    before = counters.count_item(item, annotations)
    event = submissions.build_event(
        annotation.id,
        item,
        user,
        EventKind.ADJUDICATED,
        comment=annotation.comment,
        replaces_id=item.adjudicated_id,
    )
    event.save(force_insert=True)
    Verdict.objects.bulk_create(submissions.build_verdicts(event, annotation.stored_verdicts))
    item.adjudicated = event
    item.state = ItemState.BROKEN if annotation.broken else ItemState.DONE
    item.version += 1
    item.save(update_fields=["adjudicated", "state", "version"])
    event_occurred.send(sender=Item, event=Event.REVIEW_DECIDED, keys=[item.pk])
    Reservation.objects.filter(item=item).delete()
    delete_draft(item=item, user=user, purpose=DraftPurpose.DECISION)
    counters.add(item.queue_id, user.username, before, counters.count_item(item, annotations))
    return item


def take_decision_back(*, item: Item | QuerySet[Item], user: User, id: UUID, version: int) -> Item:
    """Open a decided item again, by an event of its own: what analysts said counts as before the decision.

    Args:
        item: or rows that hold it.
        user: who decided it, or an administrator.
        id: made by the client; repeating a request changes nothing.
        version: the item's, as it was shown.

    Raises:
        Item.DoesNotExist: there is none.
        ConflictError: it is not decided, or the id is another event's.
        ForbiddenError: another analyst decided it.
        AnnotationConflictError: it changed since it was shown.
    """
    with transaction.atomic():
        row = consensus.lock_item(item)
        if submissions.is_repeat(id, row, user):
            return row
        decision = row.adjudicated
        if decision is None:
            raise ConflictError("This question is not decided.", hint="Load the disagreements again.")
        if not user.has_role(Role.ADMIN) and decision.analyst_id != user.pk:
            raise ForbiddenError(
                f"{decision.analyst_name} decided this question.",
                hint="They take it back, or an administrator.",
            )
        if version != row.version:
            raise submissions.AnnotationConflictError(row)
        annotations = consensus.load_item_annotations(row)
        before = counters.count_item(row, annotations)
        submissions.build_event(id, row, user, EventKind.UNDECIDED, undoes=decision).save(force_insert=True)
        row.adjudicated = None
        consensus.apply(row, annotations)
        row.save(update_fields=["adjudicated", "submitted", "state", "accord", "version"])
        counters.add(row.queue_id, user.username, before, counters.count_item(row, annotations))
    return row


def accept_unanimous(*, queue: Queue, user: User, id: UUID) -> dict[str, int]:
    """Accept what all analysts agree on, of all items that enough of them judged; an event for each.

    Args:
        queue: which is filled.
        id: made by the client; repeating a request accepts nothing more.

    Returns:
        ``accepted``: items accepted by this request; ``left``: items that nothing decided yet.
    """
    queue.require_done()
    with transaction.atomic():
        _lock_acceptance(queue)
        accepted = Submission.objects.filter(queue=queue, batch=id).count()
        if not accepted:
            accepted = _execute_sql(_ACCEPT, queue, user, id)
            if accepted:
                event_occurred.send(sender=Queue, event=Event.REVIEW_DECIDED, keys=[queue.pk])
            counters.add(queue.pk, user.username, Counter(), Counter({("settled",): accepted}))
    decided = counters.read(queue.pk)
    left = queue.items - decided["settled",] - decided["adjudicated",]
    return {"accepted": accepted, "left": left}


def take_acceptance_back(*, queue: Queue, user: User, id: UUID) -> int:
    """Open again what an acceptance settled, by events of their own; how many items. A repeat finds none.

    Raises:
        ConflictError: nothing was accepted under this id.
    """
    with transaction.atomic():
        _lock_acceptance(queue)
        if not Submission.objects.filter(queue=queue, batch=id, kind=EventKind.SETTLED).exists():
            raise ConflictError(f"Nothing was accepted under the id {id}.", hint="Take it from the answer.")
        undone = _execute_sql(_TAKE_BACK, queue, user, id)
        counters.add(queue.pk, user.username, Counter({("settled",): undone}), Counter())
    return undone


def _lock_acceptance(queue: Queue) -> None:
    """Wait for another acceptance of this queue; those who judge do not wait."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('review'), %s)", [queue.pk])


def _execute_sql(sql: str, queue: Queue, user: User, batch: UUID) -> int:
    values: dict[str, Any] = {"queue": queue.pk, "user": user.pk, "name": user.username, "batch": batch}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)
