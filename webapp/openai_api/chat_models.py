"""Models of the chat protocol: each graph with each method that can be asked of it, such as ``Countries/auto``."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.api.errors import ModelNotFoundError
from webapp.graphs.models import Graph, GraphState
from webapp.graphs.selectors import get_endpoint, list_visible_graphs

AUTO = "auto"
"""Stands for the method and the checkpoint that a graph is asked with where none is named."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A graph and how it is asked; ``method`` is None for the graph's automatic one."""

    graph: Graph
    method: str | None

    @property
    def id(self) -> str:
        """The name of the graph, a slash, and the method."""
        return f"{self.graph.name}/{self.method or AUTO}"


def list_chat_models(user: User) -> list[ChatModel]:
    """The models of the graphs that a person may ask, by the graphs' names; the automatic method comes first."""
    graphs = list_visible_graphs(user).filter(state=GraphState.READY)
    return [ChatModel(graph, method) for graph in graphs for method in (None, *_list_methods(graph))]


def find_chat_model(user: User, name: str) -> ChatModel:
    """The model of this name.

    Raises:
        ModelNotFoundError: there is no such graph that the person sees, or no such method.
    """
    graph_name, _, method = name.rpartition("/")
    graph = list_visible_graphs(user).filter(name=graph_name).first() if graph_name else None
    if graph is None or (method != AUTO and method not in registry.METHODS):
        raise ModelNotFoundError(
            f"There is no model {name!r}.", hint="GET /v1/models lists those that you may ask: graph/method."
        )
    return ChatModel(graph, None if method == AUTO else method)


def _list_methods(graph: Graph) -> list[str]:
    """The methods that find in a graph what they need, without a language model."""
    held = graph.snapshot
    counts = {"facts": 1, "passages": 0, "llm": 0}
    if held is not None:
        counts |= {"facts": held.triples, "passages": held.passages}
    in_endpoint = get_endpoint(graph) is not None
    return [
        name
        for name, spec in registry.METHODS.items()
        if all(counts.get(need, 0) for need in spec.needs) and (spec.on_endpoints or not in_endpoint)
    ]
