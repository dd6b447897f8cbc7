"""How far the import and the index of a graph are: what workers say of it while they make its versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction

from retrieval import types
from retrieval.errors import ClewError
from retrieval.kg.snapshot.manifest import Manifest
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, GraphNotReadyError
from webapp.api.failures import NO_ERROR, build_error_columns
from webapp.api.signals import Event, event_occurred
from webapp.graphs import announce, gates, snapshots
from webapp.graphs import files as storage
from webapp.graphs.models import (
    Graph,
    GraphState,
    GraphVersion,
    ImportProblem,
    IndexState,
    Mode,
    SourceFile,
)
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind

IMPORTS = (JobKind.IMPORT, JobKind.EXTRACT)
"""Kinds of jobs that make versions; one of them at a time works on a graph."""


def save_problems(*, job: Job, problems: Sequence[types.Problem], count: int) -> None:
    """Keep the bad rows of an import (again from the start when the import is repeated)."""
    graph = job.graph
    with transaction.atomic():
        ImportProblem.objects.filter(job=job).delete()
        ImportProblem.objects.bulk_create(
            [
                ImportProblem(
                    graph=graph,
                    job=job,
                    file=problem.file[-255:],
                    line=problem.line,
                    message=problem.message.replace("\0", "�"),
                    text=problem.text.replace("\0", "�"),
                )
                for problem in problems
            ],
            batch_size=500,
        )
        Graph.objects.filter(pk=graph.pk, snapshot=None).update(problem_count=count)


def mark_importing(*, graph: Graph) -> None:
    """Say that a graph that has no version is being imported again."""
    if graph.snapshot_id is None:
        update(graph, state=GraphState.IMPORTING, **NO_ERROR)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from. ``base`` is the one it changed; ``report`` is the engine's account as JSON.

    ``violations`` are those of the shapes that it was checked by.
    """

    job: Job | None = None
    mode: Mode = Mode.REPLACE
    base: GraphVersion | None = None
    note: str = ""
    problems: int = 0
    violations: int = 0
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def shown_note(self) -> str:
        """The note, and whether the version breaks the shapes that it came with."""
        if not self.violations:
            return self.note
        count = "1 violation" if self.violations == 1 else f"{self.violations:,} violations"
        return f"{count} of the shapes; used only when it is chosen. {self.note}".strip()


def register_version(*, graph: Graph, version: int, manifest: Manifest, origin: Origin | None = None) -> GraphVersion:
    """Record a snapshot that stands, make it the graph's current one, and queue its vector index.

    Of a graph that has a version, a gate (``graphs.gates``) may take one over: it becomes current later, or never. One
    that violates its shapes waits until a person chooses it.
    """
    origin = origin or Origin()
    path = storage.build_snapshot_name(graph.pk, version)
    storage.send(path)
    with transaction.atomic():
        snapshot, _ = GraphVersion.objects.update_or_create(
            graph=graph,
            version=version,
            defaults={
                "hash": manifest.content_hash,
                "path": path,
                "bytes": storage.measure_size(path),
                "job": origin.job,
                "mode": origin.mode,
                "base": origin.base,
                "note": origin.shown_note,
                "problem_count": origin.problems,
                "violations": origin.violations,
                "report": origin.report,
                "created_by": origin.job.user if origin.job else graph.created_by,
                "entities": manifest.entities,
                "relations": manifest.relations,
                "triples": manifest.triples,
                "passages": manifest.passages,
                "attributes": manifest.entity_attributes + manifest.fact_attributes,
                "languages": _count_languages(path) if manifest.names else [],
            },
        )
        if origin.job is not None:
            SourceFile.objects.filter(job=origin.job).update(snapshot=snapshot)
        update(graph, last_version=version)
        is_first = graph.snapshot_id in (None, snapshot.pk)
        is_taken = not is_first and gates.take(graph, snapshot, snapshot.created_by)
        if is_first or not (is_taken or snapshot.violations):
            use_version(graph=graph, snapshot=snapshot, user=None)
    return snapshot


def _count_languages(path: str) -> list[tuple[str, int]]:
    names = snapshots.open_snapshot(path).names
    return [] if names is None else names.count_languages()


