"""Anchors of words that are known to stand for nodes, such as those that a follow-up points back with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from retrieval.programs.algebra.operations import Entities
from retrieval.programs.grounding.anchors.anchor import Anchor, Features

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.types import Denoted

_NAME: Features = (("e", 1.0), ("e.exact", 1.0), ("e.capital", 1.0))
_KIND: Features = (("k", 1.0), ("k.recall", 1.0), ("k.head", 1.0))


def replace_denoted(question: QuestionWords, anchors: list[Anchor], denoted: Sequence[Denoted]) -> list[Anchor]:
    """The anchors, with what is denoted in place of all else that those words may stand for.

    One node is meant as a name is, several as a kind is.
    """
    replacements = list(_make_denoted_anchors(question, denoted))
    taken = {n for anchor in replacements for n in range(anchor.first, anchor.last)}
    return [*(a for a in anchors if not taken.intersection(range(a.first, a.last))), *replacements]


def _make_denoted_anchors(question: QuestionWords, denoted: Sequence[Denoted]) -> Iterator[Anchor]:
    for reference in denoted:
        inside = [n for n, word in enumerate(question.words) if reference.start <= word.start < reference.end]
        if inside:
            sort, features = ("node", _NAME) if len(reference.ids) == 1 else ("kind", _KIND)
            yield Anchor("S", inside[0], inside[-1] + 1, Entities(reference.ids), sort, features, 1.0)
