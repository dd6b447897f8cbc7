"""What two values of each thing come to: "price per kilo", "the population density of each country", a margin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import find_common
from retrieval.kg.values import parse
from retrieval.language.question import Question
from retrieval.language.words import QuestionWords, get_stem, join_words
from retrieval.lexicon import get_table
from retrieval.programs.algebra.operations import And, Arithmetic, Entities, Having, Key, KeyOf, Operation, Program
from retrieval.programs.algebra.table_operations import Attribute, Calculation, Measure, Ordering, Table
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import keep_words, restore_positions
from retrieval.programs.constructions.table_columns import TableColumns
from retrieval.programs.constructions.value_differences import CALCULATED
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.anchor import FULLY

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.schema import Schema

#: Readings of the rest of the question that are looked at.
_READ = 6
_DIVIDED, _DIVISORS = get_table("ratio_nouns"), get_table("ratio_divisors")
"""By a noun for a ratio, nouns for what is divided, and for what by."""
_PHRASES = (
    (
        Operation.DIFFERENCE,
        re.compile(r"\bdifference (?:between|of) (?:the )?(?P<left>.+?) and (?:the )?(?P<right>.+)"),
    ),
    (Operation.DIFFERENCE, re.compile(r"(?P<left>.+) (?:minus|less) (?:the )?(?P<right>.+)")),
    (Operation.RATIO, re.compile(r"\bratio (?:of|between) (?:the )?(?P<left>.+?) (?:to|and) (?:the )?(?P<right>.+)")),
    (Operation.RATIO, re.compile(r"(?P<left>.+) divided by (?:the )?(?P<right>.+)")),
    (Operation.PRODUCT, re.compile(r"(?P<left>.+) (?:times|multiplied by) (?:the )?(?P<right>.+)")),
    (
        Operation.SHARE,
        re.compile(r"(?P<left>.+) as an? (?:percentage|share|fraction|proportion) of (?:the )?(?P<right>.+)"),
    ),
    (Operation.RATIO, re.compile(r"(?P<left>.+) per (?P<right>.+)")),
)


class CalculatedColumns:
    """Composes programs of what two values of the same things come to."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor
        self.columns = TableColumns(schema, executor)

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        yield from self._build_from_phrases(composed)
        yield from self._build_from_ratio_nouns(composed)

    def _build_from_phrases(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Price divided by weight of each product", "difference between unit price and cost"."""
        question = composed.question
        text, starts = join_words(question)

        def get_position(offset: int) -> int:
            return sum(start < offset for start in starts[: len(question.words)])

        for operation, pattern in _PHRASES:
            match = pattern.search(text)
            if match is None:
                continue
            left = self._find_values(composed, get_position(match.end("left")), ends=True)
            right = self._find_values(composed, get_position(match.start("right") + 1) - 1, ends=False)
            if left is None or right is None or left[0] == right[0]:
                continue
            opens = match.start() < match.start("left")
            span = range(get_position(match.start() + 1) - 1 if opens else left[1].start, right[1].stop)
            rest = [n for n in range(len(question.words)) if n not in span]
            yield from self._make_calculation(composed, operation, (left[0], right[0]), rest, span)
            return

    def _find_values(self, composed: ComposedQuestion, place: int, *, ends: bool) -> tuple[int, range] | None:
        """The relation of numbers that words name that end or begin at a place, or that has the unit there."""
        numbers = self.schema.measures.numbers_by_id
        matching = [
            (anchor.last - anchor.first, dict(anchor.features).get("r.recall", 0.0), -anchor.extra.relation, anchor)
            for anchor in composed.anchors
            if anchor.category == "R" and anchor.extra.relation in numbers and anchor.extra.quality >= FULLY
            and (anchor.last if ends else anchor.first) == place
        ]  # fmt: skip
        if matching:
            *_, anchor = max(matching, key=lambda item: item[:3])
            return anchor.extra.relation, range(anchor.first, anchor.last)
        if ends or place >= len(composed.question.words):
            return None
        value = parse(f"1 {composed.question.words[place].text}")
        columns = self.schema.columns
        for relation in numbers if value is not None and value.dimension else ():
            kind, unit = columns.get_value_type(relation), columns.parse_named_unit(relation)
            if value is not None and value.dimension in (kind and kind.dimension, unit and unit.dimension):
                return relation, range(place, place + 1)
        return None

    def _make_calculation(
        self, composed: ComposedQuestion, operation: Operation, values: tuple[int, int], rest: list[int], span: range
    ) -> Iterator[Part]:
        """What two values come to, of what the other words of the question stand for, or of all that have both."""
        both: Program = And(Having(values[0]), Having(values[1]))
        question = composed.question
        yielded = False
        for part in composed.compose(keep_words(question, rest))[:_READ] if rest else ():
            if part.category not in "Se" or part.program is None:
                continue
            program = self._make_combination(operation, values, part.program)
            if program is not None:
                yielded = True
                yield _make_part(program, [restore_positions(part, rest)], span)
                break
        if not yielded:
            program = self._make_combination(operation, values, both)
            if program is not None:
                yield _make_part(program, [], span)

    def _make_combination(self, operation: Operation, values: tuple[int, int], source: Program) -> Program | None:
        nodes = self.executor.compute_nodes(source)
        for relation in values:
            nodes = find_common(nodes, self.schema.columns.list_sources(relation))
        if not len(nodes):
            return None
        left, right = (Key((relation,)) for relation in values)
        if isinstance(source, Entities) and len(source.ids) == 1:
            return Arithmetic(operation, KeyOf(source, left), KeyOf(source, right))
        return Table(source, (Measure(left), Measure(right), Calculation(operation, 1, 2)))

    def _build_from_ratio_nouns(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Population density of each country", "the lowest profit margin": two columns and their ratio."""
        question = composed.question
        place = next((n for n, word in enumerate(question.words) if word.text in _DIVIDED), None)
        known = [anchor for anchor in composed.anchors if anchor.category == "R" and anchor.extra.quality >= FULLY]
        if place is None or any(anchor.first <= place < anchor.last for anchor in known):
            return
        noun = question.words[place].text
        left, right = (self._find_noun(table[noun]) for table in (_DIVIDED, _DIVISORS))
        if left is None or right is None:
            return
        stems = {get_stem(word) for word in _DIVIDED[noun]}
        first = place - 1 if place and question.words[place - 1].stem in stems else place
        ranking = next((a for a in composed.anchors if a.category == "U" and a.last == first), None)
        span = range(first if ranking is None else ranking.first, place + 1)
        rest = [n for n in range(len(question.words)) if n not in span]
        read = [self._read_sum(composed, span, relation) for relation in (left, right)]
        joined = next(self.columns.join([[table for table, _ in column] for column in read]), None)
        made: Part | None = None
        if joined is not None and not any(isinstance(column, Attribute) for column in joined[0].columns):
            table, places = joined
            columns = (*table.columns, Calculation(Operation.RATIO, len(table.groups), len(table.groups) + 1))
            parts = [column[n][1] for column, n in zip(read, places, strict=True)]
            made = _make_part(replace(table, columns=columns), parts, span)
        else:
            made = next(self._make_calculation(composed, Operation.RATIO, (left, right), rest, span), None)
        if made is not None and ranking is not None and isinstance(made.program, Table):
            order = (Ordering(len(made.program.groups) + 2, ranking.extra.largest),)
            made = replace(made, program=replace(made.program, order=order, limit=ranking.extra.count))
        if made is not None:
            yield made

    def _find_noun(self, nouns: Sequence[str]) -> int | None:
        """The relation of numbers that is called by one of some nouns."""
        numbers = self.schema.measures.numbers_by_id
        for noun in nouns:
            matching = [relation for relation in self.schema.by_stem.get(get_stem(noun), ()) if relation in numbers]
            if matching:
                return min(matching, key=lambda relation: (len(self.schema.relations[relation].stems), relation))
        return None

    def _read_sum(self, composed: ComposedQuestion, span: range, relation: int) -> list[tuple[Table, Part]]:
        """The question with a value in place of what is computed of it, as tables."""
        question = composed.question
        label = self.schema.relations[relation].label
        words = QuestionWords.get_span_text
        before = words(question, 0, span.start) if span.start else ""
        behind = words(question, span.stop, len(question.words)) if span.stop < len(question.words) else ""
        made = Question(f"{before} total {label} {behind}".strip()).words
        added = len(made.words) - (len(question.words) - len(span))
        places = [*range(span.start), *([span.start] * added), *range(span.stop, len(question.words))]
        matching = list[tuple[Table, Part]]()
        for part in composed.compose(made):
            table = self.columns.convert(part.program)
            if table is not None and len(matching) < _READ:
                matching.append((table, restore_positions(part, places)))
        return matching


def _make_part(program: Program, parts: Sequence[Part], span: range) -> Part:
    cue = Part("L", 0, 1, None, None, 0.0, (), (), (span.start, span.stop))
    return Part("F", 0, 1, program, None, 0.0, CALCULATED, (*parts, cue))
