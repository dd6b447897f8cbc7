"""Asks an endpoint what the parts of a program denote: a query each, with limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retrieval.errors import EndpointError, ProgramError
from retrieval.kg.sparql.endpoint import ResultColumn
from retrieval.programs.algebra.operations import (
    Arithmetic,
    Constant,
    Count,
    Entities,
    Exists,
    Fold,
    Holds,
    KeyOf,
    Program,
    Top,
    walk,
)
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.sparql_values import write_block
from retrieval.programs.rendering.sparql_writer import SparqlWriter
from retrieval.programs.rendering.vocabulary import add_prefixes

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.rendering.vocabulary import RdfVocabulary

Select = Callable[..., list[Any]]
"""Asks a query; its columns by name."""
"""Gives the rows of a query."""

#: Nodes of a set that are fetched, parts of a program that are asked about, and places of a ranking beyond its own.
FETCHED, _PARTS, _FURTHER = 1_000, 24, 50


@dataclass(frozen=True, slots=True)
class PartResult:
    """What an endpoint says that a part of a program denotes.

    Attributes:
        terms: of a set, the first of its nodes.
        size: of a set, how many it has; at least so many where ``uncounted``.
        value: a number (NaN: of nothing) or truth; None of a set.
        uncounted: the endpoint did not count them.
    """

    terms: tuple[Any, ...] = ()
    size: int = 0
    value: float | bool | None = None
    uncounted: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether it is the empty set, or a number of nothing."""
        if self.value is None:
            return not self.size
        return isinstance(self.value, float) and math.isnan(self.value)


@dataclass(slots=True)
class ProgramResults:
    """What was found of the parts of a program, and the keys of its rankings: nodes with numbers, best first."""

    parts: dict[Program, PartResult] = field(default_factory=dict)
    keys: dict[Top, list[tuple[Any, float]]] = field(default_factory=dict)


class Queries:
    """Asks about programs over a sample of an endpoint; what it was told it does not ask again.

    Args:
        sample: the programs' ids are of it.
    """

    def __init__(self, select: Select, sample: Snapshot, columns: Columns, vocabulary: RdfVocabulary) -> None:
        self._select = select
        self._sample, self._columns, self._vocabulary = sample, columns, vocabulary
        self.known = ProgramResults()

    def get_result(self, program: Program) -> PartResult:
        """What a program denotes.

        Raises:
            ProgramError: it does not fit, or its values cannot be computed with there.
            EndpointError, Cancelled: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        if isinstance(program, Table):
            return self._get_members(program)
        if program not in self.known.parts:
            self.known.parts[program] = self._query_result(program)
        return self.known.parts[program]

    def _get_members(self, table: Table) -> PartResult:
        """The nodes that the rows of a table are of; its columns are computed here, of their facts."""
        members = self.get_result(table.source)
        if members.size > FETCHED:
            raise ProgramError(
                f"The rows of the table are of more than {FETCHED:,} things, which is too many over an endpoint.",
                hint="Ask about fewer things, or import what you need of the endpoint as a graph.",
            )
        return members

    def query_parts(self, program: Program) -> None:
        """Ask about all that a program is made of.

        Raises:
            ProgramError: it has too many parts; see :meth:`get_result`.
            EndpointError, Cancelled: see :meth:`get_result`.
        """
        inner = [part for part in dict.fromkeys(walk(program)) if not isinstance(part, Entities | Constant)]
        if len(inner) > _PARTS:
            raise ProgramError(
                f"The program has {len(inner)} steps; an endpoint is asked about {_PARTS} at most.",
                hint="Ask in several questions.",
            )
        for part in inner:
            self.get_result(part)
            if isinstance(part, Top) and part not in self.known.keys:
                self.known.keys[part] = self._query_ranking(part)

    def _make_writer(self) -> SparqlWriter:
        return SparqlWriter(self._sample, self._columns, self._vocabulary)

    def _query_result(self, program: Program) -> PartResult:
        match program:
            case Exists(source):
                return PartResult(value=self.get_result(source).size > 0)
            case Count(source):
                return PartResult(value=self._count_nodes(source))
            case Holds():
                where = self._make_writer().write_query(program)[1:-1]
                rows = self._query_rows(
                    write_block("SELECT (1 AS ?holds) WHERE", where, "LIMIT 1"), holds=ResultColumn.TERM
                )
                return PartResult(value=bool(rows))
            case Fold() | KeyOf() | Arithmetic() | Constant():
                return PartResult(value=self._query_number(program))
        where = self._make_writer().write_nodes(program, "?node")
        rows = self._query_rows(
            write_block("SELECT DISTINCT ?node WHERE", where, f"LIMIT {FETCHED + 1}"), node=ResultColumn.TERM
        )
        terms = tuple(row["node"] for row in rows)
        if len(terms) <= FETCHED:
            return PartResult(terms, len(terms))
        try:
            return PartResult(terms[:FETCHED], round(self._query_number(Count(program))))
        except EndpointError:
            return PartResult(terms[:FETCHED], FETCHED, uncounted=True)

    def _count_nodes(self, source: Program) -> float:
        result = self.get_result(source) if not isinstance(source, Entities) else None
        if result is None or result.uncounted:
            return self._query_number(Count(source))
        return float(result.size)

    def _query_number(self, program: Program) -> float:
        rows = self._query_rows(self._make_writer().write_query(program), number=ResultColumn.MAYBE_NUMBER)
        value = rows[0]["number"] if rows else None
        return math.nan if value is None else float(value.value)

    def _query_ranking(self, program: Top) -> list[tuple[Any, float]]:
        source = (
            program if program.per is not None else program.source
        )  # the answers alone: no order runs through groups
        lines = self._make_writer().write_keys(source, program.key, "?node", "?key", largest=program.largest)
        limit = min(program.rank + program.count + _FURTHER, FETCHED)
        order = f"ORDER BY {'DESC' if program.largest else 'ASC'}(?key) LIMIT {limit}"
        query = write_block("SELECT ?node ?key WHERE", lines, order)
        rows = self._query_rows(query, node=ResultColumn.TERM, key=ResultColumn.MAYBE_NUMBER)
        return [(row["node"], float(row["key"].value)) for row in rows if row["key"] is not None]

    def _query_rows(self, lines: list[str], **columns: ResultColumn) -> list[Any]:
        return self._select(add_prefixes(lines), **columns)
