"""Tables as Cypher: the nodes of each row in a list, and a subquery for each column."""

from __future__ import annotations

from retrieval.errors import ProgramError
from retrieval.kg.values import compute_month_day
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.operations import Key, Operation
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    Column,
    Condition,
    DatePart,
    Grouping,
    Measure,
    Table,
    Tally,
    get_column,
)
from retrieval.programs.algebra.table_types import infer_column_type, is_ordered_by_number
from retrieval.programs.rendering.cypher_values import Lines, write_comparison, write_day, write_literal, write_text
from retrieval.programs.rendering.cypher_writer import CALCULATED, FOLDS, CypherWriter, write_block
from retrieval.programs.rendering.equality import CLOSE


class CypherTableWriter(CypherWriter):
    """Writes the query of a table; every variable is new."""

    def write_table(self, table: Table) -> Lines:
        """Clauses that return the rows of a table.

        Raises:
            ProgramError: Cypher cannot say what it compares.
        """
        groups, members, lines = self._write_rows(table)
        columns = list(groups)
        for column in table.columns:
            c = self._make_variable("cell")
            if isinstance(column, Calculation):
                lines += self._write_calculation(table, column, columns, c, members)
            else:
                lines += self._write_column(column, (groups, members), c)
            columns.append(c)
        keys = [self._write_key(table, number, name) for number, name in enumerate(columns)]
        tests = [self._write_condition(table, condition, keys[condition.column]) for condition in table.conditions]
        if tests:
            lines.append(f"WITH * WHERE {' AND '.join(f'({test})' for test in tests)}")
        order = ", ".join(
            f"{keys[part.column]} IS NULL, {keys[part.column]}{' DESC' if part.descending else ''}"
            for part in table.order
        )
        shown = [f"{self._write_shown(table, number, name)} AS column{number}" for number, name in enumerate(columns)]
        if table.limit is not None and order:
            lines += self._write_limit(table, columns, keys, order)
        ordered = [f"WITH * ORDER BY {order}"] if order else []
        cut = [f"LIMIT {table.limit}"] if table.limit is not None and not order else []
        return self._wrap_query([*lines, *ordered, f"RETURN {', '.join(shown)}", *cut])

    def _make_writer(self) -> CypherTableWriter:
        """A writer of a subquery, whose variables are new in the query."""
        return CypherTableWriter(self.snapshot, self.columns, self._taken)

    def _write_rows(self, table: Table) -> tuple[list[str], str, Lines]:
        """The variables of what rows are grouped by and of the list of their nodes, and the clauses of these."""
        x, members = self._make_variable("node"), self._make_variable("nodes")
        lines, groups = self.write_nodes(table.source, x), list[str]()
        shown = list[str]()
        for group in table.groups:
            g = self._make_variable("group")
            groups.append(g)
            if group.part is not None:
                matched, _, of = self._write_values(Key(group.path), x)
                lines += matched
                shown.append(f"{_write_date_part(group.part, of[0])} AS {g}")
            elif group.path:
                lines += self._write_path(group.path, x, g)[0]
                shown.append(g)
            else:
                shown.append(f"{x} AS {g}")
        carried = [*self._known, *shown, f"collect(DISTINCT {x}) AS {members}"]
        return groups, members, [*lines, f"WITH {', '.join(carried)}"]

    def _write_column(self, column: Column, rows: tuple[list[str], str], c: str) -> Lines:
        """A subquery that gives one cell of each row."""
        groups, members = rows
        writer, x = self._make_writer(), self._make_variable("node")
        of = getattr(column, "of", None)
        start = [f"UNWIND {members if of is None else f'[{groups[of]}]'} AS {x}"]
        writer._known = list(self._known)
        match column:
            case Attribute(path, _, best, largest):
                lines = [*start, *(writer._write_best(best, x, largest=largest) if best is not None else [])]
                end = x
                if path:
                    end = self._make_variable("end")
                    lines += writer._write_path(path, x, end)[0]
                lines.append(f"RETURN collect(DISTINCT {end}) AS {c}")
            case Measure(key, how):
                if key.counted or key.folding is not None:
                    keyed, value = writer._write_keys(key, x)
                else:
                    keyed, value = writer._write_distinct_values(key, x)
                fold = f"{FOLDS[how or Folding.MOST]}({value})"
                if how is Folding.SUM:  # of nothing it is null
                    fold = f"CASE WHEN count({value}) > 0 THEN {fold} END"
                lines = [*start, *keyed, f"RETURN {fold} AS {c}"]
            case Tally(path, among):
                end, lines = x, start
                if path:
                    end = self._make_variable("end")
                    lines = [*lines, *writer._write_path(path, x, end)[0]]
                if among is not None:
                    lines = [*lines, f"WITH * WHERE {end} IN {writer.collect_nodes(among)}"]
                lines = [*lines, f"RETURN count(DISTINCT {end}) AS {c}"]
            case _:
                raise ProgramError("A calculation is no column of its own.")
        carried = members if of is None else groups[of]
        return write_block("CALL", [f"WITH {', '.join([carried, *self._known])}", *writer._wrap_query(lines)])

    def _write_best(self, key: Key, x: str, *, largest: bool) -> Lines:
        """Clauses that keep the nodes with the largest or smallest key."""
        lines, k = self._write_keys(key, x, largest=largest)
        every, best = self._make_variable("ranked"), self._make_variable("best")
        fold = "max" if largest else "min"
        return [
            *lines,
            f"WITH collect({{node: {x}, key: {k}}}) AS {every}, {fold}({k}) AS {best}",
            f"UNWIND [row IN {every} WHERE row.key = {best} | row.node] AS {x}",
        ]

    def _write_calculation(self, table: Table, column: Calculation, columns: list[str], c: str, members: str) -> Lines:
        left, lines = self._write_key(table, column.left, columns[column.left]), list[str]()
        if column.right is None:
            right, rows = self._make_variable("total"), self._make_variable("rows")
            carried = [*columns, members]
            cells, unpacked = ", ".join(carried), [f"row[{place}] AS {name}" for place, name in enumerate(carried)]
            lines = [
                f"WITH {', '.join([*self._known, f'collect([{cells}]) AS {rows}', f'sum({left}) AS {right}'])}",
                f"UNWIND {rows} AS row",
                f"WITH {', '.join([*self._known, right, *unpacked])}",
            ]
        else:
            right = self._write_key(table, column.right, columns[column.right])
        if column.operation is Operation.DAYS:
            left, right = write_day(left), write_day(right)
        signed = column.operation is Operation.DIFFERENCE
        text = f"{left} - {right}" if signed else CALCULATED[column.operation].format(left, right)
        return [*lines, f"WITH *, {text} AS {c}"]

    def _write_key(self, table: Table, number: int, name: str) -> str:
        """What a column is compared and ordered by."""
        column = get_column(table, number)
        if isinstance(column, Grouping):
            if column.part is not None:
                return name
            return f"{name}.value" if is_ordered_by_number(self.columns, table, number) else f"toLower({name}.name)"
        if not isinstance(column, Attribute):
            return name
        if is_ordered_by_number(self.columns, table, number):
            known = f"[n IN {name} WHERE n.value IS NOT NULL | n.value]"
            return f"reduce(m = null, v IN {known} | CASE WHEN m >= v THEN m ELSE v END)"
        return f"reduce(m = null, n IN {name} | CASE WHEN m <= toLower(n.name) THEN m ELSE toLower(n.name) END)"

    def _write_shown(self, table: Table, number: int, name: str) -> str:
        column = get_column(table, number)
        if isinstance(column, Grouping):
            return name if column.part is not None else f"{name}.name"
        return f"[n IN {name} | n.name]" if isinstance(column, Attribute) else name

    def _write_condition(self, table: Table, condition: Condition, key: str) -> str:
        comparison, constant = condition.comparison, condition.value
        column, kind = get_column(table, condition.column), infer_column_type(self.columns, table, condition.column)
        wanted = write_literal(constant.value)
        if isinstance(column, Grouping) and column.part is DatePart.MONTH:
            if constant.kind is ValueKind.NUMBER:
                return write_comparison(f"toInteger(left({key}, 4))", comparison, wanted, None)
            month, day = compute_month_day(constant.value)
            text = write_text(f"{int(constant.value + 1e-9):04}-{month:02}-{day:02}")
            return write_comparison(f"{key} + '-01'", comparison, text, None)
        if kind is not None and kind.kind is ValueKind.DATE and constant.kind is not ValueKind.DATE:
            if constant.kind is not ValueKind.NUMBER:
                raise ProgramError("Cypher cannot compare the days of a column of dates.")
            key = f"floor({key} + 1e-9)"
        slack = None if isinstance(column, Tally) else write_literal(abs(constant.value) * CLOSE)
        return write_comparison(key, comparison, wanted, slack)

    def _write_limit(self, table: Table, columns: list[str], keys: list[str], order: str) -> Lines:
        """Clauses that keep the rows up to the last place, and all that share it."""
        rows, last = self._make_variable("rows"), self._make_variable("last")
        keyed = [keys[part.column] for part in table.order]
        test = "true"
        for place, part in reversed(list(enumerate(table.order))):
            mine, other, sign = f"row.key[{place}]", f"{last}.key[{place}]", ">" if part.descending else "<"
            before = f"coalesce({mine} {sign} {other}, {mine} IS NOT NULL AND {other} IS NULL)"
            same = f"coalesce({mine} = {other}, {mine} IS NULL AND {other} IS NULL)"
            test = f"({before} OR ({same} AND {test}))"
        assert table.limit is not None
        return [
            f"WITH * ORDER BY {order}",
            f"WITH collect({{cells: [{', '.join(columns)}], key: [{', '.join(keyed)}]}}) AS {rows}",
            f"WITH {rows}, {rows}[{table.limit - 1}] AS {last}",
            f"UNWIND [row IN {rows} WHERE {last} IS NULL OR {test}] AS row",
            f"WITH {', '.join(f'row.cells[{place}] AS {name}' for place, name in enumerate(columns))}",
        ]


def _write_date_part(part: DatePart, date: str) -> str:
    match part:
        case DatePart.YEAR:
            return f"coalesce({date}.year, toInteger({date}.value))"
        case DatePart.MONTH_OF_YEAR:
            return f"{date}.monthDay / 100"
    month = f"right('0' + toString({date}.monthDay / 100), 2)"
    return f"toString({date}.year) + '-' + {month}"
