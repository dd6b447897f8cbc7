"""Clauses of Cypher for paths, values and tests of values."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING

from retrieval.errors import ProgramError
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Constant, Filter, Key, Program, TextFilter
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.equality import CLOSE, CLOSE_DATES, compute_tolerance

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_LEAPS = "floor({0} / 4) - floor({0} / 100) + floor({0} / 400)"
_TEXTS = {TextMatch.CONTAINS: "CONTAINS", TextMatch.STARTS: "STARTS WITH", TextMatch.ENDS: "ENDS WITH"}
Lines = list[str]


class CypherValueWriter(ABC):
    """Writes the arcs and values of one query; every variable of a query is new."""

    def __init__(self, snapshot: Snapshot, columns: Columns, taken: Counter[str]) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self._taken = taken
        self._first: Lines = []
        self._known: list[str] = []

    @abstractmethod
    def collect_nodes(self, program: Program) -> str:
        """The variable of a list of the nodes of a set, which is put together beforehand."""

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
            unit = f" / {write_literal(divisor)}" if divisor != 1.0 else ""
            test = f"{test} AND {self._write_type_test(extra[-1], second)}"
            value, of = f"({value} {'*' if key.times else '-'} {second}.value{unit})", (end, before, second)
        if key.among is not None:
            test = f"{test} AND {before} IN {self.collect_nodes(key.among)}"
        return [*lines[:-1], f"{lines[-1]} WHERE {test}"], value, of

    def _write_type_test(self, relation: int, end: str) -> str:
        kind = self.columns.get_value_type(relation)
        return f"{end}.value IS NOT NULL" if kind is None else f"{end}.kind = {json.dumps(kind.kind.value)}"

    def _write_distinct_values(self, key: Key, x: str) -> tuple[Lines, str]:
        lines, value, of = self._write_values(key, x)
        apart = ", ".join(dict.fromkeys([x, of[1], of[0], *of[2:]]))
        return [*lines, f"WITH DISTINCT {apart}"], value

    def _write_key_test(self, program: Filter, k: str, end: str) -> Lines:
        """A test of a key against a constant; dates are compared by their year or day where these are asked for."""
        key, constant, comparison = program.key, program.value, program.comparison
        assert isinstance(constant, Constant)
        kind = self.columns.get_key_type(key)
        wanted, slack = write_literal(constant.value), abs(constant.value) * CLOSE
        if kind is not None and kind.kind is ValueKind.DATE:
            if constant.kind in (ValueKind.MONTH_DAY, ValueKind.NUMBER):
                part = "monthDay" if constant.kind is ValueKind.MONTH_DAY else "year"
                if end:
                    return [f"WHERE {write_comparison(f'{end}.{part}', comparison, wanted, None)}"]
                if key.folding in (Folding.SUM, Folding.AVERAGE):
                    raise ProgramError("A sum or average of dates has no day or year that Cypher could compare.")
                date = self._make_variable("date")
                test = write_comparison(f"{date}.{part}", comparison, wanted, None)
                return [f'MATCH ({date}:Entity {{kind: "date"}}) WHERE {date}.value = {k} AND {test}']
            slack = CLOSE_DATES
        close = compute_tolerance(self.columns, key, constant.value, slack)
        test = write_comparison(k, comparison, wanted, None if close is None else write_literal(close))
        return [f"WHERE {test if close is None else f'({test})'}"]

    def _write_text_filter(self, program: TextFilter, x: str) -> Lines:
        text_node = x if program.relation is None else self._make_variable("text")
        wanted, lowered = program.text.casefold(), f"toLower({text_node}.name)"
        if "ss" in wanted:
            lowered = f'replace({lowered}, "ß", "ss")'
        test = f"{lowered} {_TEXTS[program.match]} {write_text(wanted)}"
        if program.relation is None:
            return [f"WITH * WHERE {test}"]
        return [f"MATCH ({x}){self._write_arrow(program.relation)}({text_node}) WHERE {test}"]

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
        return write_text(self.snapshot.get_entity_label(node))

    def _make_variable(self, name: str) -> str:
        self._taken[name] += 1
        return f"{name}{self._taken[name]}"


def write_comparison(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
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


def write_literal(value: float) -> str:
    """A number: whole ones as integers."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def write_text(value: str) -> str:
    """A text in quotes."""
    return json.dumps(value, ensure_ascii=False)


def write_day(date: str) -> str:
    """The number of a date's day, see :func:`~retrieval.kg.values.compute_day_number`."""
    leaps, length = _LEAPS.format("(year - 1)"), f"(365 + {_LEAPS.format('year')} - leaps)"
    day = f"365 * year + leaps + floor(({date} - year) * {length} + 1e-4)"
    return f"head([year IN [floor({date} + 1e-9)] | head([leaps IN [{leaps}] | {day}])])"
