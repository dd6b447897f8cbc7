"""Programs as SPARQL 1.1, over the RDF of :mod:`~retrieval.programs.rendering.rdf` or another that a vocabulary tells.

A set is ``SELECT DISTINCT ?node``; a number ``SELECT ?number``, without a row where there is none; a truth ``ASK``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import ProgramError
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.columns import Columns
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
from retrieval.programs.rendering import rdf
from retrieval.programs.rendering.equality import CLOSE, CLOSE_DATES, is_whole_number
from retrieval.programs.rendering.names import split_direction
from retrieval.programs.rendering.vocabulary import PREFIXES, Lines, RdfVocabulary, Typed

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_FOLDS = {Folding.SUM: "SUM", Folding.AVERAGE: "AVG", Folding.LEAST: "MIN", Folding.MOST: "MAX"}
_CALCULATED = {
    Operation.DIFFERENCE: "ABS({} - {})", Operation.DAYS: "ABS({} - {})", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} * {}", Operation.RATIO: "{} / {}", Operation.SHARE: "{} / {}",
}  # fmt: skip
_TEXTS = {TextMatch.CONTAINS: "CONTAINS", TextMatch.STARTS: "STRSTARTS", TextMatch.ENDS: "STRENDS"}


def write_sparql(
    snapshot: Snapshot,
    program: Program,
    columns: Columns | None = None,
    vocabulary: RdfVocabulary | None = None,
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
    return add_prefixes(SparqlWriter(snapshot, columns, vocabulary or Typed(snapshot, columns)).write_query(program))


def add_prefixes(body: Lines) -> str:
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

    def write_lines(self, variable: str) -> Lines:
        return write_block(f"SELECT ({self.aggregate} AS {variable}) WHERE", self.where, self.having)


class SparqlWriter:
    """Writes one query; every variable is new.

    Args:
        snapshot: the graph.
        columns: its values.
        vocabulary: of the RDF that is asked.
    """

    def __init__(self, snapshot: Snapshot, columns: Columns, vocabulary: RdfVocabulary) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self.vocabulary = vocabulary
        self._taken: Counter[str] = Counter()

    def write_query(self, program: Program) -> Lines:
        """The lines of the query that gives what a program denotes."""
        match program:
            case Exists(source):
                return write_block("ASK", self.write_nodes(source, "?node"))
            case Holds(left, comparison, right):
                return write_block("ASK", self._write_holds(left, comparison, right))
            case Count() | Fold():
                return self._make_subquery(program).write_lines("?number")
            case Constant() | KeyOf() | Arithmetic():
                return write_block("SELECT ?number WHERE", self.write_number(program, "?number"))
        return write_block("SELECT DISTINCT ?node WHERE", self.write_nodes(program, "?node"))

    def write_nodes(self, program: Program, x: str) -> Lines:
        """A pattern that binds ``x`` to the nodes of a set, perhaps several times."""
        match program:
            case Entities(ids):
                return [f"VALUES {x} {{ {' '.join(term for node in ids for term in self._list_terms(node))} }}"]
            case Having(relation):
                return [self._write_arc(x, relation, self._make_variable("any"))]
            case Walk(Entities((node,)), relation) if len(terms := self._list_terms(node)) == 1:
                return [self._write_arc(terms[0], relation, x), *self.vocabulary.write_spoken(relation, x)]
            case Walk(source, relation):
                y = self._make_variable("x")
                arc = self._write_arc(y, relation, x)
                return [*self.write_nodes(source, y), arc, *self.vocabulary.write_spoken(relation, x)]
            case And(left, right):
                return [*self.write_nodes(left, x), *self.write_nodes(right, x)]
            case Or(left, right):
                return [
                    *write_block("", self.write_nodes(left, x)),
                    *write_block("UNION", self.write_nodes(right, x)),
                ]
            case Except(source, without):
                # A group of its own, for what stands beside it must not be looked at.
                return write_block(
                    "", [*self.write_nodes(source, x), *write_block("MINUS", self.write_nodes(without, x))]
                )
            case Filter():
                return self._write_filter(program, x)
            case TextFilter():
                return self._write_text_filter(program, x)
            case Top():
                return self._write_top(program, x)
        raise ProgramError(f"{type(program).__name__} is no set.")

    def write_number(self, program: Program, n: str) -> Lines:
        """A pattern that binds ``n`` once, or never where there is no number."""
        match program:
            case Constant(value):
                return [f"BIND({write_literal(value)} AS {n})"]
            case Count() | Fold():
                return write_block("", self._make_subquery(program).write_lines(n))
            case KeyOf(source, key):
                x = self._make_variable("x")
                return [*self._write_single(source), *self.write_keys(source, key, x, n)]
            case Arithmetic(operation, left, right):
                a, b = self._make_variable("left"), self._make_variable("right")
                sides = [*self.write_number(left, a), *self.write_number(right, b)]
                if operation is Operation.DAYS:
                    (first, a), (second, b) = self._write_day(a), self._write_day(b)
                    sides += [*first, *second]
                if operation in (Operation.RATIO, Operation.SHARE):
                    sides.append(f"FILTER({b} != 0)")
                return [*sides, f"BIND({_CALCULATED[operation].format(a, b)} AS {n})"]
            case Exists() | Holds():
                raise ProgramError(f"{type(program).__name__} is no number.")
            case Entities((node,)) if len(terms := self._list_terms(node)) == 1:
                return self.vocabulary.write_value(terms[0], n, None, self._make_variable)
        only, x = self._make_variable("only"), self._make_variable("x")
        chosen = f"SELECT (SAMPLE({x}) AS {only}) WHERE"
        where = write_block(chosen, self.write_nodes(program, x), f"HAVING (COUNT(DISTINCT {x}) = 1)")
        return [*write_block("", where), *self.vocabulary.write_value(only, n, None, self._make_variable)]

    def _write_day(self, date: str) -> tuple[Lines, str]:
        """What binds the number of a date's day, see :func:`~retrieval.kg.values.compute_day_number`, and its
        variable.
        """
        year, leaps, length, day = (self._make_variable(name) for name in ("year", "leaps", "length", "day"))
        leap = "FLOOR({0} / 4) - FLOOR({0} / 100) + FLOOR({0} / 400)"
        return [
            f"BIND(FLOOR({date} + 0.000000001) AS {year})",
            f"BIND({leap.format(f'({year} - 1)')} AS {leaps})",
            f"BIND(365 + {leap.format(year)} - {leaps} AS {length})",
            f"BIND(365 * {year} + {leaps} + FLOOR(({date} - {year}) * {length} + 0.0001) AS {day})",
        ], day

    def _write_single(self, source: Program) -> Lines:
        """A pattern that matches once where a set has one node, else never."""
        if isinstance(source, Entities) and len(source.ids) == 1:
            return []
        size, x = self._make_variable("size"), self._make_variable("x")
        counted = write_block(f"SELECT (COUNT(DISTINCT {x}) AS {size}) WHERE", self.write_nodes(source, x))
        return [*write_block("", counted), f"FILTER({size} = 1)"]

    def _make_subquery(self, program: Count | Fold) -> _Select:
        x = self._make_variable("x")
        if isinstance(program, Count):
            return _Select(f"COUNT(DISTINCT {x})", self.write_nodes(program.source, x))
        key, value = program.key, self._make_variable("value")
        if key.counted or key.folding is not None:
            where = self.write_keys(program.source, key, x, value)
        else:
            where = self._write_distinct_values(program.source, key, x, value)
        having = "" if program.how is Folding.SUM else f"HAVING (COUNT({value}) > 0)"
        return _Select(f"{_FOLDS[program.how]}({value})", where, having)

    def _write_path(self, path: tuple[int, ...], x: str, end: str) -> tuple[Lines, str]:
        """The arcs of a path, and the variable before its end."""
        lines, before = [], x
        for place, relation in enumerate(path):
            after = end if place == len(path) - 1 else self._make_variable("via")
            lines += [
                self._write_arc(before, relation, after),
                *self.vocabulary.write_spoken(relation, after),
            ]
            before, last = after, before
        return lines, last

    def _write_values(self, key: Key, x: str, value: str) -> tuple[Lines, list[str]]:
        """The values that a key's path leads to, and the variables that tell one from another."""
        end = self._make_variable("literal")
        lines, before = self._write_path(key.path, x, end)
        extra = key.times or key.less
        if extra is None:
            read = self.vocabulary.write_value(end, value, key.path[-1], self._make_variable)
            return [*lines, *read], list(dict.fromkeys([x, before, end, value]))
        left, right, second = (
            self._make_variable("value"),
            self._make_variable("value"),
            self._make_variable("literal"),
        )
        joined, _ = self._write_path(extra, before, second)
        divisor = self.columns.compute_divisor(key) if key.times else 1.0
        unit = f" / {write_literal(divisor)}" if divisor != 1.0 else ""
        lines += [
            *self.vocabulary.write_value(end, left, key.path[-1], self._make_variable), *joined,
            *self.vocabulary.write_value(second, right, extra[-1], self._make_variable),
            f"BIND({left} {'*' if key.times else '-'} {right}{unit} AS {value})",
        ]  # fmt: skip
        return lines, list(dict.fromkeys([x, before, end, second, value]))

    def _write_distinct_values(self, source: Program, key: Key, x: str, value: str) -> Lines:
        lines, apart = self._write_values(key, x, value)
        return write_block(
            "",
            write_block(f"SELECT DISTINCT {' '.join(apart)} WHERE", [*self.write_nodes(source, x), *lines]),
        )

    def write_keys(self, source: Program, key: Key, x: str, k: str, *, largest: bool = True) -> Lines:
        """A pattern that binds every node of a set that has a key to it, once."""
        nodes = self.write_nodes(source, x)
        if key.counted:
            end = self._make_variable("end")
            lines, _ = self._write_path(key.path, x, end)
            if key.among is not None:
                lines += self.write_nodes(key.among, end)
            head, where = f"(COUNT(DISTINCT {end}) AS {k})", [*nodes, *write_block("OPTIONAL", lines)]
        else:
            value = self._make_variable("value")
            how = key.folding or (Folding.MOST if largest else Folding.LEAST)
            if how in (Folding.SUM, Folding.AVERAGE):
                where = self._write_distinct_values(source, key, x, value)
            else:
                where = [*nodes, *self._write_values(key, x, value)[0]]
            head = f"({_FOLDS[how]}({value}) AS {k})"
        return write_block("", write_block(f"SELECT {x} {head} WHERE", where, f"GROUP BY {x}"))

    def _write_filter(self, program: Filter, x: str) -> Lines:
        key, constant = program.key, program.value
        k = self._make_variable("key")
        single = key.counted or key.folding is not None
        if single:
            lines = self.write_keys(program.source, key, x, k)
        else:
            lines = [*self.write_nodes(program.source, x), *self._write_values(key, x, k)[0]]
        if not isinstance(constant, Constant):
            n = self._make_variable("number")
            slack = None if key.counted and is_whole_number(constant) else f"ABS({n}) * {CLOSE!r}"
            return [
                *lines,
                *self.write_number(constant, n),
                _write_comparison(k, program.comparison, n, slack),
            ]
        kind = self.columns.get_key_type(key)
        wanted = write_literal(constant.value)
        if kind is None or kind.kind is not ValueKind.DATE:
            close = self.vocabulary.write_near(key, constant.value, abs(constant.value) * CLOSE)
            return [*lines, _write_comparison(k, program.comparison, wanted, _write_slack(close))]
        if constant.kind is ValueKind.MONTH_DAY:
            return [*lines, *self._write_date_part(key, k, "monthDay", program.comparison, wanted)]
        if constant.kind is ValueKind.NUMBER:
            return [*lines, *self._write_date_part(key, k, "year", program.comparison, wanted)]
        close = self.vocabulary.write_near(key, constant.value, CLOSE_DATES)
        return [*lines, _write_comparison(k, program.comparison, wanted, _write_slack(close))]

    def _write_date_part(self, key: Key, k: str, part: str, comparison: Comparison, wanted: str) -> Lines:
        """The year or day of a date compared; a folded one is looked up by its value."""
        if key.folding in (Folding.SUM, Folding.AVERAGE):
            raise ProgramError("A sum or average of dates has no day or year that SPARQL could compare.")
        part_variable = self._make_variable(part)
        return [
            *self.vocabulary.write_date_part(k, part_variable, part, self._make_variable),
            _write_comparison(part_variable, comparison, wanted, None),
        ]

    def _write_text_filter(self, program: TextFilter, x: str) -> Lines:
        label, lines, text_node = self._make_variable("label"), self.write_nodes(program.source, x), x
        if program.relation is not None:
            text_node = self._make_variable("text")
            lines = [*lines, self._write_arc(x, program.relation, text_node)]
        wanted, lowered = program.text.casefold(), f"LCASE({label})"
        if "ss" in wanted:
            lowered = f'REPLACE({lowered}, "ß", "ss")'
        test = f"{_TEXTS[program.match]}({lowered}, {rdf.write_text(wanted)})"
        return [*lines, *self.vocabulary.write_label(text_node, label, program.relation), f"FILTER({test})"]

    def _write_top(self, program: Top, x: str) -> Lines:
        k, y, other = self._make_variable("key"), self._make_variable("x"), self._make_variable("key")
        largest = program.largest
        mine = self.write_keys(program.source, program.key, x, k, largest=largest)
        if program.count == EVERY:
            return mine
        all_of_them = self.write_keys(program.source, program.key, y, other, largest=largest)
        if program.per is not None:
            return self._write_top_of_each(program, x, (mine, k), (y, all_of_them, other))
        order = f"ORDER BY {'DESC' if largest else 'ASC'}({other}) LIMIT {program.count}" + (
            f" OFFSET {program.rank - 1}" if program.rank > 1 else ""
        )
        if program.count == 1:  # places are those of distinct keys
            place = write_block(f"SELECT DISTINCT {other} WHERE", all_of_them, order)
            return [*mine, *write_block("", place), f"FILTER({k} = {other})"]
        least, most = self._make_variable("least"), self._make_variable("most")
        places = write_block("", write_block(f"SELECT {y} {other} WHERE", all_of_them, order))
        bounds = write_block(f"SELECT (MIN({other}) AS {least}) (MAX({other}) AS {most}) WHERE", places)
        return [*mine, *write_block("", bounds), f"FILTER({k} >= {least} && {k} <= {most})"]

    def _write_top_of_each(
        self, program: Top, x: str, ranked: tuple[Lines, str], others: tuple[str, Lines, str]
    ) -> Lines:
        """By how many of the same group are better, and from the second place on also how many are as good."""
        (mine, k), (y, every, other), path = ranked, others, program.per or ()
        group, lines = self._make_variable("group"), list[str]()
        mine = [*mine, *self._write_path(path, x, group)[0]]
        every = [*every, *self._write_path(path, y, group)[0]]
        sign, distinct = ">" if program.largest else "<", program.count == 1
        for better in (sign, f"{sign}="):
            n = self._make_variable("better")
            counted = other if distinct else y
            where = [*mine, *write_block("OPTIONAL", [*every, f"FILTER({other} {better} {k})"])]
            inner = write_block(
                f"SELECT {x} {group} (COUNT(DISTINCT {counted}) AS {n}) WHERE", where, f"GROUP BY {x} {group}"
            )
            if distinct and better == sign:
                return [*write_block("", inner), f"FILTER({n} = {program.rank - 1})"]
            limit = f"{n} < {program.rank + program.count - 1}" if better == sign else f"{n} > {program.rank - 1}"
            lines += [*write_block("", inner), f"FILTER({limit})"]
            if program.rank == 1:
                break
        return lines

    def _write_holds(self, left: Program, comparison: Comparison, right: Program) -> Lines:
        a, b = self._make_variable("left"), self._make_variable("right")
        slack = None if is_whole_number(left) and is_whole_number(right) else f"ABS({b}) * {CLOSE!r}"
        return [
            *self.write_number(left, a),
            *self.write_number(right, b),
            _write_comparison(a, comparison, b, slack),
        ]

    def _write_arc(self, source: str, relation: int, target: str) -> str:
        inverse, forward = split_direction(self.snapshot, relation)
        name = self.vocabulary.write_relation(forward)
        return f"{target} {name} {source} ." if inverse else f"{source} {name} {target} ."

    def _list_terms(self, node: int) -> list[str]:
        if not 0 <= node < self.snapshot.num_entities:
            raise ProgramError(f"The graph has no entity {node}.")
        return self.vocabulary.list_terms(node)

    def _make_variable(self, name: str) -> str:
        self._taken[name] += 1
        return f"?{name}{self._taken[name]}"


def _write_comparison(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
    """A filter, as :func:`retrieval.programs.algebra.execution.compare_values` compares."""
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


def _write_slack(close: float | None) -> str | None:
    return None if close is None else write_literal(close)


def write_literal(value: float) -> str:
    """A number as SPARQL writes it: whole ones as integers, others as doubles."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    spelt = repr(float(value))
    return spelt if "e" in spelt else f"{spelt}e0"


def write_block(head: str, lines: Lines, tail: str = "") -> Lines:
    """Lines in braces, indented."""
    return [f"{head} {{".lstrip(), *(f"  {line}" for line in lines), f"}} {tail}".rstrip()]
