"""What stands before a new version becomes current: the apps above say so when they start."""

from __future__ import annotations

from collections.abc import Callable

from webapp.accounts.models import User
from webapp.graphs.models import Graph, GraphVersion

Gate = Callable[[Graph, GraphVersion, User | None], bool]
"""Takes a version over, and makes it current when it may be; whether it did."""

_GATES: list[Gate] = []


def register(gate: Gate) -> None:
    """Ask a gate of every new version of a graph that has one already."""
    if gate not in _GATES:
        _GATES.append(gate)


def take(graph: Graph, version: GraphVersion, user: User | None) -> bool:
    """Whether a gate took a version over: then it is not made current yet."""
    return any(gate(graph, version, user) for gate in _GATES)
