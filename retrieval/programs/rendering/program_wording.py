"""Programs in lines of plain English, one for each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import (
    EVERY,
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.set_wording import NO_NOUNS, SetDescriber
from retrieval.programs.rendering.table_wording import describe_table
from retrieval.programs.rendering.wording import format_ordinal

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor

SIGNS = {
    Comparison.LESS: "<", Comparison.AT_MOST: "≤", Comparison.EQUAL: "=", Comparison.NOT_EQUAL: "≠",
    Comparison.AT_LEAST: "≥", Comparison.MORE: ">",
}  # fmt: skip
MANY = {
    Comparison.LESS: "fewer than ", Comparison.AT_MOST: "at most ", Comparison.EQUAL: "", Comparison.NOT_EQUAL: "not ",
    Comparison.AT_LEAST: "at least ", Comparison.MORE: "more than ",
}  # fmt: skip
_CALCULATED = {
    Operation.DIFFERENCE: ("the difference of {} and {}", "difference"),
    Operation.DAYS: ("the days between {} and {}", "days"),
    Operation.SUM: ("the sum of {} and {}", "sum"),
    Operation.PRODUCT: ("{} times {}", "times {1}"),
    Operation.RATIO: ("{} divided by {}", "divided by {1}"),
    Operation.SHARE: ("{} of {}, in percent", "share"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step in words: as it stands alone, and in few words; ``path`` names the fields that lead to it."""

    text: str
    short: str
    path: tuple[str, ...]


def _list_walks(program: Program) -> list[Walk]:
    """The walks from one set that a program is either of; none where it is anything else."""
    if isinstance(program, Walk):
        return [program]
    if isinstance(program, Or) and isinstance(program.right, Walk):
        before = _list_walks(program.left)
        return [*before, program.right] if before and before[0].source == program.right.source else []
    return []


