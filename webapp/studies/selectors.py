"""Reading studies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db.models import Count, Q, QuerySet

from retrieval.studies.plan import StudyConfig, parse
from retrieval.studies.summary import build_summary
from retrieval.studies.winners import PLACE, Values, find_winners
from webapp.experiments.selectors import get_question_values
from webapp.graphs import files
from webapp.studies.models import Study, StudyCell


def list_studies() -> QuerySet[Study]:
    """Studies, newest first, with how many of their cells are done and how many failed."""
    rows = Study.objects.select_related("graph", "job", "created_by").prefetch_related("sets__graph")
    return rows.annotate(
        cells_all=Count("cells", distinct=True),
        cells_done=Count("cells", filter=Q(cells__result__isnull=False), distinct=True),
        cells_failed=Count("cells", filter=~Q(cells__error_code=""), distinct=True),
    ).order_by("-created_at", "-pk")


def parse_plan(study: Study) -> StudyConfig:
    """The plan of a study; the places of its data are the workers' business."""
    nowhere = {row.name: {"graph": "-", "questions": "-"} for row in study.sets.all()}
    return parse({**study.plan, "data": nowhere}, files.get_path(files.build_study_name(study.graph_id, study.pk)))


def list_cells(study: Study) -> QuerySet[StudyCell]:
    """The cells of a study, in their order."""
    return study.cells.select_related("report", "checkpoint")


def compute_summary(study: Study) -> dict[str, Any]:
    """The rows of a study's finished cells, over all seeds, and relative gains (:func:`build_summary`).

    When all cells were tried, ``winners`` are the best figures with their tests (:func:`find_winners`).
    """
    results = [cell.result for cell in study.cells.filter(result__isnull=False)]
    summed = build_summary([result for result in results if result], baseline=study.plan.get("baseline"))
    tested = find_winners(summed["rows"], partial(_load_values, study)) if study.finished_at is not None else []
    return {**summed, "winners": tested}


def _load_values(study: Study, row: Mapping[str, Any]) -> list[Values]:
    """The questions of a row's cells, of each seed; none where one of their reports was deleted."""
    cells = study.cells.filter(**{name: row[name] for name in (*PLACE, "test")}, result__isnull=False)
    reports = list(cells.values_list("report", flat=True))
    values = get_question_values([report for report in reports if report is not None])
    return [values[report] for report in reports] if set(values) == set(reports) else []
