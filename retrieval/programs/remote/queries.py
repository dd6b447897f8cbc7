"""Asks an endpoint what the parts of a program denote: a query each, with limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retrieval.errors import EndpointError, ProgramError
from retrieval.kg.sparql.endpoint import Column
from retrieval.programs.algebra import (
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
from retrieval.programs.rendering.sparql import Writer, block, complete

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.columns import Columns
    from retrieval.programs.rendering.vocabulary import Vocabulary

Select = Callable[..., list[Any]]
"""Asks a query; its columns by name."""
"""Gives the rows of a query."""

#: Nodes of a set that are fetched, parts of a program that are asked about, and places of a ranking beyond its own.
FETCHED, _PARTS, _FURTHER = 1_000, 24, 50


@dataclass(frozen=True, slots=True)
class Found:
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
class Asked:
    """What was found of the parts of a program, and the keys of its rankings: nodes with numbers, best first."""

    parts: dict[Program, Found] = field(default_factory=dict)
    keys: dict[Top, list[tuple[Any, float]]] = field(default_factory=dict)


class Queries:
    """Asks about programs over a sample of an endpoint; what it was told it does not ask again.

    Args:
        select: asks the endpoint.
        sample: the programs' ids are of it.
        columns: its values.
        vocabulary: of the endpoint.
    """

    def __init__(self, select: Select, sample: Snapshot, columns: Columns, vocabulary: Vocabulary) -> None:
        self._select = select
        self._sample, self._columns, self._vocabulary = sample, columns, vocabulary
        self.known = Asked()

    def result(self, program: Program) -> Found:
        """What a program denotes.

        Raises:
            ProgramError: it does not fit, or its values cannot be computed with there.
            EndpointError, Cancelled: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        if program not in self.known.parts:
            self.known.parts[program] = self._asked(program)
        return self.known.parts[program]

    def parts(self, program: Program) -> None:
        """Ask about all that a program is made of.

        Raises:
            ProgramError: it has too many parts; see :meth:`result`.
            EndpointError, Cancelled: see :meth:`result`.
        """
        inner = [part for part in dict.fromkeys(walk(program)) if not isinstance(part, Entities | Constant)]
        if len(inner) > _PARTS:
            raise ProgramError(
                f"The program has {len(inner)} steps; an endpoint is asked about {_PARTS} at most.",
                hint="Ask in several questions.",
            )
        for part in inner:
            self.result(part)
            if isinstance(part, Top) and part not in self.known.keys:
                self.known.keys[part] = self._ranking(part)

    def _writer(self) -> Writer:
        return Writer(self._sample, self._columns, self._vocabulary)

    def _asked(self, program: Program) -> Found:
        match program:
            case Exists(source):
                return Found(value=self.result(source).size > 0)
            case Count(source):
                return Found(value=self._counted(source))
            case Holds():
                where = self._writer().query(program)[1:-1]
                rows = self._rows(block("SELECT (1 AS ?holds) WHERE", where, "LIMIT 1"), holds=Column.TERM)
                return Found(value=bool(rows))
            case Fold() | KeyOf() | Arithmetic() | Constant():
                return Found(value=self._number(program))
        where = self._writer().nodes(program, "?node")
        rows = self._rows(
            block("SELECT DISTINCT ?node WHERE", where, f"LIMIT {FETCHED + 1}"), node=Column.TERM
        )
        terms = tuple(row["node"] for row in rows)
        if len(terms) <= FETCHED:
            return Found(terms, len(terms))
        try:
            return Found(terms[:FETCHED], round(self._number(Count(program))))
        except EndpointError:
            return Found(terms[:FETCHED], FETCHED, uncounted=True)

    def _counted(self, source: Program) -> float:
        found = self.result(source) if not isinstance(source, Entities) else None
        if found is None or found.uncounted:
            return self._number(Count(source))
        return float(found.size)

    def _number(self, program: Program) -> float:
        rows = self._rows(self._writer().query(program), number=Column.MAYBE_NUMBER)
        value = rows[0]["number"] if rows else None
        return math.nan if value is None else float(value.value)

    def _ranking(self, program: Top) -> list[tuple[Any, float]]:
        source = (
            program if program.per is not None else program.source
        )  # the answers alone: no order runs through groups
        lines = self._writer().keyed(source, program.key, "?node", "?key", largest=program.largest)
        limit = min(program.rank + program.count + _FURTHER, FETCHED)
        order = f"ORDER BY {'DESC' if program.largest else 'ASC'}(?key) LIMIT {limit}"
        query = block("SELECT ?node ?key WHERE", lines, order)
        rows = self._rows(query, node=Column.TERM, key=Column.MAYBE_NUMBER)
        return [(row["node"], float(row["key"].value)) for row in rows if row["key"] is not None]

    def _rows(self, lines: list[str], **columns: Column) -> list[Any]:
        return self._select(complete(lines), **columns)
