"""Choosing the reader of a file by what was asked, its name, and its first bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.errors import ConfigError, SourceError
from retrieval.kg.readers.archives import Unpacked
from retrieval.kg.readers.catalog import DELIMITED_FORMATS, FORMATS
from retrieval.kg.readers.compression import plain_name
from retrieval.kg.readers.delimited import columns, guess_delimiter, read_delimited
from retrieval.kg.readers.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS
from retrieval.kg.readers.documents.records import passage_format
from retrieval.kg.readers.duplicate_files import repeats
from retrieval.kg.readers.file_contents import FactFile, FactSink
from retrieval.kg.readers.graphml import read_graphml
from retrieval.kg.readers.headers import pair
from retrieval.kg.readers.json_rows import json_rows
from retrieval.kg.readers.parquet import read_parquet
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_csv import find_layout, first_line, read_property_csv
from retrieval.kg.readers.property_jsonl import is_graph_object, read_property_jsonl
from retrieval.kg.readers.question_files import is_question_list
from retrieval.kg.readers.sources import SNIFF, WRONG_KINDS, Source, is_parquet
from retrieval.kg.readers.subgraphs import read_subgraphs
from retrieval.types import Problem, Progress, SourceReport

_EXTENSIONS = {
    ".nt": "ntriples",
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".nq": "nquads",
    ".rdf": "rdfxml",
    ".owl": "rdfxml",
    ".xml": "rdfxml",
    ".jsonld": "jsonld",
    ".graphml": "graphml",
}
#: Documents are told by their names, or by first bytes that nothing else begins with.
_DOCUMENTS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
}
FORMAT_DELIMITERS = {"tsv": "\t", "csv": ",", "psv": "|"}
#: What questions bring their own subgraphs in.
_SUBGRAPHS = re.compile(r'"(graph|triples|tuples)"\s*:\s*\[\s*\[')
_NTRIPLES = re.compile(
    r'^(<[^<>"\s]+>|_:\S+)\s+<[^<>"\s]+>\s+(<[^<>"\s]+>|_:\S+|".*")\S*\s*(<\S+>|_:\S+)?\s*\.\s*$'
)


def guess_format(source: Source) -> str:
    """The format of a file, from its name where that decides, else from its first lines.

    Raises:
        SourceError: it is JSON that is not JSON-LD.
    """
    suffixes = [s.lower() for s in Path(plain_name(source.name)).suffixes]
    text = source.text_head()
    if "<graphml" in text and text.lstrip().startswith("<"):
        return "graphml"
    if suffixes and suffixes[-1] in _EXTENSIONS:
        return _EXTENSIONS[suffixes[-1]]
    start = text.lstrip()
    if start.startswith(("{", "[")) and re.match(r'[\[{]\s*("|\{|\[|\})', start):
        if _is_property_json(start):
            return "property-jsonl"
        if '"@context"' in text or '"@id"' in text or '"@graph"' in text:
            return "jsonld"
        if _SUBGRAPHS.search(text) and '"question"' in text:
            return "subgraphs"
        if (passages := passage_format(text)) is not None:
            return passages
        raise SourceError(
            f"{source.name} is JSON without a graph in it.",
            hint="A question set is uploaded under its graph; a graph in JSON is nodes and edges, passages or RDF.",
        )
    if is_question_list(text):
        raise SourceError(
            f"{source.name} is a question set, not a graph.", hint="Import it under its graph, as questions."
        )
    return rdf_format(text) or "delimited"


def _is_property_json(start: str) -> bool:
    """Whether the first object is a node or an edge; it may be longer than what was read of it."""
    try:
        row, _ = json.JSONDecoder().raw_decode(start.removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return False
    return is_graph_object(row)


def rdf_format(text: str) -> str | None:
    """Which format of RDF a file begins like; None where it is something else, or JSON."""
    start = text.lstrip()
    if start.startswith(("<?xml", "<rdf:RDF")):
        return "rdfxml"
    if re.match(r"(@prefix|@base|prefix|base)\s", start, re.IGNORECASE):
        return "turtle"
    lines = [line for line in text.splitlines()[:50] if line.strip() and not line.startswith("#")]
    matches = [_NTRIPLES.match(line) for line in lines[:20]]
    if lines and sum(m is not None for m in matches) > len(matches) / 2:
        return "nquads" if any(m and m[3] for m in matches) else "ntriples"
    return None


def document_format(path: Path, name: str) -> str | None:
    """Which of ``DOCUMENT_FORMATS`` a file is, by its name and first bytes; None where it is none of them.

    Plain text is a document where its lines do not look like rows of three columns.
    """
    suffixes = [s.lower() for s in Path(plain_name(name)).suffixes]
    last = suffixes[-1] if suffixes else ""
    if last in _DOCUMENTS:
        return _DOCUMENTS[last]
    try:
        with path.open("rb") as file:
            start = file.read(SNIFF)
    except OSError:
        return None  # opening it again says why
    if start.startswith(b"%PDF"):
        return "pdf"
    if start.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "html"
    if last not in (".txt", ".text") or start.startswith(tuple(WRONG_KINDS)) or _holds_facts(path):
        return None
    return "text"


def _holds_facts(path: Path) -> bool:
    """Whether a text file is of rows of three columns, or RDF."""
    from retrieval.kg.readers.decoding import head_text  # noqa: PLC0415 - only text files need it

    text = head_text(path, SNIFF)
    lines = [line for line in text.splitlines() if line.strip()][:200]
    if not lines or rdf_format(text) is not None or text.lstrip().startswith(("{", "[")):
        return bool(lines)
    mark = guess_delimiter(lines)
    return 2 * sum(columns(line, mark) == 3 or "\t" in line or "|" in line for line in lines) >= len(lines)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What is said of files beyond their bytes; None of each guesses. See :func:`retrieval.kg.readers.read_graph`.

    ``header_line`` is the header of a file of nodes or edges that has it in a file of its own.
    """

    fmt: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    columns: Mapping[str, int | str] | None = None
    header_line: str | None = None
    sink: FactSink | None = None

    @property
    def asked(self) -> str | None:
        """The format that was asked for, if one was.

        Raises:
            ConfigError: there is none of that name.
        """
        if self.fmt not in (None, "", "auto", *FORMATS):
            raise ConfigError(
                f"The graph format {self.fmt!r} is unknown.", hint=f"Use one of: {', '.join(FORMATS)}."
            )
        if self.fmt and self.fmt != "auto":
            return self.fmt
        return "delimited" if self.delimiter or self.columns else None


