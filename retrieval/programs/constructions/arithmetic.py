"""What is calculated of what a graph says: so many times a price, a share in percent, how far two values of one
thing are apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.language.amounts import Folding, ValueKind
from retrieval.language.english import STOP
from retrieval.language.words import (
    QuestionWords,
    generate_agent_stems,
    get_label_stems,
    get_related_stems,
    join_words,
)
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Fold,
    Key,
    KeyOf,
    Operation,
    Program,
    Walk,
)
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.differences import find_named_things
from retrieval.programs.constructions.row_order import extract_subquestion, move_part
from retrieval.programs.grammar.constituents import Part, iter_leaves
from retrieval.programs.grounding.computed import BEGUN, ENDED, get_boundary_stems
from retrieval.programs.grounding.relation_types import parse_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor, Features
    from retrieval.programs.grounding.schema import Schema

#: What asks how much several of something come to.
_COMES_TO = re.compile(
    r"\b(?:costs?|prices?|priced|pay|paying|charged?|spend|comes? to|total|set (?:me|us|you) back|worth|weighs?|weight"
    r"|earns?|makes?|brings? in|takes?|needs?|uses?|holds?|contains?|gives?|how much)\b"
)
#: What a number behind these is compared with, or the time of something.
_COMPARED = get_words("words_around_compared_numbers")
#: A number that is more likely a year.
_YEARS = range(1000, 2101)
#: What asks for a share, and where what it is a share of ends.
_SHARE = re.compile(
    r"(?:(?:what|which|how (?:big|large|high) (?:is|was) (?:the|a)) )?"
    r"(?P<share>percentage|percent|share|fraction|proportion|portion)(?: of)?\b (?P<rest>.+)"
)
_OF = re.compile(r"(?:what|which)(?P<share>) of (?P<rest>.+)")
_VERBS = get_words("verbs_of_conditions")
#: What asks for the time between two dates of one thing.
_TIMES = re.compile(
    r"(?:.*\b)?(?:how (?:long|old)"
    r"|how (?:many|much)(?: full| whole)? (?:days|nights|weeks|months|years|hours|minutes|time)"
    r"|(?:days|nights|weeks|months|years|hours|minutes|time) (?:passed|between|elapsed)|age)\b.*"
)
#: What asks for the time from the first to the last of several.
_EXTREMES = re.compile(
    r".*\b(?P<between>between)\b(?: (?:the|our|my|his|her|their|its))? (?:(?:first|earliest) (?P<one>\w+ )?and"
    r"(?: (?:the|our|my|his|her|their|its))? (?:last|latest|most recent)|two|both) (?P<rest>.+)"
)
#: What asks how far apart two numbers of one thing are, and how such a question begins.
_NUMBERS = re.compile(
    r".*\b(?:more|less|fewer|than|differ\w*|rises?|rose|risen|grow[ns]?|grew|increased?|drop(?:ped|s)?|f[ae]ll|fallen"
    r"|between|change[ds]?|apart)\b.*"
)
_HOW_MUCH = re.compile(
    r"\bhow (?:much|many)\b|\bdifference\b|^what (?:would|does|did|is|was)\b|^(?:total|balance|profit)\b"
)
#: What asks what is still owed, and what was gained.
_OWED = re.compile(
    r".*\b(?:owe[sd]?|outstanding|still (?:to )?(?:cost|pay|due)|cost still|left to pay|unpaid"
    r"|after (?:the|his|her|their|its|a) deposit|balance)\b.*"
)
_GAINED = re.compile(
    r".*\b(?:gone up|went up|gain(?:ed)?|appreciate[sd]?|profits?|margin|mark ?up|(?:make|made|earn|earned) on"
    r"|increased? in (?:value|price))\b.*"
)
#: Stems of what is owed, what of it was paid; of what something is worth, and what it cost.
_DUE, _PAID = (
    parse_stems("total price fee rent cost amount invoice due hire"),
    parse_stems("paid deposit prepaid"),
)
_WORTH, _SPENT = (
    parse_stems("value worth current valuation estimate sold sale selling resale retail"),
    parse_stems("paid price cost bought purchase buying wholesale"),
)
#: Stems of births and deaths.
_BORN, _DIED = parse_stems("birth born birthday hatched foaled"), parse_stems("death died")
#: Words for how long something was.
_LASTED = re.compile(
    r"\b(?:last(?:ed)?|stay(?:ed)?|take|took|away|gone|run|ran|kept|keep|have|had|live[sd]?|out|open|spend|spent|borrowed"
    r"|lent|serve[sd]?|operate[sd]?|stand|stood|exist(?:ed)?|reign(?:ed)?|rule[sd]?|travel(?:led)?)\b"
)
#: Readings that are looked at, things that are named, and how far a pair of values has to be told.
_READ, _TRIED, _NAMED, _LOOKED_AT, _TOLD = 3, 2, 2, 5, 1.0
#: What a step to a value costs, and what a beginning and an end are told by that nobody names.
_FAR, _OPPOSITE = 0.1, 0.5
#: What words of a related meaning say of a relation, and nodes beside something whose values are looked at.
_ALIKE, _BESIDE = 0.7, 200


@dataclass(frozen=True, slots=True)
class _Valued:
    """A value of what is named: the path to it, what it is, and the words [n] that say so with how well."""

    path: tuple[int, ...]
    kind: ValueKind
    year: bool
    dimension: str
    stems: frozenset[str]
    said: dict[int, float]


class Calculations:
    """Composes programs of what is calculated.

    Args:
        schema: of the graph.
        executor: runs them.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose = composed.question, composed.compose
        yield from self._build_multiples(question, compose, composed.anchors)
        yield from self._build_shares(question, compose)
        yield from self._build_extreme_differences(question, compose)
        yield from self._build_value_differences(question, composed.parts, composed.anchors)

    def _build_multiples(
        self, question: QuestionWords, compose: Callable[[QuestionWords], list[Part]], anchors: Sequence[Anchor]
    ) -> Iterator[Part]:
        """ "What would six blades cost": so many times what one costs."""
        if _COMES_TO.search(join_words(question)[0]) is None:
            return
        named_words = {n for anchor in anchors if anchor.extra == "node" for n in range(anchor.first, anchor.last)}
        for quantity in question.quantities:
            amount, first, last = quantity.amount, quantity.first, quantity.last
            number = amount.value / amount.factor
            bare = quantity.upper is None and quantity.comparison is None and amount.kind is ValueKind.NUMBER
            if not bare or number <= 0 or number == 1 or (number in _YEARS and not amount.dimension):
                continue
            if named_words & set(range(first, last)) or (first and question.words[first - 1].text in _COMPARED):
                continue
            for gone in {(first, last), (first, first + 1)}:
                kept = [n for n in range(len(question.words)) if not gone[0] <= n < gone[1]]
                yield from self._build_products(question, kept, quantity.first, number, compose)

    def _build_products(
        self,
        question: QuestionWords,
        kept: list[int],
        position: int,
        number: float,
        compose: Callable[[QuestionWords], list[Part]],
    ) -> Iterator[Part]:
        for part in compose(_keep_words(question, kept))[:_READ]:
            program, single, key = part.program, None, None
            if isinstance(program, Walk) and program.relation < self.schema.snapshot.num_relations:
                key = Key((program.relation,))
                is_single = len(self.executor.compute_nodes(program.source)) == 1
                single = KeyOf(program.source, key) if is_single else program  # several have the same price
            elif isinstance(program, Fold) and program.how is Folding.SUM:
                key, single = program.key, KeyOf(program.source, program.key)
            kind = None if key is None else self.schema.columns.get_key_type(key)
            if single is None or kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
                continue
            if math.isnan(self.executor.compute_number(single)):
                continue
            times = Constant(number, text=question.words[position].text)
            total = Arithmetic(Operation.PRODUCT, single, times)
            cue = Part("L", 0, 1, None, None, 0.0, (), (), (position, position + 1))
            yield Part("F", 0, 1, total, None, 0.0, _CALCULATED, (cue, _restore_positions(part, kept)))

    def _build_shares(self, question: QuestionWords, compose: Callable[[QuestionWords], list[Part]]) -> Iterator[Part]:
        """ "What percentage of the books are by Ann": how many are, of how many there are."""
        text, starts = join_words(question)
        match = _SHARE.fullmatch(text) or (_OF.fullmatch(text) if "%" in question.text else None)
        if match is None:
            return
        count, first = len(question.words), starts.index(match.start("rest"))
        sets = [
            candidate
            for candidate in compose(extract_subquestion(question, first, count))[:_READ]
            if candidate.category == "S"
        ]
        if not sets:
            return
        ends = [n for n in range(first + 1, count) if question.words[n].text in _VERBS]
        for end in ends[:_READ]:
            for every in compose(extract_subquestion(question, first, end))[:_TRIED]:
                if every.category != "S" or every.program is None:
                    continue
                every_nodes = self.executor.compute_nodes(every.program)
                for part in sets:
                    assert part.program is not None, "a set has a program"
                    set_nodes = self.executor.compute_nodes(part.program)
                    if not len(set_nodes) < len(every_nodes) or not bool(is_among(set_nodes, every_nodes).all()):
                        continue
                    program = Arithmetic(Operation.SHARE, Count(part.program), Count(every.program))
                    cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, first))
                    yield Part("F", 0, 1, program, None, 0.0, _CALCULATED, (cue, move_part(part, first)))
                    return

    def _build_extreme_differences(
        self, question: QuestionWords, compose: Callable[[QuestionWords], list[Part]]
    ) -> Iterator[Part]:
        """ "How many days lie between the first and the last harvest": from the least of their dates to the most."""
        text, starts = join_words(question)
        match = _EXTREMES.fullmatch(text)
        if match is None or _TIMES.fullmatch(text) is None:
            return
        first = starts.index(match.start("rest"))
        kept = [n for n in range(first, len(question.words)) if question.words[n].text not in ("one", "ones")]
        if match["one"]:
            kept.insert(0, starts.index(match.start("one")))
        for part in compose(_keep_words(question, kept))[:_READ] if kept else ():
            if part.category != "S" or part.program is None:
                continue
            source: Program = part.program
            held = self.schema.find_shared_relations(self.executor.compute_nodes(source))
            if isinstance(source, Walk) and self.schema.columns.get_value_type(source.relation) is not None:
                held, source = [source.relation], source.source
            for relation in held:
                kind = self.schema.columns.get_value_type(relation)
                if kind is None or not (kind.year or kind.kind is ValueKind.DATE):
                    continue
                most, least = (Fold(how, source, Key((relation,))) for how in (Folding.MOST, Folding.LEAST))
                days = kind.kind is ValueKind.DATE and re.search(r"\byears?\b", text) is None
                program = Arithmetic(Operation.DAYS if days else Operation.DIFFERENCE, least, most)
                if math.isnan(self.executor.compute_number(program)):
                    continue
                cues = [
                    Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1))
                    for n in range(len(question.words)) if n not in kept
                ]  # fmt: skip
                yield Part("F", 0, 1, program, None, 0.0, _CALCULATED, (_restore_positions(part, kept), *cues))
                return

    def _build_value_differences(
        self, question: QuestionWords, composed: Sequence[Part], anchors: Sequence[Anchor]
    ) -> Iterator[Part]:
        """How far apart two values of one thing are: its beginning and end, its price and what was paid."""
        text = join_words(question)[0]
        asks = _HOW_MUCH.search(text) is not None
        request = _ValueRequest(
            text,
            timed=_TIMES.fullmatch(text) is not None,
            counted=asks and _NUMBERS.fullmatch(text) is not None,
            owed=asks and _OWED.fullmatch(text) is not None,
            gained=asks and _GAINED.fullmatch(text) is not None,
        )
        if not (request.timed or request.counted or request.owed or request.gained):
            return
        several = request.owed or request.gained
        for source, paths, parts in self._find_value_holders(
            anchors, composed, several=several, rows=several or request.timed
        ):
            read = {n for part in parts for n in range(*(part.anchored or (0, 0))) if part.extra == "node"}
            rest = [n for n in range(len(question.words)) if n not in read]
            values = list(self._find_values(question, source, paths, rest))
            pairs = [(request.score_difference(left, right), left, right) for left, right in permutations(values, 2)]
            likely_pairs = sorted(
                (pair for pair in pairs if pair[0] >= _TOLD), key=lambda pair: (-pair[0], pair[1].path)
            )
            for _, left, right in likely_pairs[:_TRIED]:
                program = self._build_difference(text, source, left, right)
                if program is None or not self.executor.compute_number(program) >= 0.0:
                    continue
                cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
                yield Part("F", 0, 1, program, None, 0.0, _CALCULATED, (*parts, *cues))
            if likely_pairs:
                return

    def _build_difference(self, text: str, source: Program, left: _Valued, right: _Valued) -> Program | None:
        """The difference of two values, in the unit that is asked for."""
        if len(self.executor.compute_nodes(source)) > 1:
            key = Key(left.path, less=right.path)
            return Fold(Folding.SUM, source, key) if left.kind is ValueKind.NUMBER else None
        ends, begins = KeyOf(source, Key(left.path)), KeyOf(source, Key(right.path))
        if left.kind is ValueKind.DATE and not self.executor.compute_number(ends) >= self.executor.compute_number(
            begins
        ):
            return None
        if left.kind is ValueKind.DATE:
            if re.search(r"\b(?:years?|old|age)\b", text):
                return KeyOf(source, self._build_difference_key(left.path, right.path))
            days = Arithmetic(Operation.DAYS, begins, ends)
            return Arithmetic(Operation.RATIO, days, Constant(7.0, text="7 days")) if "weeks" in text else days
        return Arithmetic(Operation.DIFFERENCE, ends, begins)

    def _build_difference_key(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> Key:
        """A value less another of the same thing, whichever of both lies a step away."""
        if len(ends) == len(begins):
            return (
                Key(ends, less=begins[-1:])
                if ends[:-1] == begins[:-1]
                else Key(ends, less=self._build_connecting_path(ends, begins))
            )
        return Key(ends, less=self._build_connecting_path(ends, begins))

    def _build_connecting_path(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> tuple[int, ...]:
        """The path to a value from where the last relation of another begins."""
        return (*(self.schema.get_inverse(relation) for relation in reversed(ends[:-1])), *begins)

    def _find_value_holders(
        self, anchors: Sequence[Anchor], composed: Sequence[Part], *, several: bool, rows: bool
    ) -> Iterator[tuple[Program, list[tuple[int, ...]], tuple[Part, ...]]]:
        """What has the values, with the paths to where they may lie and the parts that say it.

        That is what is named, the row that two names share, or with ``rows`` the one row that the question was
        read as; with ``several`` also the rows of what is named.
        """
        things = find_named_things(anchors, self.schema)
        named_parts = tuple(
            Part("S", 0, 1, anchor.program, anchor.extra, 0.0, anchor.features, (), (anchor.first, anchor.last))
            for anchor, _ in things
        )
        sets = [program for _, program in things]
        if len(sets) == 1:
            yield sets[0], self._list_paths(sets[0]), named_parts
            for relation in self._list_neighbour_relations(sets[0]) if several else ():
                yield Walk(sets[0], relation), [()], named_parts
        elif len(sets) == _NAMED:
            ways = [self._list_neighbour_relations(source) for source in sets]
            for left, right in product(*ways):
                here = self.executor.walk(self.executor.compute_nodes(sets[0]), left)
                both = find_common(here, self.executor.walk(self.executor.compute_nodes(sets[1]), right))
                if len(both) == 1:
                    row = And(Walk(sets[0], left), Walk(sets[1], right))
                    yield row, self._list_paths(row), named_parts
            for source, target, relations in ((sets[0], sets[1], ways[0]), (sets[1], sets[0], ways[1])):
                ends = [self.executor.walk(self.executor.compute_nodes(source), relation) for relation in relations]
                if any(is_among(self.executor.compute_nodes(target), end).all() for end in ends):
                    yield source, self._list_paths(source), named_parts
        for part in composed[:_LOOKED_AT] if rows else ():
            program = part.program
            if isinstance(program, Count):
                program = program.source
            if program is None or isinstance(program, Entities) or part.category not in "SF":
                continue
            nodes = self.executor.run(program)
            if isinstance(nodes, np.ndarray) and len(nodes) == 1 and not self._mark_values(nodes).any():
                yield program, self._list_paths(program), tuple(iter_leaves(part))

    def _list_paths(self, source: Program) -> list[tuple[int, ...]]:
        return [(), *((relation,) for relation in self._list_single_relations(source))]

    def _list_neighbour_relations(self, source: Program) -> list[int]:
        """The directed relations by which what is named has neighbours that are no values and no kinds."""
        _, relations, ends, _ = find_arcs(self.schema.snapshot, self.executor.compute_nodes(source))
        if len(ends) > _BESIDE:
            return []
        distinct = np.unique(relations[~self._mark_values(ends)]).tolist()
        return [
            relation
            for relation in distinct
            if relation % self.schema.snapshot.num_relations != self.schema.type_relation
        ]

    def _mark_values(self, nodes: np.ndarray) -> np.ndarray:
        """Which nodes are values and not things whose names look like some: booking 2024-05, bool [n]."""
        offsets = self.schema.snapshot.out_offsets
        values: np.ndarray = (self.schema.columns.kinds[nodes] > 0) & (offsets[nodes + 1] == offsets[nodes])
        return values

    def _list_single_relations(self, source: Program) -> list[int]:
        """Those of them that lead to one, which is not another of the same sort."""
        nodes, single_relations = self.executor.compute_nodes(source), list[int]()
        _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
        valued = set(relations[self._mark_values(ends)].tolist())
        for relation in self._list_neighbour_relations(source):
            reached = self.executor.walk(nodes, relation)
            _, leaving, to, _ = find_arcs(self.schema.snapshot, reached)
            if len(reached) == 1 and not valued & set(leaving[self._mark_values(to)].tolist()):
                single_relations.append(relation)
        return single_relations

    def _find_values(
        self, question: QuestionWords, source: Program, paths: Sequence[tuple[int, ...]], rest: Sequence[int]
    ) -> Iterator[_Valued]:
        """The single values that lie at the ends of paths, and one step on."""
        words = {n: question.words[n].stem for n in rest if question.words[n].text not in STOP}
        for path in paths:
            nodes = self.executor.compute_nodes(source)
            way: frozenset[str] = frozenset()
            for relation in path:
                nodes = self.executor.walk(nodes, relation)
                way |= frozenset(self.schema.relations[relation % self.schema.snapshot.num_relations].stems)
            if self.schema.type_relation is not None:
                for kind in self.executor.walk(nodes, self.schema.type_relation).tolist():
                    way |= frozenset(get_label_stems(self.schema.snapshot.get_entity_label(kind)))
            _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
            for relation in np.unique(relations[self._mark_values(ends)]).tolist():
                kind = self.schema.columns.get_value_type(relation)
                if kind is None or np.count_nonzero(relations == relation) != len(nodes):
                    continue
                relation_stems = get_boundary_stems(self.schema.relations[relation])
                stems = relation_stems | way if path else relation_stems
                word_scores = {n: how for n, word in words.items() if (how := _score_word(word, stems))}
                yield _Valued((*path, relation), kind.kind, kind.year, kind.dimension, stems, word_scores)


@dataclass(frozen=True, slots=True)
class _ValueRequest:
    """What a question asks of two values: the time between them, how far numbers are apart, what is owed or gained."""

    text: str
    timed: bool
    counted: bool
    owed: bool
    gained: bool

    def score_difference(self, left: _Valued, right: _Valued) -> float:
        """How far words tell that one value less another is asked for."""
        if left.kind is not right.kind or left.year is not right.year or left.dimension != right.dimension:
            return 0.0
        score, times = 0.0, left.kind is not ValueKind.NUMBER or left.year
        if times and self.timed:
            score = self._score_duration(left, right)
        elif not times and not self.timed:
            score = _score_distinct_words(left, right) if self.counted and left.path < right.path else 0.0
            mine, others = left.stems - right.stems, right.stems - left.stems
            if self.owed and left.stems & _DUE and others & _PAID and not mine & _PAID:
                score += _TOLD
            if self.gained and left.stems & _WORTH and others & _SPENT and not mine & _SPENT:
                score += _TOLD
        return score - _FAR * (len(left.path) + len(right.path) - 2)

    def _score_duration(self, end: _Valued, begin: _Valued) -> float:
        if re.search(r"\b(?:old|age)\b", self.text):
            return _OPPOSITE + sum(end.said.values()) if end.said and begin.stems & _BORN else 0.0
        score = _score_distinct_words(end, begin)
        lived = begin.stems & _BORN and end.stems & _DIED
        opposite = end.stems & ENDED and begin.stems & BEGUN
        if (lived or opposite) and end.path[:-1] == begin.path[:-1]:
            score += _OPPOSITE + (_TOLD if _LASTED.search(self.text) else 0.0)
        return score


def _score_distinct_words(left: _Valued, right: _Valued) -> float:
    """How well words say two values, those that say both left out; nothing where either is not said."""
    mine = sum(how for n, how in left.said.items() if how > right.said.get(n, 0.0))
    others = sum(how for n, how in right.said.items() if how > left.said.get(n, 0.0))
    return mine + others if mine and others else 0.0


def _score_word(stem: str, stems: frozenset[str]) -> float:
    """How well a word says a relation: by its form, or by one of the same meaning."""
    if stem in stems or generate_agent_stems(stem) & stems:
        return 1.0
    return _ALIKE if get_related_stems().get(stem, frozenset()) & stems else 0.0


def _keep_words(question: QuestionWords, kept: Sequence[int]) -> QuestionWords:
    """A question of some of its words; the others are blanks in its text."""
    positions = {n: place for place, n in enumerate(kept)}
    gone = [word for n, word in enumerate(question.words) if n not in positions]
    text = question.text
    for word in gone:
        text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    quantities = [
        replace(quantity, first=positions[quantity.first], last=positions[quantity.last - 1] + 1)
        for quantity in question.quantities if all(n in positions for n in range(quantity.first, quantity.last))
    ]  # fmt: skip
    quoted = [
        (positions[a], positions[b - 1] + 1) for a, b in question.quoted if all(n in positions for n in range(a, b))
    ]
    return QuestionWords(text, tuple(question.words[n] for n in kept), tuple(quantities), tuple(quoted))


def _restore_positions(part: Part, kept: Sequence[int]) -> Part:
    """A part of a question of some words as one of the whole."""
    anchored = (kept[part.anchored[0]], kept[part.anchored[1] - 1] + 1) if part.anchored else None
    return replace(part, anchored=anchored, parts=tuple(_restore_positions(inner, kept) for inner in part.parts))


_CALCULATED: Features = (
    ("difference", 1.0), ("difference.quality", 1.0), ("difference.asked", 1.0), ("calculated", 1.0),
)  # fmt: skip
