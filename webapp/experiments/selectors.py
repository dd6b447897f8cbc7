"""Reading label sets, checkpoints and reports."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from webapp.experiments.models import Checkpoint, LabelSet, Report, ReportQuestion, TrajectorySet


def checkpoints(*, graph_id: int | None = None, method: str = "") -> QuerySet[Checkpoint]:
    """Checkpoints, newest first."""
    rows = Checkpoint.objects.select_related("graph", "snapshot", "job", "job__user")
    if graph_id is not None:
        rows = rows.filter(graph_id=graph_id)
    return rows.filter(method=method) if method else rows


def label_sets(*, graph_id: int | None = None, question_set_id: int | None = None) -> QuerySet[LabelSet]:
    """Label sets, newest first."""
    rows = LabelSet.objects.select_related("graph", "job", "created_by")
    if graph_id is not None:
        rows = rows.filter(graph_id=graph_id)
    return rows.filter(question_set_id=question_set_id) if question_set_id is not None else rows


def trajectory_sets(*, graph_id: int | None = None) -> QuerySet[TrajectorySet]:
    """Trajectory sets, newest first."""
    rows = TrajectorySet.objects.select_related("graph", "job", "created_by")
    return rows if graph_id is None else rows.filter(graph_id=graph_id)


def reports(
    *,
    graph_id: int | None = None,
    question_set_id: int | None = None,
    checkpoint_id: int | None = None,
    method: str = "",
    split: str = "",
) -> QuerySet[Report]:
    """Reports, newest first."""
    rows = Report.objects.select_related("graph", "job", "created_by")
    wanted = {
        "graph_id": graph_id,
        "question_set_id": question_set_id,
        "checkpoint_id": checkpoint_id,
        "method": method or None,
        "split": split or None,
    }
    return rows.filter(**{name: value for name, value in wanted.items() if value is not None})


def report_questions(
    report: Report, *, outcomes: Sequence[str] = (), hops: int | None = None, text: str = ""
) -> QuerySet[ReportQuestion]:
    """A report's questions in their order, of some outcomes, a number of hops, or holding some text."""
    rows = report.rows.all()
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    if hops is not None:
        rows = rows.filter(hops=hops)
    return rows.filter(question__icontains=text) if text else rows
