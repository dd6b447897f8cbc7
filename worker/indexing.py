"""Indexing: what a graph's names, passages and relations are found by."""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task

from retrieval.errors import ClewError
from retrieval.kg import snapshot as kg
from retrieval.kg.analysis import schema, statistics
from retrieval.types import Progress
from webapp.api.errors import GraphNotReadyError
from webapp.experiments import error_limits, self_training
from webapp.graphs import files, progress, selectors
from webapp.graphs.models import GraphVersion, IndexState
from webapp.jobs import queue
from webapp.jobs.models import Job
from worker import answerers, job_runs, suggestions

logger = logging.getLogger(__name__)


@shared_task(name=queue.INDEX_GRAPH)
def index_graph(job_id: int) -> None:
    """Index the graph of a job."""
    job_runs.run(job_id, build_indexes, failed=handle_failure)


def build_indexes(context: job_runs.Context) -> dict[str, Any]:
    """Embed names, passages and relations; goes on where an earlier attempt stopped."""
    from retrieval.linking import indexing  # noqa: PLC0415
    from retrieval.methods.zero_shot import wordings  # noqa: PLC0415

    graph = context.job.graph
    version = _find_version(context.job)
    if version is None:
        raise GraphNotReadyError(f"The graph {graph.name} has no snapshot.", hint="Import it first.")
    path = files.ensure_local_path(version.path)
    encoder = answerers.get_encoder()
    context.check()
    snapshot = kg.open(path)
    context.update_progress(Progress("counting", 0, 0))
    statistics.describe(snapshot)  # kept, so that the graph's page need not wait for them
    schema.get_schema(snapshot)
    # What questions wait for comes first: names are found by their spelling until their vectors stand.
    wordings.build(snapshot, encoder, progress=context.update_progress, cancelled=context.is_cancelled)
    indexing.build(snapshot, encoder, progress=context.update_progress, cancelled=context.is_cancelled)
    files.send(version.path)  # the index with it
    if version.pk == graph.snapshot_id:
        progress.set_index_state(graph=graph, state=IndexState.READY)
        self_training.start(graph=graph, user=context.job.user)
        error_limits.calibrate_where_limited(graph=graph, user=context.job.user)
        queue.send(queue.WARM, graph.pk)
        suggestions.suggest(graph, version, snapshot, context.is_cancelled)
    return {"entities": version.entities, "passages": version.passages}


def _find_version(job: Job) -> GraphVersion | None:
    """The version that the job is to index: the one that was current when it was queued."""
    wanted = job.params.get("snapshot")
    return job.graph.snapshot if wanted is None else GraphVersion.objects.filter(pk=wanted).first()


def update_indexes() -> None:
    """Index further what an earlier version of Clew, or another encoder, indexed."""
    from retrieval.linking import indexing  # noqa: PLC0415

    for graph in selectors.list_ready_graphs().filter(index_state=IndexState.READY):
        if graph.snapshot is None:
            continue
        try:
            snapshot = kg.open(files.ensure_local_path(graph.snapshot.path))
            if not indexing.is_built(snapshot, answerers.get_encoder().name):
                progress.retry_index(graph=graph, user=None)
        except ClewError as error:  # a damaged graph, or another worker was first
            logger.warning("%s is not indexed further: %s", graph.name, error)


def handle_failure(job: Job, error: ClewError) -> None:
    """A graph without a vector index can still be asked by name."""
    if job.params.get("snapshot", job.graph.snapshot_id) == job.graph.snapshot_id:
        progress.set_index_state(graph=job.graph, state=IndexState.NONE)
