"""RDF by pyoxigraph: terms are collected file by file, or given to a sink, and named once all files are read.

While reading, a term is one string whose first character tells its kind: ``<`` an IRI, ``_`` a blank node,
``"`` a literal. :func:`~retrieval.kg.readers.rdf_names.resolve` gives them labels: an IRI shows its ``rdfs:label`` or
``skos:prefLabel``, else its local name; IRIs that share a label are told apart by local name or IRI; a blank node
without a label is a ``cvt``. Literals that describe a node in sentences (``rdfs:comment``, ``schema:description`` and
their like) are its attribute ``description`` and no fact: nobody asks for them, and as entities they would only be
noise. Every other literal stays the tail of a fact, so that it can be an answer. Collections are unrolled, and what is
said of a statement is an attribute of its fact, see :mod:`~retrieval.kg.readers.rdf_structures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import polars as pl
import pyoxigraph as ox

from retrieval.kg.readers.file_contents import LINE, TERM_SCHEMA, FactFile, FactSink
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.rdf_parsing import parse_statements
from retrieval.kg.readers.rdf_schema import SchemaRows
from retrieval.kg.readers.rdf_structures import REIFIES, Row, StructureRows
from retrieval.kg.readers.rdf_xl_labels import XlLabels
from retrieval.kg.snapshot.names import normalize_language
from retrieval.kg.table import ATTRIBUTE_LIMIT, LABEL_LIMIT

#: Predicates that name their subject, best first.
_NAMING = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
)
#: Predicates that name their subject where their literal has a language; without one they are facts.
_NAMING_IN_LANGUAGES = (
    *_NAMING,
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/2004/02/skos/core#altLabel",
)
#: Ranks of names without a language, see :func:`_rank_language`.
_PLAIN_RANKS = frozenset(2 * rank for rank in range(len(_NAMING)))
#: Predicates whose literals describe their subject in sentences.
_DESCRIBING = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#comment",
        "http://www.w3.org/2004/02/skos/core#definition",
        "http://schema.org/description",
        "https://schema.org/description",
        "http://purl.org/dc/terms/description",
        "http://purl.org/dc/elements/1.1/description",
        "http://dbpedia.org/ontology/abstract",
    }
)
#: Statements that are read for a look at a file.
_SAMPLE = 50_000
#: Rows that a sink is given at a time.
_ROWS = 50_000


def read_rdf(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one RDF file. Named graphs are merged into one. The file's sink takes the rows as they are read.

    A bad statement of N-Triples, N-Quads or Turtle is reported and the rest is read; RDF/XML and JSON-LD end
    at their first syntax error, and the problem says so.

    Raises:
        SourceError: the file is broken below its syntax, or nests deeper than is read, or is XML with entities that
            could grow.
    """
    quads = XlLabels().convert(parse_statements(file.source, log, log.format, file.contexts))
    prefix = file.path.name.split(".")[0]
    if file.limit is None:
        return collect(quads, log, prefix, file.sink)
    sample = collect(islice(quads, min(file.limit, _SAMPLE)), log, prefix)
    return replace(sample, is_cut=next(quads, None) is not None)


