"""Putting what was made of a graph into the trash. What comes of it there: :mod:`webapp.graphs.trash`."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.accounts.rights import require_manager
from webapp.graphs import announce
from webapp.graphs.models import Trashable
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE


def put(row: Trashable, *, user: User) -> None:
    """Put what was made of a graph where nobody finds it, with its files; a job that still makes it is stopped.

    Raises:
        ForbiddenError: it is somebody else's.
    """
    require_manager(user, row)
    with transaction.atomic():
        type(row).kept.filter(pk=row.pk).update(deleted_at=timezone.now(), deleted_by=user)
        job = getattr(row, "job", None)
        if job is not None and job.state in ACTIVE:
            jobs.stop(job)
        announce.graph_changed_on_commit(graph_of(row))


def graph_of(row: Any) -> int:
    """The id of the graph that something was made of."""
    key: int = row.graph_id
    return key
