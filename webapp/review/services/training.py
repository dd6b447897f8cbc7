"""Training from a queue: its label sets as analysts left them; and what was trained from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from retrieval.errors import TrainingDataError
from webapp.accounts.models import Role, User
from webapp.experiments import selectors as made
from webapp.experiments import services as experiments
from webapp.experiments.models import Checkpoint
from webapp.graphs.models import Graph
from webapp.jobs.models import Job, JobKind
from webapp.questions.models import QuestionSet
from webapp.review.models import CurrentAnnotation, Item, ItemState, Queue


def start_training(
    *,
    queue: Queue,
    graph: Graph,
    question_set: QuestionSet | None,
    training: experiments.Training,
    user: User | None,
) -> Job:
    """Check a training from what was decided in a queue, and queue it.

    A queue on an older version of the graph is carried over to the current one before anything is learned.

    Args:
        queue: whose verdicts win over its label sets, and over the labels of the training.
        question_set: the queue's when None.
        training: its ``labels`` join the label sets of the queue.

    Raises:
        TrainingDataError: the queue is of another graph or question set, or nothing was decided.
        ConflictError: the queue is not filled yet.
        ClewError: as :func:`webapp.experiments.services.start_training`.
    """
    queue.require_done()
    if queue.graph_id != graph.pk:
        raise TrainingDataError(
            f"The review {queue.name} is of the graph {queue.graph.name}.",
            hint=f"Choose a review of {graph.name}.",
        )
    if question_set is None:
        question_set = queue.question_set
    if question_set is None:
        raise TrainingDataError(
            f"The review {queue.name} has no question set.", hint="Choose the questions to learn from."
        )
    if queue.question_set_id not in (None, question_set.pk):
        raise TrainingDataError(
            f"The review {queue.name} is of the question set {queue.question_set_name}.",
            hint="Choose that one.",
        )
    if not CurrentAnnotation.objects.filter(queue=queue).exists() and not list_answered(queue).exists():
        raise TrainingDataError(f"Nothing was decided in the review {queue.name}.", hint="Judge some questions first.")
    of_queue = replace(training, review_queue=queue.pk, review_name=queue.name)
    return experiments.start_training(graph=graph, question_set=question_set, training=of_queue, user=user)


def list_answered(queue: Queue) -> QuerySet[Item]:
    """Questions that are learned with the answers that a person named, in their order.

    An analyst named them, or analysts judged the question with these answers before them; broken ones are left out.
    """
    analysts = Q(answered__analyst__role__in=[Role.ANALYST, Role.ADMIN])
    seen = analysts | Q(state=ItemState.DONE) | Q(adjudicated__isnull=False)
    rows = queue.rows.filter(seen, answered__isnull=False).exclude(state=ItemState.BROKEN).exclude(answers=[])
    return rows.order_by("position")


def list_trainings(queue: Queue) -> QuerySet[Job]:
    """The jobs that train or trained from a queue, newest first: each names it in its ``params``."""
    rows = Job.objects.filter(graph=queue.graph_id, kind=JobKind.TRAIN, params__review_queue=queue.pk)
    return rows.select_related("user", "checkpoint__graph", "checkpoint__snapshot")


def describe_trainings(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Each training with the checkpoint it left, if that is still there, and the reports that compare it."""
    report_ids = [key for job in jobs for key in job.params.get("reports", ())]
    reports = {report.pk: report for report in made.list_reports().filter(pk__in=report_ids)}
    return [
        {
            "job": job,
            "method": job.params["method"],
            "by": job.user and job.user.username,
            "checkpoint": _get_checkpoint(job),
            "reports": [reports[key] for key in job.params.get("reports", ()) if key in reports],
        }
        for job in jobs
    ]


def _get_checkpoint(job: Job) -> Checkpoint | None:
    """The checkpoint of a training; None where there is none, or it is in the trash."""
    checkpoint: Checkpoint | None = getattr(job, "checkpoint", None)
    return None if checkpoint is None or checkpoint.deleted_at is not None else checkpoint
