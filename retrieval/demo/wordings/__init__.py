"""The wordings behind the demo questions: relation paths and the ways people ask about them."""

from __future__ import annotations

from retrieval.demo.wordings import geography, people, works
from retrieval.demo.wordings.forms import Compare, Pair, Simple
from retrieval.demo.wordings.three_hop import THREE_HOP
from retrieval.demo.wordings.two_topics import COMPARES, PAIRS
from retrieval.demo.wordings.unanswerable import ABSENT, DISJOINT, MISSING, UNKNOWN

SIMPLE: tuple[Simple, ...] = (
    *geography.ONE_HOP,
    *people.ONE_HOP,
    *works.ONE_HOP,
    *geography.TWO_HOP,
    *people.TWO_HOP,
    *works.TWO_HOP,
    *THREE_HOP,
)
"""Every template of one topic, in the order in which the questions are numbered."""

__all__ = [
    "ABSENT",
    "COMPARES",
    "DISJOINT",
    "MISSING",
    "PAIRS",
    "SIMPLE",
    "UNKNOWN",
    "Compare",
    "Pair",
    "Simple",
]
