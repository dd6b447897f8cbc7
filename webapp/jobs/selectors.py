"""Reading jobs."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from webapp.jobs.models import ACTIVE, Job

JUST_NOW = timedelta(seconds=10)


def list_jobs(*, active: bool = False) -> QuerySet[Job]:
    """All jobs, newest first; with ``active`` only those that have not ended."""
    rows = Job.objects.select_related("graph", "user")
    return rows.filter(state__in=ACTIVE) if active else rows


def list_recent_jobs(*, besides: Collection[int] = ()) -> QuerySet[Job]:
    """Jobs that have not ended, or just now, oldest first; and those ``besides``, however they are."""
    late = Q(state__in=ACTIVE) | Q(finished_at__gte=Now() - JUST_NOW) | Q(pk__in=besides)
    return list_jobs().filter(late).order_by("created_at", "pk")
