"""Reading graphs."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from webapp.accounts.rights import require_manager
from webapp.api.access import Person, filter_visible
from webapp.api.errors import VersionGoneError
from webapp.graphs.models import Graph, GraphEndpoint, GraphState, GraphVersion, ImportProblem


def list_graphs() -> QuerySet[Graph]:
    """All graphs that are not in the trash, with what their cards show, for whoever may see everything."""
    return Graph.objects.select_related("snapshot", "created_by", "owner", "endpoint").filter(deleted_at=None)


def list_visible_graphs(user: Person) -> QuerySet[Graph]:
    """The graphs that a person may see."""
    return filter_visible(list_graphs().prefetch_related("groups"), user)


def find_graph(user: Person, key: int) -> Graph:
    """The graph of this number; 404 where the person does not see it."""
    return get_object_or_404(list_visible_graphs(user), pk=key)


def find_managed_graph(user: Person, key: int) -> Graph:
    """The graph of this number, to be changed; 404 where the person does not see it.

    Raises:
        ForbiddenError: the person sees it and does not manage it.
    """
    graph = find_graph(user, key)
    require_manager(user, graph)
    return graph


def can_see_graph(user: Person, graph_id: int) -> bool:
    """Whether a person may see a graph."""
    return filter_visible(Graph.objects.filter(pk=graph_id), user).exists()


def get_endpoint(graph: Graph) -> GraphEndpoint | None:
    """The endpoint that a graph lives in; None for one that was imported."""
    return getattr(graph, "endpoint", None)


def list_problems(graph: Graph) -> QuerySet[ImportProblem]:
    """The bad rows of the files of a graph's version, in the order they were met; of its last import without one."""
    if graph.snapshot is not None:
        return graph.problems.filter(job=graph.snapshot.job_id)
    last = graph.problems.order_by("-job").values("job")[:1]
    return graph.problems.filter(job__in=last)


def list_ready_graphs() -> QuerySet[Graph]:
    """Graphs that can be asked."""
    return list_graphs().filter(state=GraphState.READY)


def list_versions(graph: Graph) -> QuerySet[GraphVersion]:
    """A graph's versions, newest first, without those in the trash."""
    rows = GraphVersion.objects.filter(graph=graph, deleted_at=None).select_related("created_by", "base")
    return rows.prefetch_related("files").order_by("-version")


def compute_next_version(graph: Graph) -> int:
    """The number of the version that comes next. Numbers of deleted versions are not used again."""
    last = Graph.objects.filter(pk=graph.pk).values_list("last_version", flat=True).first() or 0
    newest = GraphVersion.objects.filter(graph=graph).order_by("-version").values_list("version", flat=True)
    return max(last, newest.first() or 0) + 1


def find_version(graph: Graph, hash: str) -> GraphVersion | None:
    """The version of a graph that has this content, the newest if several have; None when it was deleted."""
    if graph.snapshot is not None and graph.snapshot.hash == hash:
        return graph.snapshot
    return GraphVersion.objects.filter(graph=graph, hash=hash, deleted_at=None).order_by("-version").first()


def require_version(graph: Graph, hash: str) -> GraphVersion:
    """The version of a graph that has this content.

    Raises:
        VersionGoneError: it was deleted.
    """
    snapshot = find_version(graph, hash)
    if snapshot is None:
        raise VersionGoneError(
            f"The version of {graph.name} that this was made on was deleted.",
            hint="Start it anew on the current version.",
        )
    return snapshot