def read_all(
    files: Sequence[Unpacked],
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None,
    options: ReadOptions,
) -> tuple[list[FactFile], Callable[[], tuple[SourceReport, ...]]]:
    """Read files one after the other; see :func:`retrieval.kg.readers.read_graph`.

    Returns:
        The good rows of each, and what gives the reports, to be called when problems are complete.
    """
    headers, apart = pair([(file.path, file.name) for file in files])
    first = repeats([file.path for file in files])
    read: list[FactFile] = []
    logs: dict[int, tuple[ProblemLog, int]] = {}
    refused: SourceError | None = None
    with_facts: set[str] = set()
    for i in _prose_last(files, options):
        file, again = files[i], first[i]
        if i in apart:
            continue
        log = ProblemLog(file.name, problems)
        rows, before = 0, options.sink.count if options.sink else 0
        if again is not None:
            log.repeats(files[again].name)
        elif file.archive in with_facts and _is_prose(file, options):
            log.add(0, "left out: it is plain text beside facts; give it by itself to make passages of it")
        else:
            try:
                read.append(read_file(file.path, log, progress, replace(options, header_line=headers.get(i))))
                rows = read[-1].rows
                if file.archive and log.format not in DOCUMENT_FORMATS:
                    with_facts.add(file.archive)
            except SourceError as error:
                if not file.archive:
                    raise
                refused = refused or error
                if options.sink:
                    options.sink.cut(before)
                log.add(0, f"this file of the archive was left out: {error.message}")
        logs[i] = (log, rows)
    if not read and refused is not None:
        raise refused
    return read, lambda: tuple(log.report(rows) for _, (log, rows) in sorted(logs.items()))


def _prose_last(files: Sequence[Unpacked], options: ReadOptions) -> list[int]:
    """The positions of files, plain text of archives behind all others."""
    return sorted(range(len(files)), key=lambda i: (_is_prose(files[i], options), i))


def _is_prose(file: Unpacked, options: ReadOptions) -> bool:
    """Whether a file of an archive would be taken for plain text, as lists of words beside a graph are."""
    return bool(file.archive) and options.asked is None and document_format(file.path, file.name) == "text"


def read_file(
    path: Path,
    log: ProblemLog,
    progress: Callable[[Progress], None] | None,
    options: ReadOptions,
) -> FactFile:
    """Read one file, called as ``log`` calls it. See :func:`retrieval.kg.readers.read_graph`."""
    asked, name = options.asked, log.file
    if is_parquet(path):
        log.format = "parquet"
        read = read_parquet(path, log, columns=options.columns)
        log.close()
        log.refuse_if_empty(read.rows)
        return read
    document = asked if asked is not None else document_format(path, name)
    if document in DOCUMENT_FORMATS:
        from retrieval.kg.readers.documents.reading import read_document  # noqa: PLC0415 - only documents need it

        log.format = document
        read = read_document(path, name, document, log, progress)
        log.close()
        return read
    source = Source(path, progress, encoding=options.encoding, name=name)
    given = "property-csv" if options.header_line is not None else asked
    log.format, log.encoding = given or guess_format(source), source.encoding
    if log.format in DELIMITED_FORMATS and _names_properties(source, options):
        log.format = "property-csv"
    if log.format in PASSAGE_FORMATS:
        from retrieval.kg.readers.documents.reading import read_passages  # noqa: PLC0415 - only passages need it

        read = read_passages(source, name, log.format, log)
    elif log.format == "property-jsonl":
        read = read_property_jsonl(source, log)
    elif log.format == "property-csv":
        read = read_property_csv(source, log, delimiter=options.delimiter, header=options.header_line)
    elif log.format == "graphml":
        read = read_graphml(source, log)
    elif log.format == "subgraphs":
        read = read_subgraphs(json_rows(source, log.add), log)
    elif log.format == "parquet":
        raise SourceError(f"{name} is no Parquet file.", hint="Leave the format out, so that it is guessed.")
    elif log.format in DELIMITED_FORMATS:
        mark = options.delimiter or FORMAT_DELIMITERS.get(log.format)
        read = read_delimited(
            source, log, delimiter=mark, header=options.header, columns=options.columns, sink=options.sink
        )
    else:
        from retrieval.kg.readers.rdf import read_rdf  # noqa: PLC0415 - loads pyoxigraph

        read = read_rdf(source, log, log.format, options.sink)
    log.close()
    log.refuse_if_empty(read.rows)
    return read


def _names_properties(source: Source, options: ReadOptions) -> bool:
    """Whether what would be read as triples begins with a header of nodes or edges."""
    if options.header is False or options.columns is not None or options.header_line is not None:
        return False
    return find_layout(first_line(source)) is not None
