"""Reading jobs."""

from __future__ import annotations

from django.db.models import QuerySet

from webapp.jobs.models import ACTIVE, Job


def jobs(*, active: bool = False) -> QuerySet[Job]:
    """All jobs, newest first; with ``active`` only those that have not ended."""
    rows = Job.objects.select_related("graph", "user")
    return rows.filter(state__in=ACTIVE) if active else rows
