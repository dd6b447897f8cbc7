"""Answers that people doubt: their questions, with the paths that were shown, wait in a queue of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.graphs.models import Graph, GraphVersion
from webapp.questions.models import QuestionRow
from webapp.review import selectors
from webapp.review.domain import consensus, relation_paths
from webapp.review.models import CandidatePath, Item, ItemState, Ordering, Queue
from webapp.review.services import added_paths, right_answers
from webapp.review.services.queues import shown_of

NAME = "Flagged answers"


@dataclass(frozen=True, slots=True)
class ShownPath:
    """A relation path that was shown as the reason of an answer; ``score`` in [0, 1]."""

    topic: str
    path: relation_paths.Path
    score: float


@dataclass(frozen=True, slots=True)
class Flagged:
    """A question whose answer is doubted.

    Attributes:
        key: of the run; the question's own where a question set has it.
        question: as it was asked.
        topics, answers: labels; the question set's where it has the question.
        right: labels of the right answers, as the person who doubts says; none where they do not.
        paths: those that were shown.
        method: which found them.
        remark: who doubts what, in a sentence.
    """

    key: str
    question: str
    topics: Sequence[str]
    answers: Sequence[str]
    right: Sequence[str]
    paths: Sequence[ShownPath]
    method: str
    remark: str


def put(*, graph: Graph, snapshot: GraphVersion, flagged: Flagged, user: User) -> Item:
    """Put a question into the queue of flagged answers; one that is there gets the remark and the paths it lacks.

    The queue is made on first use, one for each version of a graph. A question is there once, whichever runs asked it.
    """
    queue = _queue(graph, snapshot, user)
    with transaction.atomic():
        queue = added_paths.lock_queue(queue.pk)
        found = queue.rows.filter(question=flagged.question).first()
        item = _added(queue, flagged) if found is None else consensus.locked(found)
        if found is not None:
            item.reason = f"{item.reason}\n{flagged.remark}"
            item.save(update_fields=["reason"])
        if item.state == ItemState.OPEN:
            _add_paths(item, flagged)
        if flagged.right:
            right_answers.suggest(item, user, uuid4(), flagged.right)
    return item


def _queue(graph: Graph, snapshot: GraphVersion, user: User) -> Queue:
    there = Queue.objects.filter(snapshot=snapshot, flagged=True, deleted_at=None)
    found = there.first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return Queue.objects.create(
                name=NAME,
                graph=graph,
                snapshot=snapshot,
                question_set_name="",
                ordering=Ordering.SEQUENTIAL,
                flagged=True,
                created_by=user,
                finished_at=timezone.now(),
            )
    except IntegrityError:  # somebody else flagged the first answer at this moment
        return there.get()


def _added(queue: Queue, flagged: Flagged) -> Item:
    known = (
        QuestionRow.objects.filter(set__graph=queue.graph_id, question=flagged.question)
        .order_by("pk")
        .first()
    )
    item = Item.objects.create(
        queue=queue,
        position=queue.items,
        key=known.key if known else flagged.key,
        question=flagged.question,
        topics=known.topic_entities if known else list(flagged.topics),
        answers=known.answers if known else list(flagged.answers),
        assumed=known is None,
        doubt=1.0,
        reason=flagged.remark,
        shown="",
    )
    queue.items += 1
    queue.save(update_fields=["items"])
    return item


def _add_paths(item: Item, flagged: Flagged) -> None:
    """Store the paths that the item does not have, and what it shows now."""
    there = {(one.topic, one.as_path) for one in item.candidates.all()}
    snapshot, simple = relation_paths.snapshot_of(item), item.avoids_topics
    answers = relation_paths.answers_of(snapshot, item)
    made = []
    for one in flagged.paths:
        if (one.topic, one.path) in there:
            continue
        there.add((one.topic, one.path))
        found = relation_paths.walk(snapshot, one.topic, one.path, simple=simple)
        if found.error is None:
            source = {
                "source": "run",
                "label_set": None,
                "name": flagged.method,
                "score": one.score,
                "explanation": "",
            }
            made.append((added_paths.measured(snapshot, one.topic, one.path, found.end, answers), source))
    added_paths.stored(
        item, [fields for fields, _ in made], [""] * len(made), sources=[source for _, source in made]
    )
    shown: list[CandidatePath] = selectors.candidates(item)
    digest = shown_of(item, shown)
    if digest != item.shown:
        item.version += 1 if item.shown else 0
        item.shown = digest
        item.save(update_fields=["shown", "version"])
