"""Tables as SPARQL: the rows, and a subquery with its own grouping for each column."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.errors import ProgramError
from retrieval.kg.values import compute_month_day
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.operations import Key, Operation, Program, Walk
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
from retrieval.programs.rendering.equality import CLOSE
from retrieval.programs.rendering.sparql_values import write_block, write_comparison, write_literal
from retrieval.programs.rendering.sparql_writer import CALCULATED, FOLDS, SparqlWriter
from retrieval.programs.rendering.vocabulary import Lines


@dataclass
class _Written:
    """Patterns of the rows of a table, with the variable of each column and of what it is ordered by."""

    lines: Lines
    columns: list[str]
    keys: list[str]


class SparqlTableWriter(SparqlWriter):
    """Writes the query of a table; every variable is new but those of what rows are grouped by."""

    def write_table(self, table: Table) -> Lines:
        """The lines of the query that gives the rows of a table.

        Raises:
            ProgramError: SPARQL cannot say what it compares.
        """
        written = self._write_rows(table, len(table.groups) + len(table.columns))
        lines = [*written.lines, *self._write_conditions(table, written)]
        order = self._write_order(table, written)
        if table.limit is not None and not table.order:
            order = f"{order} LIMIT {table.limit}".strip()
        elif table.limit is not None:
            lines += self._write_limit(table, written)
        shown = " ".join(f"({variable} AS ?column{number})" for number, variable in enumerate(written.columns))
        return write_block(f"SELECT {shown} WHERE", lines, order)

    def _write_rows(self, table: Table, size: int) -> _Written:
        """The rows with their first columns, without conditions."""
        groups = [self._make_variable("group") for _ in table.groups]
        written = _Written([], list(groups), list(groups))
        if groups:
            members = self._write_members(table, groups)[0]
            written.lines += write_block("", write_block(f"SELECT DISTINCT {' '.join(groups)} WHERE", members))
        for number, group in enumerate(table.groups):
            if group.part is None:
                written.keys[number] = self._write_group_key(table, number, groups[number], written.lines)
        for column in table.columns[: size - len(groups)]:
            self._write_column(table, column, groups, written)
        return written

    def _write_members(self, table: Table, groups: list[str]) -> tuple[Lines, str]:
        """A pattern of the nodes of the rows with what they are grouped by, and the variable of the nodes."""
        plain = next((place for place, group in enumerate(table.groups) if group == Grouping()), None)
        x = self._make_variable("node") if plain is None else groups[plain]
        lines = self.write_nodes(table.source, x)
        for place, (group, variable) in enumerate(zip(table.groups, groups, strict=True)):
            if group.part is not None:
                lines += self._write_date_group(group, x, variable)
            elif group.path:
                lines += self._write_path(group.path, x, variable)[0]
            elif place != plain:
                lines.append(f"BIND({x} AS {variable})")
        return lines, x

    def _write_date_group(self, group: Grouping, x: str, variable: str) -> Lines:
        value, part, day = (self._make_variable(name) for name in ("value", "year", "monthDay"))
        lines, _ = self._write_values(Key(group.path), x, value)
        kind = self.columns.get_value_type(group.path[-1])
        if kind is not None and kind.kind is not ValueKind.DATE:  # numbers of years
            return [*lines, f"BIND(xsd:integer(FLOOR({value})) AS {variable})"]
        year = self.vocabulary.write_date_part(value, part, "year", self._make_variable)
        month = self.vocabulary.write_date_part(value, day, "monthDay", self._make_variable)
        number = f"xsd:integer(FLOOR({day} / 100))"
        match group.part:
            case DatePart.YEAR:
                return [*lines, *year, f"BIND({part} AS {variable})"]
            case DatePart.MONTH_OF_YEAR:
                return [*lines, *month, f"BIND({number} AS {variable})"]
        joined = f'CONCAT(STR({part}), IF({number} < 10, "-0", "-"), STR({number}))'
        return [*lines, *year, *month, f"BIND({joined} AS {variable})"]

    def _write_group_key(self, table: Table, number: int, group: str, lines: Lines) -> str:
        """What rows are ordered by where they are by a group: its value, or else its name."""
        used = {part.column for part in table.order} | {part.column for part in table.conditions}
        if number not in used:
            return group
        key, path = self._make_variable("key"), table.groups[number].path
        if is_ordered_by_number(self.columns, table, number):
            lines += write_block("OPTIONAL", self.vocabulary.write_value(group, key, path[-1], self._make_variable))
            return key
        label = self._make_variable("label")
        lookup = self.vocabulary.write_label(group, label, path[-1] if path else None)
        lines += write_block("OPTIONAL", [*lookup, f"BIND(LCASE({label}) AS {key})"])
        return key

    def _write_column(self, table: Table, column: Column, groups: list[str], written: _Written) -> None:
        c = self._make_variable("cell")
        key = c
        match column:
            case Attribute():
                key = self._write_attribute(table, column, groups, c, written)
            case Measure(k, how, of):
                where, value = self._write_measured(table, k, groups, of)
                having = f"HAVING (COUNT({value}) > 0)"
                head = f"({FOLDS[how or Folding.MOST]}({value}) AS {c})"
                written.lines += self._write_grouped(head, where, groups, having)
            case Tally(path, among):
                where, x = self._write_members(table, groups)
                end = x
                if path:
                    end = self._make_variable("end")
                    where = [*where, *self._write_path(path, x, end)[0]]
                if among is not None:
                    where = [*where, *self.write_nodes(among, end)]
                size = self._make_variable("size")
                written.lines += self._write_grouped(f"(COUNT(DISTINCT {end}) AS {size})", where, groups)
                written.lines.append(f"BIND(COALESCE({size}, 0) AS {c})")
            case Calculation():
                self._write_calculation(table, column, c, written)
        written.columns.append(c)
        written.keys.append(key)

    def _write_grouped(self, head: str, where: Lines, groups: list[str], having: str = "") -> Lines:
        """A column that an aggregate of each row makes; a row that has none keeps its other columns."""
        tail = " ".join([*(["GROUP BY", *groups] if groups else []), having]).rstrip()
        return write_block("OPTIONAL", write_block(f"SELECT {' '.join([*groups, head])} WHERE", where, tail))

    def _write_attribute(self, table: Table, column: Attribute, groups: list[str], c: str, written: _Written) -> str:
        """The names of nodes, separated by commas; the variable that the column is ordered by."""
        where, x = self._write_members(table, groups)
        x = x if column.of is None else groups[column.of]
        if column.best is not None:
            where = [*where, *self._write_best(table, column, groups, x)]
        end, label, key = x, self._make_variable("label"), self._make_variable("key")
        if column.path:
            end = self._make_variable("end")
            where = [*where, *self._write_path(column.path, x, end)[0]]
        relation = column.path[-1] if column.path else None
        where += self.vocabulary.write_label(end, label, relation)
        number = len(written.columns)
        ordered = f"(MIN(LCASE({label})) AS {key})"
        if infer_column_type(self.columns, table, number) is not None:
            value = self._make_variable("value")
            where += write_block("OPTIONAL", self.vocabulary.write_value(end, value, relation, self._make_variable))
            ordered = f"(MAX({value}) AS {key})"
        head = f'(GROUP_CONCAT(DISTINCT {label}; separator=", ") AS {c}) {ordered}'
        written.lines += self._write_grouped(head, where, groups, f"HAVING (COUNT({label}) > 0)")
        return key

    def _write_best(self, table: Table, column: Attribute, groups: list[str], x: str) -> Lines:
        """What keeps of the nodes of each row those with the largest or smallest key."""
        assert column.best is not None
        key, best = self._make_variable("key"), self._make_variable("best")
        source = table.source
        if column.of is not None:
            source = _walk(source, table.groups[column.of].path)
        mine = self.write_keys(source, column.best, x, key, largest=column.largest)
        members, y = self._write_members(table, groups)
        y = y if column.of is None else groups[column.of]
        ranked = self._make_variable("key")
        every = self.write_keys(source, column.best, y, ranked, largest=column.largest)
        fold = "MAX" if column.largest else "MIN"
        tail = f"GROUP BY {' '.join(groups)}" if groups else ""
        chosen = write_block(
            f"SELECT {' '.join([*groups, f'({fold}({ranked}) AS {best})'])} WHERE", [*members, *every], tail
        )
        return [*mine, *write_block("", chosen), f"FILTER({key} = {best})"]

    def _write_measured(self, table: Table, key: Key, groups: list[str], of: int | None) -> tuple[Lines, str]:
        """A pattern of the rows with each value that a column folds, and the variable of the values."""
        value, (members, x) = self._make_variable("value"), self._write_members(table, groups)
        source, start = table.source, x
        if of is not None:
            source, start = _walk(source, table.groups[of].path), groups[of]
        if key.counted or key.folding is not None:
            return [*members, *self.write_keys(source, key, start, value)], value
        lines, apart = self._write_values(key, start, value)
        distinct = " ".join(dict.fromkeys([*groups, *apart]))
        return write_block("", write_block(f"SELECT DISTINCT {distinct} WHERE", [*members, *lines])), value

    def _write_calculation(self, table: Table, column: Calculation, c: str, written: _Written) -> None:
        left = written.keys[column.left]
        if column.right is None:
            right = self._make_variable("total")
            every = self._write_rows(table, column.left + 1)
            total = f"SELECT (SUM({every.keys[column.left]}) AS {right}) WHERE"
            written.lines += write_block("", write_block(total, every.lines))
        else:
            right = written.keys[column.right]
        match column.operation:
            case Operation.DAYS:
                (first, left), (second, right) = self._write_day(left), self._write_day(right)
                written.lines += [*first, *second]
            case Operation.DIFFERENCE:
                written.lines.append(f"BIND({left} - {right} AS {c})")
                return
            case Operation.RATIO | Operation.SHARE:
                nothing = self._make_variable("nothing")
                written.lines.append(f"BIND(IF({right} != 0, {left} / {right}, {nothing}) AS {c})")
                return
        written.lines.append(f"BIND({CALCULATED[column.operation].format(left, right)} AS {c})")

    def _write_conditions(self, table: Table, written: _Written) -> Lines:
        return [self._write_condition(table, condition, written) for condition in table.conditions]

    def _write_condition(self, table: Table, condition: Condition, written: _Written) -> str:
        key, comparison, constant = written.keys[condition.column], condition.comparison, condition.value
        column, kind = get_column(table, condition.column), infer_column_type(self.columns, table, condition.column)
        if isinstance(column, Grouping) and column.part is DatePart.MONTH:
            month, day = compute_month_day(constant.value)
            wanted = write_literal(constant.value)
            if constant.kind is ValueKind.NUMBER:
                return write_comparison(f"xsd:integer(SUBSTR({key}, 1, 4))", comparison, wanted, None)
            wanted = f'"{int(constant.value + 1e-9):04}-{month:02}-{day:02}"'
            return write_comparison(f'CONCAT({key}, "-01")', comparison, wanted, None)
        if kind is not None and kind.kind is ValueKind.DATE and constant.kind is not ValueKind.DATE:
            if constant.kind is not ValueKind.NUMBER:
                raise ProgramError("SPARQL cannot compare the days of a column of dates.")
            key = f"FLOOR({key} + 0.000000001)"
        wanted = write_literal(constant.value)
        slack = None if isinstance(column, Tally) else write_literal(max(abs(constant.value) * CLOSE, 0.0))
        return write_comparison(key, comparison, wanted, slack)

    def _write_order(self, table: Table, written: _Written) -> str:
        parts = []
        for part in table.order:
            key = written.keys[part.column]
            parts.append(f"DESC(BOUND({key})) {'DESC' if part.descending else 'ASC'}({key})")
        return f"ORDER BY {' '.join(parts)}" if parts else ""

    def _write_limit(self, table: Table, written: _Written) -> Lines:
        """What keeps the rows up to the last place, and all that share it."""
        assert table.limit is not None
        other = self._write_rows(table, len(written.columns))
        lines = [*other.lines, *self._write_conditions(table, other)]
        keys = [other.keys[part.column] for part in table.order]
        last, marks = [self._make_variable("last") for _ in keys], self._make_variable("place")
        shown = " ".join(f"({key} AS {name})" for key, name in zip(keys, last, strict=True))
        order = f"{self._write_order(table, other)} LIMIT 1" + (f" OFFSET {table.limit - 1}" if table.limit > 1 else "")
        chosen = write_block(f"SELECT {shown} (1 AS {marks}) WHERE", lines, order)
        test = "true"
        for part, name in reversed(list(zip(table.order, last, strict=True))):
            key, sign = written.keys[part.column], ">" if part.descending else "<"
            before = f"COALESCE({key} {sign} {name}, BOUND({key}) && !BOUND({name}))"
            same = f"COALESCE({key} = {name}, !BOUND({key}) && !BOUND({name}))"
            test = f"({before} || ({same} && {test}))"
        return [*write_block("OPTIONAL", chosen), f"FILTER(!BOUND({marks}) || {test})"]


def _walk(source: Program, path: tuple[int, ...]) -> Program:
    for relation in path:
        source = Walk(source, relation)
    return source
