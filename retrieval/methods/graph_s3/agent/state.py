"""The state of an agent that explores a graph: question, window, focus, history (Graph-S3 section 3.1.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Action
from retrieval.methods.graph_s3.agent.frontier import Branch

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class AgentFrontier:
    """Entities that the agent has come to.

    Attributes:
        branches: by the relation paths that led there.
        entities: of all branches, ascending, int64 [n].
    """

    branches: tuple[Branch, ...]
    entities: np.ndarray


def make_frontier(branches: tuple[Branch, ...]) -> AgentFrontier:
    """The front of some branches."""
    parts = [branch.entities for branch in branches]
    return AgentFrontier(branches, np.unique(np.concatenate(parts)) if parts else _NONE)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What was explored last and not chosen from yet. Every fact is counted; ``pages`` of them are listed.

    Attributes:
        front: which front was explored.
        branches: of it, those that were explored.
        entities: explored, ascending.
        relations: directed relations around them, ascending, int64 [k].
        facts: how many facts each has, int64 [k].
        pages: how often they were explored.
    """

    front: int
    branches: tuple[Branch, ...]
    entities: np.ndarray
    relations: np.ndarray
    facts: np.ndarray
    pages: int = 1

    @property
    def total(self) -> int:
        """Facts in the window."""
        return int(self.facts.sum())


@dataclass(frozen=True, slots=True)
class Done:
    """One step of the history: what was done, what the environment said, and whether it was possible."""

    action: Action
    said: str
    valid: bool


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that a policy decides by. Made of question, topics and the actions alone.

    Attributes:
        topics: entity ids, each once.
        mentions: the text each topic was linked from, aligned with ``topics``; their labels where that is not known.
        frontiers: the topics, then what each choice reached.
        window: what was explored and not chosen from yet.
        focus: kept facts, ascending ids.
        looked: facts looked at so far; pages of the same count once.
        history: every step, those that were not possible too.
        ended: by a Finish.
    """

    question: Question
    topics: tuple[int, ...]
    mentions: tuple[str, ...]
    frontiers: tuple[AgentFrontier, ...]
    window: Window | None = None
    focus: np.ndarray = field(default_factory=lambda: _NONE)
    looked: int = 0
    history: tuple[Done, ...] = ()
    ended: bool = False

    @property
    def steps(self) -> int:
        """Steps done."""
        return len(self.history)

    def find_leaves(self) -> tuple[Branch, ...]:
        """Where the walk of each topic stands: the branches of the newest choice that goes on from it."""
        newest: dict[int, tuple[Branch, ...]] = {}
        for front in self.frontiers[1:]:
            for topic in dict.fromkeys(branch.topic for branch in front.branches):
                newest[topic] = tuple(branch for branch in front.branches if branch.topic == topic)
        return tuple(branch for branches in newest.values() for branch in branches)

    def find_answers(self) -> np.ndarray:
        """What the leaves hold: of each topic all, of several topics what they share; ascending ids.

        Where nothing is shared, what the newest choice reached.
        """
        by_topic: dict[int, list[np.ndarray]] = {}
        for branch in self.find_leaves():
            by_topic.setdefault(branch.topic, []).append(branch.entities)
        if not by_topic:
            return _NONE
        sets = [np.unique(np.concatenate(parts)) for parts in by_topic.values()]
        common = sets[0]
        for other in sets[1:]:
            common = np.intersect1d(common, other, assume_unique=True)
        return common if len(common) else self.frontiers[-1].entities
