"""What two columns of a graph come to: price times quantity, what can be held less what is, death less birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.values import parse
from retrieval.programs.algebra import Key, ValueKind
from retrieval.programs.sorts import stems_in
from retrieval.programs.words import stem

if TYPE_CHECKING:
    from retrieval.programs.columns import Columns
    from retrieval.programs.sorts import RelationInfo

#: Stems of what is said of one of several things, and of how many there are.
_PRICES = stems_in("price rate fee cost value fare tariff rent wage pay")
_COUNTS = stems_in(
    "quantity qty units unit copies pieces booked bookings sold guests attendees participants bags boxes "
    "bottles stock attendance persons people"
)
#: What a price is per, and words of how many or how long that is.
_PERIODS = {"hourly": "hours", "daily": "days", "weekly": "weeks", "monthly": "months"}
#: What is said of how many or how long something was; and stems of numbers of what is there and was not sold.
_DONE = stems_in("used worked made number total count spent logged played")
_KEPT = stems_in("stock inventory copies hand available left remaining")
#: Stems of what people are counted as.
_HEADS = stems_in("pupil head child student player")
#: The share of those that have a number of things whose price is known.
_PRICED = 0.6
#: Stems of ends and beginnings of lives, and of what can hold how many and how many it holds.
_DEATH, _BIRTH = stems_in("death die"), stems_in("birth")
_HOLDS = stems_in("max maximum capacity limit")
_HELD = stems_in("booked taken occupied reserved enrolled registered sold")


def _words(info: RelationInfo) -> list[str]:
    return info.label.casefold().replace("(", " ").replace(")", " ").split()


def _per(info: RelationInfo) -> frozenset[str]:
    """The stems of what a relation's values are of one of: ``hour`` of ``rate per hour`` and of ``hourly rate``."""
    words = _words(info)
    behind = words[words.index("per") + 1 :] if "per" in words else []
    return frozenset(map(stem, [*behind, *(_PERIODS[word] for word in words if word in _PERIODS)]))


@dataclass(frozen=True, slots=True)
class Computed:
    """A key of two columns.

    Attributes:
        key: its path is a single relation.
        rate: the relation of what each of several is, of a product.
        money: the rate is one of money.
        kept: how many there are says what is in stock, and not what was sold.
        stems: of the rate's name without what it is per.
    """

    key: Key
    rate: int
    stems: frozenset[str] = frozenset()
    money: bool = False
    kept: bool = False


class ComputedKeys:
    """The keys of two columns that one graph's relations make, found on first use.

    Args:
        columns: the values of the graph.
        relations: by forward id.
        numbers: those that lead to numbers that are no years.
    """

    def __init__(
        self, columns: Columns, relations: Sequence[RelationInfo], numbers: Sequence[RelationInfo]
    ) -> None:
        self.columns = columns
        self.relations = relations
        self.numbers = numbers

    @cached_property
    def products(self) -> list[Computed]:
        """What so many things come to, the surest first: quantity times price, of the row or of what it is of."""
        found: list[tuple[int, Computed]] = []
        rates = [(rate, _per(rate)) for rate in self.numbers]
        every = frozenset[str]().union(*(per for _, per in rates))
        for rate, per in rates:
            if "rating" in _words(rate):
                continue
            plain = frozenset(rate.stems) - per
            if not per and not plain & _PRICES:
                continue
            for counted in self.numbers:
                place = self._fits(rate, per, counted, every)
                if place is None:
                    continue
                for way in self._ways(counted.id, rate.id):
                    key = Key((counted.id,), times=way)
                    kept = bool(set(counted.stems) & _KEPT) or "on order" in counted.label.casefold()
                    found.append(
                        (10 * place + len(way), Computed(key, rate.id, plain, bool(plain & _PRICES), kept))
                    )
        return [own for _, own in sorted(found, key=lambda own: own[0])]

    def _fits(
        self, rate: RelationInfo, per: frozenset[str], counted: RelationInfo, every: frozenset[str]
    ) -> int | None:
        """How surely one says how many there are of what the other is of, 0 the surest; None where it does not."""
        stems = frozenset(counted.stems)
        if counted is rate or stems & (_PRICES | _HOLDS) or _per(counted):
            return None
        if (stems & per and not stems - per - _COUNTS - _DONE - _KEPT) or self._measured_in(
            counted.id, _words(rate)
        ):
            return 0
        measured = self.columns.named_unit(counted.id) is not None or self._has_unit(counted.id)
        if stems & _COUNTS and (not per or per & (_COUNTS | _HEADS)) and not measured:
            return 1
        return 2 if "each" in _words(rate) and stems & every else None

    @cached_property
    def free(self) -> list[Computed]:
        """How many more something can hold."""
        return [
            Computed(Key((most.id,), less=(held.id,)), most.id)
            for most in self.numbers if set(most.stems) & _HOLDS
            for held in self.numbers
            if held is not most and set(held.stems) & _HELD and self._ways(most.id, held.id) == [(held.id,)]
        ]  # fmt: skip

    @cached_property
    def lives(self) -> list[Computed]:
        """How old people became: dates of death less dates of birth."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        return [
            Computed(Key((died.id,), less=(born.id,)), died.id)
            for died in dated if set(died.stems) & _DEATH
            for born in dated if set(born.stems) & _BIRTH and self._alike(born.id, died.id)
            and self._ways(died.id, born.id) == [(born.id,)]
        ]  # fmt: skip

    def _alike(self, one: int, other: int) -> bool:
        """Whether two relations lead to values of the same kind."""
        kinds = [self.columns.value_type(own) for own in (one, other)]
        return kinds[0] is not None and kinds[1] is not None and kinds[0].kind is kinds[1].kind

    def _is_dated(self, relation: int) -> bool:
        kind = self.columns.value_type(relation)
        return kind is not None and (kind.year or kind.kind is ValueKind.DATE)

    def _ways(self, one: int, other: int) -> list[tuple[int, ...]]:
        """How those that have one value come to the other: by themselves, or by what each has one of."""
        having, known = self.columns.sources(one), self.columns.sources(other)
        if len(np.intersect1d(having, known)) >= _PRICED * len(having):
            return [(other,)]
        found: list[tuple[int, ...]] = []
        for info in self.relations:
            if info.facts != info.heads or self.columns.value_type(info.id) is not None:
                continue
            owners, ends = self.columns.arcs(info.id)
            priced = owners[np.isin(ends, known)]
            if len(np.intersect1d(priced, having)) >= _PRICED * len(having):
                found.append((info.id, other))
        return found[:1]

    def _has_unit(self, relation: int) -> bool:
        kind = self.columns.value_type(relation)
        return kind is not None and bool(kind.dimension)

    def _measured_in(self, relation: int, words: Sequence[str]) -> bool:
        """Whether a relation's values have the unit that a rate is per: litres used, price per litre."""
        if "per" not in words:
            return False
        unit = self.columns.named_unit(relation)
        spelt = words[words.index("per") + 1 :][:1]
        other = parse(f"1 {spelt[0]}") if spelt else None
        return bool(unit and other and unit.dimension == other.dimension and unit.factor == other.factor)
