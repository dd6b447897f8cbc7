"""What an agent may do, inside the engine by ids, outside by labels (Graph-S3 section 3.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrieval.types import AgentAction, Hop, Node, RelationStep


@dataclass(frozen=True, slots=True)
class Explore:
    """Look at the facts around entities; the same again shows the next page of them.

    Attributes:
        front: which front they are of: 0 is the topics, n what choice n reached.
        entities: ids of some of them; empty for the whole front.
    """

    front: int
    entities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choose:
    """Keep facts of the window; the others leave it. One of the two is given.

    Attributes:
        relations: all facts of these directed relations, as walked from the explored entities.
        arcs: only these facts, as walked; arc ids.
    """

    relations: tuple[int, ...] = ()
    arcs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """What is kept suffices."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What was said is no action that this graph knows. ``reason`` says what is wrong, in a sentence."""

    reason: str


Action = Explore | Choose | Finish | Unreadable


def to_row(action: AgentAction) -> dict[str, Any]:
    """An action as plain JSON by labels, as trajectory files hold it; independent of the snapshot's ids."""
    if action.kind == "explore":
        if action.front is not None:
            return {"kind": "explore", "front": action.front}
        return {"kind": "explore", "entities": [node.label for node in action.entities]}
    if action.kind == "choose":
        if action.triples:
            return {"kind": "choose", "triples": [_hop_row(hop) for hop in action.triples]}
        return {"kind": "choose", "relations": [[step.name, step.inverse] for step in action.relations]}
    return {"kind": "finish"}


def from_row(row: Mapping[str, Any]) -> AgentAction:
    """Inverse of :func:`to_row`; ids are not known.

    Raises:
        ValueError, KeyError, TypeError: the row is no action.
    """
    kind = row["kind"]
    if kind == "explore":
        if row.get("front") is not None:
            return AgentAction("explore", front=int(row["front"]))
        nodes = tuple(Node(-1, str(label)) for label in row["entities"])
        return AgentAction("explore", nodes, count=len(nodes))
    if kind == "choose":
        if "triples" in row:
            return AgentAction("choose", triples=tuple(_row_hop(hop) for hop in row["triples"]))
        return AgentAction(
            "choose", relations=tuple(_step(name, inverse) for name, inverse in row["relations"])
        )
    if kind == "finish":
        return AgentAction("finish")
    raise ValueError(f"kind {kind!r} is none of explore, choose, finish")


def _hop_row(hop: Hop) -> list[Any]:
    return [hop.source.label, hop.step.name, hop.step.inverse, hop.target.label]


def _row_hop(row: list[Any]) -> Hop:
    source, name, inverse, target = row
    return Hop(Node(-1, str(source)), _step(name, inverse), Node(-1, str(target)), verified=False)


def _step(name: object, inverse: object) -> RelationStep:
    return RelationStep(str(name), str(name), bool(inverse))
