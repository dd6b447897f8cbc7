"""Snapshots opened by this process, kept while they are in use (least recently used go first)."""

from __future__ import annotations

import threading
from collections import OrderedDict

from django.conf import settings

from retrieval.errors import DamagedError
from retrieval.kg import snapshot as kg
from webapp.api.errors import GraphNotReadyError, NotImportedError
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import Graph, GraphState, GraphVersion
from webapp.graphs.selectors import get_endpoint

_open: OrderedDict[str, kg.Snapshot] = OrderedDict()
_damaged: set[str] = set()
_lock = threading.Lock()


def require_current(graph: Graph) -> GraphVersion:
    """The row of the graph's current version.

    Raises:
        NotImportedError: it lives in an endpoint.
        GraphNotReadyError: it has none.
    """
    require_imported(graph)
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


def require_imported(graph: Graph) -> None:
    """Refuse a graph that lives in an endpoint.

    Raises:
        NotImportedError: it does.
    """
    if get_endpoint(graph) is not None:
        raise NotImportedError(
            f"{graph.name} lives in a SPARQL endpoint: there is no version of it here to work on.",
            hint="Export what you need from the endpoint as RDF, and upload it as a graph of its own.",
        )


def open_current(graph: Graph) -> kg.Snapshot:
    """The graph's current snapshot, memory-mapped.

    Raises:
        NotImportedError, GraphNotReadyError: as :func:`require_current`.
        DamagedError: its directory is missing or damaged.
    """
    return open_snapshot(require_current(graph).path)


def open_snapshot(name: str) -> kg.Snapshot:
    """The snapshot at a storage name.

    Raises:
        DamagedError: its directory is missing or damaged.
    """
    path = ensure_local_path(name)  # also of one that is open: its copy may have made way since
    try:
        with _lock:
            snapshot = _open.get(name)
            if snapshot is None:
                snapshot = _open[name] = kg.open(path)
                while len(_open) > settings.OPEN_SNAPSHOTS:
                    _open.popitem(last=False)
            _open.move_to_end(name)
        snapshot.require_sound()
    except DamagedError:
        close_snapshot(name)  # its files may be put in place again
        _damaged.add(name)
        raise
    _damaged.discard(name)
    return snapshot


def list_damaged() -> frozenset[str]:
    """Storage names of the snapshots that were damaged when this process last opened them."""
    return frozenset(_damaged)


def close_snapshot(name: str) -> None:
    """Close a snapshot that was deleted."""
    with _lock:
        _open.pop(name, None)
