"""Programs told in steps of plain English, each with what it kept, and the values that answers were ranked by."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from retrieval.language.amounts import Comparison, Folding, ValueKind
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
    Having,
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
from retrieval.programs.rendering.formatting import format_result, format_value, infer_value_type
from retrieval.programs.rendering.names import split_direction
from retrieval.programs.rendering.wording import Wording, add_article, format_ordinal, make_plural

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor

NO_NOUNS: Mapping[int, str] = {}
#: Nodes of a step, and runners-up of a ranking, that are given.
NODES, RUNNERS_UP = 50, 3
_SIGNS = {
    Comparison.LESS: "<", Comparison.AT_MOST: "≤", Comparison.EQUAL: "=", Comparison.NOT_EQUAL: "≠",
    Comparison.AT_LEAST: "≥", Comparison.MORE: ">",
}  # fmt: skip
_MANY = {
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
class DescribedStep:
    """A step of a program.

    Attributes:
        text: what it does, in English.
        path: names of fields that lead from the program to it.
        result: what it gives.
        count: how many nodes it kept; 0 where it gives no set.
        value: the number formatted, or yes or no; empty where it gives a set.
        nodes: ids of the first of them.
    """

    text: str
    path: tuple[str, ...]
    result: Literal["set", "number", "truth"]
    count: int
    value: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A step in words: as it stands alone, and in few words."""

    text: str
    short: str
    path: tuple[str, ...]


