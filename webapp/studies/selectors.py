"""Reading studies."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from retrieval.studies.plan import StudyConfig, parse
from retrieval.studies.summary import summarise
from webapp.graphs import files
from webapp.studies.models import Study, StudyCell


def studies() -> QuerySet[Study]:
    """Studies, newest first, with how many of their cells are done and how many failed."""
    rows = Study.objects.select_related("graph", "job", "created_by").prefetch_related("sets__graph")
    return rows.annotate(
        cells_all=Count("cells", distinct=True),
        cells_done=Count("cells", filter=Q(cells__result__isnull=False), distinct=True),
        cells_failed=Count("cells", filter=~Q(cells__error_code=""), distinct=True),
    ).order_by("-created_at", "-pk")


def plan_of(study: Study) -> StudyConfig:
    """The plan of a study; the places of its data are the workers' business."""
    nowhere = {row.name: {"graph": "-", "questions": "-"} for row in study.sets.all()}
    return parse({**study.plan, "data": nowhere}, files.place(files.study_name(study.graph_id, study.pk)))


def cells(study: Study) -> QuerySet[StudyCell]:
    """The cells of a study, in their order."""
    return study.cells.select_related("report", "checkpoint")


def summary(study: Study) -> dict[str, Any]:
    """The rows of a study's finished cells, over all seeds, and relative gains (:func:`summarise`)."""
    results = [cell.result for cell in study.cells.filter(result__isnull=False)]
    return summarise([found for found in results if found], baseline=study.plan.get("baseline"))
