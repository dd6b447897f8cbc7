"""Readers: files of facts, documents and passages in, a :class:`~retrieval.kg.table.TripleTable` out.

Bad rows are named by file and line through a callback and the good rows go in. Parsers are loaded on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.kg.model.data_model import DataModel, ModelChoices, ModelWarning
from retrieval.kg.readers.options import DETECT, ReadOptions
from retrieval.kg.table import TripleTable
from retrieval.types import Problem, Progress

if TYPE_CHECKING:
    from retrieval.kg.readers.file_contents import FactSink
    from retrieval.kg.readers.preview import Preview

__all__ = ["ReadOptions", "read_graph", "read_model", "read_preview"]

MODELLED_ROWS = 200_000
"""Rows of each table from which a data model is inferred before an import."""


def read_graph(
    paths: Path | str | Sequence[Path | str],
    options: ReadOptions = DETECT,
    *,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None = None,
    names: Mapping[Path, str] | None = None,
    sink: FactSink | None = None,
) -> TripleTable:
    """Read one or more files, each of its own format unless ``options`` say.

    A file with the content of one before it is not read again; a problem says so. In archives the files that hold
    no facts are problems, not errors, as long as one file does.

    Args:
        paths: files, compressed or not, and archives (zip, tar, tar.gz, tar.zst), told by content, not by name.
        problems: called for each bad row; at most ``PROBLEM_LIMIT`` rows of a file are named one by one.
        progress: called with bytes read.
        names: what the owners of files call them, where that is not the file's name; documents and their passages
            go by it.
        sink: takes the facts of delimited rows and of RDF as they are read, which then are not in what is returned.

    Returns:
        Every good row of every file, repeats included, with a report of each file.

    Raises:
        EmptySourceError: a file has no good row; says why.
        SourceError: a file cannot be read at all (missing, binary, broken gzip).
        ConfigError: an option is unknown or does not fit.
    """
    from retrieval.kg.readers.combining import merge_files  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.model_files import open_files  # noqa: PLC0415
    from retrieval.kg.readers.reading import read_all  # noqa: PLC0415 - loads polars

    files = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    shown = [(names or {}).get(path, path.name) for path in files]
    with open_files(files, shown, options) as opened:
        for name, note in opened.notes:
            problems(Problem(name, 0, note))
        read, reports = read_all(opened.files, opened.options, problems=problems, progress=progress, sink=sink)
        # Reports are made after all is put together: edges to nodes that no file describes are found then.
        choices = ModelChoices.from_json(opened.options.model)
        return replace(merge_files(read, sink, choices), reports=reports())


def read_model(
    paths: Sequence[Path | str],
    options: ReadOptions = DETECT,
    *,
    names: Mapping[Path, str] | None = None,
    problems: Callable[[Problem], None] | None = None,
) -> DataModel:
    """The data model that an import of files would have, with the corrections in ``options``.

    Of large tables the first ``MODELLED_ROWS`` rows are read, and fewer statements of RDF, whose kinds cannot be
    corrected. Files of facts and documents have no kinds.

    Args:
        paths: files of one import, compressed or not, and archives.
        names: what the owners of files call them, where that is not the file's name.
        problems: called for each row that cannot be used.

    Raises:
        SourceError: a file cannot be read at all, or has no good row.
        ConfigError: an option is unknown, or a correction names a column that does not exist.
    """
    from retrieval.kg.readers.model_files import open_files  # noqa: PLC0415
    from retrieval.kg.readers.modelling import EXAMPLE_ROWS, resolve_properties  # noqa: PLC0415 - loads polars
    from retrieval.kg.readers.reading import read_all  # noqa: PLC0415 - loads polars

    files = [Path(path) for path in paths]
    shown = [(names or {}).get(path, path.name) for path in files]
    with open_files(files, shown, options) as opened:
        report = problems or list[Problem]().append
        read, _ = read_all(
            opened.files,
            opened.options,
            problems=report,
            progress=None,
            sink=None,
            limit=MODELLED_ROWS,
            only=("properties", "rdf"),
        )
        is_sampled = any(file.table is not None and len(file.table.rows) == MODELLED_ROWS for file in read)
        choices = ModelChoices.from_json(opened.options.model)
        model = resolve_properties(read, choices, is_sampled=is_sampled, limit=EXAMPLE_ROWS)[1]
        if statements := [file for file in read if file.terms is not None]:
            from retrieval.kg.readers.rdf_model import describe_rdf  # noqa: PLC0415 - of RDF only

            model = model.add_tables(describe_rdf(statements))
        notes = [ModelWarning("", note) for _, note in opened.notes]
        return replace(model, warnings=(*notes, *model.warnings))


def read_preview(path: Path | str, name: str | None = None, options: ReadOptions = DETECT) -> Preview:
    """What a file of a graph is taken for, with its first rows. One that cannot be read gives a preview that says why.

    Args:
        path: where it lies.
        name: what its owner calls it; None takes the file's name.

    Raises:
        ConfigError: a correction is unknown or does not fit.
        SourceError: the file is missing.
    """
    from retrieval.kg.readers import graph_preview  # noqa: PLC0415 - loads polars

    file = Path(path)
    return graph_preview.read_graph_preview(file, name or file.name, options)
