"""What depends on graphs and on their versions: the apps above say so when they start."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Model

from webapp.graphs.models import Graph, GraphVersion


@dataclass(frozen=True, slots=True)
class Dependent:
    """Rows that go with a graph.

    Attributes:
        kind: what the API calls them.
        model: their model, which has a column ``graph``.
        version: the column that names the version they were made on, ``snapshot`` or ``snapshot_hash``; empty for none.
        purged_before: workers delete them for good before their graph can be.
    """

    kind: str
    model: type[Model]
    version: str = ""
    purged_before: bool = False


DEPENDENTS: dict[str, Dependent] = {}
"""By kind."""


def register(*dependents: Dependent) -> None:
    """Say what depends on graphs."""
    DEPENDENTS.update({dependent.kind: dependent for dependent in dependents})


def list_version_kinds() -> list[str]:
    """The kinds of what points at versions."""
    return [dependent.kind for dependent in DEPENDENTS.values() if dependent.version]


def count_in_graph(graph: Graph) -> dict[str, int]:
    """How many things of each kind go with a graph."""
    return {"versions": graph.snapshots.filter(deleted_at=None).count()} | {
        dependent.kind: dependent.model._default_manager.filter(graph=graph).count()
        for dependent in DEPENDENTS.values()
    }


def count_by_version(graph: Graph) -> dict[int, dict[str, int]]:
    """How many things of each kind point at each version, by the version's id."""
    versions = list(GraphVersion.objects.filter(graph=graph).values("pk", "hash"))
    by_version: dict[int, dict[str, int]] = {version["pk"]: {} for version in versions}
    for dependent in DEPENDENTS.values():
        if dependent.version:
            counts = _count_dependent(dependent, graph)
            for version in versions:
                key = version["pk"] if dependent.version == "snapshot" else version["hash"]
                by_version[version["pk"]][dependent.kind] = counts[key]
    return by_version


def has_blockers(graph: Graph) -> bool:
    """Whether something is left that must be deleted for good before the graph."""
    return any(
        dependent.model._base_manager.filter(graph=graph).exists()
        for dependent in DEPENDENTS.values()
        if dependent.purged_before
    )


def _count_dependent(dependent: Dependent, graph: Graph) -> Counter[object]:
    """Also of those in the trash: one that is restored needs its version."""
    rows = dependent.model._base_manager.filter(graph=graph).order_by()
    return Counter(dict(rows.values_list(dependent.version).annotate(n=Count("pk"))))
