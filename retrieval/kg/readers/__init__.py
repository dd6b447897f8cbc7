"""Readers: files of facts, documents and passages in, a :class:`~retrieval.kg.table.TripleTable` out.

Bad rows are named by file and line through a callback and the good rows go in. Parsers are loaded on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.kg.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS
from retrieval.kg.table import TripleTable
from retrieval.types import Problem, Progress

if TYPE_CHECKING:
    from retrieval.kg.readers.collecting import FactFile

__all__ = [
    "DELIMITED_FORMATS",
    "DOCUMENT_FORMATS",
    "FORMATS",
    "PASSAGE_FORMATS",
    "PROPERTY_FORMATS",
    "RDF_FORMATS",
    "read_graph",
]

DELIMITED_FORMATS = ("delimited", "tsv", "csv", "psv")
RDF_FORMATS = ("ntriples", "turtle", "nquads", "rdfxml", "jsonld")
#: Nodes and edges with attributes.
PROPERTY_FORMATS = ("property-csv", "property-jsonl")
#: Every value of ``fmt`` besides None and ``auto``.
FORMATS = DELIMITED_FORMATS + PROPERTY_FORMATS + RDF_FORMATS + DOCUMENT_FORMATS + PASSAGE_FORMATS


def read_graph(
    paths: Path | str | Sequence[Path | str],
    *,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None = None,
    fmt: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Mapping[Path, str] | None = None,
) -> TripleTable:
    """Read one or more files, each of its own format unless ``fmt`` says.

    Args:
        paths: files, gzipped or not (told by content, not by name).
        problems: called for each bad row; at most ``PROBLEM_LIMIT`` rows of a file are named one by one.
        progress: called with bytes read.
        fmt: one of ``FORMATS``; None or ``auto`` guesses from name and content.
        delimiter: one character, or ``tab``, ``comma``, ``pipe``; None guesses.
        header: whether the first row names columns; None guesses.
        names: what the owners of files call them, where that is not the file's name; documents and their passages
            go by it.

    Returns:
        Every good row of every file, repeats included.

    Raises:
        EmptySourceError: a file has no good row; says why.
        SourceError: a file cannot be read at all (missing, binary, broken gzip).
        ConfigError: ``fmt`` or ``delimiter`` is unknown.
    """
    from retrieval.kg.readers.collecting import combine  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.dispatch import read_file  # noqa: PLC0415 - loads polars

    files = [paths] if isinstance(paths, (str, Path)) else list(paths)
    shown = names or {}
    read: list[FactFile] = []
    for path in map(Path, files):
        name = shown.get(path)
        read.append(
            read_file(path, problems, progress, fmt=fmt, delimiter=delimiter, header=header, name=name)
        )
    return combine(read)
