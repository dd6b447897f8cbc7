"""What words of a question may stand for: anchors, and what belongs to those of each category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from retrieval.language.adjectives import Adjective
from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.operations import Program

Features = tuple[tuple[str, float], ...]
#: Words that are as much of a relation's name are its name.
FULLY = 0.85


@dataclass(slots=True)
class Anchor:
    """What words [first, last) may stand for.

    ``category`` is one of the parser's (``retrieval.programs.grammar.composition``); ``extra`` belongs to the category.
    """

    category: str
    first: int
    last: int
    program: Program | None = None
    extra: Any = None
    features: Features = ()
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Relating:
    """A relation that words name: its forward id and how well they do.

    ``does`` says that they are the verb of who does it: "manage", of ``manager``; ``doer`` that they are who does what
    the relation's verb says: "teacher", of ``taught``. ``distant`` are stems of the relation's name that stand
    elsewhere in the question: the year of "circulation of Le Monde in 2013", of a column for 2013.
    """

    relation: int
    quality: float
    does: bool = False
    doer: bool = False
    distant: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kin:
    """Relatives: the directed relations of each step that leads to them, of which any may be walked.

    ``others`` is the step from which two lead to siblings, and leaves out those it begins with: nobody is their own
    sibling, and no parent is an uncle.
    """

    steps: tuple[tuple[int, ...], ...]
    others: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A superlative or ordinal: what it compares (None: anything), the large end or not, place and number of places.

    ``met`` says that how often something is met is compared: "the most common"; ``value`` that the value itself is
    asked for more often than what has it: "the maximum price".
    """

    adjective: Adjective
    largest: bool
    rank: int = 1
    count: int = 1
    met: bool = False
    value: bool = False


@dataclass(frozen=True, slots=True)
class Comparing:
    """A comparison without its other side: the operator, or for an adjective whether the large end is meant.

    ``when`` says that only what is dated compares so: "before".
    """

    comparison: Comparison | None
    adjective: Adjective | None = None
    up: bool = True
    when: bool = False


_NEAR = frozenset({"r.similar", "s.similar", "k.similar", "k.any"})


def is_near(anchor: Anchor) -> bool:
    """Whether words stand for something by their meaning alone, not by their form."""
    return any(name in _NEAR for name, _ in anchor.features)
