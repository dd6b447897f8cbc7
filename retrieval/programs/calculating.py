"""What is calculated of what a graph says: so many times a price, a share in percent, how far two values of one
thing are apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import all_arcs
from retrieval.programs.algebra import (
    Arithmetic,
    Constant,
    Count,
    Entities,
    Fold,
    Folding,
    Key,
    KeyOf,
    Operation,
    Program,
    ValueKind,
    Walk,
)
from retrieval.programs.execution import among
from retrieval.programs.lexicon import STOP
from retrieval.programs.listing import moved, piece
from retrieval.programs.parts import Part
from retrieval.programs.sorts import stems_in
from retrieval.programs.words import Question, agents, folded, related, stems_of

if TYPE_CHECKING:
    from retrieval.programs.anchors.anchor import Anchor, Features
    from retrieval.programs.execution import Executor
    from retrieval.programs.schema import Schema

#: What asks how much several of something come to.
_COMES_TO = re.compile(
    r"\b(?:costs?|prices?|priced|pay|paying|charged?|spend|comes? to|total|set (?:me|us|you) back|worth|weighs?|weight"
    r"|earns?|makes?|brings? in|takes?|needs?|uses?|holds?|contains?|gives?|how much)\b"
)
#: What a number behind these is compared with, or the time of something.
_COMPARED = frozenset({
    "in", "since", "before", "after", "during", "of", "than", "least", "most", "over", "under", "above", "below", "from",
    "until", "till", "exceeds", "first", "last", "top", "every", "between", "around", "about",
})  # fmt: skip
#: A number that is more likely a year.
_YEARS = range(1000, 2101)
#: What asks for a share, and where what it is a share of ends.
_SHARE = re.compile(
    r"(?:(?:what|which|how (?:big|large|high) (?:is|was) (?:the|a)) )?"
    r"(?P<share>percentage|percent|share|fraction|proportion|portion)(?: of)?\b (?P<rest>.+)"
)
_OF = re.compile(r"(?:what|which)(?P<share>) of (?P<rest>.+)")
_VERBS = frozenset({
    "is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "come", "comes", "came", "go", "goes", "went",
    "can", "could", "with", "from", "in", "by", "on", "at", "that", "who", "which", "whose", "live", "lives", "work",
    "works", "belong", "belongs", "cost", "costs", "get", "gets", "got", "need", "needs",
})  # fmt: skip
#: What asks how far apart two values of one thing are: times, or numbers.
_TIMES = re.compile(
    r"(?:.*\b)?(?:how (?:long|old)"
    r"|how (?:many|much)(?: full| whole)? (?:days|nights|weeks|months|years|hours|minutes|time)"
    r"|(?:days|nights|weeks|months|years|hours|minutes|time) (?:passed|between|elapsed)|age)\b.*"
)
_NUMBERS = re.compile(
    r".*\b(?:more|less|fewer|than|differ\w*|rises?|rose|risen|grow[ns]?|grew|increased?|drop(?:ped|s)?|f[ae]ll|fallen"
    r"|between|change[ds]?|apart)\b.*"
)
_OWED = re.compile(
    r".*\b(?:owe[sd]?|outstanding|still (?:to )?(?:cost|pay|due)|cost still|left to pay|unpaid"
    r"|after (?:the|his|her|their|its|a) deposit|balance)\b.*"
)
_GAINED = re.compile(
    r".*\b(?:gone up|went up|gain(?:ed)?|appreciate[sd]?|profits?|margin|mark ?up|(?:make|made|earn|earned) on"
    r"|increased? in (?:value|price))\b.*"
)
#: Stems of what is owed, what of it was paid; of what something is worth, and what it cost.
_DUE, _PAID = stems_in("total price fee rent cost amount invoice due hire"), stems_in("paid deposit prepaid")
_WORTH, _SPENT = (
    stems_in("value worth current valuation estimate sold sale selling resale retail"),
    stems_in("paid price cost bought purchase buying wholesale"),
)
#: Stems of beginnings and ends.
_BEGUN = stems_in(
    "start begin began from opened borrowed arrival arrived checkin in departure departed depart issued ordered "
    "admitted admission received founded launched planted sown picked lent out since joined reported laid"
)
_ENDED = stems_in(
    "end finish finished until closed returned return departure checkout out arrival arrive delivered discharge "
    "discharged completed dissolved landed harvested back due left resolved decommissioned retired"
)
_BORN = stems_in("birth born birthday hatched foaled")
#: Words for how long something was.
_LASTED = re.compile(
    r"\b(?:last(?:ed)?|stay(?:ed)?|take|took|away|gone|run|ran|kept|keep|have|had|live[sd]?|out|open|spend|spent|borrowed"
    r"|lent|serve[sd]?|operate[sd]?|stand|stood|exist(?:ed)?|reign(?:ed)?|rule[sd]?|travel(?:led)?)\b"
)
#: Readings that are looked at, things that are named, and how far a pair of values has to be told.
_READ, _TRIED, _NAMED, _TOLD = 3, 2, 2, 1.0
#: What words of a related meaning say of a relation, and nodes beside something whose values are looked at.
_ALIKE, _BESIDE = 0.7, 200


@dataclass(frozen=True, slots=True)
class _Valued:
    """A value of what is named: the path to it, what it is, and the words [n] that say so with how well."""

    path: tuple[int, ...]
    kind: ValueKind
    year: bool
    stems: frozenset[str]
    said: dict[int, float]


class Calculating:
    """Composes programs of what is calculated.

    Args:
        schema: of the graph.
        executor: runs them.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def parts(
        self, question: Question, compose: Callable[[Question], list[Part]], anchors: Sequence[Anchor] = ()
    ) -> Iterator[Part]:
        """What a question asks to be calculated, composed; nothing where it asks for no such thing.

        Args:
            question: in words.
            compose: the parts that a question's chart has, best first.
            anchors: what its words may stand for.
        """
        yield from self._times(question, compose, anchors)
        yield from self._share(question, compose)
        yield from self._between(question, anchors)

    def _times(
        self, question: Question, compose: Callable[[Question], list[Part]], anchors: Sequence[Anchor]
    ) -> Iterator[Part]:
        """ "What would six blades cost": so many times what one costs."""
        if _COMES_TO.search(folded(question)[0]) is None:
            return
        named = {n for own in anchors if own.extra == "node" for n in range(own.first, own.last)}
        for quantity in question.quantities:
            constant, first, last = quantity.constant, quantity.first, quantity.last
            number = constant.value / constant.factor
            bare = (
                quantity.upper is None and quantity.comparison is None and constant.kind is ValueKind.NUMBER
            )
            if not bare or number <= 0 or number == 1 or (number in _YEARS and not constant.dimension):
                continue
            if named & set(range(first, last)) or (first and question.words[first - 1].text in _COMPARED):
                continue
            for gone in {(first, last), (first, first + 1)}:
                kept = [n for n in range(len(question.words)) if not gone[0] <= n < gone[1]]
                yield from self._multiplied(question, kept, quantity.first, number, compose)

    def _multiplied(
        self,
        question: Question,
        kept: list[int],
        at: int,
        number: float,
        compose: Callable[[Question], list[Part]],
    ) -> Iterator[Part]:
        for part in compose(_without(question, kept))[:_READ]:
            program, single = part.program, None
            if isinstance(program, Walk) and program.relation < self.schema.snapshot.num_relations:
                single = KeyOf(program.source, Key((program.relation,)))
            elif isinstance(program, Fold) and program.how is Folding.SUM:
                single = KeyOf(program.source, program.key)
            if single is None:
                continue
            kind = self.schema.columns.key_type(single.key)
            if kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
                continue
            if math.isnan(self.executor.number(single)):
                continue
            times = Constant(number, text=question.words[at].text)
            whole = Arithmetic(Operation.PRODUCT, single, times)
            cue = Part("L", 0, 1, None, None, 0.0, (), (), (at, at + 1))
            yield Part("F", 0, 1, whole, None, 0.0, _CALCULATED, (cue, _placed(part, kept)))

    def _share(self, question: Question, compose: Callable[[Question], list[Part]]) -> Iterator[Part]:
        """ "What percentage of the books are by Ann": how many are, of how many there are."""
        text, starts = folded(question)
        match = _SHARE.fullmatch(text) or (_OF.fullmatch(text) if "%" in question.text else None)
        if match is None:
            return
        count, first = len(question.words), starts.index(match.start("rest"))
        whole = [own for own in compose(piece(question, first, count))[:_READ] if own.category == "S"]
        if not whole:
            return
        ends = [n for n in range(first + 1, count) if question.words[n].text in _VERBS]
        for end in ends[:_READ]:
            for every in compose(piece(question, first, end))[:_TRIED]:
                if every.category != "S" or every.program is None:
                    continue
                of = self.executor.nodes(every.program)
                for part in whole:
                    assert part.program is not None, "a set has a program"
                    some = self.executor.nodes(part.program)
                    if not len(some) < len(of) or not bool(among(some, of).all()):
                        continue
                    program = Arithmetic(Operation.SHARE, Count(part.program), Count(every.program))
                    cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, first))
                    yield Part("F", 0, 1, program, None, 0.0, _CALCULATED, (cue, moved(part, first)))
                    return

    def _between(self, question: Question, anchors: Sequence[Anchor]) -> Iterator[Part]:
        """How far apart two values of one thing are: its beginning and end, its price and what was paid."""
        text = folded(question)[0]
        timed, counted = _TIMES.fullmatch(text), _NUMBERS.fullmatch(text)
        owed, gained = _OWED.fullmatch(text), _GAINED.fullmatch(text)
        if not (timed or counted or owed or gained):
            return
        named = self._named(anchors)
        if not 0 < len(named) <= _NAMED:
            return
        rest = [n for n in range(len(question.words)) if not any(own.first <= n < own.last for own in named)]
        for source, paths in self._holders(named):
            values = list(self._values(question, source, paths, rest))
            found: list[tuple[float, _Valued, _Valued]] = []
            for one, other in product(values, values):
                if one is other or one.kind is not other.kind or one.year is not other.year:
                    continue
                apart = one.kind is not ValueKind.NUMBER or one.year
                told = 0.0
                if apart and timed:
                    told = self._told(one, other, text)
                elif not apart and not timed:
                    told = _said_apart(one, other) if counted and one.path < other.path else 0.0
                    if owed and one.stems & _DUE and other.stems & _PAID and not one.stems & _PAID:
                        told += _TOLD
                    if gained and one.stems & _WORTH and other.stems & _SPENT and not one.stems & _SPENT:
                        told += _TOLD
                if told >= _TOLD:
                    found.append((told, one, other))
            found.sort(key=lambda own: (-own[0], own[1].path, own[2].path))
            for _, one, other in found[:_TRIED]:
                program = self._apart(text, source, one, other)
                if program is None or math.isnan(self.executor.number(program)):
                    continue
                parts = [
                    Part("S", 0, 1, own.program, own.extra, 0.0, own.features, (), (own.first, own.last))
                    for own in named
                ]
                cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
                yield Part("F", 0, 1, program, None, 0.0, _CALCULATED, (*parts, *cues))
            if found:
                return

    def _apart(self, text: str, source: Program, one: _Valued, other: _Valued) -> Program | None:
        """The difference of two values, in the unit that is asked for."""
        ends, begins = KeyOf(source, Key(one.path)), KeyOf(source, Key(other.path))
        if one.kind is ValueKind.DATE:
            if re.search(r"\b(?:years?|old|age)\b", text):
                return KeyOf(source, self._less(one.path, other.path))
            days = Arithmetic(Operation.DAYS, ends, begins)
            return (
                Arithmetic(Operation.RATIO, days, Constant(7.0, text="7 days")) if "weeks" in text else days
            )
        return Arithmetic(Operation.DIFFERENCE, ends, begins)

    def _less(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> Key:
        """A value less another of the same thing, whichever of both lies a step away."""
        if len(ends) == len(begins):
            return (
                Key(ends, less=begins[-1:])
                if ends[:-1] == begins[:-1]
                else Key(ends, less=self._back(ends, begins))
            )
        return Key(ends, less=self._back(ends, begins))

    def _back(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> tuple[int, ...]:
        """The path to a value from where the last relation of another begins."""
        return (*(self.schema.inverse(relation) for relation in reversed(ends[:-1])), *begins)

    def _named(self, anchors: Sequence[Anchor]) -> list[Anchor]:
        """The single things that are named, the longest names first; one of those that share words."""
        named: list[Anchor] = []
        for own in sorted(anchors, key=lambda own: (own.first - own.last, -own.strength)):
            program = own.program
            if own.extra != "node" or not isinstance(program, Entities) or len(program.ids) != 1:
                continue
            if self.schema.columns.kinds[program.ids[0]] or program.ids[0] in self.schema.kinds:
                continue
            if all(own.last <= other.first or other.last <= own.first for other in named):
                named.append(own)
        return named

    def _holders(self, named: Sequence[Anchor]) -> Iterator[tuple[Program, list[tuple[int, ...]]]]:
        """What has the values, with the paths to where they may lie: what is named, or the row that two names share."""
        sets = [own.program for own in named if own.program is not None]
        if len(sets) == 1:
            paths = [(), *((relation,) for relation in self._beside(sets[0]))]
            yield sets[0], paths
            return
        ways = [self._beside(own) for own in sets]
        for one, other in product(*ways):
            here = self.executor.walk(self.executor.nodes(sets[0]), one)
            there = self.executor.walk(self.executor.nodes(sets[1]), other)
            both = np.intersect1d(here, there)
            if len(both) == 1:
                yield Entities((int(both[0]),)), [()]
        for one, other in ((0, 1), (1, 0)):
            for relation in ways[one]:
                reached = self.executor.walk(self.executor.nodes(sets[one]), relation)
                if len(reached) == 1 and reached[0] == self.executor.nodes(sets[other])[0]:
                    yield sets[one], [(), *((own,) for own in ways[one])]

    def _beside(self, source: Program) -> list[int]:
        """The directed relations by which what is named has one neighbour that is no value."""
        nodes = self.executor.nodes(source)
        _, relations, ends, _ = all_arcs(self.schema.snapshot, nodes)
        if len(ends) > _BESIDE:
            return []
        plain = self.schema.columns.kinds[ends] == 0
        counts = np.bincount(relations[plain], minlength=2 * self.schema.snapshot.num_relations)
        found: list[int] = np.flatnonzero(counts == 1).tolist()
        return [own for own in found if own % self.schema.snapshot.num_relations != self.schema.type_relation]

    def _values(
        self, question: Question, source: Program, paths: Sequence[tuple[int, ...]], rest: Sequence[int]
    ) -> Iterator[_Valued]:
        """The single values that lie at the ends of paths, and one step on."""
        words = {n: question.words[n].stem for n in rest if question.words[n].text not in STOP}
        for path in paths:
            nodes = self.executor.nodes(source)
            way: frozenset[str] = frozenset()
            for relation in path:
                nodes = self.executor.walk(nodes, relation)
                way |= frozenset(self.schema.relations[relation % self.schema.snapshot.num_relations].stems)
            if self.schema.type_relation is not None:
                for kind in self.executor.walk(nodes, self.schema.type_relation).tolist():
                    way |= frozenset(stems_of(self.schema.snapshot.entity_label(kind)))
            _, relations, ends, _ = all_arcs(self.schema.snapshot, nodes)
            for relation in np.unique(relations[self.schema.columns.kinds[ends] > 0]).tolist():
                kind = self.schema.columns.value_type(relation)
                if kind is None or np.count_nonzero(relations == relation) != 1:
                    continue
                own = frozenset(self.schema.relations[relation].stems)
                stems = own | way if path else own
                said = {n: how for n, word in words.items() if (how := _names(word, stems))}
                yield _Valued((*path, relation), kind.kind, kind.year, stems, said)

    def _told(self, end: _Valued, begin: _Valued, text: str) -> float:
        """How far words tell that the time from one value to another is asked for."""
        told = _said_apart(end, begin) if end.path != begin.path else 0.0
        if re.search(r"\b(?:old|age)\b", text):
            if not begin.stems & _BORN:
                return 0.0
            return sum(end.said.values())
        opposite = bool(end.stems & _ENDED) and bool(begin.stems & _BEGUN) and not end.stems & _BORN
        if begin.stems & _ENDED and end.stems & _BEGUN and not (end.stems & _ENDED - _BEGUN):
            opposite = False
        if opposite and end.path[:-1] == begin.path[:-1]:
            told += 0.5 + (_TOLD if _LASTED.search(text) else 0.0)
        if begin.stems & _BORN and _LASTED.search(text) is None:
            return 0.0
        return told


def _said_apart(one: _Valued, other: _Valued) -> float:
    """How well words say two values, those that say both left out; nothing where either is not said."""
    mine = sum(how for n, how in one.said.items() if how > other.said.get(n, 0.0))
    others = sum(how for n, how in other.said.items() if how > one.said.get(n, 0.0))
    return mine + others if mine and others else 0.0


def _names(stem: str, stems: frozenset[str]) -> float:
    """How well a word says a relation: by its form, or by one of the same meaning."""
    if stem in stems or agents(stem) & stems:
        return 1.0
    return _ALIKE if related().get(stem, frozenset()) & stems else 0.0


def _without(question: Question, kept: Sequence[int]) -> Question:
    """A question of some of its words; the others are blanks in its text."""
    at = {n: place for place, n in enumerate(kept)}
    gone = [word for n, word in enumerate(question.words) if n not in at]
    text = question.text
    for word in gone:
        text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    quantities = [
        replace(own, first=at[own.first], last=at[own.last - 1] + 1)
        for own in question.quantities if all(n in at for n in range(own.first, own.last))
    ]  # fmt: skip
    quoted = [(at[a], at[b - 1] + 1) for a, b in question.quoted if all(n in at for n in range(a, b))]
    return Question(text, [question.words[n] for n in kept], quantities, quoted)


def _placed(part: Part, kept: Sequence[int]) -> Part:
    """A part of a question of some words as one of the whole."""
    anchored = (kept[part.anchored[0]], kept[part.anchored[1] - 1] + 1) if part.anchored else None
    return replace(part, anchored=anchored, parts=tuple(_placed(inner, kept) for inner in part.parts))


_CALCULATED: Features = (
    ("difference", 1.0), ("difference.quality", 1.0), ("difference.asked", 1.0), ("calculated", 1.0),
)  # fmt: skip
