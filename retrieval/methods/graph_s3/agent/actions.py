"""What an agent may do, inside the engine by ids, outside by labels (Graph-S3 section 3.1.1)."""

from __future__ import annotations

from dataclasses import dataclass


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