def collect(
    quads: Iterable[tuple[ox.Quad | ox.Triple, int]], log: ProblemLog, prefix: str, sink: FactSink | None = None
) -> FactFile:
    """Statements as the rows of a file, for :func:`resolve` to name.

    Args:
        quads: the statements, each with its line, 0 where that is unknown; named graphs do not count.
        log: takes those that cannot be used.
        prefix: of the names of blank nodes, which are those of this file only.
        sink: takes the rows; None keeps them, and they are in what is returned.
    """
    schema = SchemaRows()
    rows = _TermRows(schema, sink)
    names: dict[str, tuple[int, str]] = {}
    labels: list[tuple[str, str, str, int]] = []
    described: list[tuple[str, int, str]] = []
    blanks: dict[str, str] = {}
    structures = StructureRows()

    def encode_term(value: Any) -> str:
        if isinstance(value, ox.NamedNode):
            return "<" + value.value
        if isinstance(value, ox.BlankNode):
            # Numbered by appearance: parsers name anonymous nodes at random.
            return blanks.setdefault(value.value, f"_:{prefix}.{len(blanks) + 1}")
        return '"' + " ".join(value.value.split())

    def keep(row: Row, line: int) -> None:
        if not structures.keep_if_structural(row):
            rows.add(row, line)

    for quad, line in quads:
        value, relation = quad.object, quad.predicate.value
        if isinstance(value, ox.Triple):
            if relation == REIFIES and not isinstance(value.object, ox.Triple):
                fact = (encode_term(value.subject), value.predicate.value, encode_term(value.object))
                structures.add_reifier(encode_term(quad.subject), fact)
            else:
                log.add(0, "a quoted statement is no thing that a fact can be about", str(quad))
            continue
        head, tail = encode_term(quad.subject), encode_term(value)
        if relation in _DESCRIBING and isinstance(value, ox.Literal) and len(head.encode()) <= LABEL_LIMIT:
            if len(tail.encode()) > ATTRIBUTE_LIMIT:
                log.add(0, f"a description is longer than {ATTRIBUTE_LIMIT} bytes", f"{head} {relation}")
            elif len(tail) > 1:
                described.append((head, _rank_language(value.language), tail[1:]))
        elif max(len(head.encode()), len(tail.encode()), len(relation.encode())) > LABEL_LIMIT:
            log.add(0, f"a label is longer than {LABEL_LIMIT} bytes", f"{head} {relation}")
        elif "\0" in head or "\0" in tail:
            log.add(0, "a label holds a NUL character", f"{head} {relation}")
        elif len(tail) < 2:
            log.add(0, "the literal is empty", f"{head} {relation}", "blank")
        elif isinstance(value, ox.Literal) and relation in (_NAMING_IN_LANGUAGES if value.language else _NAMING):
            rank = _NAMING_IN_LANGUAGES.index(relation)
            if language := value.language and normalize_language(value.language):
                labels.append((head, language, tail[1:], rank))
            if relation != _NAMING_IN_LANGUAGES[-1]:
                _keep_best_name(names, keep, (head, relation, tail), _rank_language(value.language) + 2 * rank, line)
        else:
            keep((head, relation, tail), line)
    facts, annotations, nodes = structures.extract_facts()
    for fact in facts:
        rows.add(fact, 0)
    return FactFile(
        log.file,
        None,
        log.count,
        terms=rows.finish(),
        names={node: name for node, name in names.items() if node not in nodes},
        described=[row for row in described if row[0] not in nodes],
        streamed=rows.streamed,
        annotations=annotations,
        log=log,
        schema=schema.rows,
        labels=[row for row in labels if row[0] not in nodes],
    )


class _TermRows:
    """The rows of a file with their lines, without those of a schema; handed to a sink, where there is one, many at a
    time.
    """

    def __init__(self, schema: SchemaRows, sink: FactSink | None) -> None:
        self.streamed = 0
        self._schema = schema
        self._sink = sink
        self._rows: list[Row] = []
        self._lines: list[int] = []

    def add(self, row: Row, line: int) -> None:
        self._rows.append(row)
        self._lines.append(line)
        if self._sink is not None and len(self._rows) >= _ROWS:
            self._take_schema()
            self._send_on(self._sink)

    def finish(self) -> pl.DataFrame:
        """The rows that no sink has taken."""
        self._take_schema()
        if self._sink is not None and self._rows:
            self._send_on(self._sink)
        return self._build_frame()

    def _take_schema(self) -> None:
        """Move the statements of a schema away; the lines of those that come back are not kept."""
        before = list(self._rows)
        lines = {id(row): line for row, line in zip(before, self._lines, strict=True)}
        self._schema.take(self._rows)
        self._lines = [lines.get(id(row), 0) for row in self._rows]

    def _send_on(self, sink: FactSink) -> None:
        self.streamed += len(self._rows)
        sink.add_terms(self._build_frame())
        self._rows.clear()
        self._lines.clear()

    def _build_frame(self) -> pl.DataFrame:
        terms = pl.DataFrame(self._rows, schema=TERM_SCHEMA, orient="row")
        return terms.with_columns(pl.Series(LINE, self._lines, pl.Int64))


def _rank_language(language: str | None) -> int:
    """0 for a text of no language, 1 for English, 4 for others."""
    return 0 if language is None else 1 if language.lower().split("-")[0] == "en" else 4


def _keep_best_name(
    names: dict[str, tuple[int, str]], keep: Callable[[Row, int], None], fact: Row, rank: int, line: int
) -> None:
    """Keep the best name of a term by its rank; one without a language that loses stays in the graph as a fact, and
    serves as an alias.

    The line of a name that a better one replaces is not kept.
    """
    head, relation, tail = fact
    best = names.get(head)
    if best is None or rank < best[0]:
        names[head] = (rank, tail[1:])
        if best is not None and best[0] in _PLAIN_RANKS:
            keep((head, relation, '"' + best[1]), 0)
    elif rank in _PLAIN_RANKS and tail[1:] != best[1]:
        keep((head, relation, tail), line)
