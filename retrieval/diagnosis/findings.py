"""What a diagnosis finds. Standard library only: the web process shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from retrieval.types import Hop, Node, RelationStep


class LostAt(StrEnum):
    """Where an expected answer is lost, in the order in which a run comes to them."""

    ENTITY = "entity"
    """The graph has no entity of that name."""
    TOPIC = "topic"
    """The question was not linked to the entity that it is about."""
    HOPS = "hops"
    """It lies further from the topics than the method walks."""
    FACT = "fact"
    """The path that the question asks for does not lead to it: a fact is missing."""
    BUDGET = "budget"
    """The budget was used up before it was reached."""
    WINDOW = "window"
    """The path to it was not among those that were looked at."""
    RANK = "rank"
    """The path to it was looked at, and another one was thought more likely."""
    JOIN = "join"
    """Not all topics lead to it."""
    STEP = "step"
    """A step of the program leaves it out."""
    WITHHELD = "withheld"
    """It was found first, and no answer was given."""
    ANSWERED = "answered"
    """It is among the answers."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that has to hold for the expected answer. ``passed`` is None where it was not looked at."""

    stage: LostAt
    passed: bool | None
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """What a run with one change answers. Nothing of it is kept.

    Attributes:
        works: the expected answer is among them.
        place: its place, from 1; None where it is not.
        count: how many answers there are.
        answers: the first of them.
        score: of the expected answer, in [0, 1].
    """

    works: bool
    place: int | None
    count: int
    answers: tuple[str, ...]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change that may bring the expected answer.

    Attributes:
        kind: what is changed: ``alias`` another name of an entity, ``fact`` one fact more, ``label`` a path that is
            learned, ``budget`` or ``settings`` of the method, ``program`` another reading of the question.
        text: in words.
        trial: of the run with that change; None where it was not tried.
        entity: of ``alias``.
        fact: of ``fact``; not in the graph.
        path: of ``label``: the topic and the relation path.
        program: of ``program`` and ``label``, by names.
        budget: of ``budget``.
    """

    kind: Literal["alias", "fact", "label", "budget", "settings", "program"]
    text: str
    trial: Trial | None = None
    entity: Node | None = None
    fact: Hop | None = None
    path: tuple[RelationStep, ...] = ()
    program: dict[str, Any] | None = field(default=None, hash=False)
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a run did not give an expected answer.

    Attributes:
        expected: as it was named.
        entity: the entity that this means; None where the graph has none.
        stage: where it is lost.
        summary: the same in a sentence.
        checks: what was looked at, in order.
        remedies: the smallest change that works first; those that do not work last.
        step: of ``step``: the number of the program's step, from 0.
        near: of ``entity``: names of the graph that may have been meant.
    """

    expected: str
    entity: Node | None
    stage: LostAt
    summary: str
    checks: tuple[Check, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    step: int | None = None
    near: tuple[str, ...] = ()
