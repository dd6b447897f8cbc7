"""Programs as Cypher, for a graph that is loaded into a property graph.

Its nodes are ``(:Entity {name, value, kind, year, monthDay})``: values and dates have what
:mod:`~retrieval.programs.rendering.rdf` says of them, other nodes the name only. Relationships are typed by the
relation's name. Every arc is matched by its own ``MATCH``, since within one no relationship is matched twice. What has
to be known beforehand is a subquery (``CALL``, Neo4j 4.1 and later) that gives one row.

A set is a column ``node`` of names; a number a column ``number``, null where there is none; a truth a column ``truth``.
"""

from __future__ import annotations

import json
from collections import Counter
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
)
from retrieval.programs.columns import Columns
from retrieval.programs.rendering.equality import CLOSE, CLOSE_DATES, near, whole
from retrieval.programs.rendering.names import direction

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


def cypher(snapshot: Snapshot, program: Program, columns: Columns | None = None) -> str:
    """The query that gives what a program denotes.

    Args:
        snapshot: the graph.
        program: over it.
        columns: the graph's values, where they are known already.

    Raises:
        ProgramError: the program does not fit the graph, or compares the days of sums.
    """
    writer = _Writer(snapshot, columns or Columns(snapshot), Counter())
    return "\n".join([*writer.query(program), ""])


