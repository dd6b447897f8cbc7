"""Preparing a review: label sets in, a queue of questions with candidate paths out; and removing a deleted one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from celery import shared_task

from retrieval.errors import Cancelled, TrainingDataError
from retrieval.kg import search
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.relation_names import humanise_relation
from retrieval.types import Progress, Question, RelationStep
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.jobs import queue
from webapp.questions.selectors import as_engine
from webapp.review.domain.uncertainty import uncertainty
from webapp.review.models import Ordering, Queue, QueueKind
from webapp.review.services import added_paths, deletion, queues
from worker import identity, job_runs, review_programs, review_versions

if TYPE_CHECKING:
    from retrieval.supervision.labels import NamedPath

Key = tuple[str, "NamedPath"]


@dataclass(slots=True)
class MergedCandidate:
    """One relation path of a question from one topic, and who holds it."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """All candidates of a question set: by question, by topic and relation path."""

    by_question: dict[str, dict[Key, MergedCandidate]]
    names: Mapping[int, str]


@shared_task(name=queue.REVIEW)
def review(job_id: int) -> None:
    """Prepare a review as a job says."""
    job_runs.run(job_id, work)


@shared_task(name=queue.PURGE_REVIEW)
def purge(queue_id: int) -> None:
    """Delete a queue for good; what a worker that ends leaves undone, the next sweep sends again."""
    deletion.purge(queue_id=queue_id, stopping=identity.stopping.is_set)


def work(context: job_runs.Context) -> dict[str, Any]:
    """Find the candidates of each question, and store the items in their order; or carry a queue over."""
    if "carry_over" in context.job.params:
        return review_versions.work(context)
    row = Queue.objects.select_related("question_set", "snapshot", "graph").filter(job=context.job).first()
    if row is None:
        raise Cancelled("The queue was deleted.")
    if row.question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    questions = [q for q in as_engine(row.question_set) if q.split != "test"]
    if row.kind == QueueKind.PROGRAMS:
        drafts = review_programs.drafts(context, row, questions)
    else:
        drafts = _of_paths(context, row, questions)
    _sort(drafts, row)
    queues.fill(queue=row, drafts=_told(drafts, context))
    return {
        "queue": row.pk,
        "items": len(drafts),
        "candidates": sum(len(one.candidates) for one in drafts),
        f"without_{row.kind}": sum(not one.candidates for one in drafts),
    }


def _of_paths(context: job_runs.Context, row: Queue, questions: Sequence[Question]) -> list[queues.DraftItem]:
    """Merge the label sets, and measure what each path reaches."""
    snapshot = kg.open(files.local_path(row.snapshot.path))
    pool = _pool(_label_sets(row), context)
    drafts = []
    for done, question in enumerate(questions, start=1):
        drafts.append(_draft(snapshot, question, pool))
        context.progress(Progress("measuring paths", done, len(questions), "questions"))
    return drafts


def _label_sets(row: Queue) -> list[LabelSet]:
    wanted = [one["id"] for one in row.label_sets]
    return queues.require_label_sets(list(LabelSet.objects.filter(pk__in=wanted)), wanted)


def _pool(label_sets: Sequence[LabelSet], context: job_runs.Context) -> CandidatePool:
    """The relation paths of all label sets; those of one topic and one chain are one candidate."""
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415 - torch comes with it

    merged: dict[str, dict[Key, MergedCandidate]] = {}
    for labels in label_sets:
        context.check()
        found = read_labels(files.local_path(files.labels_name(labels.graph_id, labels.pk)))
        for label in found:
            if label.role != "path":
                continue
            one = merged.setdefault(label.question, {}).setdefault(
                (label.topic, label.path), MergedCandidate()
            )
            # A path that an analyst refused before is a vote against it.
            score = label.score if label.verdict == "accepted" else 0.0
            one.scores[labels.pk] = max(score, one.scores.get(labels.pk, 0.0))
            one.sources.append(
                {
                    "source": label.source,
                    "label_set": labels.pk,
                    "name": labels.name,
                    "score": score,
                    "explanation": label.explanation,
                }
            )
    return CandidatePool(merged, {labels.pk: labels.name for labels in label_sets})


def _draft(snapshot: kg.Snapshot, question: Question, pool: CandidatePool) -> queues.DraftItem:
    found = pool.by_question.get(question.id, {})
    total, found = len(found), _best(found)
    ids = {id for name in question.answers if (id := snapshot.find_entity(name)) is not None}
    answers = np.array(sorted(ids), np.int64)
    simple = set(question.topic_entities).isdisjoint(question.answers)
    candidates = [
        _candidate(snapshot, topic, path, merged, answers, simple=simple)
        for (topic, path), merged in found.items()
    ]
    candidates.sort(key=lambda one: (-max(s["score"] for s in one.sources), len(one.path)))
    holding = Counter(key for merged in found.values() for key in merged.scores)
    level, reason = uncertainty(
        [(_chain(path), merged.scores) for (_, path), merged in found.items()],
        {key: name for key, name in pool.names.items() if key in holding},
    )
    if len(found) < total:
        reason = f"{reason} The {len(found):,} best of {total:,} paths are shown."
    return queues.DraftItem(
        question.id,
        question.question,
        question.topic_entities,
        question.answers,
        level,
        reason,
        candidates,
    )


def _best(found: dict[Key, MergedCandidate]) -> dict[Key, MergedCandidate]:
    """The paths of a question, without the worst where there are too many to be shown."""
    if len(found) <= added_paths.CANDIDATES_MAX:
        return found
    ranked = sorted(found.items(), key=lambda one: (-max(one[1].scores.values()), len(one[0][1])))
    return dict(ranked[: added_paths.CANDIDATES_MAX])


def _candidate(
    snapshot: kg.Snapshot,
    topic: str,
    path: NamedPath,
    merged: MergedCandidate,
    answers: np.ndarray,
    *,
    simple: bool,
) -> queues.DraftCandidate:
    reached = _reached(snapshot, topic, path, simple=simple)
    hits = int(np.isin(reached, answers).sum())
    return queues.DraftCandidate(
        topic=topic,
        path=path,
        steps=[asdict(step) for step in _steps(path)],
        sources=merged.sources,
        reached=len(reached),
        hits=hits,
        precision=hits / len(reached) if len(reached) else 0.0,
        recall=hits / len(answers) if len(answers) else 0.0,
    )


def _reached(snapshot: kg.Snapshot, topic: str, path: NamedPath, *, simple: bool) -> np.ndarray:
    """Entities that a path reaches; none when the topic or a relation is not in the graph."""
    start = snapshot.find_entity(topic)
    known = [(r, inverse) for name, inverse in path if (r := snapshot.find_relation(name)) is not None]
    if start is None or len(known) < len(path):
        return np.zeros(0, np.int64)
    return search.execute(snapshot, [start], known, simple=simple)[-1]


def _steps(path: NamedPath) -> list[RelationStep]:
    return [RelationStep(name, humanise_relation(name), inverse) for name, inverse in path]


def _chain(path: NamedPath) -> str:
    """A relation path in a few words."""
    return ", then ".join(f"{step.label}{' (backward)' if step.inverse else ''}" for step in _steps(path))


def _sort(drafts: list[queues.DraftItem], row: Queue) -> None:
    """Put drafts in the queue's order; those without a path come last, and equals stay as the questions came.

    Of those equally uncertain the ones with fewer answers come first: a path more often reaches few by coincidence.
    """
    if row.ordering == Ordering.RANDOM:
        random.Random(row.seed).shuffle(drafts)
    elif row.ordering == Ordering.UNCERTAINTY:
        drafts.sort(key=lambda one: (-one.doubt, len(one.answers)))
    drafts.sort(key=lambda one: not one.candidates)


def _told(drafts: list[queues.DraftItem], context: job_runs.Context) -> Iterator[queues.DraftItem]:
    for done, draft in enumerate(drafts, start=1):
        yield draft
        context.progress(Progress("storing", done, len(drafts), "questions"))