class ProgramDescriber(SetDescriber):
    """Puts the steps of programs over one graph into words."""

    def __init__(self, executor: Executor, type_relation: int | None, nouns: Mapping[int, str] = NO_NOUNS) -> None:
        super().__init__(executor, type_relation, nouns)
        self._told_before: Program | None = None

    def describe_lines(self, program: Program, path: tuple[str, ...]) -> list[StepLine]:
        """The lines of a program and all that it is made of."""
        if program == self._told_before:
            return []
        simple = self.describe_simple(program)
        if simple is not None:
            return [StepLine(simple[0], simple[2], path)]
        before, text, short = self._describe_step(program, path)
        return [*before, StepLine(text, short, path)]

    def describe_restriction(self, among: Program | None) -> str:
        """As of any describer; a set of several steps by its last: `` with price < 5``."""
        if among is None or self.describe_simple(among) is not None:
            return super().describe_restriction(among)
        return f" {self.describe_lines(among, ())[-1].text}"

    def _describe_step(self, program: Program, path: tuple[str, ...]) -> tuple[list[StepLine], str, str]:
        """What comes before, and the step itself in words and in few words."""
        match program:
            case And() | Or() | Except():
                return self._describe_combination(program, path)
            case Walk(source, relation):
                text, short = self._describe_walk(relation)
                return self.describe_lines(source, (*path, "source")), text, short
            case Filter(source):
                lines = self.describe_lines(source, (*path, "source")) + self._describe_operand(
                    program.value, (*path, "value")
                )
                text = self._describe_comparison(program)
                return lines + self._describe_counted(program.key, path), f"with {text}", text
            case TextFilter(source, relation, match_, wanted):
                name = "name" if relation is None else self.words.describe_relation(relation)
                text = f"{name} {match_.value} “{wanted}”"
                return self.describe_lines(source, (*path, "source")), f"whose {text}", text
            case Top(source):
                lines = self.describe_lines(source, (*path, "source")) + self._describe_counted(program.key, path)
                text, short = self._describe_ranking(program)
                return lines, text, short
            case Table(source):
                text = describe_table(self, program)
                return self.describe_lines(source, (*path, "source")), text, text
            case Count(source):
                return self.describe_lines(source, (*path, "source")), "count them", "count"
            case Exists(source):
                return self.describe_lines(source, (*path, "source")), "is there any?", "any?"
            case Fold(how, source, key):
                lines = self.describe_lines(source, (*path, "source")) + self._describe_counted(key, path)
                word, noun = self.words.get_folding_word(how, key), self.describe_key(key)
                return lines, f"{'sum' if how is Folding.SUM else word} of their {noun}", f"{word} {noun}"
            case KeyOf(source, key):
                noun = self.describe_key(key)
                if isinstance(source, Entities):
                    of = self.words.join_labels(source.ids)
                    return self._describe_counted(key, path), f"the {noun} of {of}", f"{of}'s {noun}"
                return (
                    self.describe_lines(source, (*path, "source")) + self._describe_counted(key, path),
                    f"its {noun}",
                    noun,
                )
            case Arithmetic(operation, left, right):
                lines = self._describe_operand(left, (*path, "left")) + self._describe_operand(right, (*path, "right"))
                text, short = _CALCULATED[operation]
                sides = self.describe_value(left), self.describe_value(right)
                return lines, text.format(*sides), short.format(*sides)
            case Holds(left, comparison, right):
                lines = self._describe_operand(left, (*path, "left")) + self._describe_operand(right, (*path, "right"))
                sign = SIGNS[comparison]
                return (
                    lines,
                    f"is {self.describe_value(left)} {sign} {self.describe_value(right, like=left)}?",
                    f"{sign}?",
                )
        text = self.describe_value(program)
        return [], text, text

    def _describe_combination(
        self, program: And | Or | Except, path: tuple[str, ...]
    ) -> tuple[list[StepLine], str, str]:
        ways = _list_walks(program)
        if ways:
            descriptions = [self._describe_walk(way.relation) for way in ways]
            lines = self.describe_lines(ways[0].source, (*path, *["left"] * (len(ways) - 1), "source"))
            return (
                lines,
                " or ".join(text for text, _ in descriptions),
                " or ".join(short for _, short in descriptions),
            )
        first, second = ("source", "without") if isinstance(program, Except) else ("left", "right")
        main, added = getattr(program, first), getattr(program, second)
        if isinstance(program, And) and self.describe_simple(added) is None and self.describe_simple(main) is not None:
            first, main, added = second, added, main
        simple, lines = self.describe_simple(added), self.describe_lines(main, (*path, first))
        if simple is None:
            self._told_before = main  # "all but the largest" tells once what the largest is one of
            lines += self.describe_lines(added, (*path, second))
            self._told_before = None
            if isinstance(program, Except):
                return lines, "leave these out of those before", "without these"
            return (lines, "keep those in both", "both") if isinstance(program, And) else (lines, "all of these", "or")
        noun, restriction, short = simple
        match program:
            case And():
                return lines, restriction, short
            case Or():
                return lines, f"or {noun}", f"or {short}"
        return lines, f"leave out {noun}", f"not {short}"

    def _describe_walk(self, relation: int) -> tuple[str, str]:
        inverse, forward = split_direction(self.words.snapshot, relation)
        noun = self.words.get_noun(relation)
        if not inverse:
            verbal = self.words.is_prepositional(relation) or self.words.get_verb_forms(relation) is not None
            return self.words.describe_target(relation, "they") if verbal else f"their {noun}", noun
        if forward == self.type_relation:
            return "what is of these kinds", "of these kinds"
        return f"those {self.words.describe_owner(relation, 'one of these')}", f"with this {noun}"

    def _describe_ranking(self, program: Top) -> tuple[str, str]:
        text, short = self._describe_places(program)
        if program.per is None:
            return text, short
        each = f"of each {self.describe_group(program)}"
        return f"{each} {text}", f"{short} {each}"

    def _describe_places(self, program: Top) -> tuple[str, str]:
        key, word = program.key, self.words.get_superlative(program.key, largest=program.largest)
        noun = self.words.describe_counted(key, self.describe_things(key)) if key.counted else self.describe_key(key)
        if program.count == EVERY:
            things = self.describe_things(key) if key.counted else "things"
            noun = self.describe_key(key) if things in ("things", "of these") else f"number of {things}"
            return f"each with its {noun}", f"each with its {noun}"
        if program.count > 1:
            late = f" from the {format_ordinal(program.rank)} on" if program.rank > 1 else ""
            return f"the {program.count} with the {word} {noun}{late}", f"{program.count} {word} {noun}{late}"
        if program.rank > 1:
            word = f"{format_ordinal(program.rank)} {word}"
        who = "the one" if program.per is not None or self.executor.count_nodes(program) <= 1 else "those"
        return f"{who} with the {word} {noun}", f"{word} {noun}"

    def _describe_comparison(self, program: Filter) -> str:
        key, value = program.key, program.value
        if key.counted and isinstance(value, Constant):
            counted = self.words.describe_counted(key, self.describe_things(key))
            if value.value == 0 and program.comparison is Comparison.EQUAL:
                return f"no {counted}"
            return f"{MANY[program.comparison]}{self.describe_value(value)} {counted}"
        if key.less and not key.folding and value == Constant(0.0):
            other_text = self.words.describe_path(key.less)
            return f"{self.words.describe_path(key.path)} {SIGNS[program.comparison]} {other_text}"
        return f"{self.describe_key(key)} {SIGNS[program.comparison]} {self.describe_compared_value(program)}"

    def _describe_operand(self, program: Program, path: tuple[str, ...]) -> list[StepLine]:
        return [] if isinstance(program, Constant) else self.describe_lines(program, path)

    def _describe_counted(self, key: Key, path: tuple[str, ...]) -> list[StepLine]:
        """What a key counts, where that needs steps of its own."""
        if key.among is None or self.describe_simple(key.among) is not None:
            return []
        return self.describe_lines(key.among, (*path, "key", "among"))
