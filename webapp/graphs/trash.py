"""Deleting graphs, and what was deleted of them, so that it can be undone for a while."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from webapp.accounts.models import User
from webapp.api.errors import ConfirmError, NameTakenError
from webapp.graphs import dependents, services, versions
from webapp.graphs.models import Graph, Snapshot
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job
from webapp.live import announce


def trashed() -> QuerySet[Graph]:
    """What is in the trash, the last deleted first."""
    rows = Graph.objects.select_related("snapshot", "owner", "deleted_by").exclude(deleted_at=None)
    return rows.order_by("-deleted_at")


def discard(*, graph: Graph, confirm: str, user: User | None) -> Graph:
    """Put a graph, with all that was made of it, where nobody finds it; its jobs are stopped.

    Raises:
        ConfirmError: ``confirm`` is not its name.
    """
    require_name(graph, confirm)
    with transaction.atomic():
        Graph.objects.filter(pk=graph.pk).update(deleted_at=timezone.now(), deleted_by=user)
        for job in Job.objects.filter(graph=graph, state__in=ACTIVE):
            jobs.stop(job)
        announce.graph_changed_on_commit(graph.pk)
    graph.refresh_from_db()
    return graph


def require_name(graph: Graph, confirm: str) -> None:
    """Refuse to delete what was not named.

    Raises:
        ConfirmError: ``confirm`` is not the graph's name.
    """
    if confirm != graph.name:
        raise ConfirmError(
            "Deleting a graph deletes its runs, question sets, label sets, checkpoints and reports too.",
            hint=f"Repeat its name to go on: ?confirm={graph.name}",
        )


def restore(*, graph: Graph, name: str | None = None) -> Graph:
    """Take a graph out of the trash, under another name where its own was given away meanwhile.

    Raises:
        NameTakenError: another graph has this name.
    """
    wanted = name or graph.name
    try:
        with transaction.atomic():
            Graph.objects.filter(pk=graph.pk).update(deleted_at=None, deleted_by=None, name=wanted)
    except IntegrityError:
        raise NameTakenError(
            f"There is a graph named {wanted} by now.", hint="Restore it under another name."
        ) from None
    announce.graph_changed_on_commit(graph.pk)
    graph.refresh_from_db()
    return graph


def kept_until(row: Graph | Snapshot) -> datetime:
    """When a graph or version in the trash is deleted for good."""
    assert row.deleted_at is not None, "it is in the trash"
    return row.deleted_at + timedelta(days=settings.CLEW.trash_days)


def sweep() -> None:
    """Delete for good what has been in the trash long enough."""
    since = timezone.now() - timedelta(days=settings.CLEW.trash_days)
    for graph in trashed().filter(deleted_at__lte=since):
        if not graph.review_queues.exists():  # which may be large: workers remove them first, in pieces
            services.purge_graph(graph=graph)
    for snapshot in versions.trashed().filter(deleted_at__lte=since):
        purge_version(snapshot)


def purge_version(snapshot: Snapshot) -> bool:
    """Delete a version in the trash for good; it comes back instead (False) where something points at it by now."""
    return versions.purge(snapshot=snapshot, used_by=dependents.of_versions(snapshot.graph)[snapshot.pk])
