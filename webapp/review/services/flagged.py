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
from webapp.review.services.queues import hash_item

NAME = "Flagged answers"


@dataclass(frozen=True, slots=True)
class ShownPath:
    """A relation path that was shown as the reason of an answer; ``score`` in [0, 1]."""

    topic: str
    path: relation_paths.Path
    score: float


@dataclass(frozen=True, slots=True)
class FlaggedQuestion:
    """A question whose answer is doubted.

    Attributes:
        key: of the run; the question's own where a question set has it.
        topics, answers: labels; the question set's where it has the question.
        right: labels of the right answers, as the person who doubts says; none where they do not.
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


def put_question(*, graph: Graph, snapshot: GraphVersion, flagged: FlaggedQuestion, user: User) -> Item:
    """Put a question into the queue of flagged answers; one that is there gets the remark and the paths it lacks.

    The queue is made on first use, one for each version of a graph. A question is there once, whichever runs asked it.
    """
    queue = _ensure_queue(graph, snapshot, user)
    with transaction.atomic():
        queue = added_paths.lock_queue(queue.pk)
        existing = queue.rows.filter(question=flagged.question).first()
        item = _create_item(queue, flagged) if existing is None else consensus.lock_item(existing)
        if existing is not None:
            item.reason = f"{item.reason}\n{flagged.remark}"
            item.save(update_fields=["reason"])
        if item.state == ItemState.OPEN:
            _add_paths(item, flagged)
        if flagged.right:
            right_answers.suggest(item, user, uuid4(), flagged.right)
    return item


def _ensure_queue(graph: Graph, snapshot: GraphVersion, user: User) -> Queue:
    there = Queue.objects.filter(snapshot=snapshot, flagged=True, deleted_at=None)
    queue = there.first()
    if queue is not None:
        return queue
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


def _create_item(queue: Queue, flagged: FlaggedQuestion) -> Item:
    known = QuestionRow.objects.filter(set__graph=queue.graph_id, question=flagged.question).order_by("pk").first()
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


def _add_paths(item: Item, flagged: FlaggedQuestion) -> None:
    """Store the paths that the item does not have, and what it shows now."""
    there = {(candidate.topic, candidate.as_path) for candidate in item.candidates.all()}
    snapshot, simple = relation_paths.open_snapshot(item), item.avoids_topics
    answers = relation_paths.find_answers(snapshot, item)
    made = []
    for shown_path in flagged.paths:
        if (shown_path.topic, shown_path.path) in there:
            continue
        there.add((shown_path.topic, shown_path.path))
        walk = relation_paths.walk(snapshot, shown_path.topic, shown_path.path, simple=simple)
        if walk.error is None:
            source = {
                "source": "run",
                "label_set": None,
                "name": flagged.method,
                "score": shown_path.score,
                "explanation": "",
            }
            made.append(
                (
                    added_paths.build_fields(snapshot, shown_path.topic, shown_path.path, walk.end, answers),
                    source,
                )
            )
    added_paths.save_candidates(
        item, [fields for fields, _ in made], [""] * len(made), sources=[source for _, source in made]
    )
    shown: list[CandidatePath] = selectors.list_candidates(item)
    digest = hash_item(item, shown)
    if digest != item.shown:
        item.version += 1 if item.shown else 0
        item.shown = digest
        item.save(update_fields=["shown", "version"])
