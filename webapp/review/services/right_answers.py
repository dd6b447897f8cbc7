"""Right answers: what a person says that a question's answers are, and the paths that lead to them.

Each saying is an event. ``Item.answered`` is the one that counts; when it is taken back, what it
replaced counts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import IntegrityError, transaction

from retrieval.errors import UnknownEntityError
from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot
from retrieval.metrics.values import is_value
from webapp.accounts.models import Role, User
from webapp.api.errors import ConflictError
from webapp.graphs import browse
from webapp.review import selectors
from webapp.review.domain import consensus, program_candidates, relation_paths
from webapp.review.models import CandidatePath, EventKind, Item, QueueKind, Submission
from webapp.review.services import added_paths, submissions
from webapp.review.services.queues import hash_item

ANSWERS_MAX = 200
"""Right answers of one question that a person can name."""
SOURCE = "answers"
"""The source of a candidate that was found from the right answers."""
FOUND_MAX = 6
"""Paths to the right answers that are offered, best first."""
HOPS_MAX = 3
_LOOKED_AT = 200
_ROWS_MAX = 50_000
_ARCS_MAX = 1_000_000
_NEAR = 3


class AnswersChangedError(ConflictError):
    """Somebody else said what the right answers are meanwhile."""

    code = "answers_changed"


def resolve_labels(snapshot: Snapshot, names: Sequence[str], *, values: bool = False) -> list[str]:
    """The labels of the entities that are meant, each once, in their order.

    Args:
        values: numbers, dates, yes and no are answers too, whether the graph has them or not.

    Raises:
        UnknownEntityError: the graph does not have one of them; the hint names the nearest.
    """
    labels: dict[str, None] = {}
    for name in names:
        entity = snapshot.labels.resolve(name)
        if entity is None and values and is_value(name):
            labels[name] = None
            continue
        if entity is None:
            near = [row["label"] for row in browse.search_entities(snapshot, name, _NEAR)]
            raise UnknownEntityError(
                f"The graph has no entity “{name[:200]}”.",
                hint=f"Did you mean {' or '.join(f'“{label}”' for label in near)}?"
                if near
                else "Choose one of the names that the graph has, or say in a comment that it is missing.",
            )
        labels[snapshot.get_entity_label(entity)] = None
    return list(labels)


def set_answers(*, item: Item, user: User, id: UUID, answers: Sequence[str], replaces: UUID | None) -> Item:
    """Say what the right answers of a question are, by an event; its paths are measured by them, and more are found.

    Who judged the question before keeps what they said.

    Args:
        item: with its queue and snapshot.
        id: made by the client; repeating a request changes nothing.
        answers: names of entities; none says that they are not known.
        replaces: the event that counted when the person saw the question; None where there was none.

    Raises:
        UnknownEntityError: the queue's version of the graph does not have one of them.
        AnswersChangedError: another saying counts by now.
        DecidedError: the question was decided.
        ConflictError: the id is another event's.
    """
    of_programs = item.queue.kind == QueueKind.PROGRAMS
    labels = resolve_labels(relation_paths.open_snapshot(item), answers, values=of_programs)
    try:
        with transaction.atomic():
            added_paths.lock_queue(item.queue_id)
            row = consensus.lock_item(item)
            if submissions.is_repeat(id, row, user):
                return row
            consensus.require_undecided(row)
            if row.answered_id != replaces:
                raise AnswersChangedError(
                    "Somebody said meanwhile what the right answers are.",
                    hint="Look at their answers; yours can still be set after that.",
                )
            return _save_answers(row, user, id, labels, counts=True)
    except IntegrityError:
        raise ConflictError(f"The id {id} is another event's.", hint="Make a new one.") from None


def suggest(item: Item, user: User, id: UUID, answers: Sequence[str]) -> Item:
    """Record what a person who doubted an answer says is right. The rows of the item and its queue are locked.

    It counts at once unless the question was decided, or its answers come from a question set or an analyst and the
    person is none; then it is kept beside them, for an analyst to take over.

    Args:
        item: with its queue.
        answers: labels of entities.
    """
    decided = item.settled or item.adjudicated_id is not None
    known = not item.assumed if item.answered is None else _can_judge(item.answered.analyst)
    counts = not decided and (_can_judge(user) or not known)
    return _save_answers(item, user, id, answers, counts=counts)


def _can_judge(user: User | None) -> bool:
    return user is not None and user.has_role(Role.ANALYST)


def _save_answers(item: Item, user: User, id: UUID, answers: Sequence[str], *, counts: bool) -> Item:
    event = submissions.build_event(id, item, user, EventKind.ANSWERED, replaces_id=item.answered_id)
    event.answers = {"before": list(item.answers), "now": list(answers)}
    event.save(force_insert=True)
    return _set_answers(item, event, answers) if counts else item


def take_back(item: Item, event: Submission) -> Item:
    """Have what was known before a saying count again. The rows of the item and its queue are locked.

    Raises:
        AnswersChangedError: it does not count any more.
    """
    if item.answered_id != event.pk:
        raise AnswersChangedError("Somebody said something else meanwhile.", hint="Load the question again.")
    before = event.replaces
    return _set_answers(item, before, (event.answers or {})["before"])


def restore_answers(item: Item, event: Submission) -> Item:
    """Have a saying that was taken back count again. The rows of the item and its queue are locked.

    Raises:
        AnswersChangedError: something else was said since.
    """
    if item.answered_id != event.replaces_id:
        raise AnswersChangedError("Somebody said something else meanwhile.", hint="Load the question again.")
    return _set_answers(item, event, (event.answers or {})["now"])


def _set_answers(item: Item, event: Submission | None, answers: Sequence[str]) -> Item:
    """Give an item its answers: its candidates are measured by them, and those found from others make room."""
    item.answers, item.answered = list(answers), event
    snapshot = relation_paths.open_snapshot(item)
    ids = relation_paths.find_answers(snapshot, item)
    there = list(item.candidates.all())
    paths = _find_best_paths(snapshot, item, ids)
    judged = _find_judged(there)
    for candidate in there:
        if candidate.program is not None:
            for name, value in program_candidates.fit(candidate.gives, candidate.reached, item.answers).items():
                setattr(candidate, name, value)
            continue
        walked = relation_paths.walk(snapshot, candidate.topic, candidate.as_path, simple=item.avoids_topics)
        for name, value in relation_paths.fit(walked.end if walked.error is None else walked.end[:0], ids).items():
            setattr(candidate, name, value)
        key = candidate.topic, candidate.as_path
        if all(source["source"] == SOURCE for source in candidate.sources):
            candidate.retired = key not in paths and candidate.pk not in judged
        paths.pop(key, None)
    CandidatePath.objects.bulk_update(there, ["reached", "hits", "precision", "recall", "retired"], batch_size=500)
    sources = [_make_source(event, made) for made in paths.values()]
    added_paths.save_candidates(item, list(paths.values()), [""] * len(paths), sources=sources)
    item.shown = hash_item(item, selectors.list_candidates(item))
    item.version += 1
    item.save(update_fields=["answers", "answered", "shown", "version"])
    return item


def _find_judged(candidates: Sequence[CandidatePath]) -> set[int]:
    """Those of the candidates that a verdict is about, whether it still counts or not."""
    rows = CandidatePath.objects.filter(pk__in=[candidate.pk for candidate in candidates], verdicts__isnull=False)
    return set(rows.values_list("pk", flat=True))


def _make_source(event: Submission | None, made: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": SOURCE,
        "label_set": None,
        "name": event.analyst_name if event else "",
        "score": _compute_f1(made),
        "explanation": "leads to the right answers",
    }


def _find_best_paths(
    snapshot: Snapshot, item: Item, answers: np.ndarray
) -> dict[tuple[str, relation_paths.Path], dict[str, Any]]:
    """The best paths from the item's topics to its answers, as candidates: highest F1 first, of equals the shorter."""
    made: list[dict[str, Any]] = []
    topics = [entity for label in item.topics if (entity := snapshot.find_entity(label)) is not None]
    for topic in topics if len(answers) and item.queue.kind == QueueKind.PATHS else ():
        made += _find_paths(snapshot, topic, answers, simple=item.avoids_topics)
    made.sort(key=lambda candidate: (-_compute_f1(candidate), len(candidate["path"])))
    best = [candidate for candidate in made if _compute_f1(candidate) >= _compute_f1(made[0]) / 4][:FOUND_MAX]
    return {
        (candidate["topic"], tuple((name, inverse) for name, inverse in candidate["path"])): candidate
        for candidate in best
    }


