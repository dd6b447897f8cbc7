"""What two columns of a graph come to: price times quantity, what can be held less what is, death less birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.values import parse
from retrieval.language.amounts import ValueKind
from retrieval.language.words import get_stem
from retrieval.programs.algebra.operations import Key
from retrieval.programs.grounding.relation_types import load_stems, parse_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.relation_types import RelationInfo

#: Stems of what is said of one of several things, and of how many there are.
_PRICES = load_stems("price_relation_words")
_COUNTS = load_stems("quantity_relation_words")
#: Stems of what is as often said of all at once, and of how many people there were.
_WHOLE, _HEADCOUNTS = (
    parse_stems("cost value pay"),
    parse_stems("attendance attendees guests participants people persons"),
)
#: What a price is per, and words of how many or how long that is.
_PERIODS = {"hourly": "hours", "daily": "days", "weekly": "weeks", "monthly": "months"}
#: What is said of how many or how long something was; and stems of numbers of what is there and was not sold.
_DONE = load_stems("usage_relation_words")
_KEPT = parse_stems("stock inventory copies hand available left remaining")
#: Stems of what people are counted as.
_HEADS = parse_stems("pupil head child student player")
#: The share of those that have a number of things whose price is known.
_PRICED = 0.6
#: Stems of ends and beginnings of lives, and of what can hold how many and how many it holds.
_DEATH, _BIRTH = parse_stems("death die"), parse_stems("birth")
_HOLDS = parse_stems("max maximum capacity limit")
_HELD = parse_stems("booked taken occupied reserved enrolled registered sold")


#: What names of relations end in that lead to no numbers of things: what it was sold for, a unit no.
_NO_COUNTS = (["for"], ["no"], ["nr"], ["id"], ["#"])
#: Stems of beginnings and ends, what names of relations for them may end in, and of when something ought to end.
BEGUN = load_stems("beginning_relation_words")
ENDED = load_stems("end_relation_words")
_PARTICLES = frozenset({"back", "in", "off", "out"})
_DUE, _DONE_THEN = parse_stems("due deadline expected planned promised scheduled target"), parse_stems("paid")
#: The share of things that end behind their beginning.
_IN_ORDER = 0.9


def get_boundary_stems(info: RelationInfo) -> frozenset[str]:
    """The stems that tell whether a relation leads to beginnings or ends: ``check in`` and ``check out`` differ."""
    return frozenset(info.stems) | (_PARTICLES & set(_split_label(info)))


def _split_label(info: RelationInfo) -> list[str]:
    return info.label.casefold().replace("(", " ").replace(")", " ").split()


def _get_per_stems(info: RelationInfo) -> frozenset[str]:
    """The stems of what a relation's values are of one of: ``hour`` of ``rate per hour`` and of ``hourly rate``."""
    words = _split_label(info)
    behind = words[words.index("per") + 1 :] if "per" in words else []
    return frozenset(map(get_stem, [*behind, *(_PERIODS[word] for word in words if word in _PERIODS)]))


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
        relations: by forward id.
        numbers: those that lead to numbers that are no years.
    """

    def __init__(self, columns: Columns, relations: Sequence[RelationInfo], numbers: Sequence[RelationInfo]) -> None:
        self.columns = columns
        self.relations = relations
        self.numbers = numbers

    @cached_property
    def products(self) -> list[Computed]:
        """What so many things come to, the surest first: quantity times price, of the row or of what it is of."""
        ranked: list[tuple[int, Computed]] = []
        rates = [(rate, _get_per_stems(rate)) for rate in self.numbers]
        every = frozenset[str]().union(*(per for _, per in rates))
        for rate, per in rates:
            if "rating" in _split_label(rate):
                continue
            plain = frozenset(rate.stems) - per
            if not per and not plain & _PRICES:
                continue
            for counted in self.numbers:
                place = self._rank_count_relation(rate, per, counted, every)
                if place is None:
                    continue
                for way in self._find_paths(counted.id, rate.id):
                    key = Key((counted.id,), times=way)
                    kept = bool(set(counted.stems) & _KEPT) or "on order" in counted.label.casefold()
                    ranked.append((10 * place + len(way), Computed(key, rate.id, plain, bool(plain & _PRICES), kept)))
        return [entry for _, entry in sorted(ranked, key=lambda entry: entry[0])]

    def _rank_count_relation(
        self, rate: RelationInfo, per: frozenset[str], counted: RelationInfo, every: frozenset[str]
    ) -> int | None:
        """How surely one says how many there are of what the other is of, 0 the surest; None where it does not."""
        stems = frozenset(counted.stems)
        if _split_label(counted)[-1:] in _NO_COUNTS:
            return None
        if counted is rate or stems & (_PRICES | _HOLDS) or _get_per_stems(counted):
            return None
        if (stems & per and not stems - per - _COUNTS - _DONE - _KEPT) or self._is_measured_in(
            counted.id, _split_label(rate)
        ):
            return 0
        measured = self.columns.parse_named_unit(counted.id) is not None or self._has_unit(counted.id)
        if not per and frozenset(rate.stems) & _WHOLE and stems & _HEADCOUNTS:
            return None  # what fuel cost is no cost of each of those who were helped
        if stems & _COUNTS and (not per or per & (_COUNTS | _HEADS)) and not measured:
            return 1
        return 2 if "each" in _split_label(rate) and stems & every else None

    @cached_property
    def free(self) -> list[Computed]:
        """How many more something can hold."""
        return [
            Computed(Key((most.id,), less=(held.id,)), most.id)
            for most in self.numbers if set(most.stems) & _HOLDS
            for held in self.numbers
            if held is not most and set(held.stems) & _HELD and self._find_paths(most.id, held.id) == [(held.id,)]
        ]  # fmt: skip

    @cached_property
    def lives(self) -> list[Computed]:
        """How old people became: dates of death less dates of birth."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        return [
            Computed(Key((died.id,), less=(born.id,)), died.id)
            for died in dated if set(died.stems) & _DEATH
            for born in dated if set(born.stems) & _BIRTH and self._is_same_kind(born.id, died.id)
            and self._find_paths(died.id, born.id) == [(born.id,)]
        ]  # fmt: skip

    @cached_property
    def lasting(self) -> list[Computed]:
        """How long things lasted: when they ended less when they began, and last when they ought to end."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        pairs = [
            (end, begin)
            for end in dated if get_boundary_stems(end) & ENDED
            for begin in dated if begin is not end and get_boundary_stems(begin) & BEGUN
            and not get_boundary_stems(begin) & _DUE
            and self._is_same_kind(end.id, begin.id) and self._is_in_order(end.id, begin.id)
        ]  # fmt: skip
        pairs.sort(key=lambda pair: bool(get_boundary_stems(pair[0]) & _DUE))
        return [Computed(Key((end.id,), less=(begin.id,)), end.id) for end, begin in pairs]

    @cached_property
    def lateness(self) -> list[Computed]:
        """How long behind the time something was done: when it was done less when it was due."""
        dated = [info for info in self.relations if self._is_dated(info.id)]
        dated.sort(key=lambda info: bool(get_boundary_stems(info) & BEGUN))
        return [
            Computed(Key((done.id,), less=(due.id,)), done.id)
            for done in dated if get_boundary_stems(done) & (ENDED | _DONE_THEN) and not get_boundary_stems(done) & _DUE
            for due in dated if get_boundary_stems(due) & _DUE and self._is_same_kind(done.id, due.id)
            and self._find_paths(done.id, due.id) == [(due.id,)]
        ]  # fmt: skip

    def _is_in_order(self, end: int, begin: int) -> bool:
        """Whether the same things have both dates, one behind the other."""
        end_column, begin_column = self.columns.get_column(end), self.columns.get_column(begin)
        _, here, there = np.intersect1d(end_column.owners, begin_column.owners, return_indices=True)
        if not len(here) or len(here) < _PRICED * min(len(end_column.owners), len(begin_column.owners)):
            return False
        return float(np.mean(end_column.values[here] >= begin_column.values[there])) >= _IN_ORDER

    def _is_same_kind(self, left: int, right: int) -> bool:
        """Whether two relations lead to values of the same kind."""
        kinds = [self.columns.get_value_type(relation) for relation in (left, right)]
        return kinds[0] is not None and kinds[1] is not None and kinds[0].kind is kinds[1].kind

    def _is_dated(self, relation: int) -> bool:
        kind = self.columns.get_value_type(relation)
        return kind is not None and (kind.year or kind.kind is ValueKind.DATE)

    def _find_paths(self, source: int, target: int) -> list[tuple[int, ...]]:
        """How those that have one value come to the other: by themselves, or by what each has one of."""
        having, known = self.columns.list_sources(source), self.columns.list_sources(target)
        if len(np.intersect1d(having, known)) >= _PRICED * len(having):
            return [(target,)]
        paths: list[tuple[int, ...]] = []
        for info in self.relations:
            if info.facts != info.heads or self.columns.get_value_type(info.id) is not None:
                continue
            owners, ends = self.columns.list_arcs(info.id)
            priced = owners[np.isin(ends, known)]
            if len(np.intersect1d(priced, having)) >= _PRICED * len(having):
                paths.append((info.id, target))
        return paths[:1]

    def _has_unit(self, relation: int) -> bool:
        kind = self.columns.get_value_type(relation)
        return kind is not None and bool(kind.dimension)

    def _is_measured_in(self, relation: int, words: Sequence[str]) -> bool:
        """Whether a relation's values have the unit that a rate is per: litres used, price per litre."""
        if "per" not in words:
            return False
        unit = self.columns.parse_named_unit(relation)
        spelt = words[words.index("per") + 1 :][:1]
        other = parse(f"1 {spelt[0]}") if spelt else None
        return bool(unit and other and unit.dimension == other.dimension and unit.factor == other.factor)
