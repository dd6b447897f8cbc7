"""Readers: files of facts, documents and passages in, a :class:`~retrieval.kg.table.TripleTable` out.

Bad rows are named by file and line through a callback and the good rows go in. Parsers are loaded on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.kg.table import TripleTable
from retrieval.types import Problem, Progress

if TYPE_CHECKING:
    from retrieval.kg.readers.file_contents import FactSink
    from retrieval.kg.readers.preview import Preview

__all__ = ["preview_graph", "read_graph"]


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
    from retrieval.kg.readers.reading import ReadOptions, read_all  # noqa: PLC0415 - loads polars

    files = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    shown = [(names or {}).get(path, path.name) for path in files]
    with unpacked(files, shown) as found:
        options = ReadOptions(fmt, delimiter, header, encoding, columns, sink=sink)
        read, reports = read_all(found, problems, progress, options)
        # Reports are made after all is put together: edges to nodes that no file describes are found then.
        return replace(combine(read, sink), reports=reports())


def preview_graph(
    path: Path | str,
    name: str | None = None,
    *,
    fmt: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    columns: Mapping[str, int | str] | None = None,
) -> Preview:
    """What a file of a graph is taken for, with its first rows. One that cannot be read gives a preview that says why.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.
        fmt, delimiter, header, encoding, columns: corrections, as :func:`read_graph` takes them.

    Raises:
        ConfigError: a correction is unknown or does not fit.
        SourceError: the file is missing.
    """
    from retrieval.kg.readers import graph_preview  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.reading import ReadOptions  # noqa: PLC0415 - loads polars

    file = Path(path)
    return graph_preview.preview_graph(
        file, name or file.name, ReadOptions(fmt, delimiter, header, encoding, columns)
    )
