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
#: Stems of what is as often said of all at once, and of how many people there were.
_WHOLE, _HEADCOUNTS = (
    stems_in("cost value pay"),
    stems_in("attendance attendees guests participants people persons"),
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


#: What names of relations end in that lead to no numbers of things: what it was sold for, a unit no.
_NO_COUNTS = (["for"], ["no"], ["nr"], ["id"], ["#"])
#: Stems of beginnings and ends, what names of relations for them may end in, and of when something ought to end.
BEGUN = stems_in(
    "start begin began from opened borrowed arrival arrived checkin in departure departed depart issued ordered "
    "admitted admission received founded launched planted sown picked lent out since joined reported laid "
    "brought dropped"
)
ENDED = stems_in(
    "end finish finished until closed returned return departure checkout out arrival arrive delivered discharge "
    "discharged completed dissolved landed harvested back due left resolved decommissioned retired "
    "picked collected"
)
_PARTICLES = frozenset({"back", "in", "off", "out"})
_DUE, _DONE_THEN = stems_in("due deadline expected planned promised scheduled target"), stems_in("paid")
#: The share of things that end behind their beginning.
_IN_ORDER = 0.9


def turned(info: RelationInfo) -> frozenset[str]:
    """The stems that tell whether a relation leads to beginnings or ends: ``check in`` and ``check out`` differ."""
    return frozenset(info.stems) | (_PARTICLES & set(_words(info)))


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
        if _words(counted)[-1:] in _NO_COUNTS:
            return None
        if counted is rate or stems & (_PRICES | _HOLDS) or _per(counted):
            return None
        if (stems & per and not stems - per - _COUNTS - _DONE - _KEPT) or self._measured_in(
            counted.id, _words(rate)
        ):
            return 0
        measured = self.columns.named_unit(counted.id) is not None or self._has_unit(counted.id)
        if not per and frozenset(rate.stems) & _WHOLE and stems & _HEADCOUNTS:
            return None  # what fuel cost is no cost of each of those who were helped
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

    @cached_property
    def lasting(self) -> list[Computed]:
        """How long things lasted: when they ended less when they began, and last when they ought to end."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        found = [
            (end, begin)
            for end in dated if turned(end) & ENDED
            for begin in dated if begin is not end and turned(begin) & BEGUN and not turned(begin) & _DUE
            and self._alike(end.id, begin.id) and self._in_order(end.id, begin.id)
        ]  # fmt: skip
        found.sort(key=lambda pair: bool(turned(pair[0]) & _DUE))
        return [Computed(Key((end.id,), less=(begin.id,)), end.id) for end, begin in found]

    @cached_property
    def lateness(self) -> list[Computed]:
        """How long behind the time something was done: when it was done less when it was due."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        dated.sort(key=lambda info: bool(turned(info) & BEGUN))
        return [
            Computed(Key((done.id,), less=(due.id,)), done.id)
            for done in dated if turned(done) & (ENDED | _DONE_THEN) and not turned(done) & _DUE
            for due in dated if turned(due) & _DUE and self._alike(done.id, due.id)
            and self._ways(done.id, due.id) == [(due.id,)]
        ]  # fmt: skip

    def _in_order(self, end: int, begin: int) -> bool:
        """Whether the same things have both dates, one behind the other."""
        one, other = self.columns.column(end), self.columns.column(begin)
        _, here, there = np.intersect1d(one.owners, other.owners, return_indices=True)
        if not len(here) or len(here) < _PRICED * min(len(one.owners), len(other.owners)):
            return False
        return float(np.mean(one.values[here] >= other.values[there])) >= _IN_ORDER

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
