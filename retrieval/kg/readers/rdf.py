"""RDF by pyoxigraph: terms are collected file by file, or given to a sink, and named once all files are read.

While reading, a term is one string whose first character tells its kind: ``<`` an IRI, ``_`` a blank node,
``"`` a literal. :func:`resolve` gives them labels: an IRI shows its ``rdfs:label`` or ``skos:prefLabel``,
else its local name; IRIs that share a label are told apart by local name or IRI; a blank node without a label
is a ``cvt``. Literals that describe a node in sentences (``rdfs:comment``, ``schema:description`` and their like) are
its attribute ``description`` and no fact: nobody asks for them, and as entities they would only be noise. Every other
literal stays the tail of a fact, so that it can be an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any
from urllib.parse import unquote

import polars as pl
import pyoxigraph as ox

from retrieval.errors import SourceError
from retrieval.kg.readers.file_contents import NODE_SCHEMA, TERM_SCHEMA, FactFile, FactSink
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.nesting import CheckedJson, CheckedXml, Readable
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.sources import Source
from retrieval.kg.snapshot.relation_names import local_name
from retrieval.kg.table import ATTRIBUTE_LIMIT, LABEL_LIMIT

#: Where in what was parsed an error is: each line is parsed by itself.
_PLACE = re.compile(r"^Parser error [^:]*: ")
_FORMATS = {
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "nquads": ox.RdfFormat.N_QUADS,
    "turtle": ox.RdfFormat.TURTLE,
    "rdfxml": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}
#: Predicates that name their subject, best first.
_NAMING = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
)
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
DESCRIPTION = "description"
#: Parsers go on after a bad statement; after so many in a row the file is not of this format.
_GIVE_UP = 1000
#: Formats of one statement a line, and how many bytes of them are parsed together.
_BY_LINE = ("ntriples", "nquads")
_CHUNK = 1 << 20
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
    quads = (_lines if log.format in _BY_LINE else _statements)(file.source, log, log.format)
    return collect(quads, log, file.path.name.split(".")[0], file.sink)


def collect(
    quads: Iterable[ox.Quad | ox.Triple], log: ProblemLog, prefix: str, sink: FactSink | None = None
) -> FactFile:
    """Statements as the rows of a file, for :func:`resolve` to name.

    Args:
        quads: the statements; named graphs do not count.
        log: takes those that cannot be used.
        prefix: of the names of blank nodes, which are those of this file only.
        sink: takes the rows; None keeps them, and they are in what is returned.
    """
    rows: list[tuple[str, str, str]] = []
    streamed = 0
    names: dict[str, tuple[int, str]] = {}
    described: list[tuple[str, int, str]] = []
    blanks: dict[str, str] = {}

    def term(value: Any) -> str:
        if isinstance(value, ox.NamedNode):
            return "<" + value.value
        if isinstance(value, ox.BlankNode):
            # Numbered by appearance: parsers name anonymous nodes at random.
            return blanks.setdefault(value.value, f"_:{prefix}.{len(blanks) + 1}")
        return '"' + " ".join(value.value.split())

    for quad in quads:
        if sink is not None and len(rows) >= _ROWS:
            streamed += len(rows)
            sink.add_terms(_terms(rows))
            rows.clear()
        subject, value = quad.subject, quad.object
        if isinstance(subject, ox.Triple) or isinstance(value, ox.Triple):
            log.add(0, "a quoted triple (RDF-star) is not supported", str(quad))
            continue
        head, relation, tail = term(subject), quad.predicate.value, term(value)
        if relation in _DESCRIBING and isinstance(value, ox.Literal) and len(head.encode()) <= LABEL_LIMIT:
            if len(tail.encode()) > ATTRIBUTE_LIMIT:
                log.add(0, f"a description is longer than {ATTRIBUTE_LIMIT} bytes", f"{head} {relation}")
            elif len(tail) > 1:
                described.append((head, _foreignness(value.language), tail[1:]))
        elif max(len(head.encode()), len(tail.encode()), len(relation.encode())) > LABEL_LIMIT:
            log.add(0, f"a label is longer than {LABEL_LIMIT} bytes", f"{head} {relation}")
        elif "\0" in head or "\0" in tail:
            log.add(0, "a label holds a NUL character", f"{head} {relation}")
        elif len(tail) < 2:
            log.add(0, "the literal is empty", f"{head} {relation}", "blank")
        elif relation in _NAMING and isinstance(value, ox.Literal):
            _offer_name(names, rows, (head, relation, tail), value.language)
        else:
            rows.append((head, relation, tail))
    if sink is not None and rows:
        streamed += len(rows)
        sink.add_terms(_terms(rows))
        rows.clear()
    return FactFile(
        log.file,
        None,
        log.count,
        terms=_terms(rows),
        names=names,
        described=described,
        streamed=streamed,
    )


def _terms(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=TERM_SCHEMA, orient="row")


def _foreignness(language: str | None) -> int:
    """0 for a text of no language, 1 for English, 4 for others."""
    return 0 if language is None else 1 if language.lower().startswith("en") else 4


def _offer_name(
    names: dict[str, tuple[int, str]],
    rows: list[tuple[str, str, str]],
    fact: tuple[str, str, str],
    language: str | None,
) -> None:
    """Keep the best name of a term; one that loses stays in the graph as a fact, and serves as an alias."""
    head, relation, tail = fact
    rank = _foreignness(language) + 2 * _NAMING.index(relation)
    best = names.get(head)
    if best is None or rank < best[0]:
        names[head] = (rank, tail[1:])
        if best is not None:
            rows.append((head, relation, '"' + best[1]))
    elif tail[1:] != best[1]:
        rows.append((head, relation, tail))


class _Input:
    """Hands bytes to the parser and remembers what went wrong below it."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.error: Exception | None = None

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except Exception as error:
            self.error = error
            raise


