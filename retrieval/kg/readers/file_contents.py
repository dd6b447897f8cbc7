"""What is read of one file: its good rows, kept or handed on as they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import polars as pl

from retrieval.kg.model.source_table import SourceTable
from retrieval.kg.readers.property_rows import PropertyRows
from retrieval.kg.table import LABEL_LIMIT, ORIGIN, ROW_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.kg.readers.problems import ProblemLog
    from retrieval.kg.readers.rdf_structures import StatementAnnotation

FACT_SCHEMA = {"head": pl.String, "relation": pl.String, "tail": pl.String}
#: RDF terms as collected, see :mod:`retrieval.kg.readers.rdf`.
TERM_SCHEMA = FACT_SCHEMA
#: The column of facts and of terms that says in which line or row of their file they stand; 0 is unknown.
LINE = "line"
PASSAGE_SCHEMA = dict.fromkeys(("name", "title", "text", "document", "url"), pl.String)
LINK_SCHEMA = {"fact": pl.Int64, "passage": pl.Int64}
#: Names in a language: RDF terms, or labels of nodes.
NAME_SCHEMA = {"label": pl.String, "language": pl.String, "name": pl.String, "rank": pl.Int64}
NODE_SCHEMA = {"label": pl.String, "kind": pl.String, "iri": pl.String}


class FactSink(Protocol):
    """Takes rows of facts as they are read."""

    @property
    def count(self) -> int:
        """How many it has taken."""

    def start_source(self, name: str) -> None:
        """Take the rows that follow as those of a file."""

    def keep_first(self, count: int) -> None:
        """Forget all but the first ``count``; files end there, and no piece of one was taken across it."""

    def add_if_clean(self, facts: pl.DataFrame, first_line: int) -> bool:
        """Take the rows of the lines from ``first_line`` on as they stand, or none of them (False) where a label needs
        trimming or cannot be taken.
        """

    def add(self, facts: pl.DataFrame) -> None:
        """Take good rows, those of known lines with a column ``line``."""

    def add_terms(self, rows: pl.DataFrame) -> None:
        """Take rows of RDF, whose heads and tails are terms; they wait for :meth:`assign_labels`."""

    def list_terms(self) -> tuple[pl.Series, pl.Series]:
        """The distinct terms of the rows that wait, and the relations of these."""

    def find_terms(self, rows: pl.DataFrame) -> pl.Series:
        """Tell which rows of RDF are among those that wait, bool."""

    def assign_labels(self, terms: pl.Series, labels: pl.Series) -> None:
        """Take the rows that wait, each term as the label at its place."""


class Frames:
    """Keeps rows where there is no sink."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []

    def add_if_clean(self, facts: pl.DataFrame, first_line: int) -> bool:
        """See :class:`FactSink`."""
        fits = facts.select(pl.all_horizontal(fit(pl.all())).all()).item()
        if fits:
            self._frames.append(facts.with_columns(pl.int_range(first_line, first_line + pl.len()).alias(LINE)))
        return bool(fits)

    def add(self, facts: pl.DataFrame) -> None:
        """See :class:`FactSink`."""
        self._frames.append(facts)

    def build_frame(self) -> pl.DataFrame:
        """All rows."""
        return pl.concat(self._frames, how="vertical_relaxed") if self._frames else pl.DataFrame(schema=FACT_SCHEMA)


def fit(labels: pl.Expr) -> pl.Expr:
    """Whether labels can be taken as they stand: trimmed, not empty, without NUL, and not too long."""
    size = labels.str.len_bytes()
    trimmed = labels.str.strip_chars().str.len_bytes() == size
    return trimmed & (size > 0) & (size <= LABEL_LIMIT) & ~labels.str.contains("\0", literal=True)


@dataclass(frozen=True)
class FactFile:
    """The good rows of one file: ``facts`` by label or RDF ``terms``, with a column ``line`` where it is known, the
    ``names`` that terms declare, or ``passages``.

    ``fact_passages`` links rows of ``facts`` to rows of ``passages``. ``described`` are RDF terms with the foreignness
    and text of a description; ``annotations`` are what RDF says of facts, and ``log`` takes those of no fact.
    ``properties`` are nodes and edges by id, ``table`` rows that are to be named. ``streamed`` rows went to a sink.
    ``labels`` are names of RDF terms in languages: term, language, name and rank. ``schema`` are the statements of RDF
    about classes and properties, see :mod:`retrieval.kg.readers.rdf_schema`. ``is_cut`` says that only the beginning
    of RDF was read.
    """

    name: str
    facts: pl.DataFrame | None
    problems: int
    terms: pl.DataFrame | None = None
    names: dict[str, tuple[int, str]] = field(default_factory=dict)
    passages: pl.DataFrame | None = None
    fact_passages: pl.DataFrame | None = None
    described: list[tuple[str, int, str]] = field(default_factory=list)
    properties: PropertyRows | None = None
    streamed: int = 0
    annotations: Sequence[StatementAnnotation] = ()
    log: ProblemLog | None = None
    table: SourceTable | None = None
    schema: list[tuple[str, str, str]] = field(default_factory=list)
    labels: list[tuple[str, str, str, int]] = field(default_factory=list)
    is_cut: bool = False

    @property
    def rows(self) -> int:
        """How many good rows there are."""
        frames = (self.facts, self.terms, self.passages)
        others = self.streamed + len(self.schema) + len(self.described) + len(self.annotations) + len(self.labels)
        others += 0 if self.properties is None else self.properties.rows
        others += 0 if self.table is None else len(self.table.rows)
        return others + sum(part.height for part in frames if part is not None)


def number_sources(files: Sequence[FactFile]) -> dict[str, int]:
    """The origin of each named file, as a table of all files has it; of two of one name that of the first.

    See :data:`~retrieval.kg.table.ORIGIN`.
    """
    names = [file.name for file in files if file.name]
    return {name: number << ROW_BITS for number, name in reversed(list(enumerate(names, 1)))}


def locate_rows(rows: pl.DataFrame, source: int) -> pl.DataFrame:
    """Rows of a file with the column ``origin`` in the place of ``line``."""
    line = pl.col(LINE).cast(pl.Int64) if LINE in rows.columns else pl.lit(0, pl.Int64)
    located = pl.lit(source, pl.Int64) + line if source else pl.lit(0, pl.Int64)
    return rows.select(*FACT_SCHEMA, located.alias(ORIGIN))
