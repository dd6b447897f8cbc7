"""What is calculated of what a graph says: so many times a price, a share in percent, the time from first to last."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import is_among
from retrieval.language.amounts import Folding, ValueKind
from retrieval.language.words import QuestionWords, join_words
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import (
    Arithmetic,
    Constant,
    Count,
    Fold,
    Key,
    KeyOf,
    Operation,
    Program,
    Walk,
)
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import (
    extract_subquestion,
    keep_words,
    move_part,
    restore_positions,
)
from retrieval.programs.constructions.value_differences import CALCULATED
from retrieval.programs.constructions.value_requests import TIMES
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.anchor import FULLY

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.schema import Schema

#: What asks how much several of something come to.
_COMES_TO = re.compile(
    r"\b(?:costs?|prices?|priced|pay|paying|charged?|spend|comes? to|total|set (?:me|us|you) back|worth|weighs?|weight"
    r"|earns?|makes?|brings? in|takes?|needs?|uses?|holds?|contains?|gives?|how much)\b"
)
#: What a number behind these is compared with, or the time of something.
_COMPARED = get_words("words_around_compared_numbers")
#: Readings of a part of the question that are looked at, and ends of it that are tried.
_READ, _TRIED = 3, 2
#: A number that is more likely a year.
_YEARS = range(1000, 2101)
#: What asks for a share, and where what it is a share of ends.
_SHARE = re.compile(
    r"(?:(?:what|which|how (?:big|large|high) (?:is|was) (?:the|a)) )?"
    r"(?P<share>percentage|percent|share|fraction|proportion|portion)(?: of)?\b (?P<rest>.+)"
)
_OF = re.compile(r"(?P<share>what|which) of (?P<rest>.+)")
_VERBS = get_words("verbs_of_conditions")
#: What asks for the time from the first to the last of several.
_EXTREMES = re.compile(
    r".*\b(?P<between>between)\b(?: (?:the|our|my|his|her|their|its))? (?:(?:first|earliest) (?P<one>\w+ )?and"
    r"(?: (?:the|our|my|his|her|their|its))? (?:last|latest|most recent)|two|both) (?P<rest>.+)"
)


class Calculations:
    """Composes programs of what is calculated."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose = composed.question, composed.compose
        yield from self._build_multiples(question, compose, composed.anchors)
        yield from self._build_shares(composed)
        yield from self._build_extreme_differences(question, compose)

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
        for part in compose(keep_words(question, kept))[:_READ]:
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
            yield Part("F", 0, 1, total, None, 0.0, CALCULATED, (cue, restore_positions(part, kept)))

    def _build_shares(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "What percentage of the books are by Ann": how many are, of how many there are.

        Nothing is counted where a column has that name: "percentage of drivers who were speeding".
        """
        question, compose = composed.question, composed.compose
        text, starts = join_words(question)
        match = _SHARE.fullmatch(text) or (_OF.fullmatch(text) if "%" in question.text else None)
        if match is None or _is_name(composed.anchors, starts.index(match.start("share"))):
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
                    yield Part("F", 0, 1, program, None, 0.0, CALCULATED, (cue, move_part(part, first)))
                    return

    def _build_extreme_differences(
        self, question: QuestionWords, compose: Callable[[QuestionWords], list[Part]]
    ) -> Iterator[Part]:
        """ "How many days lie between the first and the last harvest": from the least of their dates to the most."""
        text, starts = join_words(question)
        match = _EXTREMES.fullmatch(text)
        if match is None or TIMES.fullmatch(text) is None:
            return
        first = starts.index(match.start("rest"))
        kept = [n for n in range(first, len(question.words)) if question.words[n].text not in ("one", "ones")]
        if match["one"]:
            kept.insert(0, starts.index(match.start("one")))
        for part in compose(keep_words(question, kept))[:_READ] if kept else ():
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
                yield Part("F", 0, 1, program, None, 0.0, CALCULATED, (restore_positions(part, kept), *cues))
                return


def _is_name(anchors: Sequence[Anchor], position: int) -> bool:
    """Whether a word is part of the complete name of a relation."""
    return any(
        anchor.category == "R" and anchor.first <= position < anchor.last and anchor.extra.quality >= FULLY
        for anchor in anchors
    )
