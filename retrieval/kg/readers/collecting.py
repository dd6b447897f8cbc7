"""Collecting good rows and bad rows of one file, and joining several files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from retrieval.errors import EmptySourceError
from retrieval.kg.readers.property_rows import PropertyFacts, PropertyRows
from retrieval.kg.readers.property_rows import resolve as resolve_properties
from retrieval.kg.table import LABEL_LIMIT, TripleTable, frame
from retrieval.types import Problem, SourceReport

#: Bad rows of one file that are named one by one; the rest are counted in one last problem.
PROBLEM_LIMIT = 1000
#: How much of a bad row is shown.
TEXT_LIMIT = 200
FACT_SCHEMA = {"head": pl.String, "relation": pl.String, "tail": pl.String}
#: RDF terms as collected, see :mod:`retrieval.kg.readers.rdf`.
TERM_SCHEMA = FACT_SCHEMA
PASSAGE_SCHEMA = dict.fromkeys(("name", "title", "text", "document", "url"), pl.String)
LINK_SCHEMA = {"fact": pl.Int64, "passage": pl.Int64}
NODE_SCHEMA = {"label": pl.String, "kind": pl.String, "iri": pl.String}


class ProblemLog:
    """Reports the bad rows of one file, at most ``PROBLEM_LIMIT`` of them singly."""

    def __init__(self, file: str, report: Callable[[Problem], None]) -> None:
        self.file = file
        self.count = 0
        self.kinds: Counter[str] = Counter()
        self.format, self.encoding, self.same_as = "", "utf-8", ""
        self.first: list[Problem] = []
        self._counted = 0
        self._report = report

    def add(self, line: int, message: str, text: str = "", kind: str = "row") -> None:
        """Report one bad row; ``kind`` is one of ``PROBLEM_KINDS``."""
        self.count += 1
        self.kinds[kind] += 1
        # Neither databases nor spreadsheets take the NUL character.
        shown = text[: 2 * TEXT_LIMIT].strip()[:TEXT_LIMIT].replace("\0", "\u2400")
        problem = Problem(self.file, line, message, shown, kind)
        if len(self.first) < 3:
            self.first.append(problem)
        if self.count <= PROBLEM_LIMIT:
            self._report(problem)

    def close(self) -> None:
        """Report how many more there were since it was closed before."""
        more = self.count - PROBLEM_LIMIT - self._counted
        if more > 0:
            self._counted += more
            self._report(Problem(self.file, 0, f"{more:,} more rows of this file could not be used"))

    def repeats(self, other: str) -> None:
        """Say that the file has the content of another, which is read in its place."""
        self.same_as = other
        self.add(0, f"the same content as {other}; it is read once", kind="repeat")

    def report(self, rows: int) -> SourceReport:
        """What was read of the file, with so many good rows."""
        kinds = tuple(sorted(self.kinds.items()))
        return SourceReport(self.file, self.format, rows, self.count, kinds, self.encoding, self.same_as)

    def refuse_if_empty(self, rows: int) -> None:
        """Raise EmptySourceError when the file had no good row, with the reasons of the first bad ones."""
        if rows:
            return
        if not self.first:
            raise EmptySourceError(f"{self.file} holds no fact.", hint="Give a file with at least one fact.")
        reasons = "; ".join(f"line {p.line}: {p.message}" for p in self.first)
        raise EmptySourceError(
            f"No row of {self.file} could be used ({reasons}).",
            hint="Each row needs three columns: head, relation, tail. Check the format and the delimiter.",
        )


class FactSink(Protocol):
    """Takes rows of facts as they are read."""

    @property
    def count(self) -> int:
        """How many it has taken."""

    def cut(self, count: int) -> None:
        """Forget all but the first ``count``; files end there, and no piece of one was taken across it."""

    def offer(self, facts: pl.DataFrame) -> bool:
        """Take rows as they stand, or none of them (False) where a label needs trimming or cannot be taken."""

    def add(self, facts: pl.DataFrame) -> None:
        """Take good rows."""

    def add_terms(self, rows: pl.DataFrame) -> None:
        """Take rows of RDF, whose heads and tails are terms; they wait for :meth:`name`."""

    def terms(self) -> tuple[pl.Series, pl.Series]:
        """The distinct terms of the rows that wait, and the relations of these."""

    def name(self, terms: pl.Series, labels: pl.Series) -> None:
        """Take the rows that wait, each term as the label at its place."""


class Frames:
    """Keeps rows where there is no sink."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []

    def offer(self, facts: pl.DataFrame) -> bool:
        """See :class:`FactSink`."""
        fits = facts.select(pl.all_horizontal(fit(pl.all())).all()).item()
        if fits:
            self._frames.append(facts)
        return bool(fits)

    def add(self, facts: pl.DataFrame) -> None:
        """See :class:`FactSink`."""
        self._frames.append(facts)

    def frame(self) -> pl.DataFrame:
        """All rows."""
        return pl.concat(self._frames) if self._frames else pl.DataFrame(schema=FACT_SCHEMA)


