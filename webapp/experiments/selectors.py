"""Reading label sets, checkpoints and reports."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import QuerySet

from retrieval.studies.winners import TESTED
from webapp.experiments.models import Checkpoint, LabelSet, Report, ReportQuestion, TrajectorySet


def list_checkpoints() -> QuerySet[Checkpoint]:
    """Checkpoints, newest first."""
    return Checkpoint.objects.select_related("graph", "snapshot", "job", "job__user")


def list_label_sets() -> QuerySet[LabelSet]:
    """Label sets, newest first."""
    return LabelSet.objects.select_related("graph", "job", "created_by")


def list_trajectory_sets() -> QuerySet[TrajectorySet]:
    """Trajectory sets, newest first."""
    return TrajectorySet.objects.select_related("graph", "job", "created_by")


def list_reports() -> QuerySet[Report]:
    """Reports, newest first."""
    return Report.objects.select_related("graph", "job", "created_by")


def list_report_questions(
    report: Report, *, outcomes: Sequence[str] = (), cause: str = "", hops: int | None = None, text: str = ""
) -> QuerySet[ReportQuestion]:
    """A report's questions in their order, of some outcomes, a cause, a number of hops, or holding some text."""
    rows = report.rows.all()
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    if cause:
        rows = rows.filter(row__cause=cause)
    if hops is not None:
        rows = rows.filter(hops=hops)
    return rows.filter(question__icontains=text) if text else rows


def get_question_values(reports: Collection[int]) -> dict[int, dict[str, dict[str, float | None]]]:
    """The metrics of the questions of some reports: by report, the question's id and the metric's name."""
    fields = {name: f"row__{field}" for name, field in TESTED.items()}
    rows = ReportQuestion.objects.filter(report__in=reports).order_by("report", "position")
    values_of: dict[int, dict[str, dict[str, float | None]]] = {}
    for report, key, *values in rows.values_list("report", "key", *fields.values()):
        values_of.setdefault(report, {})[key] = dict(zip(fields, values, strict=True))
    return values_of