def _lines(source: Source, log: ProblemLog, fmt: str) -> Iterator[ox.Quad]:
    """The good statements of a file that has one a line; a broken one never takes the next with it."""
    failures = 0
    for first, block in source.blocks(log.add):
        at, number = 0, first
        while at < len(block):
            end = block.find(b"\n", at + _CHUNK) + 1 or len(block)
            piece = block[at:end]
            at = end
            try:
                quads = list(ox.parse(piece, format=_FORMATS[fmt]))
            except (SyntaxError, ValueError, MemoryError):
                for line in piece.splitlines(keepends=True):
                    quad = _line(line, number, log, fmt)
                    number += 1
                    failures = 0 if isinstance(quad, ox.Quad) else failures + (quad is False)
                    if isinstance(quad, ox.Quad):
                        yield quad
                    elif failures >= _GIVE_UP:
                        return
                continue
            failures = 0
            number += piece.count(b"\n")
            yield from quads


def _line(line: bytes, number: int, log: ProblemLog, fmt: str) -> ox.Quad | bool:
    """The statement of a line; True where it holds none, False where it is broken, which goes to the log."""
    shown = line[:1000].decode(errors="replace")
    try:
        line.decode()
        return next(iter(list(ox.parse(line, format=_FORMATS[fmt]))), True)
    except UnicodeDecodeError as error:
        log.add(number, f"not UTF-8 text (byte {error.start + 1} of the line)", shown, "encoding")
    except MemoryError:
        log.add(number, "the statement is longer than 16 MB", shown)
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        log.add(number, _PLACE.sub("", reason).replace("end of file", "end of the line"), shown)
    return False


def _checked(file: IO[bytes], fmt: str, name: str) -> Readable:
    """The bytes of a file, which is refused where it nests so deep that its parser would not end."""
    return CheckedXml(file, name) if fmt == "rdfxml" else CheckedJson(file, name) if fmt == "jsonld" else file


def _statements(source: Source, log: ProblemLog, fmt: str) -> Iterator[ox.Quad]:
    """The good statements of a file; bad ones go to the log."""
    whole = fmt in ("rdfxml", "jsonld")
    with source.open() as file:
        stream = _Input(_checked(file, fmt, source.name))
        parser = ox.parse(stream, format=_FORMATS[fmt])  # type: ignore[arg-type]  # only read() is called
        failures = 0
        while True:
            try:
                quad = next(parser)
            except StopIteration:
                return
            except MemoryError:
                log.add(0, "a statement is longer than 16 MB; nothing after it was read")
                return
            except (SyntaxError, OSError, EOFError, ValueError) as error:
                if isinstance(stream.error, SourceError):
                    raise stream.error from None
                if stream.error is not None or not isinstance(error, SyntaxError):
                    reason = str(stream.error or error).rstrip(".")
                    raise SourceError(
                        f"{source.name} is a broken file: {reason}.",
                        hint="It was probably cut short on its way; make or upload it again.",
                    ) from error
                rest = "; nothing after it was read" if whole else ""
                log.add(error.lineno or 0, f"{error.msg}{rest}", "")
                failures += 1
                if whole or failures >= _GIVE_UP:
                    return
                continue
            failures = 0
            yield quad


