"""Judging: submitting verdicts, taking the last thing back, and having it count again.

Whoever changes the current annotations of an item holds its row's lock, so that two analysts never fill it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError
from webapp.review.domain import consensus
from webapp.review.domain.annotation import Annotation, VerdictData
from webapp.review.models import (
    CurrentAnnotation,
    DraftPurpose,
    EventKind,
    Item,
    ItemState,
    Submission,
    Verdict,
    VerdictKind,
)
from webapp.review.services.drafts import delete_draft
from webapp.review.services.reservations import release


class AnnotationConflictError(ConflictError):
    """What the item holds or its annotations changed while it was before the analyst."""

    code = "judged_meanwhile"

    def __init__(self, item: Item, message: str = "This question was judged while you had it before you.") -> None:
        super().__init__(
            message,
            hint="Compare with what was said. Yours is kept here until you submit again or go on.",
        )
        self.item = item


@dataclass(frozen=True, slots=True)
class NewAnnotation:
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
    verdicts: tuple[VerdictData, ...] = ()
    broken: bool = False
    reasons: tuple[str, ...] = ()
    comment: str = ""

    @property
    def stored_verdicts(self) -> tuple[VerdictData, ...]:
        """As it is stored: one verdict on the question when it is broken."""
        return (VerdictData(None, VerdictKind.BROKEN, self.reasons),) if self.broken else self.verdicts


def save_annotation(*, item: Item | QuerySet[Item], user: User, annotation: NewAnnotation) -> Item:
    """Record what an analyst says of an item; what they said of it before stays as history.

    Args:
        item: or rows that hold it; in any state; one that is complete may be judged once more, by who has seen what
            it is now.
        annotation: recorded once for its id.

    Returns:
        The item as it is now.

    Raises:
        Item.DoesNotExist: there is none.
        InvalidError: the verdicts are not those of the item's candidates.
        AnnotationConflictError: since the item was shown it was completed, judged by the same analyst, or given a path.
        DecidedError: it was decided meanwhile.
        ConflictError: the id is another submission's.
    """
    try:
        return _save_locked(item, user, annotation)
    except (IntegrityError, ConflictError, InvalidError):
        # Only what cannot be recorded may have been recorded before: the others need not be looked for.
        row = item if isinstance(item, Item) else item.select_related("queue").get()
        if is_repeat(annotation.id, row, user):
            return row
        raise


def _save_locked(item: Item | QuerySet[Item], user: User, annotation: NewAnnotation) -> Item:
    with transaction.atomic():
        row = consensus.lock_item(item)
        before = consensus.load_item_annotations(row)
        mine = next((existing for existing in before if existing.analyst_id == user.pk), None)
        _require_seen(row, annotation, judged=mine is not None)
        consensus.require_undecided(row)
        require_whole(row, annotation)
        kind = EventKind.SUBMITTED if mine is None else EventKind.REPLACED
        replaces = mine.event if mine else None
        event = build_event(annotation.id, row, user, kind, comment=annotation.comment, replaces_id=replaces)
        event.save(force_insert=True)
        Verdict.objects.bulk_create(build_verdicts(event, annotation.stored_verdicts))
        set_current(row, user, event, mine)
        delete_draft(item=row, user=user, purpose=DraftPurpose.JUDGEMENT)
        release(item=row, user=user)
        now = Annotation(user.username, user.pk, None, event.pk, annotation.stored_verdicts)
        return consensus.update_item(row, before, replace_annotation(before, mine, now), by=user.username)


def _require_seen(item: Item, annotation: NewAnnotation, *, judged: bool) -> None:
    if annotation.shown != item.shown:
        message = "The paths or answers of this question changed while you had it before you."
        raise AnnotationConflictError(item, message)
    if annotation.version != item.version and (judged or item.state != ItemState.OPEN):
        raise AnnotationConflictError(item)


def require_whole(item: Item, annotation: NewAnnotation) -> None:
    """Refuse verdicts that are not one for each candidate.

    Raises:
        InvalidError: they are not.
    """
    wanted: list[int] = []
    if not annotation.broken:
        wanted = list(item.candidates.filter(retired=False).order_by("pk").values_list("pk", flat=True))
    if sorted(verdict.candidate or 0 for verdict in annotation.verdicts) != wanted:
        raise InvalidError(
            "A broken question takes no verdict on its paths."
            if annotation.broken
            else f"There are {len(wanted)} paths to judge, and {len(annotation.verdicts)} verdicts.",
            hint="Judge every path once, or call the question broken.",
        )


def is_repeat(id: UUID, item: Item, user: User) -> bool:
    """Whether an event of this id was recorded for this item and analyst.

    Raises:
        ConflictError: it was recorded for another.
    """
    event = Submission.objects.filter(pk=id).first()
    if event is None:
        return False
    if event.item_id != item.pk or event.analyst_id != user.pk:
        raise _make_conflict(id)
    return True


def _make_conflict(id: UUID) -> ConflictError:
    return ConflictError(f"The id {id} is another submission's.", hint="Make a new one for each submission.")


def build_event(
    id: UUID,
    item: Item,
    user: User,
    kind: EventKind,
    *,
    comment: str = "",
    replaces_id: UUID | None = None,
    undoes: Submission | None = None,
) -> Submission:
    """An event that is yet to be stored."""
    return Submission(
        id=id,
        queue_id=item.queue_id,
        item=item,
        kind=kind,
        analyst=user,
        analyst_name=user.username,
        shown=item.shown,
        comment=comment,
        replaces_id=replaces_id,
        undoes=undoes,
        path=None if undoes is None else undoes.path,
    )


def build_verdicts(event: Submission, data: Sequence[VerdictData]) -> list[Verdict]:
    """The verdicts of an event, yet to be stored."""
    return [
        Verdict(
            submission=event,
            candidate_id=verdict.candidate,
            kind=verdict.kind,
            reasons=list(verdict.reasons),
            comment=verdict.comment,
        )
        for verdict in data
    ]


def set_current(item: Item, user: User, event: Submission, mine: Annotation | None) -> None:
    """Let an event count for the analyst instead of what did before."""
    if mine is None:
        CurrentAnnotation.objects.create(queue_id=item.queue_id, item=item, analyst=user, submission=event)
    else:
        CurrentAnnotation.objects.filter(item=item, analyst=user).update(submission=event)


def replace_annotation(
    current: Sequence[Annotation], old: Annotation | None, new: Annotation | None
) -> list[Annotation]:
    """The current annotations when one goes and another comes."""
    if old is not None and new is not None:
        return [replace(new, current=old.current) if annotation is old else annotation for annotation in current]
    return [annotation for annotation in current if annotation is not old] + ([] if new is None else [new])
