"""Patterns of SPARQL for paths, values and tests of values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING

from retrieval.errors import ProgramError
from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Key, Program
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.vocabulary import Lines, RdfVocabulary

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


class SparqlValueWriter(ABC):
    """Writes the arcs and values of one query; every variable is new."""

    def __init__(self, snapshot: Snapshot, columns: Columns, vocabulary: RdfVocabulary) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self.vocabulary = vocabulary
        self._taken: Counter[str] = Counter()

    @abstractmethod
    def write_nodes(self, program: Program, x: str) -> Lines:
        """A pattern that binds ``x`` to the nodes of a set, perhaps several times."""

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

    def _write_path(self, path: tuple[int, ...], x: str, end: str) -> tuple[Lines, str]:
        """The arcs of a path, and the variable before its end."""
        lines, before = [], x
        for place, relation in enumerate(path):
            after = end if place == len(path) - 1 else self._make_variable("via")
            lines += [self._write_arc(before, relation, after), *self.vocabulary.write_spoken(relation, after)]
            before, last = after, before
        return lines, last

    def _write_values(self, key: Key, x: str, value: str) -> tuple[Lines, list[str]]:
        """The values that a key's path leads to, and the variables that tell one from another."""
        end = self._make_variable("literal")
        lines, before = self._write_path(key.path, x, end)
        if key.among is not None:
            lines += self.write_nodes(key.among, before)
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

    def _write_date_part(self, key: Key, k: str, part: str, comparison: Comparison, wanted: str) -> Lines:
        """The year or day of a date compared; a folded one is looked up by its value."""
        if key.folding in (Folding.SUM, Folding.AVERAGE):
            raise ProgramError("A sum or average of dates has no day or year that SPARQL could compare.")
        part_variable = self._make_variable(part)
        return [
            *self.vocabulary.write_date_part(k, part_variable, part, self._make_variable),
            write_comparison(part_variable, comparison, wanted, None),
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


def write_comparison(left: str, comparison: Comparison, right: str, slack: str | None) -> str:
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


def write_slack(close: float | None) -> str | None:
    """How far two numbers may be apart and still count as equal; None where they may not."""
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
