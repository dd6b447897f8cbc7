"""Programs as Cypher, for a graph that is loaded into a property graph.

Its nodes are ``(:Entity {name, value, kind, year, monthDay})``: values and dates have what
:mod:`~retrieval.programs.rendering.rdf` says of them, other nodes the name only. Relationships are typed by the
relation's name. Every arc is matched by its own ``MATCH``, since within one no relationship is matched twice. What has
to be known beforehand is a subquery (``CALL``, Neo4j 4.1 and later) that gives one row.

A set is a column ``node`` of names; a number a column ``number``, null where there is none; a truth a column
``truth``.
"""

from __future__ import annotations

import json
from collections import Counter
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
from retrieval.programs.rendering.equality import CLOSE, CLOSE_DATES, compute_tolerance, is_whole_number
from retrieval.programs.rendering.names import split_direction

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_FOLDS = {Folding.SUM: "sum", Folding.AVERAGE: "avg", Folding.LEAST: "min", Folding.MOST: "max"}
_LEAPS = "floor({0} / 4) - floor({0} / 100) + floor({0} / 400)"
_DIVIDED = "CASE WHEN {1} <> 0 THEN toFloat({0}) / {1} END"
_CALCULATED = {
    Operation.DIFFERENCE: "abs({} - {})", Operation.DAYS: "abs({} - {})", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} * {}", Operation.RATIO: _DIVIDED, Operation.SHARE: _DIVIDED,
}  # fmt: skip
_TEXTS = {TextMatch.CONTAINS: "CONTAINS", TextMatch.STARTS: "STARTS WITH", TextMatch.ENDS: "ENDS WITH"}

Lines = list[str]


def write_cypher(snapshot: Snapshot, program: Program, columns: Columns | None = None) -> str:
    """The query that gives what a program denotes.

    Args:
        snapshot: the graph.
        program: over it.
        columns: the graph's values, where they are known already.

    Raises:
        ProgramError: the program does not fit the graph, or compares the days of sums.
    """
    writer = _Writer(snapshot, columns or Columns(snapshot), Counter())
    return "\n".join([*writer.write_query(program), ""])


