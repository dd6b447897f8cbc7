"""Taking an import back: what it brought counts no more, and what it replaced counts again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet

from webapp.accounts.models import Role, User
from webapp.api.errors import ConflictError, ForbiddenError
from webapp.review import selectors
from webapp.review.domain import consensus, counters
from webapp.review.domain.annotation import Annotation
from webapp.review.models import CandidatePath, CurrentAnnotation, EventKind, Item, Queue, Submission
from webapp.review.services import added_paths, submissions
from webapp.review.services.imports import split_chunks
from webapp.review.services.queues import hash_item

_BROUGHT = (EventKind.IMPORTED, EventKind.ADDED_PATH)


def take_back(*, queue: Queue, user: User, id: UUID) -> int:
    """Take an import back by events of their own, as far as it still counts and nothing decided the questions.

    Paths that it added are taken back where nobody judged them besides.

    Args:
        queue: which it went into.
        user: whose verdicts they are, or an administrator.
        id: ``undo`` of what the import answered.

    Returns:
        How many items changed. A repeat changes none.

    Raises:
        ConflictError: nothing was imported under this id.
        ForbiddenError: the verdicts are others'.
    """
    events = Submission.objects.filter(queue=queue, batch=id, kind__in=_BROUGHT)
    if not events.exists():
        raise ConflictError(f"Nothing was imported under the id {id}.", hint="Take it from the answer.")
    if events.exclude(analyst=user).exists() and not user.has_role(Role.ADMIN):
        raise ForbiddenError("These verdicts are others'.", hint="An administrator takes them back.")
    keys = sorted(set(events.values_list("item", flat=True)))
    return sum(_take_back_items(queue, user, id, chunk) for chunk in split_chunks(keys))


def _take_back_items(queue: Queue, user: User, id: UUID, keys: Sequence[int]) -> int:
    with transaction.atomic():
        added_paths.lock_queue(queue.pk)
        locked = Item.objects.select_for_update(of=("self",)).select_related("queue").order_by("pk")
        items = {item.pk: item for item in locked.filter(pk__in=keys, settled=False, adjudicated=None)}
        brought = Submission.objects.filter(batch=id, item__in=items)
        before = consensus.load_annotations(items)
        events = list(brought.filter(kind=EventKind.IMPORTED, current__isnull=False))
        _restore_replaced(events)
        after = consensus.load_annotations(items)
        added = _take_back_paths(brought, after)
        undone = [
            submissions.build_event(uuid4(), items[event.item_id], user, EventKind.UNDONE, undoes=event)
            for event in (*events, *added)
        ]
        for event in undone:
            event.batch = id
        Submission.objects.bulk_create(undone)
        changed = [items[key] for key in {event.item_id for event in undone}]
        _describe(changed, {event.item_id for event in added}, before, after, by=user.username)
    return len(changed)


def _restore_replaced(events: Sequence[Submission]) -> None:
    new = [event.pk for event in events if event.replaces_id is None]
    CurrentAnnotation.objects.filter(submission__in=new).delete()
    for event in events:
        if event.replaces_id is not None:
            CurrentAnnotation.objects.filter(submission=event).update(submission=event.replaces_id)


def _take_back_paths(brought: QuerySet[Submission], after: Mapping[int, Sequence[Annotation]]) -> list[Submission]:
    """The events that added paths which nobody judges any more; the paths are taken back."""
    judged = {verdict.candidate for held in after.values() for annotation in held for verdict in annotation.verdicts}
    added = [
        event for event in brought.filter(kind=EventKind.ADDED_PATH, path__retired=False) if event.path_id not in judged
    ]
    CandidatePath.objects.filter(pk__in=[event.path_id for event in added]).update(retired=True)
    return added


def _describe(
    items: Sequence[Item],
    shrunk: set[int],
    before: Mapping[int, Sequence[Annotation]],
    after: Mapping[int, Sequence[Annotation]],
    *,
    by: str,
) -> None:
    old: Counter[counters.Key] = Counter()
    new: Counter[counters.Key] = Counter()
    for item in items:
        old.update(counters.count_item(item, before.get(item.pk, [])))
        consensus.apply(item, after.get(item.pk, []))
        new.update(counters.count_item(item, after.get(item.pk, [])))
        if item.pk in shrunk:
            item.shown = hash_item(item, selectors.list_candidates(item))
    consensus.save_items(items)
    if items:
        counters.add(items[0].queue_id, by, old, new)