def use_version(*, graph: Graph, snapshot: GraphVersion, user: User | None) -> None:
    """Make a version the current one, and have it indexed where it is not."""
    if graph.snapshot_id != snapshot.pk:
        event_occurred.send(sender=GraphVersion, event=Event.VERSION_ACTIVATED, keys=[snapshot.pk])
    update(
        graph,
        snapshot=snapshot,
        problem_count=snapshot.problem_count,
        state=GraphState.READY,
        **NO_ERROR,
    )
    _create_index_job(graph, user)


def retry_index(*, graph: Graph, user: User | None) -> Job:
    """Queue the index of a graph anew; what stands of it is kept and only the rest is built.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        ConflictError: it is being indexed.
    """
    with transaction.atomic():
        current = Graph.objects.select_for_update().filter(pk=graph.pk).first()
        snapshots.require_imported(graph)
        if current is None or current.snapshot_id is None:
            raise GraphNotReadyError(f"The graph {graph.name} has no snapshot.", hint="Import it first.")
        if current.index_state == IndexState.BUILDING:
            raise ConflictError(f"{graph.name} is being indexed.", hint="Its page shows how far it is.")
        return _create_index_job(graph, user)


def _create_index_job(graph: Graph, user: User | None) -> Job:
    job = jobs.create(
        kind=JobKind.INDEX,
        title=f"Index {graph.name}",
        graph=graph,
        user=user,
        params={"snapshot": graph.snapshot_id},
        is_large=graph.snapshot is not None
        and graph.snapshot.entities + graph.snapshot.passages > settings.LARGE_INDEX,
    )
    set_index_state(graph=graph, state=IndexState.BUILDING)
    return job


def mark_import_failed(*, graph: Graph, error: ClewError) -> None:
    """Record why an import failed. A graph that was ready before stays ready."""
    if graph.snapshot_id is None:
        update(
            graph,
            state=GraphState.FAILED,
            **build_error_columns(error),
        )


def set_index_state(*, graph: Graph, state: IndexState) -> None:
    """Say how far the vector index is, unless the graph has another version by now."""
    if Graph.objects.filter(pk=graph.pk, snapshot=graph.snapshot_id).update(index_state=state):
        graph.index_state = state
        announce.notify_graph_on_commit(graph.pk)


def handle_ended_early(*, job: Job) -> None:
    """Put right the state of a graph whose import or indexing will not be finished."""
    graph = Graph.objects.filter(pk=job.graph_id).first()
    if graph is None:
        return
    if job.kind == JobKind.INDEX and job.params.get("snapshot", graph.snapshot_id) == graph.snapshot_id:
        set_index_state(graph=graph, state=IndexState.NONE)
    if job.kind in IMPORTS:
        what, again = ("import", "Upload the graph again.")
        if job.kind == JobKind.EXTRACT:
            what, again = ("reading", "Start it again under the same name; what was paid for is kept.")
        stopped = ClewError(f"The {what} was stopped before it was done.", hint=again)
        stopped.code = "cancelled"
        mark_import_failed(graph=graph, error=stopped)


def handle_retried(*, job: Job) -> None:
    """Say that a graph is being made after all.

    Raises:
        ConflictError: another import of it goes on.
    """
    graph = Graph.objects.select_for_update().get(pk=job.graph_id)
    if job.kind == JobKind.INDEX and job.params.get("snapshot", graph.snapshot_id) == graph.snapshot_id:
        set_index_state(graph=graph, state=IndexState.BUILDING)
    if job.kind in IMPORTS:
        if Job.objects.filter(graph=graph, kind__in=IMPORTS, state__in=ACTIVE).exclude(pk=job.pk).exists():
            raise ConflictError(f"Another import of {graph.name} goes on.", hint="Wait until it is done.")
        mark_importing(graph=graph)


def update(graph: Graph, **values: Any) -> None:
    """Change fields of a graph, and tell who looks at it."""
    Graph.objects.filter(pk=graph.pk).update(**values)
    for name, value in values.items():
        setattr(graph, name, value)
    announce.notify_graph_on_commit(graph.pk)
