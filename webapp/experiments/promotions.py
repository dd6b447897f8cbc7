"""Which checkpoint is used: promoting one, going back to the one before, and comparing a new one with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from retrieval.errors import ClewError
from webapp.accounts.models import User
from webapp.api.errors import ConflictError
from webapp.experiments import comparison, error_limits, resolution
from webapp.experiments.models import Checkpoint, Promotion, Report, TopicSource
from webapp.experiments.reports import EvaluationRequest, start_report
from webapp.graphs import announce
from webapp.graphs.models import Graph
from webapp.jobs import queue
from webapp.jobs.models import JobState
from webapp.questions.models import QuestionSet

logger = logging.getLogger(__name__)

COMPARED_BY, COMPARED_MAX = "exact_set", 300
"""What a checkpoint is compared by, and on how many questions at most."""


class NothingToRollBackError(ConflictError):
    """Nothing was promoted, or nothing was used before it."""

    code = "nothing_to_roll_back"


def list_promotions(*, graph: Graph, method: str = "") -> QuerySet[Promotion]:
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
        graph = _lock_graph(checkpoint.graph_id)
        resolution.require_fitting(checkpoint, graph, checkpoint.method)
        method = checkpoint.method
        standing = resolution.list_standing_promotions(graph).filter(method=method).first()
        if standing is not None and standing.checkpoint_id == checkpoint.pk:
            return standing
        if not tested and any(gate(checkpoint, user) for gate in GATES):
            return None
        used = resolution.find_checkpoint_in_use(graph, method=method)
        previous = None if used is None or used.pk == checkpoint.pk else used
        made = Promotion.objects.create(graph=graph, method=method, checkpoint=checkpoint, previous=previous, user=user)
        _notify_changed(graph)
    return made


def roll_back(*, graph: Graph, method: str, user: User | None) -> Checkpoint | None:
    """Take the last promotion back, and use again what was used before it; None where no checkpoint was.

    Raises:
        NothingToRollBackError: nothing was promoted, or what was used before it is not there any more.
    """
    with transaction.atomic():
        graph = _lock_graph(graph.pk)
        last = resolution.list_standing_promotions(graph).filter(method=method, undoes=None).first()
        if last is None:
            raise NothingToRollBackError(
                f"No checkpoint of {method} was promoted on {graph.name}.", hint="Promote the one you want."
            )
        before = resolution.find_fitting_checkpoints(graph).filter(pk=last.previous_id or 0).first()
        if before is None and last.previous_id is not None:
            raise NothingToRollBackError(
                f"There is no checkpoint that was used before {last.checkpoint_id}.",
                hint="Promote the one you want.",
            )
        Promotion.objects.create(
            graph=graph, method=method, checkpoint=before, previous=last.checkpoint, undoes=last, user=user
        )
        _notify_changed(graph)
        return resolution.find_checkpoint_in_use(graph, method=method)


def start_comparison(*, checkpoint: Checkpoint, question_set: QuestionSet, user: User | None) -> None:
    """Evaluate what answers now, and a checkpoint, on the same held-out questions as people ask them.

    Held out are test questions; where there are none dev questions, by which training decided when to stop.

    Raises:
        TrainingDataError: the question set is of another graph, or has neither.
        CheckpointError: the checkpoint cannot be used on the graph's current snapshot with this encoder.
    """
    split = "test" if question_set.splits.get("test") else "dev"
    baseline = EvaluationRequest(split=split, limit=COMPARED_MAX, topics=TopicSource.LINKED.value)
    candidate = replace(baseline, method=checkpoint.method, checkpoint=checkpoint)
    with transaction.atomic():
        before, after = (
            start_report(graph=checkpoint.graph, question_set=question_set, evaluation=evaluation, user=user)
            for evaluation in (baseline, candidate)
        )
        checkpoint.comparison = {"before": before.pk, "after": after.pk}
        checkpoint.save(update_fields=["comparison"])


def compare_where_possible(*, checkpoint: Checkpoint, user: User | None) -> None:
    """Start the comparison of a new checkpoint on questions that it did not learn from, if the graph has any.

    A comparison that cannot start costs nobody the checkpoint: it can be asked for later.
    """
    sets = [
        checkpoint.question_set,
        *QuestionSet.objects.filter(graph=checkpoint.graph).order_by("-created_at"),
    ]
    chosen = next(
        (
            candidate
            for candidate in sets
            if candidate and (candidate.splits.get("test") or candidate.splits.get("dev"))
        ),
        None,
    )
    if chosen is None:
        return
    try:
        start_comparison(checkpoint=checkpoint, question_set=chosen, user=user)
    except ClewError as error:
        logger.warning("checkpoint %s is not compared: %s", checkpoint.pk, error)


def get_comparison_state(compared: Mapping[str, Any]) -> str:
    """How a comparison stands, until it is recorded."""
    ids = compared["before"], compared["after"]
    states = [report.state for report in Report.objects.select_related("job").filter(pk__in=ids)]
    broken = [state for state in states if state in (JobState.FAILED, JobState.CANCELLED)]
    if broken or len(states) < len(ids):
        return broken[0] if broken else JobState.FAILED.value
    return JobState.RUNNING.value


def save_comparison(*, report: Report) -> None:
    """Keep with a checkpoint what its comparison came to, when the second of its reports is done."""
    condition = Q(comparison__before=report.pk) | Q(comparison__after=report.pk)
    for checkpoint in Checkpoint.objects.filter(condition):
        compared: dict[str, Any] = checkpoint.comparison or {}
        ids = compared["before"], compared["after"]
        before, after = (Report.objects.filter(pk=pk).exclude(finished_at=None).first() for pk in ids)
        if before is None or after is None:
            continue
        [tested] = [row for row in comparison.compare_paired(before, after) if row["name"] == COMPARED_BY]
        checkpoint.comparison = compared | {
            "question_set_name": after.question_set_name,
            "split": after.split,
            "n": after.summary["n"],
            "method": before.method,
            "checkpoint": before.checkpoint_id,
            "score_before": before.summary["metrics"][COMPARED_BY],
            "score_after": after.summary["metrics"][COMPARED_BY],
            **{name: tested[name] for name in ("low", "high", "p")},
            "gained": comparison.find_differences(before, after, comparison.GAINED).count(),
            "lost": comparison.find_differences(before, after, comparison.LOST).count(),
        }
        checkpoint.save(update_fields=["comparison"])
        announce.notify_graph_on_commit(checkpoint.graph_id)


def _lock_graph(graph: int) -> Graph:
    """The graph, whose promotions nobody else changes until the transaction ends."""
    return Graph.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=graph)


def _notify_changed(graph: Graph) -> None:
    error_limits.calibrate_where_limited(graph=graph, user=None)
    announce.notify_graph_on_commit(graph.pk)
    transaction.on_commit(lambda: queue.send(queue.WARM, graph.pk))
