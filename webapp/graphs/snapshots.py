"""Snapshots opened by this process, kept while they are in use (least recently used go first)."""

from __future__ import annotations

import threading
from collections import OrderedDict

from django.conf import settings

from retrieval.kg import snapshot as kg
from webapp.api.errors import GraphNotReadyError
from webapp.graphs.files import local_path
from webapp.graphs.models import Graph, GraphState, Snapshot

_open: OrderedDict[str, kg.Snapshot] = OrderedDict()
_lock = threading.Lock()


def require_current(graph: Graph) -> Snapshot:
    """The row of the graph's current version.

    Raises:
        GraphNotReadyError: it has none.
    """
    if graph.snapshot is None:
        message = f"The graph {graph.name} is still being imported."
        hint = "Wait until its import is done; the jobs tray shows how far it is."
        if graph.state == GraphState.FAILED:
            message, hint = (
                f"The import of {graph.name} failed.",
                "See why on the Graphs page, and upload it again.",
            )
        raise GraphNotReadyError(message, hint=hint)
    return graph.snapshot


def of_graph(graph: Graph) -> kg.Snapshot:
    """The graph's current snapshot, memory-mapped.

    Raises:
        GraphNotReadyError: it has none.
        SnapshotError: its directory is missing or damaged.
    """
    return opened(require_current(graph).path)


def opened(name: str) -> kg.Snapshot:
    """The snapshot at a storage name."""
    path = local_path(name)  # also of one that is open: its copy may have made way since
    with _lock:
        found = _open.get(name)
        if found is None:
            found = _open[name] = kg.open(path)
            while len(_open) > settings.OPEN_SNAPSHOTS:
                _open.popitem(last=False)
        _open.move_to_end(name)
        return found


def forget(name: str) -> None:
    """Close a snapshot that was deleted."""
    with _lock:
        _open.pop(name, None)
