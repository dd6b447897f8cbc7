"""Programs of sets, numbers and truths as Cypher."""

from __future__ import annotations

from retrieval.errors import ProgramError
from retrieval.language.amounts import Folding
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
from retrieval.programs.rendering.cypher_values import (
    CypherValueWriter,
    Lines,
    write_comparison,
    write_day,
    write_literal,
)
from retrieval.programs.rendering.equality import CLOSE, is_whole_number

FOLDS = {Folding.SUM: "sum", Folding.AVERAGE: "avg", Folding.LEAST: "min", Folding.MOST: "max"}
_DIVIDED = "CASE WHEN {1} <> 0 THEN toFloat({0}) / {1} END"
CALCULATED = {
    Operation.DIFFERENCE: "abs({} - {})", Operation.DAYS: "abs({} - {})", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} * {}", Operation.RATIO: _DIVIDED, Operation.SHARE: _DIVIDED,
}  # fmt: skip


class CypherWriter(CypherValueWriter):
    """Writes one query, or one subquery with what it needs beforehand; every variable of a query is new."""

    def write_query(self, program: Program) -> Lines:
        """Clauses of the query that returns what a program denotes."""
        match program:
            case Exists(source):
                x = self._make_variable("node")
                return self._wrap_query([*self.write_nodes(source, x), f"RETURN count({x}) > 0 AS truth"])
            case Holds(left, comparison, right):
                a, b = self._write_beforehand(left), self._write_beforehand(right)
                slack = None if is_whole_number(left) and is_whole_number(right) else f"abs({b}) * {CLOSE!r}"
                return self._wrap_query(
                    [f"RETURN coalesce({write_comparison(a, comparison, b, slack)}, false) AS truth"]
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
                return [*self.write_nodes(source, x), f"WITH * WHERE NOT {x} IN {self.collect_nodes(without)}"]
            case Or(left, right):
                parts = [self._make_writer() for _ in range(2)]
                first, second = (
                    writer._wrap_query(writer.write_set(side, x))
                    for writer, side in zip(parts, (left, right), strict=True)
                )
                return write_block("CALL", [*first, "UNION", *second])
            case Filter(source) if not _is_closed(program):
                return [*self.write_nodes(source, x), *self._write_value_filter(program, x)]
            case TextFilter(source):
                return [*self.write_nodes(source, x), *self._write_text_filter(program, x)]
            case Filter() | Top():
                writer = self._make_writer()
                return write_block("CALL", writer._wrap_query(writer.write_set(program, x)))
        raise ProgramError(f"{type(program).__name__} is no set.")

    def write_number(self, program: Program, name: str) -> Lines:
        """Clauses that return a number once, null where there is none."""
        match program:
            case Constant(value):
                return [f"RETURN {write_literal(value)} AS {name}"]
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
                return [*nodes, *lines, f"RETURN {FOLDS[how]}({k}) AS {name}"]
            case Arithmetic(operation, left, right):
                a, b = self._write_beforehand(left), self._write_beforehand(right)
                if operation is Operation.DAYS:
                    a, b = write_day(a), write_day(b)
                return [f"RETURN {CALCULATED[operation].format(a, b)} AS {name}"]
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
                return [*self._write_membership(source, x), f"WITH * WHERE NOT {x} IN {self.collect_nodes(without)}"]
            case Filter(source) if not _is_closed(program):
                return [*self._write_membership(source, x), *self._write_value_filter(program, x)]
            case TextFilter(source):
                return [*self._write_membership(source, x), *self._write_text_filter(program, x)]
        return [f"WITH * WHERE {x} IN {self.collect_nodes(program)}"]

    def collect_nodes(self, program: Program) -> str:
        """The variable of a list of the nodes of a set, which is put together beforehand."""
        name, x = self._make_variable("nodes"), self._make_variable("node")
        writer = self._make_writer()
        lines = [*writer.write_nodes(program, x), f"RETURN collect(DISTINCT {x}) AS {name}"]
        self._first += write_block("CALL", writer._wrap_query(lines))
        self._known.append(name)
        return name

    def _write_beforehand(self, program: Program) -> str:
        """A number, or the variable of one that is computed beforehand."""
        if isinstance(program, Constant):
            return write_literal(program.value)
        name = self._make_variable("number")
        writer = self._make_writer()
        self._first += write_block("CALL", writer._wrap_query(writer.write_number(program, name)))
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

    def _write_keys(self, key: Key, x: str, *, largest: bool = True) -> tuple[Lines, str]:
        """Clauses after which there is a row with the key of each node that has one, and the key's variable."""
        k = self._make_variable("key")
        if key.counted:
            end = self._make_variable("end")
            lines, _ = self._write_path(key.path, x, end, "OPTIONAL MATCH")
            if key.among is not None:
                lines[-1] += f" WHERE {end} IN {self.collect_nodes(key.among)}"
            return [*lines, f"WITH {x}, count(DISTINCT {end}) AS {k}"], k
        how = key.folding or (Folding.MOST if largest else Folding.LEAST)
        if how in (Folding.SUM, Folding.AVERAGE):
            lines, value = self._write_distinct_values(key, x)
        else:
            lines, value, _ = self._write_values(key, x)
        return [*lines, f"WITH {x}, {FOLDS[how]}({value}) AS {k}"], k

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
            return [*nodes, *lines, f"WHERE {write_comparison(k, program.comparison, n, slack)}"], x
        lines, k = self._write_keys(key, x, largest=program.largest)
        if program.count == EVERY:
            return [*nodes, *lines], x
        ranked, places, row = (self._make_variable("ranked"), self._make_variable("places"), self._make_variable("row"))
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
            test = write_comparison(value, program.comparison, n, f"abs({n}) * {CLOSE!r}")
            lines.append(f"  AND ({test})")
        return lines

    def _make_writer(self) -> CypherWriter:
        """A writer of a subquery, whose variables are new in the query."""
        return CypherWriter(self.snapshot, self.columns, self._taken)

    def _wrap_query(self, lines: Lines) -> Lines:
        """A query with what it needs beforehand."""
        return [*self._first, *lines]


def _is_closed(program: Program) -> bool:
    """Whether a set is found by the keys of all nodes."""
    return isinstance(program, Top) or (
        isinstance(program, Filter) and (program.key.counted or program.key.folding is not None)
    )


def write_block(head: str, lines: Lines) -> Lines:
    """Lines in braces, indented."""
    return [f"{head} {{", *(f"  {line}" for line in lines), "}"]
