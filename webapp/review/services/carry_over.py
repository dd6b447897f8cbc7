"""Carrying a queue over to another version of its graph.

Verdicts stay where the facts of an item's paths are the same. An item with a changed path is opened again, and what
analysts said of it becomes their draft.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.graphs import snapshots
from webapp.graphs.models import GraphVersion
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind
from webapp.review import selectors
from webapp.review.domain import consensus, counters, relation_paths
from webapp.review.domain.annotation import Annotation
from webapp.review.models import (
    CandidatePath,
    CurrentAnnotation,
    DraftPurpose,
    EventKind,
    Item,
    Queue,
    Submission,
)
from webapp.review.services import added_paths, drafts
from webapp.review.services.queues import hash_item

SYSTEM = "system"
"""Who did what no person asked for."""
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Measurement:
    """A candidate on another version: the fields that differ there, and whether the facts behind it differ."""

    fields: dict[str, Any] = field(default_factory=dict)
    changed: bool = False


Measure = Callable[[Item, CandidatePath], Measurement]


def start_carry_over(*, queue: Queue, user: User) -> Job:
    """Start the job that carries a queue over to its graph's current version.

    Raises:
        ConflictError: the queue is not filled, or is on the current version.
    """
    queue.require_done()
    version = queue.graph.snapshot
    if version is None or version.pk == queue.snapshot_id:
        raise ConflictError("The queue is on the current version of its graph.", hint="Go on judging.")
    return jobs.create(
        kind=JobKind.REVIEW,
        title=f"Carry the review {queue.name} over to version {version.version}",
        graph=queue.graph,
        user=user,
        params={"carry_over": queue.pk},
    )


def move_to_version(
    *,
    queue: Queue,
    version: GraphVersion,
    user: User | None,
    measure: Measure,
    progress: Callable[[int, int], None],
) -> int:
    """Move a queue to another version of its graph, in one transaction after everything is measured.

    Args:
        queue: which is filled.
        measure: compares a candidate on both versions.
        progress: is told how many of how many items are measured.

    Returns:
        How many items were opened again.

    Raises:
        ConflictError: of flagged answers, and that version has such a queue already.
    """
    measured: dict[int, Measurement] = {}
    candidates = CandidatePath.objects.filter(item__queue=queue).select_related("item")
    last = candidates.aggregate(last=Max("pk"))["last"] or 0
    keys = list(queue.rows.values_list("pk", flat=True))
    for first in range(0, len(keys), _BATCH):
        batch = candidates.filter(item__in=keys[first : first + _BATCH], pk__lte=last)
        measured |= _measure_candidates(batch, measure)
        progress(min(first + _BATCH, len(keys)), len(keys))
    try:
        with transaction.atomic():
            row = added_paths.lock_queue(queue.pk)
            measured |= _measure_candidates(candidates.filter(pk__gt=last), measure)  # added meanwhile
            reopened = _apply(row, measured, user, version)
            Queue.objects.filter(pk=row.pk).update(snapshot=version)
    except IntegrityError:
        raise ConflictError(
            f"Version {version.version} has a queue of flagged answers already.",
            hint="Judge that one, or delete it before this one is carried over.",
        ) from None
    queue.snapshot = version
    return reopened


def make_path_measure(queue: Queue, version: GraphVersion) -> Measure:
    """Compares relation paths on a queue's version of the graph and on another one."""
    old, new = snapshots.open_snapshot(queue.snapshot.path), snapshots.open_snapshot(version.path)

    def measure(item: Item, candidate: CandidatePath) -> Measurement:
        path, simple = candidate.as_path, item.avoids_topics
        walked = relation_paths.walk(new, candidate.topic, path, simple=simple)
        end = walked.end if walked.error is None else walked.end[:0]
        before = relation_paths.find_facts(old, candidate.topic, path, simple=simple)
        after = relation_paths.find_facts(new, candidate.topic, path, simple=simple)
        return Measurement(relation_paths.fit(end, relation_paths.find_answers(new, item)), before != after)

    return measure


def _measure_candidates(candidates: QuerySet[CandidatePath], measure: Measure) -> dict[int, Measurement]:
    """Measure some candidates on the other version, by id."""
    measured = {}
    for candidate in candidates:
        measurement = measure(candidate.item, candidate)
        fields = {name: value for name, value in measurement.fields.items() if getattr(candidate, name) != value}
        measured[candidate.pk] = Measurement(fields, measurement.changed and not candidate.retired)
    return measured


def _apply(queue: Queue, measured: Mapping[int, Measurement], user: User | None, version: GraphVersion) -> int:
    wanted = [key for key, measurement in measured.items() if measurement.fields or measurement.changed]
    by_item: dict[int, list[CandidatePath]] = defaultdict(list)
    for candidate in CandidatePath.objects.filter(pk__in=wanted).order_by("position"):
        for name, value in measured[candidate.pk].fields.items():
            setattr(candidate, name, value)
        candidate.save(update_fields=[*measured[candidate.pk].fields])
        by_item[candidate.item_id].append(candidate)
    items = list(Item.objects.select_for_update(of=("self",)).filter(pk__in=by_item).order_by("pk"))
    held = consensus.load_annotations(by_item)
    events = {event.pk: event for event in selectors.list_current_of_items(by_item)}
    before: Counter[counters.Key] = Counter()
    after: Counter[counters.Key] = Counter()
    reopened = 0
    for item in items:
        item.queue = queue
        changed = [candidate for candidate in by_item[item.pk] if measured[candidate.pk].changed]
        annotations = held.get(item.pk, [])
        if changed and (annotations or item.adjudicated_id is not None):
            before.update(counters.count_item(item, annotations))
            _reset_item(item, annotations, events, user, _write_comment(changed, version))
            after.update(counters.count_item(item, []))
            reopened += 1
        else:
            item.version += 1
        item.shown = hash_item(item, selectors.list_candidates(item))
        item.save(update_fields=["shown", "version", "submitted", "state", "accord", "settled", "adjudicated"])
    counters.add(queue.pk, user.username if user else SYSTEM, before, after)
    return reopened


def _write_comment(changed: Sequence[CandidatePath], version: GraphVersion) -> str:
    places = ", ".join(str(candidate.position + 1) for candidate in changed)
    return f"Version {version.version} of the graph changed facts of candidate {places}."


def _reset_item(
    item: Item,
    annotations: Sequence[Annotation],
    events: Mapping[Any, Submission],
    user: User | None,
    comment: str,
) -> None:
    """Let nothing count that was said of an item; it becomes drafts of those who said it."""
    for annotation in annotations:
        drafts.keep_annotation(item=item, annotation=annotation, comment=events[annotation.event].comment)
    decision = selectors.get_decision(item)
    if decision is not None:
        drafts.keep_annotation(
            item=item,
            annotation=selectors.to_annotation(decision),
            comment=decision.comment,
            purpose=DraftPurpose.DECISION,
        )
    CurrentAnnotation.objects.filter(item=item).delete()
    item.settled, item.adjudicated = False, None
    consensus.apply(item, [])
    Submission.objects.create(
        id=uuid4(),
        queue_id=item.queue_id,
        item=item,
        kind=EventKind.REOPENED,
        analyst=user,
        analyst_name=user.username if user else SYSTEM,
        shown=item.shown,
        comment=comment,
    )
