"""Paths and programs that analysts add: missing ones, and others edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import F, Max

from retrieval.kg.snapshot import Snapshot
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError
from webapp.review import selectors
from webapp.review.domain import consensus, program_candidates, relation_paths
from webapp.review.models import CandidatePath, EventKind, Item, Queue, QueueKind, Submission
from webapp.review.services import submissions
from webapp.review.services.queues import hash_item

CANDIDATES_MAX = 5000
"""Paths of one question, with those that were taken back."""


def add_path(
    *, item: Item, user: User, id: UUID, topic: str, path: relation_paths.Path, edited_from: int | None = None
) -> Item:
    """Add a path to a question, by an event; one that it has already is left as it is.

    Who judged the question before keeps what they said: those who come later judge the new path.

    Args:
        item: with its queue and snapshot.
        id: made by the client; repeating a request adds nothing.
        topic: label of the entity it starts at.
        path: relations by name.
        edited_from: the candidate that it was made of.

    Raises:
        UnknownEntityError, PathError: it cannot be walked on the queue's version of the graph.
        InvalidError: the queue is of programs, it was edited from a path of another question, or there are too many.
        DecidedError: the question was decided.
        ConflictError: the id is another event's.
    """
    require_kind(item.queue, QueueKind.PATHS)
    snapshot, simple = relation_paths.open_snapshot(item), item.avoids_topics
    walk = relation_paths.walk(snapshot, topic, path, simple=simple)
    if walk.error is not None:
        raise walk.error
    made = build_fields(snapshot, topic, path, walk.end, relation_paths.find_answers(snapshot, item))
    return _add_candidate(item, user, id, made, edited_from, same=lambda row: selectors.find_path(row, topic, path))


def add_program(*, item: Item, user: User, id: UUID, made: dict[str, Any], edited_from: int | None = None) -> Item:
    """Add a program to a question, by an event; one that asks for what it has already is left as it is.

    Args:
        item: with its queue and snapshot.
        id: made by the client; repeating a request adds nothing.
        made: of :func:`program_candidates.build_fields`.
        edited_from: the candidate that it was made of.

    Raises:
        InvalidError: the queue is of paths, it was edited from a candidate of another question, or there are too many.
        DecidedError: the question was decided.
        ConflictError: the id is another event's.
    """
    require_kind(item.queue, QueueKind.PROGRAMS)
    snapshot = relation_paths.open_snapshot(item)

    def find_same(row: Item) -> CandidatePath | None:
        return program_candidates.find_same_program(snapshot, list(row.candidates.all()), made["program"])

    return _add_candidate(item, user, id, made, edited_from, same=find_same)


def require_kind(queue: Queue, kind: str) -> None:
    """Refuse what is of the other kind of queue.

    Raises:
        InvalidError: the queue is of that.
    """
    if queue.kind != kind:
        raise InvalidError(f"In the review {queue.name} {queue.kind} are judged.", hint=f"Choose one of {kind}.")


def _add_candidate(
    item: Item,
    user: User,
    id: UUID,
    made: dict[str, Any],
    edited_from: int | None,
    *,
    same: Callable[[Item], CandidatePath | None],
) -> Item:
    try:
        with transaction.atomic():
            lock_queue(item.queue_id)
            row = consensus.lock_item(item)
            if submissions.is_repeat(id, row, user):
                return row
            consensus.require_undecided(row)
            there = same(row)
            if there is not None and not there.retired:
                return row
            origin = _find_origin(row, edited_from)
            if there is None:
                there = save_candidates(row, [made], [user.username], edited_from=origin)[0]
            event = submissions.build_event(id, row, user, EventKind.ADDED_PATH)
            event.path = there
            event.save(force_insert=True)
            return _update_candidate(row, there, retired=False)
    except IntegrityError:
        raise ConflictError(f"The id {id} is another event's.", hint="Make a new one.") from None


def build_fields(
    snapshot: Snapshot, topic: str, path: relation_paths.Path, reached: np.ndarray, answers: np.ndarray
) -> dict[str, Any]:
    """The fields of a candidate that follow from the graph."""
    known = [(snapshot.find_relation(name), inverse) for name, inverse in path]
    return {
        "topic": topic,
        "path": [list(step) for step in path],
        "steps": [asdict(snapshot.get_relation_step(r, inverse)) for r, inverse in known if r is not None],
        **relation_paths.fit(reached, answers),
    }


def lock_queue(queue_id: int) -> Queue:
    """The queue, locked for those who add to it: always before an item, or two would wait for each other."""
    return Queue.objects.select_for_update(no_key=True, of=("self",)).select_related("snapshot").get(pk=queue_id)


def save_candidates(
    item: Item,
    made: Sequence[dict[str, Any]],
    authors: Sequence[str],
    *,
    sources: Sequence[dict[str, Any]] | None = None,
    edited_from: CandidatePath | None = None,
) -> list[CandidatePath]:
    """Store candidates behind those that an item has; its row is locked, and its queue's.

    Args:
        made: the fields of each that follow from the graph.
        authors: the analyst who adds each; empty where nobody does.
        sources: who holds each; its author when not given.
        edited_from: what they were made of.

    Raises:
        InvalidError: these are too many.
    """
    last = CandidatePath.objects.filter(item=item).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    if first + len(made) > CANDIDATES_MAX:
        raise InvalidError(f"A question has at most {CANDIDATES_MAX:,} paths.", hint="Judge those that are there.")
    held_by = [_make_source(author) for author in authors] if sources is None else sources
    rows = [
        CandidatePath(
            item=item,
            position=position,
            sources=[source],
            author=author,
            edited_from=edited_from,
            **candidate_fields,
        )
        for position, (candidate_fields, author, source) in enumerate(
            zip(made, authors, held_by, strict=True), start=first
        )
    ]
    Queue.objects.filter(pk=item.queue_id).update(candidates=F("candidates") + len(rows))
    return CandidatePath.objects.bulk_create(rows)


def _make_source(name: str) -> dict[str, Any]:
    """An analyst as the source of a candidate."""
    return {"source": "analyst", "label_set": None, "name": name, "score": 1.0, "explanation": ""}


def set_retired(item: Item, event: Submission, *, retired: bool) -> Item:
    """Take back a path that was added, or have it again. The item's row is locked."""
    assert event.path is not None, "an event that adds a path names it"
    return _update_candidate(item, event.path, retired=retired)


def _update_candidate(item: Item, candidate: CandidatePath, *, retired: bool) -> Item:
    if candidate.retired != retired:
        candidate.retired = retired
        candidate.save(update_fields=["retired"])
    item.shown = hash_item(item, selectors.list_candidates(item))
    item.version += 1
    item.save(update_fields=["shown", "version"])
    return item


def _find_origin(item: Item, edited_from: int | None) -> CandidatePath | None:
    if edited_from is None:
        return None
    origin = CandidatePath.objects.filter(item=item, pk=edited_from).first()
    if origin is None:
        raise InvalidError(f"This question has no path {edited_from} to edit.", hint="Load the question again.")
    return origin