class _Writer:
    """Writes one query, or one subquery with what it needs beforehand; every variable of a query is new."""

    def __init__(self, snapshot: Snapshot, columns: Columns, taken: Counter[str]) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self._taken = taken
        self._first: Lines = []
        self._known: list[str] = []

    def write_query(self, program: Program) -> Lines:
        match program:
            case Exists(source):
                x = self._make_variable("node")
                return self._wrap_query([*self.write_nodes(source, x), f"RETURN count({x}) > 0 AS truth"])
            case Holds(left, comparison, right):
                a, b = self._write_beforehand(left), self._write_beforehand(right)
                slack = None if is_whole_number(left) and is_whole_number(right) else f"abs({b}) * {CLOSE!r}"
                return self._wrap_query(
                    [f"RETURN coalesce({_write_comparison(a, comparison, b, slack)}, false) AS truth"]
                )
            case Constant() | Count() | Fold() | KeyOf() | Arithmetic():
                return self._wrap_query(self.write_number(program, "number"))
        return self._wrap_query(self.write_set(program, "node", ".name"))

    def write_set(self, program: Program, name: str, part: str = "") -> Lines:
        """Clauses that return the nodes of a set, each once."""
        x = self._make_variable("node")
        lines, node_variable = (
            (self.write_nodes(program, x), x) if not _is_closed(program) else self._write_closed(program)
        )
        return [*lines, f"RETURN DISTINCT {node_variable}{part} AS {name}"]

    def write_nodes(self, program: Program, x: str) -> Lines:
        """Clauses that match the nodes of a set, perhaps several times."""
        match program:
            case Entities((node,)):
                return [f"MATCH ({x}:Entity {{name: {self._write_entity(node)}}})"]
            case Entities(ids):
                return [f"MATCH ({x}:Entity) WHERE {x}.name IN [{', '.join(map(self._write_entity, ids))}]"]
            case Having(relation):
                return [f"MATCH ({x}:Entity){self._write_arrow(relation)}()"]
            case Walk(Entities((node,)), relation):
                return [f"MATCH (:Entity {{name: {self._write_entity(node)}}}){self._write_arrow(relation)}({x})"]
            case Walk(source, relation):
                y = self._make_variable("node")
                return [*self.write_nodes(source, y), f"MATCH ({y}){self._write_arrow(relation)}({x})"]
            case And(left, right):
                return [*self.write_nodes(left, x), *self._write_membership(right, x)]
            case Except(source, without):
                return [
                    *self.write_nodes(source, x),
                    f"WITH * WHERE NOT {x} IN {self._collect_nodes(without)}",
                ]
            case Or(left, right):
                parts = [_Writer(self.snapshot, self.columns, self._taken) for _ in range(2)]
                first, second = (
                    writer._wrap_query(writer.write_set(side, x))
                    for writer, side in zip(parts, (left, right), strict=True)
                )
                return _write_block("CALL", [*first, "UNION", *second])
            case Filter(source) if not _is_closed(program):
                return [*self.write_nodes(source, x), *self._write_value_filter(program, x)]
            case TextFilter(source):
                return [*self.write_nodes(source, x), *self._write_text_filter(program, x)]
            case Filter() | Top():
                writer = _Writer(self.snapshot, self.columns, self._taken)
                return _write_block("CALL", writer._wrap_query(writer.write_set(program, x)))
        raise ProgramError(f"{type(program).__name__} is no set.")

    def write_number(self, program: Program, name: str) -> Lines:
        """Clauses that return a number once, null where there is none."""
        match program:
            case Constant(value):
                return [f"RETURN {_write_literal(value)} AS {name}"]
            case Count(source):
                x = self._make_variable("node")
                return [*self.write_nodes(source, x), f"RETURN count(DISTINCT {x}) AS {name}"]
            case KeyOf(source, key):
                x = self._make_variable("node")
                lines, k = self._write_keys(key, x)
                return [*self._write_single(source, x), *lines, f"RETURN max({k}) AS {name}"]
            case Fold(how, source, key):
                x = self._make_variable("node")
                nodes = self.write_nodes(source, x)
                single = key.counted or key.folding is not None
                lines, k = self._write_keys(key, x) if single else self._write_distinct_values(key, x)
                return [*nodes, *lines, f"RETURN {_FOLDS[how]}({k}) AS {name}"]
            case Arithmetic(operation, left, right):
                a, b = self._write_beforehand(left), self._write_beforehand(right)
                if operation is Operation.DAYS:
                    a, b = _write_day(a), _write_day(b)
                return [f"RETURN {_CALCULATED[operation].format(a, b)} AS {name}"]
            case Exists() | Holds():
                raise ProgramError(f"{type(program).__name__} is no number.")
        x, every = self._make_variable("node"), self._make_variable("nodes")
        return [
            *self.write_nodes(program, x),
            f"WITH collect(DISTINCT {x}) AS {every}",
            f"RETURN CASE WHEN size({every}) = 1 THEN head({every}).value END AS {name}",
        ]

    def _write_membership(self, program: Program, x: str) -> Lines:
        """Clauses that keep of the nodes matched already those of a set."""
        match program:
            case Entities(ids):
                return [f"WITH * WHERE {x}.name IN [{', '.join(map(self._write_entity, ids))}]"]
            case Having(relation):
                return [f"MATCH ({x}){self._write_arrow(relation)}()"]
            case Walk(Entities((node,)), relation):
                back = self._write_arrow(self._get_inverse(relation))
                return [f"MATCH ({x}){back}(:Entity {{name: {self._write_entity(node)}}})"]
            case And(left, right):
                return [*self._write_membership(left, x), *self._write_membership(right, x)]
            case Except(source, without):
                return [
                    *self._write_membership(source, x),
                    f"WITH * WHERE NOT {x} IN {self._collect_nodes(without)}",
                ]
            case Filter(source) if not _is_closed(program):
                return [*self._write_membership(source, x), *self._write_value_filter(program, x)]
            case TextFilter(source):
                return [*self._write_membership(source, x), *self._write_text_filter(program, x)]
        return [f"WITH * WHERE {x} IN {self._collect_nodes(program)}"]

    def _collect_nodes(self, program: Program) -> str:
        """The variable of a list of the nodes of a set, which is put together beforehand."""
        name, x = self._make_variable("nodes"), self._make_variable("node")
        writer = _Writer(self.snapshot, self.columns, self._taken)
        lines = [*writer.write_nodes(program, x), f"RETURN collect(DISTINCT {x}) AS {name}"]
        self._first += _write_block("CALL", writer._wrap_query(lines))
        self._known.append(name)
        return name

    def _write_beforehand(self, program: Program) -> str:
        """A number, or the variable of one that is computed beforehand."""
        if isinstance(program, Constant):
            return _write_literal(program.value)
        name = self._make_variable("number")
        writer = _Writer(self.snapshot, self.columns, self._taken)
        self._first += _write_block("CALL", writer._wrap_query(writer.write_number(program, name)))
        self._known.append(name)
        return name

    def _write_single(self, source: Program, x: str) -> Lines:
        """Clauses that match the node of a set that has one only."""
        if isinstance(source, Entities) and len(source.ids) == 1:
            return self.write_nodes(source, x)
        y, every = self._make_variable("node"), self._make_variable("nodes")
        return [
            *self.write_nodes(source, y),
            f"WITH {', '.join([*self._known, f'collect(DISTINCT {y}) AS {every}'])}",
            f"WHERE size({every}) = 1",
            f"UNWIND {every} AS {x}",
        ]

    def _write_path(self, path: tuple[int, ...], x: str, end: str, match_: str = "MATCH") -> tuple[Lines, str]:
        """The arcs of a path, and the variable before its end."""
        lines, before, last = [], x, x
        for place, relation in enumerate(path):
            after = end if place == len(path) - 1 else self._make_variable("via")
            lines.append(f"{match_} ({before}){self._write_arrow(relation)}({after})")
            before, last = after, before
        return lines, last

    def _write_values(self, key: Key, x: str) -> tuple[Lines, str, tuple[str, ...]]:
        """Matches of the values that a key leads to, without what they must be; a value, and the variables that it is
        of, the node with the value first.
        """
        end = self._make_variable("value")
        lines, before = self._write_path(key.path, x, end)
        test, value = self._write_type_test(key.path[-1], end), f"{end}.value"
        of: tuple[str, ...] = (end, before)
        extra = key.times or key.less
        if extra is not None:
            second = self._make_variable("value")
            lines += self._write_path(extra, before, second)[0]
            divisor = self.columns.compute_divisor(key) if key.times else 1.0
            unit = f" / {_write_literal(divisor)}" if divisor != 1.0 else ""
            test = f"{test} AND {self._write_type_test(extra[-1], second)}"
            value, of = f"({value} {'*' if key.times else '-'} {second}.value{unit})", (end, before, second)
        return [*lines[:-1], f"{lines[-1]} WHERE {test}"], value, of

    def _write_type_test(self, relation: int, end: str) -> str:
        kind = self.columns.get_value_type(relation)
        return f"{end}.value IS NOT NULL" if kind is None else f"{end}.kind = {json.dumps(kind.kind.value)}"

    def _write_distinct_values(self, key: Key, x: str) -> tuple[Lines, str]:
        lines, value, of = self._write_values(key, x)
        apart = ", ".join(dict.fromkeys([x, of[1], of[0], *of[2:]]))
        return [*lines, f"WITH DISTINCT {apart}"], value

    def _write_keys(self, key: Key, x: str, *, largest: bool = True) -> tuple[Lines, str]:
        """Clauses after which there is a row with the key of each node that has one, and the key's variable."""
        k = self._make_variable("key")
        if key.counted:
            end = self._make_variable("end")
            lines, _ = self._write_path(key.path, x, end, "OPTIONAL MATCH")
            if key.among is not None:
                lines[-1] += f" WHERE {end} IN {self._collect_nodes(key.among)}"
            return [*lines, f"WITH {x}, count(DISTINCT {end}) AS {k}"], k
        how = key.folding or (Folding.MOST if largest else Folding.LEAST)
        if how in (Folding.SUM, Folding.AVERAGE):
            lines, value = self._write_distinct_values(key, x)
        else:
            lines, value, _ = self._write_values(key, x)
        return [*lines, f"WITH {x}, {_FOLDS[how]}({value}) AS {k}"], k

    def _write_closed(self, program: Program) -> tuple[Lines, str]:
        """Clauses of a set that is found by the keys of all nodes, and what gives a node."""
        assert isinstance(program, Filter | Top)
        x = self._make_variable("node")
        nodes, key = self.write_nodes(program.source, x), program.key
        if isinstance(program, Filter):
            lines, k = self._write_keys(key, x)
            if isinstance(program.value, Constant):
                return [*nodes, *lines, *self._write_key_test(program, k, "")], x
            n = self._write_beforehand(program.value)
            lines = [f"{line}, {n}" if line.startswith("WITH") else line for line in lines]
            slack = None if key.counted and is_whole_number(program.value) else f"abs({n}) * {CLOSE!r}"
            return [*nodes, *lines, f"WHERE {_write_comparison(k, program.comparison, n, slack)}"], x
        lines, k = self._write_keys(key, x, largest=program.largest)
        if program.count == EVERY:
            return [*nodes, *lines], x
        ranked, places, row = (
            self._make_variable("ranked"),
            self._make_variable("places"),
            self._make_variable("row"),
        )
        first, last = program.rank - 1, program.rank - 1 + program.count
        group = ""
        if program.per is not None:
            g = self._make_variable("group")
            lines += [*self._write_path(program.per, x, g)[0], f"WITH DISTINCT {g}, {x}, {k}"]
            group = f"{g}, "
        lines[-1] += f" ORDER BY {k}{' DESC' if program.largest else ''}"
        collected = f"WITH {group}collect({{node: {x}, key: {k}}}) AS {ranked}"
        if program.count == 1:
            lines.append(f"{collected}, collect(DISTINCT {k}) AS {places}")
            test = f"row.key = {places}[{first}]"
        else:
            lines += [collected, f"WITH {group}{ranked}, {ranked}[{first}..{last}] AS {places}"]
            least, most = ("last", "head") if program.largest else ("head", "last")
            test = f"row.key >= {least}({places}).key AND row.key <= {most}({places}).key"
        return [*nodes, *lines, f"UNWIND [row IN {ranked} WHERE {test}] AS {row}"], f"{row}.node"

    def _write_value_filter(self, program: Filter, x: str) -> Lines:
        """Clauses that keep the nodes one of whose values compares."""
        lines, value, of = self._write_values(program.key, x)
        if isinstance(program.value, Constant):
            (test,) = self._write_key_test(program, value, of[0])
            lines[-1] += test.replace("WHERE", " AND", 1)
        else:
            n = self._write_beforehand(program.value)
            test = _write_comparison(value, program.comparison, n, f"abs({n}) * {CLOSE!r}")
            lines.append(f"  AND ({test})")
        return lines

    def _write_key_test(self, program: Filter, k: str, end: str) -> Lines:
        """A test of a key against a constant; dates are compared by their year or day where these are asked for."""
        key, constant, comparison = program.key, program.value, program.comparison
        assert isinstance(constant, Constant)
        kind = self.columns.get_key_type(key)
        wanted, slack = _write_literal(constant.value), abs(constant.value) * CLOSE
        if kind is not None and kind.kind is ValueKind.DATE:
            if constant.kind in (ValueKind.MONTH_DAY, ValueKind.NUMBER):
                part = "monthDay" if constant.kind is ValueKind.MONTH_DAY else "year"
                if end:
                    return [f"WHERE {_write_comparison(f'{end}.{part}', comparison, wanted, None)}"]
                if key.folding in (Folding.SUM, Folding.AVERAGE):
                    raise ProgramError("A sum or average of dates has no day or year that Cypher could compare.")
                date = self._make_variable("date")
                test = _write_comparison(f"{date}.{part}", comparison, wanted, None)
                return [f'MATCH ({date}:Entity {{kind: "date"}}) WHERE {date}.value = {k} AND {test}']
            slack = CLOSE_DATES
        close = compute_tolerance(self.columns, key, constant.value, slack)
        test = _write_comparison(k, comparison, wanted, None if close is None else _write_literal(close))
        return [f"WHERE {test if close is None else f'({test})'}"]

    def _write_text_filter(self, program: TextFilter, x: str) -> Lines:
        text_node = x if program.relation is None else self._make_variable("text")
        wanted, lowered = program.text.casefold(), f"toLower({text_node}.name)"
        if "ss" in wanted:
            lowered = f'replace({lowered}, "ß", "ss")'
        test = f"{lowered} {_TEXTS[program.match]} {_write_text(wanted)}"
        if program.relation is None:
            return [f"WITH * WHERE {test}"]
        return [f"MATCH ({x}){self._write_arrow(program.relation)}({text_node}) WHERE {test}"]

    def _wrap_query(self, lines: Lines) -> Lines:
        """A query with what it needs beforehand."""
        return [*self._first, *lines]

    def _get_inverse(self, relation: int) -> int:
        inverse, forward = split_direction(self.snapshot, relation)
        return forward if inverse else forward + self.snapshot.num_relations

    def _write_arrow(self, relation: int) -> str:
        inverse, forward = split_direction(self.snapshot, relation)
        name = self.snapshot.get_relation_name(forward).replace("`", "``")
        return f"<-[:`{name}`]-" if inverse else f"-[:`{name}`]->"

    def _write_entity(self, node: int) -> str:
        if not 0 <= node < self.snapshot.num_entities:
            raise ProgramError(f"The graph has no entity {node}.")
        return _write_text(self.snapshot.get_entity_label(node))

    def _make_variable(self, name: str) -> str:
        self._taken[name] += 1
        return f"{name}{self._taken[name]}"


