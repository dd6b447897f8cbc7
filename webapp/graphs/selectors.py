"""Reading graphs."""

from __future__ import annotations

from django.db.models import QuerySet

from webapp.graphs.models import Graph, GraphState, Problem, Snapshot


def graphs() -> QuerySet[Graph]:
    """All graphs with what their cards show."""
    return Graph.objects.select_related("snapshot", "created_by")


def problems(graph: Graph) -> QuerySet[Problem]:
    """The bad rows of a graph's files, in the order they were met."""
    return graph.problems.all()


def ready() -> QuerySet[Graph]:
    """Graphs that can be asked."""
    return graphs().filter(state=GraphState.READY)


def latest_version(graph: Graph) -> int:
    """Version number of the newest snapshot; 0 when there is none."""
    newest = Snapshot.objects.filter(graph=graph).order_by("-version").first()
    return newest.version if newest else 0
