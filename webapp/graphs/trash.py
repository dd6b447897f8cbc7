"""Deleting graphs, their versions and what was made of them, so that it can be undone for a while.

What can be made of a graph and goes to the trash, the apps above say when they start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from webapp.accounts.models import User
from webapp.accounts.rights import can_manage, require_manager
from webapp.api.access import filter_visible
from webapp.api.errors import ConfirmError, NameTakenError
from webapp.graphs import announce, dependents, services, versions
from webapp.graphs.models import Graph, GraphVersion, Trashable
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job


@dataclass(frozen=True, slots=True)
class TrashKind:
    """Something made of a graph that goes to the trash.

    Attributes:
        name: what people call one.
        purge: deletes one for good, with its files.
        renamed: whether one can be restored under another name.
    """

    model: Any
    name: Callable[[Any], str]
    purge: Callable[[Any], object]
    renamed: bool = False


KINDS: dict[str, TrashKind] = {}
"""By the name that addresses have."""


def register(kind: str, **what: Any) -> None:
    """Say what goes to the trash, with the fields of :class:`TrashKind`."""
    KINDS[kind] = TrashKind(**what)


def put(row: Trashable, *, user: User) -> None:
    """Put what was made of a graph where nobody finds it, with its files; a job that still makes it is stopped.

    Raises:
        ForbiddenError: it is somebody else's.
    """
    require_manager(user, row)
    with transaction.atomic():
        type(row).with_trash.filter(pk=row.pk).update(deleted_at=timezone.now(), deleted_by=user)
        job = getattr(row, "job", None)
        if job is not None and job.state in ACTIVE:
            jobs.stop(job)
        announce.notify_graph_on_commit(_get_graph_id(row))


def _get_graph_id(row: Any) -> int:
    key: int = row.graph_id
    return key


def list_of_kind(kind: str, user: User) -> list[Any]:
    """What is in the trash of a kind and can be restored by a user, the last deleted first."""
    rows = KINDS[kind].model.with_trash.exclude(deleted_at=None).filter(graph__deleted_at=None)
    visible_rows = filter_visible(rows, user).select_related("graph__owner", "deleted_by").order_by("-deleted_at")
    return [row for row in visible_rows if can_manage(user, row)]


def take_out(kind: str, row: Trashable, *, name: str | None = None) -> None:
    """Take what was made of a graph out of the trash, under another name where its own was given away meanwhile.

    Raises:
        NameTakenError: another one has this name.
    """
    changed: dict[str, object] = {"deleted_at": None, "deleted_by": None}
    if name and KINDS[kind].renamed:
        changed["name"] = name
    try:
        with transaction.atomic():
            type(row).with_trash.filter(pk=row.pk).update(**changed)
    except IntegrityError:
        raise NameTakenError(
            f"There is one named {name or KINDS[kind].name(row)} by now.",
            hint="Restore it under another name.",
        ) from None
    announce.notify_graph_on_commit(_get_graph_id(row))


def list_trashed() -> QuerySet[Graph]:
    """What is in the trash, the last deleted first."""
    rows = Graph.objects.select_related("snapshot", "owner", "deleted_by").exclude(deleted_at=None)
    return rows.order_by("-deleted_at")


def put_graph(*, graph: Graph, confirm: str, user: User | None) -> Graph:
    """Put a graph, with all that was made of it, where nobody finds it; its jobs are stopped.

    Raises:
        ConfirmError: ``confirm`` is not its name.
    """
    require_name(graph, confirm)
    with transaction.atomic():
        Graph.objects.filter(pk=graph.pk).update(deleted_at=timezone.now(), deleted_by=user)
        for job in Job.objects.filter(graph=graph, state__in=ACTIVE):
            jobs.stop(job)
        announce.notify_graph_on_commit(graph.pk)
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


def restore(*, graph: Graph, name: str | None = None, user: User | None) -> Graph:
    """Take a graph out of the trash, under another name where its own was given away meanwhile.

    A graph of the user whose import failed gives the name up.

    Raises:
        NameTakenError: another graph has this name.
    """
    wanted = name or graph.name
    try:
        with transaction.atomic():
            services.release_name(wanted, user=user)
            Graph.objects.filter(pk=graph.pk).update(deleted_at=None, deleted_by=None, name=wanted)
    except IntegrityError:
        raise NameTakenError(
            f"There is a graph named {wanted} by now.", hint="Restore it under another name."
        ) from None
    announce.notify_graph_on_commit(graph.pk)
    graph.refresh_from_db()
    return graph


def compute_purge_time(row: Graph | GraphVersion | Trashable) -> datetime:
    """When what is in the trash is deleted for good."""
    assert row.deleted_at is not None, "it is in the trash"
    return row.deleted_at + timedelta(days=settings.CLEW.trash_days)


def remove_expired() -> None:
    """Delete for good what has been in the trash long enough."""
    since = timezone.now() - timedelta(days=settings.CLEW.trash_days)
    for graph in list_trashed().filter(deleted_at__lte=since):
        if not dependents.has_blockers(graph):
            services.purge_graph(graph=graph)
    for kind in KINDS.values():
        for row in kind.model.with_trash.filter(deleted_at__lte=since):
            kind.purge(row)
    for snapshot in versions.list_trashed().filter(deleted_at__lte=since):
        purge_version(snapshot)


def purge_version(snapshot: GraphVersion) -> bool:
    """Delete a version in the trash for good; it comes back instead (False) where something points at it by now."""
    return versions.purge(snapshot=snapshot, used_by=dependents.count_by_version(snapshot.graph)[snapshot.pk])
