"""Taking back what one did last, across items, and having it count again. Each is an event of its own."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.review.domain import consensus
from webapp.review.domain.annotation import Annotation
from webapp.review.models import CurrentAnnotation, DraftPurpose, EventKind, Item, Queue, Submission
from webapp.review.services import added_paths, drafts, right_answers, submissions
from webapp.review.services.reservations import claim_item, release

ONE_BY_ONE = (EventKind.SUBMITTED, EventKind.REPLACED)
_JUST_NOW = ("It was taken back, replaced or judged just now.", "Load the queue again.")


class NothingToRedoError(ConflictError):
    """The last thing that the analyst did is not that they took something back."""

    code = "nothing_to_redo"


def undo(*, queue: Queue, user: User, id: UUID) -> Item:
    """Take back the last thing of an analyst that counts.

    That is a submission, what they said the right answers are, or a path they added that nobody else judged.

    What a submission replaced counts again; the item is theirs to judge again. Repeating a request changes nothing.

    Raises:
        ConflictError: nothing of theirs counts in this queue, or the id is another event's.
        DecidedError: the question was decided since.
    """
    return _apply_change(queue, user, id, EventKind.UNDONE)


def redo(*, queue: Queue, user: User, id: UUID) -> Item:
    """Have the last thing that an analyst took back count again.

    Raises:
        NothingToRedoError: there is none, or they did something else since.
        ConflictError: the id is another event's.
        DecidedError: the question was decided since.
    """
    return _apply_change(queue, user, id, EventKind.REDONE)


def _apply_change(queue: Queue, user: User, id: UUID, kind: EventKind) -> Item:
    try:
        with transaction.atomic():
            repeated = Submission.objects.filter(pk=id, analyst=user, queue=queue).select_related("item").first()
            if repeated is not None:
                return repeated.item
            # Of two requests at once, the second sees what the first did.
            User.objects.select_for_update(no_key=True).get(pk=user.pk)
            undoing = kind == EventKind.UNDONE
            last = _find_last_counting(queue, user) if undoing else _find_last_undone(queue, user)
            if last.kind == EventKind.ANSWERED:  # paths may come with the answers
                added_paths.lock_queue(queue.pk)
            item = consensus.lock_item(last.item_id)
            consensus.require_undecided(item)
            submissions.build_event(id, item, user, kind, undoes=last).save(force_insert=True)
            if last.kind == EventKind.ADDED_PATH:
                return added_paths.set_retired(item, last, retired=undoing)
            if last.kind == EventKind.ANSWERED:
                return (right_answers.take_back if undoing else right_answers.restore_answers)(item, last)
            return _remove_submission(item, user, last) if undoing else _restore_submission(item, user, last)
    except IntegrityError:
        raise ConflictError(f"The id {id} is another event's.", hint="Make a new one.") from None


def _find_last_counting(queue: Queue, user: User) -> Submission:
    """The newest event of an analyst that can be taken back."""
    others = CurrentAnnotation.objects.filter(submission__verdicts__candidate=OuterRef("path")).exclude(analyst=user)
    added = Q(kind=EventKind.ADDED_PATH, path__retired=False) & ~Exists(others)
    answered = Q(kind=EventKind.ANSWERED, item__answered=F("pk"))
    event = (
        _query_events(queue, user)
        .filter(Q(kind__in=ONE_BY_ONE, current__isnull=False) | added | answered, batch=None)
        .select_related("path", "current")
        .first()
    )
    if event is None:
        raise ConflictError("There is nothing of yours to take back.", hint="Judge a question first.")
    return event


def _find_last_undone(queue: Queue, user: User) -> Submission:
    """What the newest undo of an analyst took back that no redo has brought again, if nothing else came since."""
    redone = 0
    for event in _iter_events(queue, user):
        if event.batch is not None:  # of an import, which is taken back as a whole
            break
        if event.kind == EventKind.REDONE:
            redone += 1
        elif event.kind == EventKind.UNDONE and redone:
            redone -= 1
        elif event.kind == EventKind.UNDONE and event.undoes is not None:
            return event.undoes
        else:
            break
    raise NothingToRedoError("There is nothing to do again.", hint="Only what you took back last can be.")


def _iter_events(queue: Queue, user: User) -> Iterator[Submission]:
    return _query_events(queue, user).select_related("undoes", "undoes__path").iterator(100)


def _query_events(queue: Queue, user: User) -> QuerySet[Submission]:
    mine = Submission.objects.filter(queue=queue, analyst_name=user.username, analyst=user)
    return mine.order_by("-at", "-pk")


def _remove_submission(item: Item, user: User, event: Submission) -> Item:
    before = consensus.load_item_annotations(item)
    mine = _find_own(before, user)
    if mine is None or mine.event != event.pk:
        raise ConflictError(_JUST_NOW[0], hint=_JUST_NOW[1])
    if event.replaces_id is None:
        CurrentAnnotation.objects.filter(item=item, analyst=user).delete()
    else:
        CurrentAnnotation.objects.filter(item=item, analyst=user).update(submission=event.replaces_id)
    drafts.keep_annotation(item=item, annotation=mine, comment=event.comment)
    claim_item(item=item, user=user)
    return consensus.update_item(item, before, consensus.load_item_annotations(item), by=user.username)


def _restore_submission(item: Item, user: User, event: Submission) -> Item:
    before = consensus.load_item_annotations(item)
    mine = _find_own(before, user)
    if (mine and mine.event) != event.replaces_id:
        raise ConflictError(_JUST_NOW[0], hint=_JUST_NOW[1])
    submissions.set_current(item, user, event, mine)
    drafts.delete_draft(item=item, user=user, purpose=DraftPurpose.JUDGEMENT)
    release(item=item, user=user)
    return consensus.update_item(item, before, consensus.load_item_annotations(item), by=user.username)


def _find_own(held: list[Annotation], user: User) -> Annotation | None:
    return next((annotation for annotation in held if annotation.analyst_id == user.pk), None)
