"""Training: starting it, and keeping what it leaves behind."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from retrieval.errors import MethodError, TrainingDataError
from webapp.accounts.models import User
from webapp.experiments.models import Checkpoint
from webapp.graphs import snapshots
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind
from webapp.live import announce
from webapp.questions.models import QuestionSet

TRAINABLE = ("rel-rag-path",)


def start_training(
    *, graph: Graph, question_set: QuestionSet, method: str, config: dict[str, Any], user: User | None
) -> Job:
    """Queue a training job.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        MethodError: the method is unknown or needs no training.
        TrainingDataError: the question set is of another graph.
    """
    snapshots.of_graph(graph)
    if method not in TRAINABLE:
        raise MethodError(f"{method} cannot be trained.", hint=f"Choose one of: {', '.join(TRAINABLE)}.")
    if question_set.graph_id != graph.pk:
        raise TrainingDataError(
            f"The question set {question_set.name} is about {question_set.graph.name}.",
            hint=f"Choose a question set of {graph.name}.",
        )
    return jobs.create(
        kind=JobKind.TRAIN,
        title=f"Train {method} on {question_set.name}",
        graph=graph,
        user=user,
        params={"question_set": question_set.pk, "method": method, "config": config},
    )


def save_checkpoint(
    *,
    job: Job,
    method: str,
    path: str,
    question_set: QuestionSet | None,
    encoder: str,
    fingerprint: str,
    metrics: dict[str, float],
    config: dict[str, Any],
) -> Checkpoint:
    """Record a checkpoint that stands; runs of its graph use it from now on."""
    graph = job.graph
    assert graph.snapshot is not None, "training ran on a snapshot"
    with transaction.atomic():
        checkpoint, _ = Checkpoint.objects.update_or_create(
            job=job,
            defaults={
                "method": method,
                "graph": graph,
                "snapshot": graph.snapshot,
                "question_set": question_set,
                "encoder": encoder,
                "fingerprint": fingerprint,
                "path": path,
                "metrics": metrics,
                "config": config,
            },
        )
        announce.graph_changed_on_commit(graph.pk)
    return checkpoint
