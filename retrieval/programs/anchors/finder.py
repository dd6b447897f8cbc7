"""What the words of a question may stand for in a graph: nodes, kinds, relations, quantities, operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.programs.algebra import Entities
from retrieval.programs.anchors import referring
from retrieval.programs.anchors.anchor import Anchor, is_near
from retrieval.programs.anchors.computed import computed
from retrieval.programs.anchors.cues import cues, places, quantities, texts
from retrieval.programs.anchors.kin import Relatives
from retrieval.programs.anchors.lacking import Lacking
from retrieval.programs.anchors.meanings import KINDS, Meanings
from retrieval.programs.anchors.names import NODES, Names
from retrieval.programs.anchors.shortened import Shortened
from retrieval.programs.anchors.similarity import Adjectives, Similarity
from retrieval.programs.anchors.sums import stocked, summed
from retrieval.programs.anchors.unknown import UnknownNouns
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.programs.schema import Schema
    from retrieval.types import Denoted

#: Meanings of one stretch of words that are kept, by sort; of "where" and "when" so many.
_KEPT = {"R": 12, "kind": KINDS, "hub": KINDS, "ends": 4, "starts": 3, "flag": 3, "node": NODES}
_ASKED = 40
#: Words for an operator that relations are named with.
_NAMING = frozenset({"first", "last", "second", "third", "top", "total", "average"})
#: From this share of a relation's name on, words are a part of it.
_HALF = 0.5


class Anchors:
    """Finds the anchors of questions over one graph.

    Args:
        schema: of the graph.
        similarity: of words and names.

    Attributes:
        adjectives: the relations that they compare.
    """

    def __init__(self, schema: Schema, similarity: Similarity) -> None:
        self._schema = schema
        self.adjectives = Adjectives(schema, similarity)
        self._names = Names(schema)
        self._shortened = Shortened(schema)
        self._unknown = UnknownNouns(schema, similarity)
        self._meanings = Meanings(schema, similarity)
        self._lacking = Lacking(schema)
        self._relatives = Relatives(schema)

    def of(
        self, question: Question, given: Sequence[int] = (), denoted: Sequence[Denoted] = ()
    ) -> list[Anchor]:
        """All anchors of a question, in no particular order; words that are said to denote nodes stand for these."""
        found = places(question, [*quantities(question), *cues(question, self.adjectives)])
        cued = {n for anchor in found if anchor.category != "N" for n in range(anchor.first, anchor.last)}
        found += self._names.of(question, cued)
        found += self._meanings.asked(question)
        found += self._names.states(question)
        found += texts(question)
        found += stocked(question, self._schema)
        found += self._meanings.relations(question)
        found += self._meanings.related(question)
        found += self._lacking.of(question)
        found += self._relatives.of(question)
        found += self._meanings.kinds(question)
        found += self._meanings.similar(question, found, cued)
        found += self._names.in_part(question, {n for a in found for n in range(a.first, a.last)})
        found += self._shortened.begun(question, found)
        found += self._shortened.capitals(question, _read(found))
        found += self._shortened.within(question, found)
        found += self._unknown.of(question, found)
        found = _counted(question, found)
        found += computed(question, self._schema)
        found = summed(question, self._schema, _within_names(question, found))
        found = referring.in_place(question, found, denoted)
        return _limited(_picked(found, given) if given else found)


def _read(anchors: list[Anchor]) -> set[int]:
    """Words that stand for something by their form, not by their meaning alone."""
    return {n for a in anchors if not is_near(a) for n in range(a.first, a.last)}


def _counted(question: Question, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without the sum of "how many shops are there in total": things of a kind are counted."""
    texts = [word.text for word in question.words]
    counts = [a.last for a in anchors if a.category == "Q"]
    kinds = {a.first for a in anchors if a.extra == "kind" and dict(a.features).get("k.recall", 0.0) > _HALF}
    if not any(kinds & {last, last + 1} for last in counts):  # "how many shops", "how many old shops"
        return anchors
    return [a for a in anchors if a.category != "A" or texts[max(0, a.first - 1) : a.last] != ["in", "total"]]


def _within_names(question: Question, anchors: list[Anchor]) -> list[Anchor]:
    """The anchors without words for an operator that are part of a relation's name: the "first" of "first name".

    What is largest or highest stays: of the highest points, one is the highest.
    """
    named = {
        (a.first, a.last) for a in anchors
        if a.category == "R" and a.last - a.first > 1 and dict(a.features).get("r.recall", 0.0) > _HALF
    }  # fmt: skip
    return [
        a for a in anchors
        if a.category not in "UOA" or question.words[a.first].text not in _NAMING
        or not any(first <= a.first and a.last <= last and (a.first, a.last) != (first, last) for first, last in named)
    ]  # fmt: skip


def _picked(anchors: list[Anchor], given: Sequence[int]) -> list[Anchor]:
    """The anchors without other meanings of the words whose meaning somebody picked."""
    picked = {Entities((entity,)) for entity in given}
    taken = {n for a in anchors if a.program in picked for n in range(a.first, a.last)}
    return [
        a for a in anchors
        if a.program in picked or a.category != "S" or not any(n in taken for n in range(a.first, a.last))
    ]  # fmt: skip


def _limited(anchors: list[Anchor]) -> list[Anchor]:
    """The best meanings of each stretch, of each sort; of the same meaning the best reading."""
    found: dict[tuple[int, int, str], list[Anchor]] = {}
    for anchor in anchors:
        sort = anchor.extra if anchor.category == "S" else anchor.category
        found.setdefault((anchor.first, anchor.last, str(sort)), []).append(anchor)
    kept: list[Anchor] = []
    for (_, _, sort), own in found.items():
        own.sort(key=lambda anchor: -(anchor.strength - dict(anchor.features).get("e.place", 0.0) * 0.01))
        seen, chosen = set(), []
        for anchor in own:
            key = (
                anchor.category,
                anchor.program,
                anchor.extra if anchor.category != "R" else anchor.extra.relation,
            )
            if key not in seen:
                seen.add(key)
                chosen.append(anchor)
        asking = sort == "R" and own[0].features[-1][0] in ("r.where", "r.when")
        kept += chosen[: _ASKED if asking else _KEPT.get(sort, 8)]
    return kept
