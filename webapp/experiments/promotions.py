"""Which checkpoint is used: promoting one, going back to the one before, and comparing a new one with it."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.experiments import resolution
from webapp.experiments.models import Checkpoint, Promotion, Report
from webapp.experiments.reports import EvaluationRequest, start_report
from webapp.graphs import announce
from webapp.graphs.models import Graph
from webapp.jobs import queue
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet


class NothingToRollBackError(ConflictError):
    """Nothing was promoted, or nothing was used before it."""

    code = "nothing_to_roll_back"


def promotions(*, graph: Graph, method: str = "") -> QuerySet[Promotion]:
    """What was promoted and rolled back on a graph, the latest first."""
    rows = Promotion.objects.filter(graph=graph).select_related("user", "undone_by")
    return rows.filter(method=method) if method else rows


GATES: list[Callable[[Checkpoint, User | None], bool]] = []
"""What stands before a promotion: each may take a checkpoint over, and promotes it when it may be."""


def promote(*, checkpoint: Checkpoint, user: User | None, tested: bool = False) -> Promotion | None:
    """Use a checkpoint of its method from now on, whatever is trained later. Nothing happens if it is so already.

    Returns:
        The promotion; None where a gate took the checkpoint over, unless it is ``tested``.

    Raises:
        CheckpointError: it cannot be used on the graph's current snapshot with this encoder.
    """
    with transaction.atomic():
        graph = _locked(checkpoint.graph_id)
        resolution.require_fitting(checkpoint, graph, checkpoint.method)
        method = checkpoint.method
        standing = resolution.standing_promotions(graph).filter(method=method).first()
        if standing is not None and standing.checkpoint_id == checkpoint.pk:
            return standing
        if not tested and any(gate(checkpoint, user) for gate in GATES):
            return None
        used = resolution.checkpoint_in_use(graph, method=method)
        previous = None if used is None or used.pk == checkpoint.pk else used
        made = Promotion.objects.create(
            graph=graph, method=method, checkpoint=checkpoint, previous=previous, user=user
        )
        _changed(graph)
    return made


def roll_back(*, graph: Graph, method: str, user: User | None) -> Checkpoint:
    """Take the last promotion back, and use again what was used before it.

    Raises:
        NothingToRollBackError: nothing was promoted, or what was used before it is not there any more.
    """
    with transaction.atomic():
        graph = _locked(graph.pk)
        last = resolution.standing_promotions(graph).filter(method=method, undoes=None).first()
        if last is None:
            raise NothingToRollBackError(
                f"No checkpoint of {method} was promoted on {graph.name}.", hint="Promote the one you want."
            )
        before = resolution.fitting(graph).filter(pk=last.previous_id or 0).first()
        if before is None:
            raise NothingToRollBackError(
                f"There is no checkpoint that was used before {last.checkpoint_id}.",
                hint="Promote the one you want.",
            )
        Promotion.objects.create(
            graph=graph, method=method, checkpoint=before, previous=last.checkpoint, undoes=last, user=user
        )
        _changed(graph)
    return before


def start_comparison(*, job: Job, question_set: QuestionSet, checkpoint: Checkpoint | None) -> Report:
    """Evaluate a checkpoint beside a training: what is in use before it, and what it made, question by question."""
    evaluation = EvaluationRequest(split="test", method=job.params["method"], checkpoint=checkpoint)
    return start_report(graph=job.graph, question_set=question_set, evaluation=evaluation, user=job.user)


def _locked(graph: int) -> Graph:
    """The graph, whose promotions nobody else changes until the transaction ends."""
    return Graph.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=graph)


def _changed(graph: Graph) -> None:
    announce.graph_changed_on_commit(graph.pk)
    transaction.on_commit(lambda: queue.send(queue.WARM, graph.pk))