def fit(labels: pl.Expr) -> pl.Expr:
    """Whether labels can be taken as they stand: trimmed, not empty, without NUL, and not too long."""
    size = labels.str.len_bytes()
    trimmed = labels.str.strip_chars().str.len_bytes() == size
    return trimmed & (size > 0) & (size <= LABEL_LIMIT) & ~labels.str.contains("\0", literal=True)


@dataclass(frozen=True)
class FactFile:
    """The good rows of one file: ``facts`` by label, RDF ``terms`` with the ``names`` they declare, or ``passages``.

    ``fact_passages`` links rows of ``facts`` to rows of ``passages``. ``described`` are RDF terms with the foreignness
    and text of a description; ``properties`` are nodes and edges by id. ``streamed`` rows went to a sink.
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

    @property
    def rows(self) -> int:
        """How many good rows there are."""
        frames = (self.facts, self.terms, self.passages)
        others = (
            self.streamed + len(self.described) + (0 if self.properties is None else self.properties.rows)
        )
        return others + sum(part.height for part in frames if part is not None)


def combine(files: Sequence[FactFile], sink: FactSink | None = None) -> TripleTable:
    """One table of several files, without the rows that went to a sink.

    RDF files share their names, property graphs their ids; all meet by label.
    """
    files = list(files)
    fact_attributes: list[tuple[int, str, str]] = []
    node_attributes: list[tuple[str, str, str]] = []
    nodes, relation_labels = [], None
    if any(f.properties is not None for f in files):
        first = sum(f.facts.height for f in files if f.facts is not None)
        found = resolve_properties([f.properties for f in files if f.properties is not None])
        fact_attributes = [(first + fact, key, value) for fact, key, value in found.fact_attributes]
        node_attributes = found.node_attributes
        nodes.append(pl.DataFrame(found.nodes, schema=NODE_SCHEMA, orient="row"))
        files.append(_as_file(found))
    facts = [f.facts for f in files if f.facts is not None]
    if any(f.terms is not None for f in files):
        from retrieval.kg.readers.rdf import resolve  # noqa: PLC0415 - loads pyoxigraph

        named, known, relation_labels, described = resolve(files, sink)
        facts.append(named)
        nodes.append(known)
        node_attributes = node_attributes + described
    passages, fact_passages = None, None
    if any(f.passages is not None for f in files):
        from retrieval.kg.documents.reading import documents_of  # noqa: PLC0415 - loads the readers of documents

        passages, fact_passages = documents_of(files)
    pairs = {"key": str, "value": str}
    return TripleTable(
        facts=pl.concat(facts) if facts else pl.DataFrame(schema=FACT_SCHEMA),
        nodes=pl.concat(nodes) if nodes else None,
        relation_labels=relation_labels,
        sources=tuple(f.name for f in files if f.name),
        problems=sum(f.problems for f in files),
        node_attributes=frame(node_attributes, label=str, **pairs) if node_attributes else None,
        fact_attributes=frame(fact_attributes, fact=int, **pairs) if fact_attributes else None,
        passages=passages,
        fact_passages=fact_passages,
    )


def _as_file(found: PropertyFacts) -> FactFile:
    """The facts of all property graphs as if one more file held them; its problems are those found on the way."""
    passages, links = None, None
    if found.documents:
        rows = [(label, title, text, "", "") for label, title, text in found.documents]
        passages = pl.DataFrame(rows, schema=PASSAGE_SCHEMA, orient="row")
        positions = {row[0]: i for i, row in enumerate(rows)}
        touching = [
            (fact, positions[end])
            for fact, (head, _, tail) in enumerate(found.facts)
            for end in sorted({head, tail} & positions.keys())
        ]
        links = pl.DataFrame(touching, schema=LINK_SCHEMA, orient="row")
    facts = pl.DataFrame(found.facts, schema=FACT_SCHEMA, orient="row")
    return FactFile("", facts, found.problems, passages=passages, fact_passages=links)