def _compute_f1(made: dict[str, Any]) -> float:
    both: float = made["precision"] + made["recall"]
    return 2 * made["precision"] * made["recall"] / both if both else 0.0


def _find_paths(snapshot: Snapshot, topic: int, answers: np.ndarray, *, simple: bool) -> list[dict[str, Any]]:
    """Paths from one topic, no longer than it takes to have one that reaches the answers and nothing else."""
    label = snapshot.get_entity_label(topic)
    made: dict[relation_paths.Path, dict[str, Any]] = {}
    near = np.array([topic], np.int64)
    for hops in range(1, HOPS_MAX + 1):
        # What is around a hub is too much for a request, and no path through it means anything.
        if int(snapshot.get_degrees(near).sum()) > _ARCS_MAX:
            break
        hits = search.find_relation_paths(
            snapshot, [topic], answers, hops, _LOOKED_AT, simple=simple, max_rows=_ROWS_MAX
        ).hits
        for hit in hits:
            path = tuple((snapshot.get_relation_name(r), inverse) for r, inverse in hit.path)
            if path not in made:
                reached = search.execute(snapshot, [topic], hit.path, simple=simple)[-1]
                made[path] = added_paths.build_fields(snapshot, label, path, reached, answers)
        if any(_compute_f1(fields) == 1.0 for fields in made.values()):
            break
        near = np.unique(search.find_arcs(snapshot, near)[2])
    return list(made.values())
