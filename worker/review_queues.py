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
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.types import Progress, QuestionRecord, RelationStep
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.jobs import queue
from webapp.questions.selectors import to_engine_questions
from webapp.review.domain.uncertainty import compute_uncertainty
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
    job_runs.run(job_id, prepare_review)


@shared_task(name=queue.PURGE_REVIEW)
def purge(queue_id: int) -> None:
    """Delete a queue for good; what a worker that ends leaves undone, the next sweep sends again."""
    deletion.delete_queue(queue_id=queue_id, stopping=identity.stopping.is_set)


def prepare_review(context: job_runs.Context) -> dict[str, Any]:
    """Find the candidates of each question, and store the items in their order; or carry a queue over."""
    if "carry_over" in context.job.params:
        return review_versions.move_queue_of_job(context)
    row = Queue.objects.select_related("question_set", "snapshot", "graph").filter(job=context.job).first()
    if row is None:
        raise Cancelled("The queue was deleted.")
    if row.question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    questions = [q for q in to_engine_questions(row.question_set) if q.split != "test"]
    if row.kind == QueueKind.PROGRAMS:
        drafts = review_programs.build_drafts(context, row, questions)
    else:
        drafts = _build_path_drafts(context, row, questions)
    _sort(drafts, row)
    queues.save_items(queue=row, drafts=_iter_drafts(drafts, context))
    return {
        "queue": row.pk,
        "items": len(drafts),
        "candidates": sum(len(draft.candidates) for draft in drafts),
        f"without_{row.kind}": sum(not draft.candidates for draft in drafts),
    }


def _build_path_drafts(
    context: job_runs.Context, row: Queue, questions: Sequence[QuestionRecord]
) -> list[queues.DraftItem]:
    """Merge the label sets, and measure what each path reaches."""
    snapshot = kg.open(files.ensure_local_path(row.snapshot.path))
    pool = _build_pool(_load_label_sets(row), context)
    drafts = []
    for done, question in enumerate(questions, start=1):
        drafts.append(_build_draft(snapshot, question, pool))
        context.update_progress(Progress("measuring paths", done, len(questions), "questions"))
    return drafts


def _load_label_sets(row: Queue) -> list[LabelSet]:
    wanted = [entry["id"] for entry in row.label_sets]
    return queues.require_label_sets(list(LabelSet.objects.filter(pk__in=wanted)), wanted)


def _build_pool(label_sets: Sequence[LabelSet], context: job_runs.Context) -> CandidatePool:
    """The relation paths of all label sets; those of one topic and one chain are one candidate."""
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415 - torch comes with it

    merged: dict[str, dict[Key, MergedCandidate]] = {}
    for labels in label_sets:
        context.check()
        set_labels = read_labels(files.ensure_local_path(files.build_labels_name(labels.graph_id, labels.pk)))
        for label in set_labels:
            if label.role != "path":
                continue
            candidate = merged.setdefault(label.question, {}).setdefault((label.topic, label.path), MergedCandidate())
            # A path that an analyst refused before is a vote against it.
            score = label.score if label.verdict == "accepted" else 0.0
            candidate.scores[labels.pk] = max(score, candidate.scores.get(labels.pk, 0.0))
            candidate.sources.append(
                {
                    "source": label.source,
                    "label_set": labels.pk,
                    "name": labels.name,
                    "score": score,
                    "explanation": label.explanation,
                }
            )
    return CandidatePool(merged, {labels.pk: labels.name for labels in label_sets})


def _build_draft(snapshot: kg.Snapshot, question: QuestionRecord, pool: CandidatePool) -> queues.DraftItem:
    by_key = pool.by_question.get(question.id, {})
    total, by_key = len(by_key), _select_best(by_key)
    ids = {id for name in question.answers if (id := snapshot.find_entity(name)) is not None}
    answers = np.array(sorted(ids), np.int64)
    simple = set(question.topic_entities).isdisjoint(question.answers)
    candidates = [
        _build_candidate(snapshot, topic, path, merged, answers, simple=simple)
        for (topic, path), merged in by_key.items()
    ]
    candidates.sort(key=lambda candidate: (-max(s["score"] for s in candidate.sources), len(candidate.path)))
    holding = Counter(key for merged in by_key.values() for key in merged.scores)
    level, reason = compute_uncertainty(
        [(_describe_chain(path), merged.scores) for (_, path), merged in by_key.items()],
        {key: name for key, name in pool.names.items() if key in holding},
    )
    if len(by_key) < total:
        reason = f"{reason} The {len(by_key):,} best of {total:,} paths are shown."
    return queues.DraftItem(
        question.id,
        question.question,
        question.topic_entities,
        question.answers,
        level,
        reason,
        candidates,
    )


def _select_best(by_key: dict[Key, MergedCandidate]) -> dict[Key, MergedCandidate]:
    """The paths of a question, without the worst where there are too many to be shown."""
    if len(by_key) <= added_paths.CANDIDATES_MAX:
        return by_key
    ranked = sorted(by_key.items(), key=lambda entry: (-max(entry[1].scores.values()), len(entry[0][1])))
    return dict(ranked[: added_paths.CANDIDATES_MAX])


def _build_candidate(
    snapshot: kg.Snapshot,
    topic: str,
    path: NamedPath,
    merged: MergedCandidate,
    answers: np.ndarray,
    *,
    simple: bool,
) -> queues.DraftCandidate:
    reached = _find_reached(snapshot, topic, path, simple=simple)
    hits = int(np.isin(reached, answers).sum())
    return queues.DraftCandidate(
        topic=topic,
        path=path,
        steps=[asdict(step) for step in _build_steps(path)],
        sources=merged.sources,
        reached=len(reached),
        hits=hits,
        precision=hits / len(reached) if len(reached) else 0.0,
        recall=hits / len(answers) if len(answers) else 0.0,
    )


def _find_reached(snapshot: kg.Snapshot, topic: str, path: NamedPath, *, simple: bool) -> np.ndarray:
    """Entities that a path reaches; none when the topic or a relation is not in the graph."""
    start = snapshot.find_entity(topic)
    known = [(r, inverse) for name, inverse in path if (r := snapshot.find_relation(name)) is not None]
    if start is None or len(known) < len(path):
        return np.zeros(0, np.int64)
    return search.execute(snapshot, [start], known, simple=simple)[-1]


def _build_steps(path: NamedPath) -> list[RelationStep]:
    return [RelationStep(name, format_relation_name(name), inverse) for name, inverse in path]


def _describe_chain(path: NamedPath) -> str:
    """A relation path in a few words."""
    return ", then ".join(f"{step.label}{' (backward)' if step.inverse else ''}" for step in _build_steps(path))


def _sort(drafts: list[queues.DraftItem], row: Queue) -> None:
    """Put drafts in the queue's order; those without a path come last, and equals stay as the questions came.

    Of those equally uncertain the ones with fewer answers come first: a path more often reaches few by coincidence.
    """
    if row.ordering == Ordering.RANDOM:
        random.Random(row.seed).shuffle(drafts)
    elif row.ordering == Ordering.UNCERTAINTY:
        drafts.sort(key=lambda draft: (-draft.doubt, len(draft.answers)))
    drafts.sort(key=lambda draft: not draft.candidates)


def _iter_drafts(drafts: list[queues.DraftItem], context: job_runs.Context) -> Iterator[queues.DraftItem]:
    for done, draft in enumerate(drafts, start=1):
        yield draft
        context.update_progress(Progress("storing", done, len(drafts), "questions"))
