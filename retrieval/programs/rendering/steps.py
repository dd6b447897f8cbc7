"""Programs told in steps of plain English, each with what it kept, and the values that answers were ranked by."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from retrieval.programs.algebra import (
    EVERY,
    And,
    Arithmetic,
    Comparison,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Folding,
    Having,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    Top,
    ValueKind,
    Walk,
)
from retrieval.programs.rendering.formatting import formatted, formatted_value, type_of
from retrieval.programs.rendering.names import direction
from retrieval.programs.rendering.wording import Wording, article, ordinal, plural

if TYPE_CHECKING:
    from retrieval.programs.execution import Executor

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
class Step:
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


def steps(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> tuple[Step, ...]:
    """The steps of a program, innermost first; the last one gives what it denotes.

    Args:
        executor: of the graph; what it computed already is not computed again.
        schema_type_relation: the relation that says what kind a node is, see :mod:`retrieval.programs.schema`.
        program: over the graph.
        nouns: what the nodes are called that a directed relation leads on from.

    Raises:
        ProgramError: it does not fit the graph.
        Cancelled: the executor's ``cancelled`` said so.
    """
    return tuple(
        _step(executor, program, line)
        for line in _Teller(executor, schema_type_relation, nouns).tell(program, ())
    )


def sentence(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> str:
    """A program in one line: ``countries → continent Africa → largest population``.

    Raises:
        ProgramError: see :func:`steps`.
    """
    return " → ".join(line.short for line in _Teller(executor, schema_type_relation, nouns).tell(program, ()))


def ranked_values(executor: Executor, program: Top) -> list[tuple[int, float]]:
    """What the answers were ranked by: their ids and keys, best first, and so of the next ``RUNNERS_UP`` nodes.

    Raises:
        ProgramError: see :func:`steps`.
    """
    keyed = executor.ranking(program)
    best = keyed.values if program.largest else -keyed.values
    order = np.lexsort((keyed.owners, -best))
    answers = np.isin(keyed.owners[order], executor.nodes(program))
    places = np.flatnonzero(answers)
    if not len(places):
        return []
    kept = order[places[0] : places[-1] + 1 + RUNNERS_UP] if program.per is None else order[places]
    return [(int(keyed.owners[place]), float(keyed.values[place])) for place in kept]


def _step(executor: Executor, program: Program, line: _Line) -> Step:
    here: Any = program
    for name in line.path:
        here = getattr(here, name)
    found = executor.run(here)
    if isinstance(found, np.ndarray):
        size = executor.size(here)
        return Step(line.text, line.path, "set", size, "", tuple(found[:NODES].tolist()))
    value = formatted(executor.columns, here, found)
    return Step(line.text, line.path, "truth" if isinstance(found, bool) else "number", 0, value, ())


def _ways(program: Program) -> list[Walk]:
    """The walks from one set that a program is either of; none where it is anything else."""
    if isinstance(program, Walk):
        return [program]
    if isinstance(program, Or) and isinstance(program.right, Walk):
        before = _ways(program.left)
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

    def tell(self, program: Program, path: tuple[str, ...]) -> list[_Line]:
        """The lines of a program and all that it is made of."""
        if program == self._told_before:
            return []
        simple = self._simple(program)
        if simple is not None:
            return [_Line(simple[0], simple[2], path)]
        before, text, short = self._told(program, path)
        return [*before, _Line(text, short, path)]

    def _told(self, program: Program, path: tuple[str, ...]) -> tuple[list[_Line], str, str]:
        """What comes before, and the step itself in words and in few words."""
        match program:
            case And() | Or() | Except():
                return self._combined(program, path)
            case Walk(source, relation):
                text, short = self._walked(relation)
                return self.tell(source, (*path, "source")), text, short
            case Filter(source):
                lines = self.tell(source, (*path, "source")) + self._operand(program.value, (*path, "value"))
                text = self._compared(program)
                return lines + self._counted_among(program.key, path), f"with {text}", text
            case TextFilter(source, relation, match_, wanted):
                text = (
                    f"{'name' if relation is None else self.words.step(relation)} {match_.value} “{wanted}”"
                )
                return self.tell(source, (*path, "source")), f"whose {text}", text
            case Top(source):
                lines = self.tell(source, (*path, "source")) + self._counted_among(program.key, path)
                text, short = self._ranked(program)
                return lines, text, short
            case Count(source):
                return self.tell(source, (*path, "source")), "count them", "count"
            case Exists(source):
                return self.tell(source, (*path, "source")), "is there any?", "any?"
            case Fold(how, source, key):
                lines = self.tell(source, (*path, "source")) + self._counted_among(key, path)
                word, noun = self.words.folding(how, key), self._key(key)
                return lines, f"{'sum' if how is Folding.SUM else word} of their {noun}", f"{word} {noun}"
            case KeyOf(source, key):
                noun = self._key(key)
                if isinstance(source, Entities):
                    of = self.words.names(source.ids)
                    return self._counted_among(key, path), f"the {noun} of {of}", f"{of}'s {noun}"
                return (
                    self.tell(source, (*path, "source")) + self._counted_among(key, path),
                    f"its {noun}",
                    noun,
                )
            case Arithmetic(operation, left, right):
                lines = self._operand(left, (*path, "left")) + self._operand(right, (*path, "right"))
                text, short = _CALCULATED[operation]
                sides = self._value(left), self._value(right)
                return lines, text.format(*sides), short.format(*sides)
            case Holds(left, comparison, right):
                lines = self._operand(left, (*path, "left")) + self._operand(right, (*path, "right"))
                sign = _SIGNS[comparison]
                return lines, f"is {self._value(left)} {sign} {self._value(right, like=left)}?", f"{sign}?"
        text = self._value(program)
        return [], text, text

    def _combined(self, program: And | Or | Except, path: tuple[str, ...]) -> tuple[list[_Line], str, str]:
        ways = _ways(program)
        if ways:
            told = [self._walked(way.relation) for way in ways]
            lines = self.tell(ways[0].source, (*path, *["left"] * (len(ways) - 1), "source"))
            return lines, " or ".join(text for text, _ in told), " or ".join(short for _, short in told)
        first, second = ("source", "without") if isinstance(program, Except) else ("left", "right")
        one, other = getattr(program, first), getattr(program, second)
        if isinstance(program, And) and self._simple(other) is None and self._simple(one) is not None:
            first, one, other = second, other, one
        simple, lines = self._simple(other), self.tell(one, (*path, first))
        if simple is None:
            self._told_before = one  # "all but the largest" tells once what the largest is one of
            lines += self.tell(other, (*path, second))
            self._told_before = None
            if isinstance(program, Except):
                return lines, "leave these out of those before", "without these"
            return (
                (lines, "keep those in both", "both")
                if isinstance(program, And)
                else (lines, "all of these", "or")
            )
        noun, restriction, short = simple
        match program:
            case And():
                return lines, restriction, short
            case Or():
                return lines, f"or {noun}", f"or {short}"
        return lines, f"leave out {noun}", f"not {short}"

    def _simple(self, program: Program) -> tuple[str, str, str] | None:
        """A set that one step says: as a noun, as what others are besides, and in few words."""
        match program:
            case Entities(ids):
                names = self.words.names(ids)
                return names, f"that are {self.words.names(ids, 'or')}", names
            case Having(relation) if relation in self.nouns:
                named = plural(self.nouns[relation])
                return named, f"that are {named}", named
            case Having(relation):
                noun, text = self.words.noun(relation), self.words.having(relation)
                inverse, _ = direction(self.words.snapshot, relation)
                verbal = self.words.prepositional(relation) or self.words.verb(relation) is not None
                if inverse and not verbal:  # sports, of a table with a column "sport"
                    named = plural(noun)
                    return named, f"that are {named}", named
                return f"those {text}", text, f"is {article(noun)}" if inverse else f"has {noun}"
            case Walk(Entities(ids), relation):
                return self._simple_walk(ids, relation)
            case Or(left, right):
                one, other = self._simple(left), self._simple(right)
                if one is not None and other is not None:
                    return f"{one[0]} or {other[0]}", f"{one[1]} or {other[1]}", f"{one[2]} or {other[2]}"
        return None

    def _simple_walk(self, ids: tuple[int, ...], relation: int) -> tuple[str, str, str]:
        inverse, forward = direction(self.words.snapshot, relation)
        either = self.words.names(ids, "or")
        if not inverse:
            text = self.words.of(relation, self.words.names(ids))
            said = text.removeprefix("what ")
            return text, f"that {said}" if said != text else f"that are {text}", text.removeprefix("the ")
        if forward == self.type_relation:
            kinds = self.words.kinds(ids)
            return kinds, f"that are {kinds}", kinds
        text = self.words.whose(relation, either)
        return f"those {text}", text, f"{self.words.noun(relation)} {either}"

    def _walked(self, relation: int) -> tuple[str, str]:
        inverse, forward = direction(self.words.snapshot, relation)
        noun = self.words.noun(relation)
        if not inverse:
            verbal = self.words.prepositional(relation) or self.words.verb(relation) is not None
            return self.words.of(relation, "they") if verbal else f"their {noun}", noun
        if forward == self.type_relation:
            return "what is of these kinds", "of these kinds"
        return f"those {self.words.whose(relation, 'one of these')}", f"with this {noun}"

    def _ranked(self, program: Top) -> tuple[str, str]:
        text, short = self._placed(program)
        if program.per is None:
            return text, short
        each = f"of each {self._group(program)}"
        return f"{each} {text}", f"{short} {each}"

    def _group(self, program: Top) -> str:
        """What a group is: its kind, where all are of one, else what the path leads to."""
        per = program.per or ()
        groups = np.unique(self.executor.pairs(self.executor.nodes(program), per)[1])
        kinds = None
        if self.type_relation is not None and len(groups):
            own = [
                set(self.executor.walk(groups[n : n + 1], self.type_relation).tolist())
                for n in range(len(groups))
            ]
            kinds = sorted(set.intersection(*own))
        return self.words.snapshot.entity_label(kinds[0]).lower() if kinds else self._key(Key(per))

    def _placed(self, program: Top) -> tuple[str, str]:
        key, word = program.key, self.words.superlative(program.key, largest=program.largest)
        noun = self.words.counted(key, self._things(key)) if key.counted else self._key(key)
        if program.count == EVERY:
            things = self._things(key) if key.counted else "things"
            noun = self._key(key) if things in ("things", "of these") else f"number of {things}"
            return f"each with its {noun}", f"each with its {noun}"
        if program.count > 1:
            late = f" from the {ordinal(program.rank)} on" if program.rank > 1 else ""
            return f"the {program.count} with the {word} {noun}{late}", f"{program.count} {word} {noun}{late}"
        if program.rank > 1:
            word = f"{ordinal(program.rank)} {word}"
        who = "the one" if program.per is not None or self.executor.size(program) <= 1 else "those"
        return f"{who} with the {word} {noun}", f"{word} {noun}"

    def _compared(self, program: Filter) -> str:
        key, value = program.key, program.value
        if key.counted and isinstance(value, Constant):
            counted = self.words.counted(key, self._things(key))
            if value.value == 0 and program.comparison is Comparison.EQUAL:
                return f"no {counted}"
            return f"{_MANY[program.comparison]}{self._value(value)} {counted}"
        if key.less and not key.folding and value == Constant(0.0):
            own = self.words.path(key.less)
            return f"{self.words.path(key.path)} {_SIGNS[program.comparison]} {own}"
        kind = self.columns.key_type(key)
        if isinstance(value, Constant) and not value.text and kind is not None and kind.kind is value.kind:
            text = formatted_value(kind, value.value)
        elif (
            isinstance(value, Constant)
            and not value.text
            and kind is not None
            and value.kind is ValueKind.NUMBER
        ):
            text = f"{value.value:.0f}"  # the year of dates
        else:
            text = self._value(value)
        return f"{self._key(key)} {_SIGNS[program.comparison]} {text}"

    def _operand(self, program: Program, path: tuple[str, ...]) -> list[_Line]:
        return [] if isinstance(program, Constant) else self.tell(program, path)

    def _value(self, program: Program, like: Program | None = None) -> str:
        """A number that something is compared with: as the question spells it, else what it comes to."""
        if isinstance(program, Constant):
            if program.text:
                return program.text
            if program.kind is ValueKind.MONTH_DAY:
                month, day = divmod(int(program.value), 100)
                return f"{day} {calendar.month_name[month]}"
            kind = None if like is None else type_of(self.columns, like)
            return formatted_value(kind or type_of(self.columns, program), program.value)
        value = self.executor.number(program)
        found = self.executor.run(program)
        if isinstance(found, np.ndarray) and len(found) == 1:
            return self.words.snapshot.entity_label(int(found[0]))
        return formatted(self.columns, program, value) or "nothing"

    def _key(self, key: Key) -> str:
        return self.words.key(key, self._things(key))

    def _things(self, key: Key) -> str:
        """What a key counts, where that is told in one word."""
        simple = None if key.among is None else self._simple(key.among)
        return "things" if key.among is None else "of these" if simple is None else simple[0]

    def _counted_among(self, key: Key, path: tuple[str, ...]) -> list[_Line]:
        """What a key counts, where that needs steps of its own."""
        if key.among is None or self._simple(key.among) is not None:
            return []
        return self.tell(key.among, (*path, "key", "among"))
