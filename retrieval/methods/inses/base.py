"""What a search stands at, what a navigator sees of it, and what it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.language.question import Question
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Stand:
    """An entity that the search stands at.

    Attributes:
        score: of the way there, in [0, 1].
        way: arcs from the entity where its chain began; empty where it begins here.
        sources: facts that speak of it, each with a score in [0, 1]; what follows may go on from any of them, also
            after a similarity jump, which begins a new chain.
    """

    entity: int
    score: float
    way: tuple[int, ...] = ()
    sources: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Jump:
    """A similarity jump: from a stand to the entity most like it."""

    source: int
    target: int
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a navigator sees at one step (INSES eq. 2 and 3).

    Attributes:
        step: counts from 1.
        stands: where the search stands, V_current; each entity once.
        visited: entities it stood at, the current ones among them.
        selected: facts selected before this step, with their scores.
        arcs: int64 [n], the arcs that leave the stands, T_adj; a fact between two stands is there twice.
        owners: int64 [n], which of ``stands`` each arc leaves.
        targets: int64 [n], the entity at its other end.
        left: facts that may still be selected, at least 1.
        calls: requests to a language model that this step may make, at least 1.
    """

    question: Question
    step: int
    stands: tuple[Stand, ...]
    visited: frozenset[int]
    selected: Mapping[int, float]
    arcs: np.ndarray
    owners: np.ndarray
    targets: np.ndarray
    left: int
    calls: int = 1


@dataclass(frozen=True, slots=True)
class Pick:
    """An arc that a navigator selected: a position in the view, and a score in [0, 1]."""

    position: int
    score: float


@dataclass(frozen=True, slots=True)
class NavigatorDecision:
    """What a navigator decided.

    Attributes:
        picks: the selected arcs, the best first.
        dropped: positions of the best of what was left.
        sufficient: what is selected answers the question; the search stops.
        thought: why, in a sentence for people.
        rest: the best of what was left, to fill the budget with where that is wanted.
    """

    picks: tuple[Pick, ...]
    dropped: tuple[int, ...]
    sufficient: bool
    thought: str
    usage: Usage = field(default_factory=Usage)
    rest: tuple[Pick, ...] = ()


class Navigator(Protocol):
    """Selects triples and says when they are enough. Threads may share it.

    Attributes:
        name: ``encoder`` or ``llm``.
        prompts: names of the prompts it uses.
    """

    name: str
    prompts: tuple[str, ...]

    def apply_restriction(self, snapshot: Snapshot) -> Navigator:
        """The same navigator on some facts of the graph."""
        ...

    def extract_mentions(
        self, question: Question, *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[tuple[str, ...], Usage]:
        """Phrases of the question to look up among the entities (INSES section 3.2), and what that cost.

        Raises:
            LLMError: a language model is needed and cannot be used.
        """
        ...

    def select_arcs(self, view: View, *, cancelled: Callable[[], bool] = lambda: False) -> NavigatorDecision:
        """Select among the arcs of a view (INSES eq. 3).

        Raises:
            LLMError: a language model is needed and cannot be used.
        """
        ...
