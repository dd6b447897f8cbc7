"""Reading checkpoints."""

from __future__ import annotations

from django.db.models import QuerySet

from webapp.experiments.models import Checkpoint
from webapp.graphs.models import Graph


def checkpoints(*, graph_id: int | None = None) -> QuerySet[Checkpoint]:
    """Checkpoints, newest first."""
    rows = Checkpoint.objects.select_related("graph", "snapshot")
    return rows.filter(graph_id=graph_id) if graph_id is not None else rows


def newest_checkpoint(graph: Graph, *, method: str | None = None) -> Checkpoint | None:
    """The newest checkpoint trained on the graph's current snapshot: what runs use unless told otherwise."""
    if graph.snapshot_id is None:
        return None
    rows = checkpoints(graph_id=graph.pk).filter(snapshot_id=graph.snapshot_id)
    return (rows.filter(method=method) if method else rows).first()
