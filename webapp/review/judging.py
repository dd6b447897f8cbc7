"""Judging: getting the next item, submitting verdicts, giving an item back, and taking a submission back.

Whoever decides about an item holds its row's lock, so that two analysts never take or fill it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError
from webapp.review.models import (
    Item,
    ItemState,
    Queue,
    Reservation,
    Standing,
    Submission,
    Verdict,
    VerdictKind,
)

HELD_FOR = timedelta(minutes=15)
"""How long an item is kept for who has it before them; each look at it begins anew."""


class JudgedMeanwhileError(ConflictError):
    """Others completed the item, or the same analyst judged it elsewhere, while it was being judged."""

    code = "judged_meanwhile"

    def __init__(self, item: Item) -> None:
        super().__init__(
            "This question was judged while you had it before you.",
            hint="Compare with what was said. Yours is kept here until you submit again or go on.",
        )
        self.item = item


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict on a candidate.

    Attributes:
        candidate: its id.
        kind: rational, not-rational or unsure.
        reasons: codes of :class:`webapp.review.models.Reason`.
        comment: free text.
    """

    candidate: int
    kind: str
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an analyst says of an item.

    Attributes:
        id: made by the client; repeating a request with the same id changes nothing.
        version: the item's, as it was shown.
        shown: hash of what was shown.
        verdicts: one for each candidate; none when the question is broken.
        broken: the question cannot be judged.
        reasons: why it is broken.
        comment: on the question.
    """

    id: UUID
    version: int
    shown: str
    verdicts: tuple[Said, ...] = ()
    broken: bool = False
    reasons: tuple[str, ...] = ()
    comment: str = ""


def next_item(*, queue: Queue, user: User, holding: Sequence[int] = ()) -> Item | None:
    """Reserve the next item for an analyst: one that they hold already, else the first that needs a judgement.

    Args:
        queue: which is filled.
        user: the analyst.
        holding: items that the analyst has before them; another one is wanted.

    Raises:
        ConflictError: the queue is not filled yet.
    """
    queue.require_done()
    passed = list(holding)
    waiting = _waiting(queue, user)
    mine = waiting.filter(reservations__analyst=user, reservations__until__gt=timezone.now())
    held = mine.exclude(pk__in=passed).order_by("position").first()
    if held is not None:
        reserve(item=held, user=user)
        return held
    while True:
        with transaction.atomic():
            # Who judges or takes an item locks its row, so one that is locked is not free.
            item = (
                waiting.exclude(pk__in=passed)
                .annotate(held=_held_by_others(user))
                .filter(held__lt=queue.overlap - F("submitted"))
                .select_for_update(skip_locked=True)
                .order_by("position")
                .first()
            )
            if item is None:
                return None
            # The row was chosen by what stood there before it was locked; look again.
            item.refresh_from_db()
            others = Reservation.objects.filter(item=item, until__gt=timezone.now()).exclude(analyst=user)
            if item.state == ItemState.OPEN and item.submitted + others.count() < queue.overlap:
                reserve(item=item, user=user)
                return item
        passed.append(item.pk)


def _waiting(queue: Queue, user: User) -> QuerySet[Item]:
    """Open items that the analyst has not judged."""
    judged = Standing.objects.filter(item=OuterRef("pk"), analyst=user)
    return Item.objects.filter(~Exists(judged), queue=queue, state=ItemState.OPEN)


def _held_by_others(user: User) -> Coalesce:
    live = Reservation.objects.filter(item=OuterRef("pk"), until__gt=timezone.now()).exclude(analyst=user)
    return Coalesce(Subquery(live.values("item").annotate(n=Count("pk")).values("n")), 0)


def reserve(*, item: Item, user: User) -> None:
    """Keep an item for an analyst, from now on."""
    Reservation.objects.update_or_create(
        item=item, analyst=user, defaults={"queue_id": item.queue_id, "until": timezone.now() + HELD_FOR}
    )


def release(*, item: Item, user: User) -> None:
    """Give an item back, so that others get it at once."""
    Reservation.objects.filter(item=item, analyst=user).delete()


def submit(*, item: Item, user: User, judgement: Judgement) -> Item:
    """Record what an analyst says of an item; what they said of it before stays as history.

    Args:
        item: in any state; one that is complete may be judged once more, by who has seen what it is now.
        user: the analyst.
        judgement: recorded once for its id.

    Returns:
        The item as it is now.

    Raises:
        InvalidError: the verdicts are not those of the item's candidates.
        JudgedMeanwhileError: the item was completed, or judged by the same analyst, since it was shown.
        ConflictError: something else was shown, or the id is another submission's.
    """
    with transaction.atomic():
        locked = _locked(item)
        if _is_repeat(judgement.id, locked, user):
            return locked
        if judgement.shown != locked.shown:
            raise ConflictError(
                "This is not what the queue holds for this question.", hint="Load the question again."
            )
        before = Standing.objects.filter(item=locked, analyst=user).select_related("submission").first()
        if judgement.version != locked.version and (before or locked.state != ItemState.OPEN):
            raise JudgedMeanwhileError(locked)
        _require_whole(locked, judgement)
        replaced = None if before is None else before.submission
        event = _record(judgement.id, locked, user, comment=judgement.comment, replaces=replaced)
        Verdict.objects.bulk_create(_verdicts(event, judgement))
        if before is None:
            Standing.objects.create(queue_id=locked.queue_id, item=locked, analyst=user, submission=event)
        else:
            Standing.objects.filter(pk=before.pk).update(submission=event)
        release(item=locked, user=user)
        return _settle(locked)


def undo(*, queue: Queue, user: User, id: UUID) -> Item:
    """Take back an analyst's last submission that stands, by an event of its own; what it replaced stands again.

    The item is theirs to judge again.

    Raises:
        ConflictError: nothing of theirs stands in this queue, or the id is another submission's.
    """
    with transaction.atomic():
        repeated = Submission.objects.filter(pk=id, analyst=user, item__queue=queue).first()
        if repeated is not None:
            return repeated.item
        last = (
            Standing.objects.filter(queue=queue, analyst=user)
            .select_related("item")
            .order_by("-submission__at", "-pk")
            .first()
        )
        if last is None:
            raise ConflictError("There is nothing of yours to take back.", hint="Judge a question first.")
        locked = _locked(last.item)
        standing = (
            Standing.objects.filter(pk=last.pk, submission=last.submission_id)
            .select_related("submission__replaces")
            .first()
        )
        if standing is None:
            raise ConflictError("It was taken back or replaced just now.", hint="Load the queue again.")
        event = standing.submission
        _record(id, locked, user, undoes=event)
        if event.replaces is None:
            standing.delete()
        else:
            Standing.objects.filter(pk=standing.pk).update(submission=event.replaces)
        reserve(item=locked, user=user)
        return _settle(locked)


def _locked(item: Item) -> Item:
    return Item.objects.select_for_update(of=("self",)).select_related("queue").get(pk=item.pk)


def _is_repeat(id: UUID, item: Item, user: User) -> bool:
    found = Submission.objects.filter(pk=id).first()
    if found is None:
        return False
    if found.item_id != item.pk or found.analyst_id != user.pk:
        raise _taken(id)
    return True


def _taken(id: UUID) -> ConflictError:
    return ConflictError(f"The id {id} is another submission's.", hint="Make a new one for each submission.")


def _record(
    id: UUID,
    item: Item,
    user: User,
    *,
    comment: str = "",
    replaces: Submission | None = None,
    undoes: Submission | None = None,
) -> Submission:
    try:
        with transaction.atomic():
            return Submission.objects.create(
                id=id,
                item=item,
                analyst=user,
                analyst_name=user.username,
                shown=item.shown,
                comment=comment,
                replaces=replaces,
                undoes=undoes,
            )
    except IntegrityError:  # another request with this id, on another item, came first
        raise _taken(id) from None


def _require_whole(item: Item, judgement: Judgement) -> None:
    wanted = [] if judgement.broken else list(item.candidates.values_list("pk", flat=True))
    said = [one.candidate for one in judgement.verdicts]
    if sorted(said) != sorted(wanted):
        raise InvalidError(
            "A broken question takes no verdict on its paths."
            if judgement.broken
            else f"There are {len(wanted)} paths to judge, and {len(said)} verdicts.",
            hint="Judge every path once, or call the question broken.",
        )


def _verdicts(event: Submission, judgement: Judgement) -> list[Verdict]:
    if judgement.broken:
        return [Verdict(submission=event, kind=VerdictKind.BROKEN, reasons=list(judgement.reasons))]
    return [
        Verdict(
            submission=event,
            candidate_id=one.candidate,
            kind=one.kind,
            reasons=list(one.reasons),
            comment=one.comment,
        )
        for one in judgement.verdicts
    ]


def _settle(item: Item) -> Item:
    """Count again what stands, and say whether the item is complete. Its row is locked."""
    standing = Standing.objects.filter(item=item)
    item.submitted = standing.count()
    broken = standing.filter(submission__verdicts__kind=VerdictKind.BROKEN).count()
    if item.submitted < item.queue.overlap:
        item.state = ItemState.OPEN
    else:
        item.state = ItemState.BROKEN if 2 * broken > item.submitted else ItemState.DONE
    item.version += 1
    item.save(update_fields=["submitted", "state", "version"])
    return item
