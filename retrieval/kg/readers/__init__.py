"""Readers: files of facts, documents and passages in, a :class:`~retrieval.kg.table.TripleTable` out.

Bad rows are named by file and line through a callback and the good rows go in. Parsers are loaded on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from retrieval.kg.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS
from retrieval.kg.table import TripleTable
from retrieval.types import Problem, Progress

if TYPE_CHECKING:
    from retrieval.kg.readers.collecting import FactSink
    from retrieval.kg.readers.guesses import Guess

__all__ = [
    "DELIMITED_FORMATS",
    "DOCUMENT_FORMATS",
    "FORMATS",
    "PASSAGE_FORMATS",
    "PROPERTY_FORMATS",
    "RDF_FORMATS",
    "guess",
    "read_graph",
]

DELIMITED_FORMATS = ("delimited", "tsv", "csv", "psv")
RDF_FORMATS = ("ntriples", "turtle", "nquads", "rdfxml", "jsonld")
#: Nodes and edges with attributes.
PROPERTY_FORMATS = ("property-csv", "property-jsonl", "graphml")
#: Every value of ``fmt`` besides None and ``auto``.
FORMATS = (
    *DELIMITED_FORMATS,
    *PROPERTY_FORMATS,
    *RDF_FORMATS,
    "parquet",
    "subgraphs",
    *DOCUMENT_FORMATS,
    *PASSAGE_FORMATS,
)


def read_graph(
    paths: Path | str | Sequence[Path | str],
    *,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None = None,
    fmt: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    columns: Mapping[str, int | str] | None = None,
    names: Mapping[Path, str] | None = None,
    sink: FactSink | None = None,
) -> TripleTable:
    """Read one or more files, each of its own format unless ``fmt`` says.

    A file with the content of one before it is not read again; a problem says so. In archives the files that hold
    no facts are problems, not errors, as long as one file does.

    Args:
        paths: files, compressed or not, and archives (zip, tar, tar.gz, tar.zst), told by content, not by name.
        problems: called for each bad row; at most ``PROBLEM_LIMIT`` rows of a file are named one by one.
        progress: called with bytes read.
        fmt: one of ``FORMATS``; None or ``auto`` guesses from name and content.
        delimiter: one character, or ``tab``, ``comma``, ``pipe``; None guesses.
        header: whether the first row names columns; None guesses.
        encoding: of text, as Python names it; None is UTF-8, and UTF-16 where the first bytes say so. Documents
            are decoded by themselves.
        columns: of rows of facts: which columns are ``head``, ``relation`` and ``tail``, by position from 0 or by
            the header's name; None takes rows of three columns in that order.
        names: what the owners of files call them, where that is not the file's name; documents and their passages
            go by it.
        sink: takes the facts of delimited rows and of RDF as they are read, which then are not in what is returned.

    Returns:
        Every good row of every file, repeats included, with a report of each file.

    Raises:
        EmptySourceError: a file has no good row; says why.
        SourceError: a file cannot be read at all (missing, binary, broken gzip).
        ConfigError: ``fmt``, ``delimiter``, ``encoding`` or ``columns`` is unknown or does not fit.
    """
    from retrieval.kg.readers.archives import unpacked  # noqa: PLC0415
    from retrieval.kg.readers.combining import combine  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.dispatch import ReadOptions, read_all  # noqa: PLC0415 - loads polars

    files = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    shown = [(names or {}).get(path, path.name) for path in files]
    with unpacked(files, shown) as found:
        options = ReadOptions(fmt, delimiter, header, encoding, columns, sink=sink)
        read, reports = read_all(found, problems, progress, options)
        # Reports are made after all is put together: edges to nodes that no file describes are found then.
        return replace(combine(read, sink), reports=reports())


def guess(
    path: Path | str,
    name: str | None = None,
    *,
    kind: Literal["graph", "questions"] = "graph",
    fmt: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    columns: Mapping[str, int | str] | None = None,
) -> Guess:
    """What a file is taken for, with its first rows. A file that cannot be read gives a guess that says why.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.
        kind: whether a graph or a question set is looked for.
        fmt, delimiter, header, encoding, columns: corrections, as :func:`read_graph` takes them.

    Raises:
        ConfigError: a correction is unknown or does not fit.
        SourceError: the file is missing.
    """
    from retrieval.kg.readers.dispatch import ReadOptions  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.guessing import look  # noqa: PLC0415 - loads polars

    file = Path(path)
    return look(file, name or file.name, kind, ReadOptions(fmt, delimiter, header, encoding, columns))
