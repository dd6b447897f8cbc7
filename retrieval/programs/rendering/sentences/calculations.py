"""Sentences of programs that compute a number of two: products, differences, shares and days between."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import (
    Arithmetic,
    Constant,
    Count,
    Entities,
    Fold,
    KeyOf,
    Operation,
    Program,
    Walk,
)
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.grammar import capitalise
from retrieval.programs.rendering.sentences.keys import describe_key
from retrieval.programs.rendering.sentences.phrase_writing import write_doing, write_members, write_phrase
from retrieval.programs.rendering.sentences.phrases import make_phrase
from retrieval.programs.rendering.sentences.values import (
    Measure,
    format_dates,
    format_in_unit,
    format_label,
    is_money,
    parse_number,
    round_decimals,
    split_measure,
)

if TYPE_CHECKING:
    from retrieval.programs.rendering.program_wording import ProgramDescriber
    from retrieval.programs.rendering.sentences.context import AnsweredProgram

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with what it is of: the unit price in ``gbp`` of ``Rotor blade`` is ``1,250``."""

    measure: Measure
    owner: str
    value: str

    @property
    def shown(self) -> str:
        """The value in the unit of its column."""
        return format_in_unit(self.value, self.measure.unit)


def make_quantity(describer: ProgramDescriber, program: Program) -> Quantity | None:
    """A value of named things; None of constants and other computations."""
    match program:
        case KeyOf(Entities(ids), key):
            measure = describe_key(describer, key)
        case Walk(Entities(ids), relation) if not split_direction(describer.words.snapshot, relation)[0]:
            measure = split_measure(describer.words.get_noun(relation))
        case _:
            return None
    return Quantity(measure, describer.words.join_labels(ids), describer.describe_value(program))


def infer_unit(describer: ProgramDescriber, program: Program) -> str:
    """The unit of a number as the heads of the columns say it; empty where they do not, or do not agree."""
    match program:
        case Fold(_, _, key) | KeyOf(_, key):
            return describe_key(describer, key).unit
        case Walk():
            quantity = make_quantity(describer, program)
            return "" if quantity is None else quantity.measure.unit
        case Arithmetic(operation, left, right):
            units = infer_unit(describer, left), infer_unit(describer, right)
            if operation is Operation.PRODUCT:
                return _infer_product_unit(*units)
            if operation is Operation.RATIO:
                return "" if not isinstance(right, Constant | Count) else units[0]
            if operation in (Operation.DIFFERENCE, Operation.SUM) and units[0] == units[1]:
                return units[0]
    return ""


def _infer_product_unit(left: str, right: str) -> str:
    """Money times anything is money; a unit times a plain number stays."""
    if is_money(left) or not right:
        return left
    return right if is_money(right) or not left else ""


def write_calculation_sentence(run: AnsweredProgram, program: Arithmetic) -> str:
    """Write what two numbers come to, with what they are of."""
    describer = run.describer
    sides = describer.describe_value(program.left), describer.describe_value(program.right)
    are_days = all(map(_DAY.fullmatch, sides))
    if program.operation is Operation.SHARE:
        return _write_share(run, program, *sides)
    if program.operation is Operation.DAYS or (program.operation is Operation.DIFFERENCE and are_days):
        return _write_days(run, program, *sides)
    left, right = make_quantity(describer, program.left), make_quantity(describer, program.right)
    result = format_in_unit(run.label, infer_unit(describer, program))
    sentence: str | None = None
    if program.operation is Operation.DIFFERENCE:
        sentence = _write_difference(result, left, right)
    elif program.operation in (Operation.PRODUCT, Operation.RATIO):
        sentence = _write_product(program.operation, sides, result, left, right)
    step = format_dates(describer.describe_lines(program, ())[-1].text)
    return sentence or f"{capitalise(step)} is {result}."


