"""Review queues: asking for one, and filling it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from retrieval.errors import Cancelled, TrainingDataError
from webapp.accounts.models import User
from webapp.api.errors import InvalidError
from webapp.experiments.models import LabelSet
from webapp.experiments.services import require_set_of_graph
from webapp.graphs import snapshots
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.questions.models import QuestionSet
from webapp.review.models import CandidatePath, Item, Ordering, Queue, QueueKind

BATCH = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """What kind of queue.

    Attributes:
        kind: what is judged, of :class:`QueueKind`.
        ordering: which item comes first.
        overlap: how many analysts judge each item, at least 1.
        seed: of the random order.
        name: of the queue; made of the question set's when empty.
    """

    kind: str = QueueKind.PATHS
    ordering: str = Ordering.UNCERTAINTY
    overlap: int = 1
    seed: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class DraftCandidate:
    """A candidate before it is stored; the fields of :class:`CandidatePath`."""

    topic: str
    path: Sequence[tuple[str, bool]]
    steps: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    reached: int
    hits: int
    precision: float
    recall: float
    program: dict[str, Any] | None = None
    executed: dict[str, Any] | None = None
    gives: list[str] = field(default_factory=list)
    hops: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DraftItem:
    """An item before it is stored; the fields of :class:`Item`."""

    key: str
    question: str
    topics: Sequence[str]
    answers: Sequence[str]
    doubt: float
    reason: str
    candidates: list[DraftCandidate] = field(default_factory=list)


def hash_item(item: Item | DraftItem, candidates: Sequence[CandidatePath | DraftCandidate]) -> str:
    """SHA-256 of what an analyst sees of an item."""
    seen = [
        item.question,
        list(item.topics),
        list(item.answers),
        [[_get_subject(c), c.path, c.sources, c.reached, c.hits] for c in candidates],
    ]
    return hashlib.sha256(json.dumps(seen, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _get_subject(candidate: CandidatePath | DraftCandidate) -> Any:
    return candidate.topic if candidate.program is None else candidate.program


def start_queue(
    *, graph: Graph, question_set: QuestionSet, label_sets: Sequence[LabelSet], plan: Plan, user: User | None
) -> Queue:
    """Make a queue and start the job that fills it.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        InvalidError: paths are to be judged, and there is no label set; or programs, and there is one.
        TrainingDataError: the question set is of another graph, or a label set is of other questions, of
            another version of the graph, or not done.
    """
    snapshots.open_current(graph)
    snapshot = graph.snapshot
    assert snapshot is not None, "a graph with an open snapshot has one"
    require_set_of_graph(question_set, graph)
    if plan.kind == QueueKind.PATHS and not label_sets:
        raise InvalidError(
            "A review needs candidate paths.", hint="Choose a label set, or label the question set first."
        )
    if plan.kind == QueueKind.PROGRAMS and label_sets:
        raise InvalidError(
            "Programs are of no label set: they are given by the questions, or read.",
            hint="Leave label_sets out.",
        )
    for labels in label_sets:
        labels.require_usable(question_set, snapshot.hash)
    with transaction.atomic():
        job = jobs.create(
            kind=JobKind.REVIEW,
            title=f"Prepare the review of {question_set.name}",
            graph=graph,
            user=user,
            params={"question_set": question_set.pk, "label_sets": [labels.pk for labels in label_sets]},
        )
        return Queue.objects.create(
            name=(plan.name or _make_name(plan, question_set))[:200],
            kind=plan.kind,
            graph=graph,
            snapshot=snapshot,
            question_set=question_set,
            question_set_name=question_set.name,
            label_sets=[{"id": labels.pk, "name": labels.name} for labels in label_sets],
            ordering=plan.ordering,
            seed=plan.seed,
            overlap=plan.overlap,
            job=job,
            created_by=user,
        )


def _make_name(plan: Plan, question_set: QuestionSet) -> str:
    what = "Programs" if plan.kind == QueueKind.PROGRAMS else "Review"
    return f"{what} of {question_set.name}"


def save_items(*, queue: Queue, drafts: Iterable[DraftItem]) -> None:
    """Store the items of a queue in their order and open it; from the start when it was begun before.

    Raises:
        Cancelled: the queue was deleted.
    """
    Item.objects.filter(queue=queue).delete()
    count = candidates = 0
    batch: list[DraftItem] = []
    try:
        for draft in drafts:
            batch.append(draft)
            if len(batch) == BATCH:
                candidates += _save_batch(queue, batch, count)
                count += len(batch)
                batch = []
        candidates += _save_batch(queue, batch, count)
        count += len(batch)
    except IntegrityError:
        if Queue.objects.filter(pk=queue.pk).exists():
            raise
        raise Cancelled("The queue was deleted.") from None
    opened = Queue.objects.filter(pk=queue.pk).update(items=count, candidates=candidates, finished_at=timezone.now())
    if not opened:
        raise Cancelled("The queue was deleted.")


def _save_batch(queue: Queue, drafts: Sequence[DraftItem], first: int) -> int:
    """Store some items; how many candidates they have."""
    rows = [
        Item(
            queue=queue,
            position=position,
            key=draft.key,
            question=draft.question,
            topics=list(draft.topics),
            answers=list(draft.answers),
            doubt=draft.doubt,
            reason=draft.reason,
            shown=hash_item(draft, draft.candidates),
        )
        for position, draft in enumerate(drafts, start=first)
    ]
    with transaction.atomic():
        Item.objects.bulk_create(rows)
        made = CandidatePath.objects.bulk_create(
            [
                CandidatePath(
                    item=row,
                    position=position,
                    topic=candidate.topic,
                    path=[list(step) for step in candidate.path],
                    steps=candidate.steps,
                    sources=candidate.sources,
                    reached=candidate.reached,
                    hits=candidate.hits,
                    precision=candidate.precision,
                    recall=candidate.recall,
                    program=candidate.program,
                    executed=candidate.executed,
                    gives=candidate.gives,
                    hops=candidate.hops,
                )
                for row, draft in zip(rows, drafts, strict=True)
                for position, candidate in enumerate(draft.candidates)
            ],
            batch_size=2000,
        )
    return len(made)


def require_label_sets(rows: Sequence[LabelSet], wanted: Sequence[int]) -> list[LabelSet]:
    """The label sets that were asked for, in that order.

    Raises:
        TrainingDataError: one of them is not there.
    """
    by_id = {row.pk: row for row in rows}
    for key in wanted:
        if key not in by_id:
            raise TrainingDataError(f"There is no label set {key}.", hint="It may have been deleted.")
    return [by_id[key] for key in dict.fromkeys(wanted)]
