"""Programs as SPARQL 1.1, over the RDF of :mod:`~retrieval.programs.rendering.rdf` or another that a vocabulary tells.

A set is ``SELECT DISTINCT ?node``; a number ``SELECT ?number``, without a row where there is none; a truth ``ASK``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import ProgramError
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
    TextMatch,
    Top,
    ValueKind,
    Walk,
)  # fmt: skip
from retrieval.programs.columns import Columns
from retrieval.programs.rendering import rdf
from retrieval.programs.rendering.equality import CLOSE, CLOSE_DATES, whole
from retrieval.programs.rendering.names import direction
from retrieval.programs.rendering.vocabulary import PREFIXES, Lines, Typed, Vocabulary

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_FOLDS = {Folding.SUM: "SUM", Folding.AVERAGE: "AVG", Folding.LEAST: "MIN", Folding.MOST: "MAX"}
_CALCULATED = {
    Operation.DIFFERENCE: "ABS({} - {})", Operation.DAYS: "ABS({} - {})", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} * {}", Operation.RATIO: "{} / {}", Operation.SHARE: "{} / {}",
}  # fmt: skip
_TEXTS = {TextMatch.CONTAINS: "CONTAINS", TextMatch.STARTS: "STRSTARTS", TextMatch.ENDS: "STRENDS"}


def sparql(
    snapshot: Snapshot,
    program: Program,
    columns: Columns | None = None,
    vocabulary: Vocabulary | None = None,
) -> str:
    """The query that gives what a program denotes, over the export of the same snapshot.

    Args:
        snapshot: the graph.
        program: over it.
        columns: the graph's values, where they are known already.
        vocabulary: of the RDF that is asked; None for the export's.

    Raises:
        ProgramError: the program does not fit the graph, or compares the days of sums.
    """
    columns = columns or Columns(snapshot)
    return complete(Writer(snapshot, columns, vocabulary or Typed(snapshot, columns)).query(program))


def complete(body: Lines) -> str:
    """A query of some lines, with the prefixes that they use."""
    text = "\n".join(body)
    used = [f"PREFIX {name}: <{iri}>" for name, iri in PREFIXES.items() if re.search(rf"[ (^]{name}:", text)]
    return "\n".join([*used, text, ""])


@dataclass(frozen=True, slots=True)
class _Select:
    """A subquery of one number."""

    aggregate: str
    where: Lines
    having: str = ""

    def lines(self, variable: str) -> Lines:
        return block(f"SELECT ({self.aggregate} AS {variable}) WHERE", self.where, self.having)


class Writer:
    """Writes one query; every variable is new.

    Args:
        snapshot: the graph.
        columns: its values.
        vocabulary: of the RDF that is asked.
    """

    def __init__(self, snapshot: Snapshot, columns: Columns, vocabulary: Vocabulary) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self.vocabulary = vocabulary
        self._taken: Counter[str] = Counter()

    def query(self, program: Program) -> Lines:
        """The lines of the query that gives what a program denotes."""
        match program:
            case Exists(source):
                return block("ASK", self.nodes(source, "?node"))
            case Holds(left, comparison, right):
                return block("ASK", self._holds(left, comparison, right))
            case Count() | Fold():
                return self._select(program).lines("?number")
            case Constant() | KeyOf() | Arithmetic():
                return block("SELECT ?number WHERE", self.number(program, "?number"))
        return block("SELECT DISTINCT ?node WHERE", self.nodes(program, "?node"))

    def nodes(self, program: Program, x: str) -> Lines:
        """A pattern that binds ``x`` to the nodes of a set, perhaps several times."""
        match program:
            case Entities(ids):
                return [f"VALUES {x} {{ {' '.join(term for node in ids for term in self._terms(node))} }}"]
            case Having(relation):
                return [self._arc(x, relation, self._new("any"))]
            case Walk(Entities((node,)), relation) if len(terms := self._terms(node)) == 1:
                return [self._arc(terms[0], relation, x), *self.vocabulary.spoken(relation, x)]
            case Walk(source, relation):
                y = self._new("x")
                arc = self._arc(y, relation, x)
                return [*self.nodes(source, y), arc, *self.vocabulary.spoken(relation, x)]
            case And(left, right):
                return [*self.nodes(left, x), *self.nodes(right, x)]
            case Or(left, right):
                return [*block("", self.nodes(left, x)), *block("UNION", self.nodes(right, x))]
            case Except(source, without):
                # A group of its own, for what stands beside it must not be looked at.
                return block("", [*self.nodes(source, x), *block("MINUS", self.nodes(without, x))])
            case Filter():
                return self._filter(program, x)
            case TextFilter():
                return self._text_filter(program, x)
            case Top():
                return self._top(program, x)
        raise ProgramError(f"{type(program).__name__} is no set.")

    def number(self, program: Program, n: str) -> Lines:
        """A pattern that binds ``n`` once, or never where there is no number."""
        match program:
            case Constant(value):
                return [f"BIND({literal(value)} AS {n})"]
            case Count() | Fold():
                return block("", self._select(program).lines(n))
            case KeyOf(source, key):
                x = self._new("x")
                return [*self._single(source), *self.keyed(source, key, x, n)]
            case Arithmetic(operation, left, right):
                a, b = self._new("left"), self._new("right")
                sides = [*self.number(left, a), *self.number(right, b)]
                if operation is Operation.DAYS:
                    (one, a), (other, b) = self._day(a), self._day(b)
                    sides += [*one, *other]
                if operation in (Operation.RATIO, Operation.SHARE):
                    sides.append(f"FILTER({b} != 0)")
                return [*sides, f"BIND({_CALCULATED[operation].format(a, b)} AS {n})"]
            case Exists() | Holds():
                raise ProgramError(f"{type(program).__name__} is no number.")
            case Entities((node,)) if len(terms := self._terms(node)) == 1:
                return self.vocabulary.value(terms[0], n, None, self._new)
        only, x = self._new("only"), self._new("x")
        chosen = f"SELECT (SAMPLE({x}) AS {only}) WHERE"
        where = block(chosen, self.nodes(program, x), f"HAVING (COUNT(DISTINCT {x}) = 1)")
        return [*block("", where), *self.vocabulary.value(only, n, None, self._new)]

    def _day(self, date: str) -> tuple[Lines, str]:
        """What binds the number of a date's day, see :func:`~retrieval.kg.values.day_number`, and its variable."""
        year, leaps, length, day = (self._new(name) for name in ("year", "leaps", "length", "day"))
        leap = "FLOOR({0} / 4) - FLOOR({0} / 100) + FLOOR({0} / 400)"
        return [
            f"BIND(FLOOR({date} + 0.000000001) AS {year})",
            f"BIND({leap.format(f'({year} - 1)')} AS {leaps})",
            f"BIND(365 + {leap.format(year)} - {leaps} AS {length})",
            f"BIND(365 * {year} + {leaps} + FLOOR(({date} - {year}) * {length} + 0.0001) AS {day})",
        ], day

    def _single(self, source: Program) -> Lines:
        """A pattern that matches once where a set has one node, else never."""
        if isinstance(source, Entities) and len(source.ids) == 1:
            return []
        size, x = self._new("size"), self._new("x")
        counted = block(f"SELECT (COUNT(DISTINCT {x}) AS {size}) WHERE", self.nodes(source, x))
        return [*block("", counted), f"FILTER({size} = 1)"]

    def _select(self, program: Count | Fold) -> _Select:
        x = self._new("x")
        if isinstance(program, Count):
            return _Select(f"COUNT(DISTINCT {x})", self.nodes(program.source, x))
        key, value = program.key, self._new("value")
        if key.counted or key.folding is not None:
            where = self.keyed(program.source, key, x, value)
        else:
            where = self._each_value(program.source, key, x, value)
        having = "" if program.how is Folding.SUM else f"HAVING (COUNT({value}) > 0)"
        return _Select(f"{_FOLDS[program.how]}({value})", where, having)

    def _path(self, path: tuple[int, ...], x: str, end: str) -> tuple[Lines, str]:
        """The arcs of a path, and the variable before its end."""
        lines, before = [], x
        for place, relation in enumerate(path):
            after = end if place == len(path) - 1 else self._new("via")
            lines += [self._arc(before, relation, after), *self.vocabulary.spoken(relation, after)]
            before, last = after, before
        return lines, last

    def _values(self, key: Key, x: str, value: str) -> tuple[Lines, list[str]]:
        """The values that a key's path leads to, and the variables that tell one from another."""
        end = self._new("literal")
        lines, before = self._path(key.path, x, end)
        beside = key.times or key.less
        if beside is None:
            read = self.vocabulary.value(end, value, key.path[-1], self._new)
            return [*lines, *read], list(dict.fromkeys([x, before, end, value]))
        one, other, second = self._new("value"), self._new("value"), self._new("literal")
        joined, _ = self._path(beside, before, second)
        divisor = self.columns.divisor(key) if key.times else 1.0
        unit = f" / {literal(divisor)}" if divisor != 1.0 else ""
        lines += [
            *self.vocabulary.value(end, one, key.path[-1], self._new), *joined,
            *self.vocabulary.value(second, other, beside[-1], self._new),
            f"BIND({one} {'*' if key.times else '-'} {other}{unit} AS {value})",
        ]  # fmt: skip
        return lines, list(dict.fromkeys([x, before, end, second, value]))

    def _each_value(self, source: Program, key: Key, x: str, value: str) -> Lines:
        lines, apart = self._values(key, x, value)
        return block("", block(f"SELECT DISTINCT {' '.join(apart)} WHERE", [*self.nodes(source, x), *lines]))

    def keyed(self, source: Program, key: Key, x: str, k: str, *, largest: bool = True) -> Lines:
        """A pattern that binds every node of a set that has a key to it, once."""
        nodes = self.nodes(source, x)
        if key.counted:
            end = self._new("end")
            lines, _ = self._path(key.path, x, end)
            if key.among is not None:
                lines += self.nodes(key.among, end)
            head, where = f"(COUNT(DISTINCT {end}) AS {k})", [*nodes, *block("OPTIONAL", lines)]
        else:
            value = self._new("value")
            how = key.folding or (Folding.MOST if largest else Folding.LEAST)
            if how in (Folding.SUM, Folding.AVERAGE):
                where = self._each_value(source, key, x, value)
            else:
                where = [*nodes, *self._values(key, x, value)[0]]
            head = f"({_FOLDS[how]}({value}) AS {k})"
        return block("", block(f"SELECT {x} {head} WHERE", where, f"GROUP BY {x}"))

    def _filter(self, program: Filter, x: str) -> Lines:
        key, constant = program.key, program.value
        k = self._new("key")
        single = key.counted or key.folding is not None
        if single:
            lines = self.keyed(program.source, key, x, k)
        else:
            lines = [*self.nodes(program.source, x), *self._values(key, x, k)[0]]
        if not isinstance(constant, Constant):
            n = self._new("number")
            slack = None if key.counted and whole(constant) else f"ABS({n}) * {CLOSE!r}"
            return [*lines, *self.number(constant, n), _compared(k, program.comparison, n, slack)]
        kind = self.columns.key_type(key)
        wanted = literal(constant.value)
        if kind is None or kind.kind is not ValueKind.DATE:
            close = self.vocabulary.near(key, constant.value, abs(constant.value) * CLOSE)
            return [*lines, _compared(k, program.comparison, wanted, _slack(close))]
        if constant.kind is ValueKind.MONTH_DAY:
            return [*lines, *self._part_of_date(key, k, "monthDay", program.comparison, wanted)]
        if constant.kind is ValueKind.NUMBER:
            return [*lines, *self._part_of_date(key, k, "year", program.comparison, wanted)]
        close = self.vocabulary.near(key, constant.value, CLOSE_DATES)
        return [*lines, _compared(k, program.comparison, wanted, _slack(close))]

    def _part_of_date(self, key: Key, k: str, part: str, comparison: Comparison, wanted: str) -> Lines:
        """The year or day of a date compared; a folded one is looked up by its value."""
        if key.folding in (Folding.SUM, Folding.AVERAGE):
            raise ProgramError("A sum or average of dates has no day or year that SPARQL could compare.")
        own = self._new(part)
        return [
            *self.vocabulary.part_of_date(k, own, part, self._new),
            _compared(own, comparison, wanted, None),
        ]

    def _text_filter(self, program: TextFilter, x: str) -> Lines:
        label, lines, named = self._new("label"), self.nodes(program.source, x), x
        if program.relation is not None:
            named = self._new("text")
            lines = [*lines, self._arc(x, program.relation, named)]
        wanted, lowered = program.text.casefold(), f"LCASE({label})"
        if "ss" in wanted:
            lowered = f'REPLACE({lowered}, "ß", "ss")'
        test = f"{_TEXTS[program.match]}({lowered}, {rdf.text(wanted)})"
        return [*lines, *self.vocabulary.label(named, label, program.relation), f"FILTER({test})"]

    def _top(self, program: Top, x: str) -> Lines:
        k, y, other = self._new("key"), self._new("x"), self._new("key")
        largest = program.largest
        mine = self.keyed(program.source, program.key, x, k, largest=largest)
        if program.count == EVERY:
            return mine
        all_of_them = self.keyed(program.source, program.key, y, other, largest=largest)
        if program.per is not None:
            return self._top_of_each(program, x, (mine, k), (y, all_of_them, other))
        order = f"ORDER BY {'DESC' if largest else 'ASC'}({other}) LIMIT {program.count}" + (
            f" OFFSET {program.rank - 1}" if program.rank > 1 else ""
        )
        if program.count == 1:  # places are those of distinct keys
            place = block(f"SELECT DISTINCT {other} WHERE", all_of_them, order)
            return [*mine, *block("", place), f"FILTER({k} = {other})"]
        least, most = self._new("least"), self._new("most")
        places = block("", block(f"SELECT {y} {other} WHERE", all_of_them, order))
        bounds = block(f"SELECT (MIN({other}) AS {least}) (MAX({other}) AS {most}) WHERE", places)
        return [*mine, *block("", bounds), f"FILTER({k} >= {least} && {k} <= {most})"]

    def _top_of_each(
        self, program: Top, x: str, one: tuple[Lines, str], others: tuple[str, Lines, str]
    ) -> Lines:
        """By how many of the same group are better, and from the second place on also how many are as good."""
        (mine, k), (y, every, other), path = one, others, program.per or ()
        group, found = self._new("group"), list[str]()
        mine = [*mine, *self._path(path, x, group)[0]]
        every = [*every, *self._path(path, y, group)[0]]
        sign, distinct = ">" if program.largest else "<", program.count == 1
        for better in (sign, f"{sign}="):
            n = self._new("better")
            counted = other if distinct else y
            where = [*mine, *block("OPTIONAL", [*every, f"FILTER({other} {better} {k})"])]
            inner = block(
                f"SELECT {x} {group} (COUNT(DISTINCT {counted}) AS {n}) WHERE", where, f"GROUP BY {x} {group}"
            )
            if distinct and better == sign:
                return [*block("", inner), f"FILTER({n} = {program.rank - 1})"]
            limit = (
                f"{n} < {program.rank + program.count - 1}" if better == sign else f"{n} > {program.rank - 1}"
            )
            found += [*block("", inner), f"FILTER({limit})"]
            if program.rank == 1:
                break
        return found

    def _holds(self, left: Program, comparison: Comparison, right: Program) -> Lines:
        a, b = self._new("left"), self._new("right")
        slack = None if whole(left) and whole(right) else f"ABS({b}) * {CLOSE!r}"
        return [*self.number(left, a), *self.number(right, b), _compared(a, comparison, b, slack)]

    def _arc(self, source: str, relation: int, target: str) -> str:
        inverse, forward = direction(self.snapshot, relation)
        name = self.vocabulary.relation(forward)
        return f"{target} {name} {source} ." if inverse else f"{source} {name} {target} ."

    def _terms(self, node: int) -> list[str]:
        if not 0 <= node < self.snapshot.num_entities:
            raise ProgramError(f"The graph has no entity {node}.")
        return self.vocabulary.terms(node)

    def _new(self, name: str) -> str:
        self._taken[name] += 1
        return f"?{name}{self._taken[name]}"


def _compared(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
    """A filter, as :func:`retrieval.programs.execution.compared` compares."""
    if slack is None:
        return f"FILTER({left} {comparison.value} {right})"
    equal, apart = (f"ABS({left} - {right}) {sign} {slack}" for sign in ("<=", ">"))
    match comparison:
        case Comparison.EQUAL:
            return f"FILTER({equal})"
        case Comparison.NOT_EQUAL:
            return f"FILTER({apart})"
        case Comparison.LESS | Comparison.MORE:
            return f"FILTER({left} {comparison.value} {right} && {apart})"
    return f"FILTER({left} {comparison.value[0]} {right} || {equal})"


def _slack(close: float | None) -> str | None:
    return None if close is None else literal(close)


def literal(value: float) -> str:
    """A number as SPARQL writes it: whole ones as integers, others as doubles."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    spelt = repr(float(value))
    return spelt if "e" in spelt else f"{spelt}e0"


def block(head: str, lines: Lines, tail: str = "") -> Lines:
    """Lines in braces, indented."""
    return [f"{head} {{".lstrip(), *(f"  {line}" for line in lines), f"}} {tail}".rstrip()]
