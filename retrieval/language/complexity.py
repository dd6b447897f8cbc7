"""What a question's wording shows of its hops, without a graph and without a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.lexicon import get_words

MULTI_HOP = 3
"""Hops from which a question is complex (INSES, Algorithm 2)."""


@dataclass(frozen=True, slots=True)
class QuestionComplexity:
    """What a question's wording shows of its hops.

    Attributes:
        links: "of" and possessives outside names.
        clauses: relative clauses: who, which, that, whose, where, when after the first word.
        shared: words that go to something and back: share, same, also, both, other.
        names: runs of capitalised words, or words joined by underscores.
        words: other words.
    """

    links: int
    clauses: int
    shared: int
    names: int
    words: int


_NAME = re.compile(
    r"\b(?:[A-Z0-9][\w.&-]*(?:\s+(?:(?:of|the|and|de|la|in|for|to|a)\s+){0,2}[A-Z0-9][\w.&-]*)*|\w+_\w+)"
)
_WORD = re.compile(r"\w+|['’]s?\b")
_LINKS = frozenset({"of", "'s", "’s", "'", "’"})
_CLAUSES = get_words("relative_words")
_SHARED = frozenset({"share", "shares", "shared", "same", "also", "both", "other"})


def replace_names(question: str) -> tuple[str, int]:
    """The question with ``X`` for each of its names, and how many there are."""
    text = question.strip()
    text, names = _NAME.subn(" X ", text[:1].lower() + text[1:])
    return " ".join(text.split()), names


def measure_wording(question: str) -> QuestionComplexity:
    """Count what :class:`QuestionComplexity` names."""
    text, names = replace_names(question)
    words = [word.lower() for word in _WORD.findall(text) if word != "X"]
    links = sum(word in _LINKS for word in words)
    clauses = sum(word in _CLAUSES for word in words[1:])
    shared = sum(word in _SHARED for word in words)
    return QuestionComplexity(links, clauses, shared, names, len(words) - links - clauses - shared)


WEIGHTS: Mapping[str, float] = {
    "links": 1.76, "clauses": 0.33, "shared": 2.47, "names": 0.43, "words": 0.47,
}  # fmt: skip
BIAS = -7.3
"""Of a logistic regression on hop-labelled questions; docs/router.md says which, and how well it does."""


def compute_log_odds(counts: QuestionComplexity) -> float:
    """The log-odds that a question of this wording has ``MULTI_HOP`` hops or more."""
    return BIAS + sum(each * float(getattr(counts, name)) for name, each in WEIGHTS.items())
