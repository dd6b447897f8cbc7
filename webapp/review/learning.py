"""Training from a queue: its label sets as analysts left them."""

from __future__ import annotations

from dataclasses import replace

from retrieval.errors import TrainingDataError
from webapp.accounts.models import User
from webapp.experiments import services as experiments
from webapp.graphs.models import Graph
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet
from webapp.review.models import Queue, Standing


def start_training(
    *,
    queue: Queue,
    graph: Graph,
    question_set: QuestionSet | None,
    training: experiments.Training,
    user: User | None,
) -> Job:
    """Check a training from what was decided in a queue, and queue it.

    Args:
        queue: whose verdicts win over its label sets, and over the labels of the training.
        graph: of the queue.
        question_set: the queue's when None.
        training: its ``labels`` join the label sets of the queue.
        user: who asks.

    Raises:
        TrainingDataError: the queue is of another graph, version of the graph or question set, or nothing was decided.
        ConflictError: the queue is not filled yet.
        ClewError: as :func:`webapp.experiments.services.start_training`.
    """
    queue.require_done()
    if queue.graph_id != graph.pk:
        raise TrainingDataError(
            f"The review {queue.name} is of the graph {queue.graph.name}.",
            hint=f"Choose a review of {graph.name}.",
        )
    if queue.snapshot_id != graph.snapshot_id:
        raise TrainingDataError(
            f"The review {queue.name} is of version {queue.snapshot.version} of {graph.name}, "
            "which is not its current one.",
            hint="Export it, and train by the command with --labels, or review the current version.",
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
    if not Standing.objects.filter(queue=queue).exists():
        raise TrainingDataError(
            f"Nothing was decided in the review {queue.name}.", hint="Judge some questions first."
        )
    of_queue = replace(training, review_queue=queue.pk, review_name=queue.name)
    return experiments.start_training(graph=graph, question_set=question_set, training=of_queue, user=user)