class _Writer:
    """Writes one query, or one subquery with what it needs beforehand; every variable of a query is new."""

    def __init__(self, snapshot: Snapshot, columns: Columns, taken: Counter[str]) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self._taken = taken
        self._first: Lines = []
        self._known: list[str] = []

    def query(self, program: Program) -> Lines:
        match program:
            case Exists(source):
                x = self._new("node")
                return self._whole([*self.nodes(source, x), f"RETURN count({x}) > 0 AS truth"])
            case Holds(left, comparison, right):
                a, b = self._beforehand(left), self._beforehand(right)
                slack = None if whole(left) and whole(right) else f"abs({b}) * {CLOSE!r}"
                return self._whole([f"RETURN coalesce({_compared(a, comparison, b, slack)}, false) AS truth"])
            case Constant() | Count() | Fold() | KeyOf() | Arithmetic():
                return self._whole(self.number(program, "number"))
        return self._whole(self.set(program, "node", ".name"))

    def set(self, program: Program, name: str, part: str = "") -> Lines:
        """Clauses that return the nodes of a set, each once."""
        x = self._new("node")
        lines, found = (self.nodes(program, x), x) if not _closed(program) else self._closed(program)
        return [*lines, f"RETURN DISTINCT {found}{part} AS {name}"]

    def nodes(self, program: Program, x: str) -> Lines:
        """Clauses that match the nodes of a set, perhaps several times."""
        match program:
            case Entities((node,)):
                return [f"MATCH ({x}:Entity {{name: {self._entity(node)}}})"]
            case Entities(ids):
                return [f"MATCH ({x}:Entity) WHERE {x}.name IN [{', '.join(map(self._entity, ids))}]"]
            case Having(relation):
                return [f"MATCH ({x}:Entity){self._arrow(relation)}()"]
            case Walk(Entities((node,)), relation):
                return [f"MATCH (:Entity {{name: {self._entity(node)}}}){self._arrow(relation)}({x})"]
            case Walk(source, relation):
                y = self._new("node")
                return [*self.nodes(source, y), f"MATCH ({y}){self._arrow(relation)}({x})"]
            case And(left, right):
                return [*self.nodes(left, x), *self._within(right, x)]
            case Except(source, without):
                return [*self.nodes(source, x), f"WITH * WHERE NOT {x} IN {self._listed(without)}"]
            case Or(left, right):
                parts = [_Writer(self.snapshot, self.columns, self._taken) for _ in range(2)]
                one, other = (
                    writer._whole(writer.set(side, x))
                    for writer, side in zip(parts, (left, right), strict=True)
                )
                return _block("CALL", [*one, "UNION", *other])
            case Filter(source) if not _closed(program):
                return [*self.nodes(source, x), *self._kept(program, x)]
            case TextFilter(source):
                return [*self.nodes(source, x), *self._matching(program, x)]
            case Filter() | Top():
                writer = _Writer(self.snapshot, self.columns, self._taken)
                return _block("CALL", writer._whole(writer.set(program, x)))
        raise ProgramError(f"{type(program).__name__} is no set.")

    def number(self, program: Program, name: str) -> Lines:
        """Clauses that return a number once, null where there is none."""
        match program:
            case Constant(value):
                return [f"RETURN {_literal(value)} AS {name}"]
            case Count(source):
                x = self._new("node")
                return [*self.nodes(source, x), f"RETURN count(DISTINCT {x}) AS {name}"]
            case KeyOf(source, key):
                x = self._new("node")
                lines, k = self._keyed(key, x)
                return [*self._single(source, x), *lines, f"RETURN max({k}) AS {name}"]
            case Fold(how, source, key):
                x = self._new("node")
                nodes = self.nodes(source, x)
                single = key.counted or key.folding is not None
                lines, k = self._keyed(key, x) if single else self._each_value(key, x)
                return [*nodes, *lines, f"RETURN {_FOLDS[how]}({k}) AS {name}"]
            case Arithmetic(operation, left, right):
                a, b = self._beforehand(left), self._beforehand(right)
                if operation is Operation.DAYS:
                    a, b = _day(a), _day(b)
                return [f"RETURN {_CALCULATED[operation].format(a, b)} AS {name}"]
            case Exists() | Holds():
                raise ProgramError(f"{type(program).__name__} is no number.")
        x, every = self._new("node"), self._new("nodes")
        return [
            *self.nodes(program, x),
            f"WITH collect(DISTINCT {x}) AS {every}",
            f"RETURN CASE WHEN size({every}) = 1 THEN head({every}).value END AS {name}",
        ]

    def _within(self, program: Program, x: str) -> Lines:
        """Clauses that keep of the nodes matched already those of a set."""
        match program:
            case Entities(ids):
                return [f"WITH * WHERE {x}.name IN [{', '.join(map(self._entity, ids))}]"]
            case Having(relation):
                return [f"MATCH ({x}){self._arrow(relation)}()"]
            case Walk(Entities((node,)), relation):
                back = self._arrow(self._back(relation))
                return [f"MATCH ({x}){back}(:Entity {{name: {self._entity(node)}}})"]
            case And(left, right):
                return [*self._within(left, x), *self._within(right, x)]
            case Except(source, without):
                return [*self._within(source, x), f"WITH * WHERE NOT {x} IN {self._listed(without)}"]
            case Filter(source) if not _closed(program):
                return [*self._within(source, x), *self._kept(program, x)]
            case TextFilter(source):
                return [*self._within(source, x), *self._matching(program, x)]
        return [f"WITH * WHERE {x} IN {self._listed(program)}"]

    def _listed(self, program: Program) -> str:
        """The variable of a list of the nodes of a set, which is put together beforehand."""
        name, x = self._new("nodes"), self._new("node")
        writer = _Writer(self.snapshot, self.columns, self._taken)
        lines = [*writer.nodes(program, x), f"RETURN collect(DISTINCT {x}) AS {name}"]
        self._first += _block("CALL", writer._whole(lines))
        self._known.append(name)
        return name

    def _beforehand(self, program: Program) -> str:
        """A number, or the variable of one that is computed beforehand."""
        if isinstance(program, Constant):
            return _literal(program.value)
        name = self._new("number")
        writer = _Writer(self.snapshot, self.columns, self._taken)
        self._first += _block("CALL", writer._whole(writer.number(program, name)))
        self._known.append(name)
        return name

    def _single(self, source: Program, x: str) -> Lines:
        """Clauses that match the node of a set that has one only."""
        if isinstance(source, Entities) and len(source.ids) == 1:
            return self.nodes(source, x)
        y, every = self._new("node"), self._new("nodes")
        return [
            *self.nodes(source, y),
            f"WITH {', '.join([*self._known, f'collect(DISTINCT {y}) AS {every}'])}",
            f"WHERE size({every}) = 1",
            f"UNWIND {every} AS {x}",
        ]

    def _path(self, path: tuple[int, ...], x: str, end: str, match_: str = "MATCH") -> tuple[Lines, str]:
        """The arcs of a path, and the variable before its end."""
        lines, before, last = [], x, x
        for place, relation in enumerate(path):
            after = end if place == len(path) - 1 else self._new("via")
            lines.append(f"{match_} ({before}){self._arrow(relation)}({after})")
            before, last = after, before
        return lines, last

    def _values(self, key: Key, x: str) -> tuple[Lines, str, tuple[str, ...]]:
        """Matches of the values that a key leads to, without what they must be; a value, and the variables that it is
        of, the node with the value first.
        """
        end = self._new("value")
        lines, before = self._path(key.path, x, end)
        test, value = self._typed(key.path[-1], end), f"{end}.value"
        of: tuple[str, ...] = (end, before)
        beside = key.times or key.less
        if beside is not None:
            second = self._new("value")
            lines += self._path(beside, before, second)[0]
            divisor = self.columns.divisor(key) if key.times else 1.0
            unit = f" / {_literal(divisor)}" if divisor != 1.0 else ""
            test = f"{test} AND {self._typed(beside[-1], second)}"
            value, of = f"({value} {'*' if key.times else '-'} {second}.value{unit})", (end, before, second)
        return [*lines[:-1], f"{lines[-1]} WHERE {test}"], value, of

    def _typed(self, relation: int, end: str) -> str:
        kind = self.columns.value_type(relation)
        return f"{end}.value IS NOT NULL" if kind is None else f"{end}.kind = {json.dumps(kind.kind.value)}"

    def _each_value(self, key: Key, x: str) -> tuple[Lines, str]:
        lines, value, of = self._values(key, x)
        apart = ", ".join(dict.fromkeys([x, of[1], of[0], *of[2:]]))
        return [*lines, f"WITH DISTINCT {apart}"], value

    def _keyed(self, key: Key, x: str, *, largest: bool = True) -> tuple[Lines, str]:
        """Clauses after which there is a row with the key of each node that has one, and the key's variable."""
        k = self._new("key")
        if key.counted:
            end = self._new("end")
            lines, _ = self._path(key.path, x, end, "OPTIONAL MATCH")
            if key.among is not None:
                lines[-1] += f" WHERE {end} IN {self._listed(key.among)}"
            return [*lines, f"WITH {x}, count(DISTINCT {end}) AS {k}"], k
        how = key.folding or (Folding.MOST if largest else Folding.LEAST)
        if how in (Folding.SUM, Folding.AVERAGE):
            lines, value = self._each_value(key, x)
        else:
            lines, value, _ = self._values(key, x)
        return [*lines, f"WITH {x}, {_FOLDS[how]}({value}) AS {k}"], k

    def _closed(self, program: Program) -> tuple[Lines, str]:
        """Clauses of a set that is found by the keys of all nodes, and what gives a node."""
        assert isinstance(program, Filter | Top)
        x = self._new("node")
        nodes, key = self.nodes(program.source, x), program.key
        if isinstance(program, Filter):
            lines, k = self._keyed(key, x)
            if isinstance(program.value, Constant):
                return [*nodes, *lines, *self._against(program, k, "")], x
            n = self._beforehand(program.value)
            lines = [f"{line}, {n}" if line.startswith("WITH") else line for line in lines]
            slack = None if key.counted and whole(program.value) else f"abs({n}) * {CLOSE!r}"
            return [*nodes, *lines, f"WHERE {_compared(k, program.comparison, n, slack)}"], x
        lines, k = self._keyed(key, x, largest=program.largest)
        if program.count == EVERY:
            return [*nodes, *lines], x
        ranked, places, row = self._new("ranked"), self._new("places"), self._new("row")
        first, last = program.rank - 1, program.rank - 1 + program.count
        group = ""
        if program.per is not None:
            g = self._new("group")
            lines += [*self._path(program.per, x, g)[0], f"WITH DISTINCT {g}, {x}, {k}"]
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

    def _kept(self, program: Filter, x: str) -> Lines:
        """Clauses that keep the nodes one of whose values compares."""
        lines, value, of = self._values(program.key, x)
        if isinstance(program.value, Constant):
            (test,) = self._against(program, value, of[0])
            lines[-1] += test.replace("WHERE", " AND", 1)
        else:
            n = self._beforehand(program.value)
            test = _compared(value, program.comparison, n, f"abs({n}) * {CLOSE!r}")
            lines.append(f"  AND ({test})")
        return lines

    def _against(self, program: Filter, k: str, end: str) -> Lines:
        """A test of a key against a constant; dates are compared by their year or day where these are asked for."""
        key, constant, comparison = program.key, program.value, program.comparison
        assert isinstance(constant, Constant)
        kind = self.columns.key_type(key)
        wanted, slack = _literal(constant.value), abs(constant.value) * CLOSE
        if kind is not None and kind.kind is ValueKind.DATE:
            if constant.kind in (ValueKind.MONTH_DAY, ValueKind.NUMBER):
                part = "monthDay" if constant.kind is ValueKind.MONTH_DAY else "year"
                if end:
                    return [f"WHERE {_compared(f'{end}.{part}', comparison, wanted, None)}"]
                if key.folding in (Folding.SUM, Folding.AVERAGE):
                    raise ProgramError(
                        "A sum or average of dates has no day or year that Cypher could compare."
                    )
                date = self._new("date")
                test = _compared(f"{date}.{part}", comparison, wanted, None)
                return [f'MATCH ({date}:Entity {{kind: "date"}}) WHERE {date}.value = {k} AND {test}']
            slack = CLOSE_DATES
        close = near(self.columns, key, constant.value, slack)
        test = _compared(k, comparison, wanted, None if close is None else _literal(close))
        return [f"WHERE {test if close is None else f'({test})'}"]

    def _matching(self, program: TextFilter, x: str) -> Lines:
        named = x if program.relation is None else self._new("text")
        wanted, lowered = program.text.casefold(), f"toLower({named}.name)"
        if "ss" in wanted:
            lowered = f'replace({lowered}, "ß", "ss")'
        test = f"{lowered} {_TEXTS[program.match]} {_text(wanted)}"
        if program.relation is None:
            return [f"WITH * WHERE {test}"]
        return [f"MATCH ({x}){self._arrow(program.relation)}({named}) WHERE {test}"]

    def _whole(self, lines: Lines) -> Lines:
        """A query with what it needs beforehand."""
        return [*self._first, *lines]

    def _back(self, relation: int) -> int:
        inverse, forward = direction(self.snapshot, relation)
        return forward if inverse else forward + self.snapshot.num_relations

    def _arrow(self, relation: int) -> str:
        inverse, forward = direction(self.snapshot, relation)
        name = self.snapshot.relation_name(forward).replace("`", "``")
        return f"<-[:`{name}`]-" if inverse else f"-[:`{name}`]->"

    def _entity(self, node: int) -> str:
        if not 0 <= node < self.snapshot.num_entities:
            raise ProgramError(f"The graph has no entity {node}.")
        return _text(self.snapshot.entity_label(node))

    def _new(self, name: str) -> str:
        self._taken[name] += 1
        return f"{name}{self._taken[name]}"


def _closed(program: Program) -> bool:
    """Whether a set is found by the keys of all nodes."""
    return isinstance(program, Top) or (
        isinstance(program, Filter) and (program.key.counted or program.key.folding is not None)
    )


def _compared(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
    """A test, as :func:`retrieval.programs.execution.compared` compares."""
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


def _literal(value: float) -> str:
    """A number: whole ones as integers."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _text(value: str) -> str:
    """A text in quotes."""
    return json.dumps(value, ensure_ascii=False)


def _block(head: str, lines: Lines) -> Lines:
    """Lines in braces, indented."""
    return [f"{head} {{", *(f"  {line}" for line in lines), "}"]


def _day(date: str) -> str:
    """The number of a date's day, see :func:`~retrieval.kg.values.day_number`."""
    leaps, length = _LEAPS.format("(year - 1)"), f"(365 + {_LEAPS.format('year')} - leaps)"
    day = f"365 * year + leaps + floor(({date} - year) * {length} + 1e-4)"
    return f"head([year IN [floor({date} + 1e-9)] | head([leaps IN [{leaps}] | {day}])])"