def describe_steps(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> tuple[DescribedStep, ...]:
    """The steps of a program, innermost first; the last one gives what it denotes.

    Args:
        executor: of the graph; what it computed already is not computed again.
        schema_type_relation: the relation that says what kind a node is, see :mod:`.grounding.schema`.
        program: over the graph.
        nouns: what the nodes are called that a directed relation leads on from.

    Raises:
        ProgramError: it does not fit the graph.
        Cancelled: the executor's ``cancelled`` said so.
    """
    return tuple(
        _make_step(executor, program, line)
        for line in _Teller(executor, schema_type_relation, nouns).describe_lines(program, ())
    )


def describe_program(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> str:
    """A program in one line: ``countries → continent Africa → largest population``.

    Raises:
        ProgramError: see :func:`describe_steps`.
    """
    return " → ".join(line.short for line in _Teller(executor, schema_type_relation, nouns).describe_lines(program, ()))


def list_ranked_values(executor: Executor, program: Top) -> list[tuple[int, float]]:
    """What the answers were ranked by: their ids and keys, best first, and so of the next ``RUNNERS_UP`` nodes.

    Raises:
        ProgramError: see :func:`describe_steps`.
    """
    keyed = executor.compute_ranking(program)
    best = keyed.values if program.largest else -keyed.values
    order = np.lexsort((keyed.owners, -best))
    answers = np.isin(keyed.owners[order], executor.compute_nodes(program))
    places = np.flatnonzero(answers)
    if not len(places):
        return []
    kept = order[places[0] : places[-1] + 1 + RUNNERS_UP] if program.per is None else order[places]
    return [(int(keyed.owners[place]), float(keyed.values[place])) for place in kept]


def _make_step(executor: Executor, program: Program, line: _Line) -> DescribedStep:
    here: Any = program
    for name in line.path:
        here = getattr(here, name)
    result = executor.run(here)
    if isinstance(result, np.ndarray):
        size = executor.count_nodes(here)
        return DescribedStep(line.text, line.path, "set", size, "", tuple(result[:NODES].tolist()))
    value = format_result(executor.columns, here, result)
    return DescribedStep(line.text, line.path, "truth" if isinstance(result, bool) else "number", 0, value, ())


def _list_walks(program: Program) -> list[Walk]:
    """The walks from one set that a program is either of; none where it is anything else."""
    if isinstance(program, Walk):
        return [program]
    if isinstance(program, Or) and isinstance(program.right, Walk):
        before = _list_walks(program.left)
        return [*before, program.right] if before and before[0].source == program.right.source else []
    return []


class _Teller:
    """Puts one program into words."""

    def __init__(self, executor: Executor, type_relation: int | None, nouns: Mapping[int, str]) -> None:
        self.nouns = nouns
        self.executor = executor
        self.columns = executor.columns
        self.words = Wording(executor.columns)
        self.type_relation = type_relation
        self._told_before: Program | None = None

    def describe_lines(self, program: Program, path: tuple[str, ...]) -> list[_Line]:
        """The lines of a program and all that it is made of."""
        if program == self._told_before:
            return []
        simple = self._describe_simple(program)
        if simple is not None:
            return [_Line(simple[0], simple[2], path)]
        before, text, short = self._describe_step(program, path)
        return [*before, _Line(text, short, path)]

    def _describe_step(self, program: Program, path: tuple[str, ...]) -> tuple[list[_Line], str, str]:
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
            case Count(source):
                return self.describe_lines(source, (*path, "source")), "count them", "count"
            case Exists(source):
                return self.describe_lines(source, (*path, "source")), "is there any?", "any?"
            case Fold(how, source, key):
                lines = self.describe_lines(source, (*path, "source")) + self._describe_counted(key, path)
                word, noun = self.words.get_folding_word(how, key), self._describe_key(key)
                return lines, f"{'sum' if how is Folding.SUM else word} of their {noun}", f"{word} {noun}"
            case KeyOf(source, key):
                noun = self._describe_key(key)
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
                sides = self._describe_value(left), self._describe_value(right)
                return lines, text.format(*sides), short.format(*sides)
            case Holds(left, comparison, right):
                lines = self._describe_operand(left, (*path, "left")) + self._describe_operand(right, (*path, "right"))
                sign = _SIGNS[comparison]
                return (
                    lines,
                    f"is {self._describe_value(left)} {sign} {self._describe_value(right, like=left)}?",
                    f"{sign}?",
                )
        text = self._describe_value(program)
        return [], text, text

    def _describe_combination(self, program: And | Or | Except, path: tuple[str, ...]) -> tuple[list[_Line], str, str]:
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
        if (
            isinstance(program, And)
            and self._describe_simple(added) is None
            and self._describe_simple(main) is not None
        ):
            first, main, added = second, added, main
        simple, lines = self._describe_simple(added), self.describe_lines(main, (*path, first))
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

    def _describe_simple(self, program: Program) -> tuple[str, str, str] | None:
        """A set that one step says: as a noun, as what others are besides, and in few words."""
        match program:
            case Entities(ids):
                names = self.words.join_labels(ids)
                return names, f"that are {self.words.join_labels(ids, 'or')}", names
            case Having(relation) if relation in self.nouns:
                plural_noun = make_plural(self.nouns[relation])
                return plural_noun, f"that are {plural_noun}", plural_noun
            case Having(relation):
                noun, text = self.words.get_noun(relation), self.words.describe_having(relation)
                inverse, _ = split_direction(self.words.snapshot, relation)
                verbal = self.words.is_prepositional(relation) or self.words.get_verb_forms(relation) is not None
                if inverse and not verbal:  # sports, of a table with a column "sport"
                    plural_noun = make_plural(noun)
                    return plural_noun, f"that are {plural_noun}", plural_noun
                return f"those {text}", text, f"is {add_article(noun)}" if inverse else f"has {noun}"
            case Walk(Entities(ids), relation):
                return self._describe_simple_walk(ids, relation)
            case Or(left, right):
                first, second = self._describe_simple(left), self._describe_simple(right)
                if first is not None and second is not None:
                    return (
                        f"{first[0]} or {second[0]}",
                        f"{first[1]} or {second[1]}",
                        f"{first[2]} or {second[2]}",
                    )
        return None

    def _describe_simple_walk(self, ids: tuple[int, ...], relation: int) -> tuple[str, str, str]:
        inverse, forward = split_direction(self.words.snapshot, relation)
        either = self.words.join_labels(ids, "or")
        if not inverse:
            text = self.words.describe_target(relation, self.words.join_labels(ids))
            predicate = text.removeprefix("what ")
            return (
                text,
                f"that {predicate}" if predicate != text else f"that are {text}",
                text.removeprefix("the "),
            )
        if forward == self.type_relation:
            kinds = self.words.join_kinds(ids)
            return kinds, f"that are {kinds}", kinds
        text = self.words.describe_owner(relation, either)
        return f"those {text}", text, f"{self.words.get_noun(relation)} {either}"

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
        each = f"of each {self._describe_group(program)}"
        return f"{each} {text}", f"{short} {each}"

    def _describe_group(self, program: Top) -> str:
        """What a group is: its kind, where all are of one, else what the path leads to."""
        per = program.per or ()
        groups = np.unique(self.executor.compute_pairs(self.executor.compute_nodes(program), per)[1])
        kinds = None
        if self.type_relation is not None and len(groups):
            node_kinds = [
                set(self.executor.walk(groups[n : n + 1], self.type_relation).tolist()) for n in range(len(groups))
            ]
            kinds = sorted(set.intersection(*node_kinds))
        return self.words.snapshot.get_entity_label(kinds[0]).lower() if kinds else self._describe_key(Key(per))

    def _describe_places(self, program: Top) -> tuple[str, str]:
        key, word = program.key, self.words.get_superlative(program.key, largest=program.largest)
        noun = self.words.describe_counted(key, self._describe_things(key)) if key.counted else self._describe_key(key)
        if program.count == EVERY:
            things = self._describe_things(key) if key.counted else "things"
            noun = self._describe_key(key) if things in ("things", "of these") else f"number of {things}"
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
            counted = self.words.describe_counted(key, self._describe_things(key))
            if value.value == 0 and program.comparison is Comparison.EQUAL:
                return f"no {counted}"
            return f"{_MANY[program.comparison]}{self._describe_value(value)} {counted}"
        if key.less and not key.folding and value == Constant(0.0):
            other_text = self.words.describe_path(key.less)
            return f"{self.words.describe_path(key.path)} {_SIGNS[program.comparison]} {other_text}"
        kind = self.columns.get_key_type(key)
        if isinstance(value, Constant) and not value.text and kind is not None and kind.kind is value.kind:
            text = format_value(kind, value.value)
        elif isinstance(value, Constant) and not value.text and kind is not None and value.kind is ValueKind.NUMBER:
            text = f"{value.value:.0f}"  # the year of dates
        else:
            text = self._describe_value(value)
        return f"{self._describe_key(key)} {_SIGNS[program.comparison]} {text}"

    def _describe_operand(self, program: Program, path: tuple[str, ...]) -> list[_Line]:
        return [] if isinstance(program, Constant) else self.describe_lines(program, path)

    def _describe_value(self, program: Program, like: Program | None = None) -> str:
        """A number that something is compared with: as the question spells it, else what it comes to."""
        if isinstance(program, Constant):
            if program.text:
                return program.text
            if program.kind is ValueKind.MONTH_DAY:
                month, day = divmod(int(program.value), 100)
                return f"{day} {calendar.month_name[month]}"
            kind = None if like is None else infer_value_type(self.columns, like)
            return format_value(kind or infer_value_type(self.columns, program), program.value)
        value = self.executor.compute_number(program)
        result = self.executor.run(program)
        if isinstance(result, np.ndarray) and len(result) == 1:
            return self.words.snapshot.get_entity_label(int(result[0]))
        return format_result(self.columns, program, value) or "nothing"

    def _describe_key(self, key: Key) -> str:
        return self.words.describe_key(key, self._describe_things(key))

    def _describe_things(self, key: Key) -> str:
        """What a key counts, where that is told in one word."""
        simple = None if key.among is None else self._describe_simple(key.among)
        return "things" if key.among is None else "of these" if simple is None else simple[0]

    def _describe_counted(self, key: Key, path: tuple[str, ...]) -> list[_Line]:
        """What a key counts, where that needs steps of its own."""
        if key.among is None or self._describe_simple(key.among) is not None:
            return []
        return self.describe_lines(key.among, (*path, "key", "among"))
