"""Writing graphs: uploading, importing, indexing, renaming, deleting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from retrieval.kg.readers.options import ReadOptions
from webapp.accounts.models import User
from webapp.accounts.rights import can_manage
from webapp.api.errors import NameTakenError
from webapp.graphs import announce, content_type, progress, snapshots
from webapp.graphs import files as storage
from webapp.graphs.models import (
    Graph,
    GraphState,
    GraphVersion,
    SourceFile,
    Visibility,
)
from webapp.jobs import cancel
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind
from webapp.uploads import remote_sources
from webapp.uploads.models import Upload
from webapp.uploads.services import Arrived, use


@dataclass(frozen=True, slots=True)
class ImportFiles:
    """The files of an import: ``uploads`` are those of ``files`` that had arrived before, ``sources`` are elsewhere."""

    files: Sequence[File[Any]] = ()
    uploads: Sequence[Upload] = ()
    sources: Sequence[str] = ()

    @property
    def are_large(self) -> bool:
        """Whether reading them takes long; files elsewhere are not counted."""
        large: int = settings.LARGE_IMPORT_BYTES
        return sum(file.size for file in self.files) > large


def create_graph(
    *,
    name: str,
    description: str,
    visibility: str = Visibility.PRIVATE,
    files: Sequence[File[Any]] = (),
    uploads: Sequence[Upload] = (),
    sources: Sequence[str] = (),
    options: ReadOptions,
    user: User | None,
    examples: Iterable[str] = (),
) -> tuple[Graph, Job]:
    """Store the files and queue their import. When anything fails, nothing is left behind; uploads stay what they were.

    Raises:
        SourceError: a file is of the wrong kind.
        NameTakenError: there is a graph of this name.
        ConflictError: something else was made of an upload meanwhile.
        NotAllowedError: the operator does not allow a source.
    """
    for source in sources:
        remote_sources.require_allowed(source)
    with ExitStack() as stack:
        contents = [*files, *(stack.enter_context(Arrived(upload)) for upload in uploads)]
        for file in contents:
            content_type.require_text(file.name or "file", file, allowed=content_type.DOCUMENTS)
        graph = Graph(
            name=name,
            description=description,
            visibility=visibility,
            created_by=user,
            owner=user,
            examples=list(examples),
        )
        return graph, _keep(graph, ImportFiles(contents, uploads, sources), options)


def _keep(graph: Graph, contents: ImportFiles, options: ReadOptions) -> Job:
    try:
        with transaction.atomic():
            release_name(graph.name, user=graph.created_by)
            graph.save(force_insert=True)
            job = jobs.create(
                kind=JobKind.IMPORT,
                title=f"Import {graph.name}",
                graph=graph,
                user=graph.created_by,
                params=options.to_json(),
                is_large=contents.are_large,
            )
            keep_files(job=job, contents=contents)
            announce.notify_graph_on_commit(graph.pk)
    except BaseException as error:
        if graph.pk is not None:
            storage.remove_uploads(graph.pk)
        if isinstance(error, IntegrityError):
            raise make_name_error(graph.name) from None
        raise
    return job


def release_name(name: str, *, user: User | None) -> None:
    """Put a user's graph of this name whose import failed, and that has no version, into the trash; it can be restored.

    In a transaction. Graphs of others keep their names.
    """
    failed = _list_failed(name).filter(Q(owner=user) | Q(owner=None))
    for graph in failed.select_for_update():
        if user is not None and can_manage(user, graph):
            Graph.objects.filter(pk=graph.pk).update(deleted_at=timezone.now(), deleted_by=user)
            announce.notify_graph_on_commit(graph.pk)


def make_name_error(name: str) -> NameTakenError:
    """The error of a name that another graph has and keeps."""
    hint = "Choose another name."
    if _list_failed(name).exists():
        hint = "It is somebody else's, and its import failed: choose another name, or ask its owner to delete it."
    return NameTakenError(f"There is a graph named {name}.", hint=hint)


def _list_failed(name: str) -> QuerySet[Graph]:
    return Graph.objects.filter(name=name, state=GraphState.FAILED, snapshot=None, deleted_at=None)


def keep_files(*, job: Job, contents: ImportFiles, stored: list[str] | None = None) -> None:
    """Store the files of an import, or note where they are to be fetched from. In a transaction.

    ``stored`` gets their names in the storage, to be removed when the transaction fails.

    Raises:
        ConflictError: something else was made of an upload meanwhile.
    """
    # Using comes first: another request that wants an upload waits here, and then finds it gone.
    use(uploads=contents.uploads)
    before = job.graph.files.count()
    for position, file in enumerate(contents.files, start=before):
        shown = (file.name or "file").replace("\0", "")[-255:]
        path = default_storage.save(storage.build_upload_name(job.graph_id, position, shown), file)
        if stored is not None:
            stored.append(path)
        storage.send(path)
        SourceFile.objects.create(graph=job.graph, job=job, name=shown, path=path, size=file.size)
    for position, source in enumerate(contents.sources, start=before + len(contents.files)):
        shown = remote_sources.extract_name(source)[-255:]
        path = default_storage.get_available_name(storage.build_upload_name(job.graph_id, position, shown))
        SourceFile.objects.create(graph=job.graph, job=job, name=shown, path=path, size=0, origin=source)


def set_access(
    *,
    graph: Graph,
    visibility: str | None = None,
    groups: Sequence[Group] | None = None,
    owner: User | None = None,
) -> Graph:
    """Change who may see a graph, and whose it is; None leaves each as it is."""
    with transaction.atomic():
        if visibility is not None:
            graph.visibility = Visibility(visibility)
        if owner is not None:
            graph.owner = owner
        graph.save(update_fields=["visibility", "owner"])
        if groups is not None:
            graph.groups.set(groups)
        announce.notify_graph_on_commit(graph.pk)
    return graph


def rename_graph(*, graph: Graph, name: str | None, description: str | None, user: User | None) -> Graph:
    """Change a graph's name or description. A graph of the user whose import failed gives its name up.

    Raises:
        NameTakenError: another graph has this name.
    """
    is_new = name is not None and name != graph.name
    if name is not None:
        graph.name = name
    if description is not None:
        graph.description = description
    try:
        with transaction.atomic():
            if is_new:
                release_name(graph.name, user=user)
            graph.save(update_fields=["name", "description"])
    except IntegrityError:
        raise make_name_error(graph.name) from None
    announce.notify_graph_on_commit(graph.pk)
    return graph


def purge_graph(*, graph: Graph) -> None:
    """Delete a graph for good with all that was made of it."""
    for job in Job.objects.filter(graph=graph, state__in=ACTIVE):
        cancel.ask_to_stop("job", job.pk)
    paths = list(GraphVersion.objects.filter(graph=graph).values_list("path", flat=True))
    graph_id = graph.pk

    def clean() -> None:
        for path in paths:
            snapshots.close_snapshot(path)
        storage.remove_graph(graph_id)
        announce.notify_graph(graph_id)

    with transaction.atomic():
        Graph.objects.select_for_update().filter(pk=graph_id).first()  # nothing new may point at it now
        graph.delete()
        transaction.on_commit(clean)


def remove_leftovers() -> None:
    """Delete what a crash left in the storage. To be called while nobody uploads."""
    storage.remove_leftovers(set(Graph.objects.values_list("pk", flat=True)))


def set_examples(*, graph: Graph, questions: Sequence[str]) -> None:
    """Offer these questions to who opens the graph, unless it has some."""
    if not graph.examples and questions:
        progress.update(graph, examples=list(questions))


def suggest(*, graph: Graph, questions: Sequence[str]) -> None:
    """Offer these questions, which were made of the graph's present version."""
    progress.update(graph, examples=list(questions))


def clean_files() -> None:
    """Delete the files of imports that ended without a version and were not tried again for long."""
    since = timezone.now() - timedelta(days=settings.CLEW.trash_days)
    old = SourceFile.objects.filter(snapshot=None, job__finished_at__lte=since).exclude(job__state__in=ACTIVE)
    for row in old:
        storage.remove(row.path)
        row.delete()