def resolve(
    files: Sequence[FactFile], sink: FactSink | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, str], list[tuple[str, str, str]]]:
    """Name the terms of all RDF files together, those of the rows that a sink has taken too.

    Returns:
        Facts by label, nodes (label, kind, IRI), the labels of relations that have one, and descriptions of nodes
        (label, key, value): of a node described in several languages, those without one or else in English.
    """
    rows = pl.concat([f.terms for f in files if f.terms is not None])
    names: dict[str, tuple[int, str]] = {}
    for file in files:
        for key, offer in file.names.items():
            if key not in names or offer[0] < names[key][0]:
                names[key] = offer
    taken = (rows["head"].clear(), rows["relation"].clear()) if sink is None else sink.terms()
    relations = {*rows["relation"].unique(), *taken[1]}
    described = _descriptions(files, relations)
    unused = [key for key in {**names, **described} if key[1:] not in relations]
    terms = (
        pl.concat([rows["head"], rows["tail"], taken[0].alias("head"), pl.Series("head", unused, pl.String)])
        .unique()
        .sort()
        .to_list()
    )
    labels = _labels(terms, names)
    kinds = [
        "literal" if t[0] == '"' else "cvt" if t[0] == "_" and t not in names else "entity" for t in terms
    ]
    nodes = pl.DataFrame(
        {"label": labels, "kind": kinds, "iri": [t[1:] if t[0] == "<" else None for t in terms]},
        schema=NODE_SCHEMA,
    )
    lookup = pl.DataFrame({"term": terms, "label": labels})
    if sink is not None:
        sink.name(lookup["term"], lookup["label"])
    facts = rows.select(_relabel(rows["head"], lookup), rows["relation"], _relabel(rows["tail"], lookup))
    shown = dict(zip(terms, labels, strict=True)) if described else {}
    attributes = [(shown[term], DESCRIPTION, text) for term, texts in described.items() for text in texts]
    return facts, nodes, {r: names["<" + r][1] for r in relations if "<" + r in names}, attributes


def _descriptions(files: Sequence[FactFile], relations: set[str]) -> dict[str, list[str]]:
    """The descriptions of each term in its best language; those of relations are left out."""
    found: dict[str, tuple[int, list[str]]] = {}
    for term, rank, text in (row for file in files for row in file.described):
        if term[1:] in relations:
            continue
        best = found.get(term)
        if best is None or rank < best[0]:
            found[term] = (rank, [text])
        elif rank == best[0]:
            best[1].append(text)
    return {term: texts for term, (_, texts) in found.items()}


def _relabel(column: pl.Series, lookup: pl.DataFrame) -> pl.Series:
    frame = pl.DataFrame({"term": column}).join(lookup, on="term", how="left", maintain_order="left")
    return frame["label"].alias(column.name)


def _labels(terms: list[str], names: dict[str, tuple[int, str]]) -> list[str]:
    """One label per term, no two alike."""
    plain = [_plain_label(term, names) for term in terms]
    shared = Counter(label for term, label in zip(terms, plain, strict=True) if term[0] != '"')
    labels = []
    for term, label in zip(terms, plain, strict=True):
        if term[0] == '"':
            labels.append(f'"{label}"' if label in shared else label)
        elif shared[label] > 1:
            own = local_name(term[1:]) if term[0] == "<" else term
            labels.append(f"{label} ({own})" if own != label else f"{label} ({term.lstrip('<')})")
        else:
            labels.append(label)
    counts = Counter(labels)
    return [
        f"{label} [{term.lstrip('<')}]" if counts[label] > 1 and term[0] != '"' else label
        for term, label in zip(terms, labels, strict=True)
    ]


def _plain_label(term: str, names: dict[str, tuple[int, str]]) -> str:
    if term in names:
        return names[term][1]
    if term[0] == "<":
        local = unquote(local_name(term[1:])).replace("_", " ").strip()
        return local or term[1:]
    return term[1:] if term[0] == '"' else term