def _is_closed(program: Program) -> bool:
    """Whether a set is found by the keys of all nodes."""
    return isinstance(program, Top) or (
        isinstance(program, Filter) and (program.key.counted or program.key.folding is not None)
    )


def _write_comparison(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
    """A test, as :func:`retrieval.programs.algebra.execution.compare_values` compares."""
    sign = "<>" if comparison is Comparison.NOT_EQUAL else comparison.value
    if slack is None:
        return f"{left} {sign} {right}"
    equal, apart = (f"abs({left} - {right}) {how} {slack}" for how in ("<=", ">"))
    match comparison:
        case Comparison.EQUAL:
            return equal
        case Comparison.NOT_EQUAL:
            return apart
        case Comparison.LESS | Comparison.MORE:
            return f"{left} {sign} {right} AND {apart}"
    return f"{left} {sign[0]} {right} OR {equal}"


def _write_literal(value: float) -> str:
    """A number: whole ones as integers."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _write_text(value: str) -> str:
    """A text in quotes."""
    return json.dumps(value, ensure_ascii=False)


def _write_block(head: str, lines: Lines) -> Lines:
    """Lines in braces, indented."""
    return [f"{head} {{", *(f"  {line}" for line in lines), "}"]


def _write_day(date: str) -> str:
    """The number of a date's day, see :func:`~retrieval.kg.values.compute_day_number`."""
    leaps, length = _LEAPS.format("(year - 1)"), f"(365 + {_LEAPS.format('year')} - leaps)"
    day = f"365 * year + leaps + floor(({date} - year) * {length} + 1e-4)"
    return f"head([year IN [floor({date} + 1e-9)] | head([leaps IN [{leaps}] | {day}])])"
