"""Relations by what their numbers say: how much money, how many of something, or which row of a table."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.language.amounts import ValueKind
from retrieval.language.words import get_stem, remove_unit
from retrieval.lexicon import get_sequence, get_words
from retrieval.programs.grounding.computed import ComputedKeys
from retrieval.programs.grounding.relation_types import parse_stems

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.relation_types import RelationInfo

_AMOUNTS = get_sequence("amount_nouns")
"""Words that relations of money are named with, the surest of what is summed first."""
_QUANTITIES = get_sequence("quantity_nouns")
"""Words that relations of how many of something there were are named with."""

#: Words of numbers that are summed, though they are no plurals.
_SUMMED = get_words("summed_nouns")


#: What names of relations end in that lead to rows by their numbers.
_COUNTING, _APART = (["#"], ["no"], ["nr"], ["number"]), 3
"""What names of relations end in that number things one after the other, and how far apart on average at most."""
_REFERRING = ("id", "no", "nr", "number", "code", "key", "ref")


class Measures:
    """The relations of one graph that lead to numbers, told apart; found on first use.

    Args:
        relations: by forward id.
    """

    def __init__(self, columns: Columns, relations: Sequence[RelationInfo]) -> None:
        self.columns = columns
        self.relations = relations

    @cached_property
    def computed(self) -> ComputedKeys:
        """What two of the relations of numbers and dates come to."""
        return ComputedKeys(self.columns, self.relations, self.numbers)

    @cached_property
    def amounts(self) -> list[int]:
        """Relations that say how much money something was, the surest first."""
        ranked: list[tuple[int, int]] = []
        for info in self.numbers:
            kind = self.columns.get_value_type(info.id)
            places = [place for place, word in enumerate(_AMOUNTS) if get_stem(word) in info.stems]
            money = kind is not None and kind.dimension in ("", "money")
            if places and money and "per" not in info.label.casefold().split():
                ranked.append((10 * places[0] + len(info.stems), info.id))
        return [relation for _, relation in sorted(ranked)]

    @cached_property
    def numbering(self) -> list[int]:
        """Directed relations that number rows, ``order id``: what has the same number in two tables is not the same."""
        numbers = {info.id for info in self.numbers}
        relations = [
            info.id for info in self.relations
            if (info.label.casefold().split()[-1:] == ["id"] and info.facts == info.heads
                and (info.id in numbers or (info.tails == info.heads and info.leaves == 1.0)))
            or (info.id in numbers and self._is_numbering(info))
        ]  # fmt: skip
        return [*relations, *(relation + len(self.relations) for relation in relations)]

    def _is_numbering(self, info: RelationInfo) -> bool:
        """Whether a relation numbers things one after the other: a session number of 1, 2, 3."""
        numbering = info.label.casefold().replace("#", " #").split()[-1:]
        if numbering not in _COUNTING or not 1 < info.facts == info.heads == info.tails:
            return False
        values = self.columns.get_column(info.id).values
        return bool((values % 1 == 0).all()) and float(values.max() - values.min()) < _APART * info.facts

    @cached_property
    def quantities(self) -> list[int]:
        """Relations that say how many of something there were."""
        quantity_stems = parse_stems(" ".join(_QUANTITIES))
        return [info.id for info in self.numbers if set(info.stems) & quantity_stems and info.id not in self.amounts]

    @cached_property
    def stocks(self) -> list[int]:
        """Relations that say how many of something are there."""
        stock_stems, counted = parse_stems("stock inventory"), parse_stems("quantity hand available")
        return [
            info.id for info in self.numbers
            if set(info.stems) & stock_stems or len(set(info.stems) & counted) > 1
            or info.label.casefold().split()[-1:] in (["left"], ["remaining"])
        ]  # fmt: skip

    @cached_property
    def added(self) -> frozenset[int]:
        """Relations whose numbers have a sum that says something: hours and goals, not ages."""
        relations = set(self.quantities)
        for info in self.numbers:
            words = remove_unit(info.label).casefold().split()
            plural = words[-1:] and words[-1].endswith("s") and not words[-1].endswith("ss")
            if plural or set(words) & _SUMMED:
                relations.add(info.id)
        return frozenset(relations)

    @cached_property
    def numbers_by_id(self) -> dict[int, RelationInfo]:
        """Those of ``numbers`` by their relation."""
        return {info.id: info for info in self.numbers}

    @cached_property
    def numbers(self) -> list[RelationInfo]:
        """Those that lead to numbers that are no years."""
        kinds = ((info, self.columns.get_value_type(info.id)) for info in self.relations)
        return [info for info, kind in kinds if kind is not None and kind.kind is ValueKind.NUMBER and not kind.year]


def is_reference(info: RelationInfo, kinds: Collection[str]) -> bool:
    """Whether a relation of numbers leads to rows that have numbers for names; ``kinds`` are stems of the graph's."""
    if info.leaves == 1.0:
        return False
    return not kinds or not set(kinds).isdisjoint(info.stems) or info.label.casefold().endswith(_REFERRING)
