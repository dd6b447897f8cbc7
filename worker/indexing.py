"""Indexing: the vector part of a graph's entity index, and its passages."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from retrieval.errors import ClewError
from retrieval.kg import snapshot as kg
from webapp.api.errors import GraphNotReadyError
from webapp.graphs import files
from webapp.graphs import services as graphs
from webapp.graphs.models import IndexState
from webapp.jobs import queue
from webapp.jobs.models import Job
from worker import engines, reporting


@shared_task(name=queue.INDEX_GRAPH)
def index_graph(job_id: int) -> None:
    """Index the graph of a job."""
    reporting.run(job_id, work, failed=failed)


def work(context: reporting.Context) -> dict[str, Any]:
    """Embed the labels and the passages; goes on where an earlier attempt stopped."""
    from retrieval.text import entity_index, passage_index  # noqa: PLC0415

    graph = context.job.graph
    if graph.snapshot is None:
        raise GraphNotReadyError(f"The graph {graph.name} has no snapshot.", hint="Import it first.")
    path = files.local_path(graph.snapshot.path)
    encoder = engines.encoder()
    context.check()
    snapshot = kg.open(path)
    entity_index.build(snapshot, encoder, progress=context.progress, cancelled=context.cancelled)
    if snapshot.passages is not None:
        passage_index.build(snapshot, encoder, progress=context.progress, cancelled=context.cancelled)
    graphs.set_index_state(graph=graph, state=IndexState.READY)
    queue.send(queue.WARM, graph.pk)
    return {"entities": graph.snapshot.entities, "passages": graph.snapshot.passages}


def failed(job: Job, error: ClewError) -> None:
    """A graph without a vector index can still be asked by name."""
    graphs.set_index_state(graph=job.graph, state=IndexState.NONE)
