"""Deleting queues: undone for a while, then for good by a worker, in pieces, so that nobody waits for many rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from webapp.accounts.models import User
from webapp.api.errors import ConfirmError, ConflictError
from webapp.jobs import queue as tasks
from webapp.jobs import services as jobs
from webapp.review import selectors
from webapp.review.models import Item, Queue, QueueCounter

PIECE = 2000
"""Items that go in one transaction."""

# What hangs on some items; rows are not fetched to be deleted.
_DELETE = (
    "DELETE FROM review_verdict v USING review_submission s WHERE s.id = v.submission_id AND s.item_id = ANY(%s)",
    "DELETE FROM review_standing WHERE item_id = ANY(%s)",
    "DELETE FROM review_reservation WHERE item_id = ANY(%s)",
    "DELETE FROM review_draft WHERE item_id = ANY(%s)",
    "UPDATE review_item SET adjudicated_id = NULL WHERE id = ANY(%s) AND adjudicated_id IS NOT NULL",
    "DELETE FROM review_submission WHERE item_id = ANY(%s)",
    "DELETE FROM review_candidate WHERE item_id = ANY(%s)",
)


def mark_deleted(*, queue: Queue, confirm: str, user: User | None) -> None:
    """Put a queue, with all that was said in it, where nobody finds it; a job that still fills it is stopped.

    Raises:
        ConfirmError: ``confirm`` is not its name.
    """
    if confirm != queue.name:
        raise ConfirmError(
            "Deleting a queue deletes every verdict in it.",
            hint=f"Repeat its name to go on: ?confirm={queue.name}",
        )
    jobs.stop(queue.job)
    Queue.objects.filter(pk=queue.pk, deleted_at=None).update(deleted_at=timezone.now(), deleted_by=user)


def list_restorable() -> QuerySet[Queue]:
    """Queues whose deletion can still be undone, the last deleted first."""
    return selectors.list_deleted().filter(deleted_at__gt=_compute_cutoff())


def compute_purge_time(queue: Queue) -> datetime:
    """When a deleted queue is deleted for good."""
    assert queue.deleted_at is not None, "it is deleted"
    return queue.deleted_at + _get_trash_days()


def restore(*, queue: Queue) -> None:
    """Undo the deletion of a queue; nothing was lost.

    Raises:
        ConflictError: of flagged answers, and there is another by now.
    """
    try:
        with transaction.atomic():
            list_restorable().filter(pk=queue.pk).update(deleted_at=None, deleted_by=None)
    except IntegrityError:
        raise ConflictError(
            "Answers were flagged meanwhile, so that there is a new queue of them.",
            hint="Delete the new one first: a version of a graph has one.",
        ) from None


def enqueue_expired() -> None:
    """Have workers delete for good what was deleted long enough ago, as such or with its graph; what one of them left
    undone as well."""
    for pk in _list_expired().values_list("pk", flat=True):
        tasks.send(tasks.PURGE_REVIEW, pk)


def delete_queue(*, queue_id: int, stopping: Callable[[], bool]) -> None:
    """Delete a queue for good, piece by piece; called again it goes on, and beside another call it does nothing.

    Args:
        queue_id: of a queue whose deletion cannot be undone any more; nothing happens to another one.
        stopping: says between pieces whether to leave the rest to a later call.
    """
    while not stopping() and _delete_batch(queue_id):
        pass


@transaction.atomic
def _delete_batch(queue_id: int) -> bool:
    """Delete some items with all that hangs on them, at last the queue; whether there is more to do."""
    row = _list_expired().select_for_update(skip_locked=True, of=("self",)).filter(pk=queue_id).first()
    if row is None:
        return False
    items = list(row.rows.values_list("pk", flat=True)[:PIECE])
    if not items:
        QueueCounter.objects.filter(queue=row).delete()
        row.delete()
        return False
    with connection.cursor() as cursor:
        for sql in _DELETE:
            cursor.execute(sql, [items])
    Item.objects.filter(pk__in=items).delete()  # with what apps above hang on it
    return True


def _list_expired() -> QuerySet[Queue]:
    since = _compute_cutoff()
    return Queue.objects.filter(Q(deleted_at__lte=since) | Q(graph__deleted_at__lte=since))


def _get_trash_days() -> timedelta:
    return timedelta(days=settings.CLEW.trash_days)


def _compute_cutoff() -> datetime:
    return timezone.now() - _get_trash_days()
