"""Whether a question needs many hops: what the router asks first (INSES, Algorithm 2, line 1)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from retrieval.llm import prompts
from retrieval.llm.asking import ask_json
from retrieval.llm.prompts import fenced
from retrieval.llm.settings import LLMSettings
from retrieval.types import Usage

PROMPT = "router"
MULTI_HOP = 3
"""Hops from which a question is complex (INSES, Algorithm 2)."""

MOST_HOPS = 20
"""Hops beyond which a reply is nonsense."""


@dataclass(frozen=True, slots=True)
class Complexity:
    """What a decider makes of a question. ``why`` is a sentence, ``scores`` what it weighed, ``usage`` what it cost."""

    multi_hop: bool
    why: str
    scores: Mapping[str, float]
    usage: Usage = field(default_factory=Usage)


class Decider(Protocol):
    """Tells simple questions from those of ``MULTI_HOP`` hops and more. Threads may share it."""

    @property
    def prompts(self) -> dict[str, str]:
        """Version and hash of the prompts it uses, by name."""
        ...

    def decide(self, question: str, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """Judge one question.

        Raises:
            LLMError: a language model decides, and fails.
            Cancelled: ``cancelled`` said so.
        """
        ...


@dataclass(frozen=True, slots=True)
class Wording:
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
_CLAUSES = frozenset({"who", "whom", "which", "that", "whose", "where", "when"})
_SHARED = frozenset({"share", "shares", "shared", "same", "also", "both", "other"})


def wording(question: str) -> Wording:
    """Count what :class:`Wording` names."""
    text = question.strip()
    text, names = _NAME.subn(" § ", text[:1].lower() + text[1:])
    words = [word.lower() for word in _WORD.findall(text)]
    links = sum(word in _LINKS for word in words)
    clauses = sum(word in _CLAUSES for word in words[1:])
    shared = sum(word in _SHARED for word in words)
    return Wording(links, clauses, shared, names, len(words) - links - clauses - shared)


WEIGHTS: Mapping[str, float] = {
    "links": 1.76, "clauses": 0.33, "shared": 2.47, "names": 0.43, "words": 0.47,
}  # fmt: skip
BIAS = -7.3
"""Of a logistic regression on hop-labelled questions; docs/router.md says which, and how well it does."""


class WordingDecider:
    """Decides by the question's wording alone, without a language model."""

    @property
    def prompts(self) -> dict[str, str]:
        """None."""
        return {}

    def decide(self, question: str, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """See :meth:`Decider.decide`; nothing is raised."""
        del cancelled
        found = wording(question)
        weight = BIAS + sum(each * getattr(found, name) for name, each in WEIGHTS.items())
        share = round(1 / (1 + math.exp(-weight)), 4)
        seen = f"{found.links} possessives or 'of', {found.clauses} clauses, {found.names} names"
        if share > 0.5:
            return Complexity(
                True, f"The wording looks like {MULTI_HOP} hops or more ({seen}).", {"multi_hop": share}
            )
        return Complexity(
            False, f"The wording looks like less than {MULTI_HOP} hops ({seen}).", {"multi_hop": share}
        )


class LLMDecider:
    """Asks a language model how many hops the question takes; the paper does not give its prompt.

    Args:
        settings: the language model.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings

    @property
    def prompts(self) -> dict[str, str]:
        """``router``."""
        return prompts.shown(PROMPT)

    def decide(self, question: str, *, cancelled: Callable[[], bool] = lambda: False) -> Complexity:
        """See :meth:`Decider.decide`; a malformed reply is repaired once."""
        chat = prompts.load(PROMPT).fill(query=fenced(question))
        (hops, why), usage = ask_json(self._settings, chat, read_hops, cancelled=cancelled)
        told = (
            f"The language model counts {hops} {'hop' if hops == 1 else 'hops'}{f': {why}' if why else '.'}"
        )
        return Complexity(hops >= MULTI_HOP, told, {"hops": float(hops)}, usage)


def read_hops(value: object) -> tuple[int, str]:
    """Hops and reason of a reply.

    Raises:
        ValueError: there are none in the form asked for.
    """
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    hops = value.get("hops")
    if not isinstance(hops, int) or isinstance(hops, bool) or not 1 <= hops <= MOST_HOPS:
        raise ValueError(f'"hops" must be a whole number from 1 to {MOST_HOPS}')
    return hops, " ".join(str(value.get("reason") or "").split())[:300]