def _write_product(
    operation: Operation, sides: tuple[str, str], result: str, left: Quantity | None, right: Quantity | None
) -> str | None:
    times = operation is Operation.PRODUCT
    if left is None and (right is None or not times):
        return None
    if times and (left is None or right is None):
        quantity, factor = (left, sides[1]) if left is not None else (right, sides[0])
        assert quantity is not None
        noun = quantity.measure.noun
        return f"{capitalise(factor)} times the {noun} of {quantity.owner}, {quantity.shown}, is {result}."
    assert left is not None
    by = sides[1]
    if right is not None:
        whose = "its" if right.owner == left.owner else "the"
        of = "" if right.owner == left.owner else f" of {right.owner}"
        by = f"{whose} {right.measure.noun}{of}, {right.shown},"
    how = "times" if times else "divided by"
    return f"The {left.measure.noun} of {left.owner}, {left.shown}, {how} {by} is {result}."


def _write_difference(result: str, left: Quantity | None, right: Quantity | None) -> str | None:
    if left is None or right is None:
        return None
    noun, first, second = left.measure.noun, parse_number(left.value), parse_number(right.value)
    if left.owner == right.owner:
        larger, smaller = (left, right) if first >= second else (right, left)
        subtracted = f"its {smaller.measure.noun}, {smaller.shown}"
        return f"The {larger.measure.noun} of {larger.owner}, {larger.shown}, less {subtracted}, is {result}."
    if noun != right.measure.noun:
        return None
    if first == second:
        return f"The {noun} of {left.owner} and of {right.owner} is {left.shown}."
    more = f"{result.removeprefix('-')} {'more' if first > second else 'less'}"
    return f"The {noun} of {left.owner} is {more} than that of {right.owner}."


def _write_share(run: AnsweredProgram, program: Arithmetic, part: str, total: str) -> str:
    """Write "4 of 8 visits have the outcome repaired: 50%."."""
    left, right = program.left, program.right
    if isinstance(left, Count) and isinstance(right, Count):
        some, every = make_phrase(run.describer, left.source), make_phrase(run.describer, right.source)
        if some is not None and every is not None and some.noun == every.noun:
            clauses = tuple(clause for clause in some.clauses if clause not in every.clauses)
            kept, count = run.count(left.source), run.count(right.source)
            does = write_doing(clauses, kept)
            if does is not None:
                return (
                    f"{f'{kept:,}' if kept else 'None'} of {count:,} {write_phrase(every, count)} {does}: {run.label}."
                )
    return f"{run.label}: {part} of {total}."


def _write_days(run: AnsweredProgram, program: Arithmetic, start: str, end: str) -> str:
    """Write "237 days lie between the earliest and the latest date of 3 visits: ...", with the two days."""
    describer, left, right = run.describer, program.left, program.right
    length = round_decimals(run.label)
    lie = f"{length} {'lies' if length.startswith('1 ') else 'lie'} between"
    first_day, last_day = format_label(start), format_label(end)
    match left, right:
        case (
            Fold(Folding.LEAST | Folding.MOST as first, source, key),
            Fold(Folding.LEAST | Folding.MOST as last, other, same),
        ) if source == other and key == same:
            phrase = make_phrase(describer, source)
            if phrase is not None and not phrase.name_count:
                ends = [describer.words.get_folding_word(how, key) for how in (first, last)]
                noun = describe_key(describer, key).noun
                members = write_members(phrase, run.count(source))
                return f"{lie} the {ends[0]} and the {ends[1]} {noun} of {members}: {first_day} and {last_day}."
    begin, finish = make_quantity(describer, left), make_quantity(describer, right)
    if begin is not None and finish is not None:
        noun = finish.measure.noun
        that = "that" if begin.measure.noun == noun else f"the {noun}"
        from_day = f"the {begin.measure.noun} of {begin.owner}, {first_day}"
        return f"{lie} {from_day}, and {that} of {finish.owner}, {last_day}."
    return f"{lie} {first_day} and {last_day}."
