"""Choosing the reader of a file by what was asked, its name, and its first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from retrieval.errors import ConfigError, SourceError
from retrieval.kg.readers import DELIMITED_FORMATS, FORMATS
from retrieval.kg.readers.collecting import FactFile, ProblemLog
from retrieval.kg.readers.delimited import read_delimited
from retrieval.kg.readers.sources import Source
from retrieval.types import Problem, Progress

_EXTENSIONS = {
    ".nt": "ntriples",
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".nq": "nquads",
    ".rdf": "rdfxml",
    ".owl": "rdfxml",
    ".xml": "rdfxml",
    ".jsonld": "jsonld",
}
_FORMAT_DELIMITERS = {"tsv": "\t", "csv": ",", "psv": "|"}
_NTRIPLES = re.compile(
    r'^(<[^<>"\s]+>|_:\S+)\s+<[^<>"\s]+>\s+(<[^<>"\s]+>|_:\S+|".*")\S*\s*(<\S+>|_:\S+)?\s*\.\s*$'
)


def guess_format(source: Source) -> str:
    """The format of a file, from its name where that decides, else from its first lines.

    Raises:
        SourceError: it is JSON that is not JSON-LD.
    """
    suffixes = [s.lower() for s in source.path.suffixes if s.lower() != ".gz"]
    if suffixes and suffixes[-1] in _EXTENSIONS:
        return _EXTENSIONS[suffixes[-1]]
    text = source.text_head()
    start = text.lstrip()
    if start.startswith(("<?xml", "<rdf:RDF")):
        return "rdfxml"
    if re.match(r"(@prefix|@base|prefix|base)\s", start, re.IGNORECASE):
        return "turtle"
    if start[0] in "{[" and re.match(r'[\[{]\s*("|\{|\[|\})', start):
        if '"@context"' in text or '"@id"' in text or '"@graph"' in text:
            return "jsonld"
        raise SourceError(
            f"{source.name} is JSON without RDF in it, not a graph.",
            hint="A question set is uploaded under its graph; a graph is triples or RDF.",
        )
    lines = [line for line in text.splitlines()[:50] if line.strip() and not line.startswith("#")]
    matches = [_NTRIPLES.match(line) for line in lines[:20]]
    if lines and sum(m is not None for m in matches) > len(matches) / 2:
        return "nquads" if any(m and m[3] for m in matches) else "ntriples"
    return "delimited"


def read_file(
    path: Path,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None,
    *,
    fmt: str | None,
    delimiter: str | None,
    header: bool | None,
) -> FactFile:
    """Read one file. See :func:`retrieval.kg.readers.read_graph`."""
    if fmt not in (None, "", "auto", *FORMATS):
        raise ConfigError(f"The graph format {fmt!r} is unknown.", hint=f"Use one of: {', '.join(FORMATS)}.")
    source = Source(path, progress)
    log = ProblemLog(source.name, problems)
    chosen = fmt if fmt and fmt != "auto" else ("delimited" if delimiter else guess_format(source))
    if chosen in DELIMITED_FORMATS:
        mark = delimiter or _FORMAT_DELIMITERS.get(chosen)
        read = read_delimited(source, log, delimiter=mark, header=header)
    else:
        from retrieval.kg.readers.rdf import read_rdf  # noqa: PLC0415 - loads pyoxigraph

        read = read_rdf(source, log, chosen)
    log.close()
    log.refuse_if_empty(read.rows)
    return read
