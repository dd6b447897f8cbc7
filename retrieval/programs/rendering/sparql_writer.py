"""Programs as SPARQL 1.1, over the RDF of :mod:`~retrieval.programs.rendering.rdf` or another that a vocabulary tells.

A set is ``SELECT DISTINCT ?node``; a number ``SELECT ?number``, without a row where there is none; a truth ``ASK``.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.errors import ProgramError
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
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
from retrieval.programs.rendering.sparql_values import (
    SparqlValueWriter,
    write_block,
    write_comparison,
    write_literal,
    write_slack,
)
from retrieval.programs.rendering.vocabulary import Lines

FOLDS = {Folding.SUM: "SUM", Folding.AVERAGE: "AVG", Folding.LEAST: "MIN", Folding.MOST: "MAX"}
CALCULATED = {
    Operation.DIFFERENCE: "ABS({} - {})", Operation.DAYS: "ABS({} - {})", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} * {}", Operation.RATIO: "{} / {}", Operation.SHARE: "{} / {}",
}  # fmt: skip
_TEXTS = {TextMatch.CONTAINS: "CONTAINS", TextMatch.STARTS: "STRSTARTS", TextMatch.ENDS: "STRENDS"}


@dataclass(frozen=True, slots=True)
class _Select:
    """A subquery of one number."""

    aggregate: str
    where: Lines
    having: str = ""

    def write_lines(self, variable: str) -> Lines:
        return write_block(f"SELECT ({self.aggregate} AS {variable}) WHERE", self.where, self.having)


class SparqlWriter(SparqlValueWriter):
    """Writes one query; every variable is new."""

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
                return [*write_block("", self.write_nodes(left, x)), *write_block("UNION", self.write_nodes(right, x))]
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
                return [*sides, f"BIND({CALCULATED[operation].format(a, b)} AS {n})"]
            case Exists() | Holds():
                raise ProgramError(f"{type(program).__name__} is no number.")
            case Entities((node,)) if len(terms := self._list_terms(node)) == 1:
                return self.vocabulary.write_value(terms[0], n, None, self._make_variable)
        only, x = self._make_variable("only"), self._make_variable("x")
        chosen = f"SELECT (SAMPLE({x}) AS {only}) WHERE"
        where = write_block(chosen, self.write_nodes(program, x), f"HAVING (COUNT(DISTINCT {x}) = 1)")
        return [*write_block("", where), *self.vocabulary.write_value(only, n, None, self._make_variable)]

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
        return _Select(f"{FOLDS[program.how]}({value})", where, having)

    def _write_distinct_values(self, source: Program, key: Key, x: str, value: str) -> Lines:
        lines, apart = self._write_values(key, x, value)
        return write_block(
            "", write_block(f"SELECT DISTINCT {' '.join(apart)} WHERE", [*self.write_nodes(source, x), *lines])
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
            head = f"({FOLDS[how]}({value}) AS {k})"
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
            return [*lines, *self.write_number(constant, n), write_comparison(k, program.comparison, n, slack)]
        kind = self.columns.get_key_type(key)
        wanted = write_literal(constant.value)
        if kind is None or kind.kind is not ValueKind.DATE:
            close = self.vocabulary.write_near(key, constant.value, abs(constant.value) * CLOSE)
            return [*lines, write_comparison(k, program.comparison, wanted, write_slack(close))]
        if constant.kind is ValueKind.MONTH_DAY:
            return [*lines, *self._write_date_part(key, k, "monthDay", program.comparison, wanted)]
        if constant.kind is ValueKind.NUMBER:
            return [*lines, *self._write_date_part(key, k, "year", program.comparison, wanted)]
        close = self.vocabulary.write_near(key, constant.value, CLOSE_DATES)
        return [*lines, write_comparison(k, program.comparison, wanted, write_slack(close))]

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
        return [*self.write_number(left, a), *self.write_number(right, b), write_comparison(a, comparison, b, slack)]
