"""Reading the files of a graph one after the other, each as the format that it is of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from retrieval.errors import SourceError
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.catalog import FORMATS, add_known_format, get_requested_format
from retrieval.kg.readers.detection import format_of, is_plain_text
from retrieval.kg.readers.duplicate_files import find_repeats
from retrieval.kg.readers.file_contents import FactFile, FactSink
from retrieval.kg.readers.headers import match_headers
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.jsonld_contexts import find_contexts
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.shapes import find_shapes
from retrieval.types import Problem, Progress, SourceReport


def read_all(
    files: Sequence[Unpacked],
    options: ReadOptions,
    *,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None,
    sink: FactSink | None,
    limit: int | None = None,
    only: Collection[str] = (),
) -> tuple[list[FactFile], Callable[[], tuple[SourceReport, ...]]]:
    """Read files one after the other; see :func:`retrieval.kg.readers.read_graph`.

    Args:
        limit: rows of each table that are wanted; None takes all.
        only: the families of formats that are wanted; files of others are passed over. Empty takes all.

    Returns:
        The good rows of each, and what gives the reports, to be called when problems are complete.
    """
    headers, apart = match_headers([(file.path, file.name) for file in files])
    first = find_repeats([file.path for file in files])
    contexts = find_contexts(files) if len(files) > 1 else {}
    named_contexts = {files[i].name: context for i, context in contexts.items()}
    shapes = find_shapes(files)
    if shapes and len(shapes) == len(files):
        raise SourceError(
            f"{files[0].name} holds SHACL shapes, and there is no data beside them.",
            hint="Give the data in the same upload; the shapes are what it is checked by.",
        )
    apart = apart | contexts.keys() | {*shapes}
    read: list[FactFile] = []
    logs: dict[int, tuple[ProblemLog, int]] = {}
    refused: SourceError | None = None
    with_facts: set[str] = set()
    prose = {
        i for i, file in enumerate(files) if file.archive and not get_requested_format(options) and _is_prose(file)
    }
    for i in sorted(set(range(len(files))) - apart, key=lambda i: (i in prose, i)):
        file, again = files[i], first[i]
        log = ProblemLog(file.name, problems)
        rows, before = 0, sink.count if sink else 0
        if again is not None:
            log.mark_repeated(files[again].name)
        elif i in prose and file.archive in with_facts:
            log.add(0, "left out: it is plain text beside facts; give it by itself to make passages of it")
        else:
            known = add_known_format(options, file.format)
            if sink:
                sink.start_source(file.name)
            try:
                input_file = InputFile(
                    file.path,
                    file.name,
                    known,
                    progress,
                    sink,
                    headers.get(i),
                    limit,
                    named_contexts,
                    file.row_numbers,
                )
                if only and format_of(input_file).family not in only:
                    continue
                read.append(read_file(input_file, log))
                rows = read[-1].rows
                if file.archive and FORMATS[log.format].family != "documents":
                    with_facts.add(file.archive)
            except SourceError as error:
                if not file.archive:
                    raise
                refused = refused or error
                if sink:
                    sink.keep_first(before)
                log.add(0, f"this file of the archive was left out: {error.message}")
        logs[i] = (log, rows)
    if not read and refused is not None:
        raise refused
    return read, lambda: tuple(log.build_report(rows) for _, (log, rows) in sorted(logs.items()))


def _is_prose(file: Unpacked) -> bool:
    """Whether a file of an archive would be taken for plain text, as lists of words beside a graph are."""
    return is_plain_text(InputFile(file.path, file.name))


def read_file(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one file.

    Raises:
        EmptySourceError: it has no good row; says why.
        SourceError, ConfigError: see :func:`retrieval.kg.readers.read_graph`.
    """
    fmt = format_of(file)
    log.format = fmt.name
    if not fmt.opens_itself:
        log.encoding = file.source.encoding
    read = fmt.import_reader()(file, log)
    log.close()
    log.require_rows(read.rows or len(read.names))
    return read
