"""Versions of a graph: the next one, going back to an earlier one, and deleting one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from django.core.cache import cache
from django.core.files.base import File
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from retrieval.kg.analysis import comparison
from retrieval.kg.readers.options import ReadOptions
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, GraphNotReadyError, VersionGoneError
from webapp.graphs import announce, content_type, progress, services, snapshots
from webapp.graphs import files as storage
from webapp.graphs.import_steps import keep_files_of_current
from webapp.graphs.models import Graph, GraphVersion, Mode, SourceFile
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind
from webapp.uploads import remote_sources
from webapp.uploads.models import Upload
from webapp.uploads.services import Arrived

TITLES = {Mode.REPLACE: "Replace", Mode.APPEND: "Add to", Mode.REMOVE: "Remove from"}
DIFFS_KEPT_S = 24 * 3600


@dataclasses.dataclass(frozen=True, slots=True)
class VersionChange:
    """What is to be made of files: the next content (replace), or a change of the current one.

    Edits by hand are applied to a whole new content again, unless ``reapplies_edits`` is False.
    """

    mode: Mode
    options: ReadOptions
    note: str = ""
    reapplies_edits: bool = True


def start(
    *,
    graph: Graph,
    change: VersionChange,
    files: Sequence[File[Any]] = (),
    uploads: Sequence[Upload] = (),
    sources: Sequence[str] = (),
    user: User | None,
) -> Job:
    """Store the files and queue the import that makes the next version. The current one is asked meanwhile.

    Raises:
        SourceError: a file is of the wrong kind.
        ConflictError: another import of this graph goes on, or an upload was used meanwhile.
        GraphNotReadyError: there is nothing to add to or to remove from.
        NotAllowedError: the operator does not allow a source.
    """
    for source in sources:
        remote_sources.require_allowed(source)
    stored: list[str] = []
    with ExitStack() as stack:
        contents = [*files, *(stack.enter_context(Arrived(upload)) for upload in uploads)]
        for file in contents:
            content_type.require_text(file.name or "file", file, allowed=content_type.DOCUMENTS)
        try:
            with transaction.atomic():
                locked = lock_graph(graph)
                if change.mode != Mode.REPLACE and locked.snapshot_id is None:
                    raise GraphNotReadyError(
                        f"{graph.name} holds nothing that could be changed.", hint="Replace it instead."
                    )
                files_of_change = services.ImportFiles(contents, uploads, sources)
                job = jobs.create(
                    kind=JobKind.IMPORT,
                    title=f"{TITLES[change.mode]} {graph.name}",
                    graph=locked,
                    user=user,
                    params={
                        **change.options.to_json(),
                        "mode": change.mode.value,
                        "note": change.note,
                        "reapplies_edits": change.reapplies_edits,
                    },
                    is_large=files_of_change.are_large,
                )
                services.keep_files(job=job, contents=files_of_change, stored=stored)
                progress.mark_importing(graph=locked)
        except BaseException:
            for path in stored:
                storage.remove(path)
            raise
    return job


def lock_graph(graph: Graph) -> Graph:
    """The graph's row, held until the transaction ends.

    Raises:
        ConflictError: an import of it goes on, or a new version is tested, or it lives in an endpoint.
    """
    locked = Graph.objects.select_for_update().get(pk=graph.pk)
    snapshots.require_imported(locked)
    changing = Q(kind__in=progress.IMPORTS) | Q(kind=JobKind.TEST, params__gate=True)
    going = Job.objects.filter(changing, graph=graph, state__in=ACTIVE).first()
    if going is not None:
        raise ConflictError(
            f"{graph.name} is being changed: {going.title}.", hint="Wait until that job is done, or stop it."
        )
    return locked


def activate(*, graph: Graph, snapshot: GraphVersion, user: User | None) -> Graph:
    """Make an earlier or later version the one that is asked. All versions stay.

    Raises:
        ConflictError: an import of this graph goes on.
        VersionGoneError: the version was deleted meanwhile.
    """
    with transaction.atomic():
        locked = lock_graph(graph)
        if not GraphVersion.objects.filter(pk=snapshot.pk, deleted_at=None).exists():
            raise VersionGoneError(f"Version {snapshot.version} was deleted.", hint="Restore it first.")
        if locked.snapshot_id != snapshot.pk:
            progress.use_version(graph=locked, snapshot=snapshot, user=user)
    return locked


def list_trashed() -> QuerySet[GraphVersion]:
    """Deleted versions of graphs that are not deleted themselves, the last deleted first."""
    rows = GraphVersion.objects.select_related("graph__owner", "deleted_by").exclude(deleted_at=None)
    return rows.filter(graph__deleted_at=None).order_by("-deleted_at")


def move_to_trash(*, snapshot: GraphVersion, used_by: Mapping[str, int], user: User | None) -> None:
    """Put a version that nothing depends on where nobody finds it. It can be restored for a while.

    Args:
        used_by: how many things of each kind point at it.

    Raises:
        ConflictError: it is the current one, or something depends on it.
    """
    using = [f"{count} {kind.replace('_', ' ')}" for kind, count in used_by.items() if count]
    with transaction.atomic():
        graph = lock_graph(snapshot.graph)
        if graph.snapshot_id == snapshot.pk:
            raise ConflictError(
                f"Version {snapshot.version} is the one that is asked.", hint="Go to another version first."
            )
        if using:
            raise ConflictError(
                f"Version {snapshot.version} is used by {', '.join(using)}.",
                hint="Delete those first, for good where they are in the trash; or keep it.",
            )
        GraphVersion.objects.filter(pk=snapshot.pk).update(deleted_at=timezone.now(), deleted_by=user)
        announce.notify_graph_on_commit(graph.pk)


def restore(*, snapshot: GraphVersion) -> None:
    """Take a version out of the trash. Which one is asked stays as it is."""
    GraphVersion.objects.filter(pk=snapshot.pk).update(deleted_at=None, deleted_by=None)
    announce.notify_graph_on_commit(snapshot.graph_id)


def purge(*, snapshot: GraphVersion, used_by: Mapping[str, int]) -> bool:
    """Delete a version in the trash for good, with its files.

    Returns:
        Whether it went. It came back instead where something points at it, by work that was under way.
    """
    with transaction.atomic():
        Graph.objects.select_for_update().get(pk=snapshot.graph_id)
        row = GraphVersion.objects.filter(pk=snapshot.pk).exclude(deleted_at=None).first()
        if row is None:
            return True
        if any(used_by.values()):
            restore(snapshot=row)
            return False
        keep_files_of_current(row)
        paths = [row.path, *row.files.exclude(path="").values_list("path", flat=True)]
        row.files.all().delete()
        row.delete()
        transaction.on_commit(lambda: _remove(snapshot.path, paths))
        announce.notify_graph_on_commit(snapshot.graph_id)
    return True


def _remove(directory: str, paths: Sequence[str]) -> None:
    snapshots.close_snapshot(directory)
    for path in paths:
        storage.remove(path)


def delete_files(*, job: Job) -> None:
    """Delete the files of an import that made no version."""
    rows = SourceFile.objects.filter(job=job, snapshot=None)
    for path in rows.values_list("path", flat=True):
        storage.remove(path)
    rows.delete()


def drop_files(*, job: Job) -> None:
    """Delete the files of an import that has made its version; their names and sizes stay known."""
    for source in SourceFile.objects.filter(job=job).exclude(path=""):
        storage.remove(source.path)
        source.path, source.size = "", 0
        source.save(update_fields=["path", "size"])


def compare_versions(old: GraphVersion, new: GraphVersion) -> dict[str, Any]:
    """What ``new`` has that ``old`` has not, and the other way round; kept for a day."""
    key = f"diff:{old.hash}:{new.hash}"
    changes: dict[str, Any] | None = cache.get(key)
    if changes is None:
        made = comparison.compare_snapshots(snapshots.open_snapshot(old.path), snapshots.open_snapshot(new.path))
        changes = dataclasses.asdict(made)
        cache.set(key, changes, DIFFS_KEPT_S)
    return changes
