"""``build-graph``, ``build-corpus``, ``export-graph`` and ``index``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.cli.console import Bars, ProblemList, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding, GraphFormat, TableOptions
from retrieval.errors import EmptySourceError
from retrieval.kg import export
from retrieval.kg.model.forms import ModelForm, write_model
from retrieval.kg.readers.options import ReadOptions

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import ImportReport


def build_graph(
    source: tuple[Path, ...],
    /,
    *,
    out: Path,
    table: TableOptions = TableOptions(),
    index: bool = True,
    encoding: Encoding = Encoding(),
) -> int:
    """Read the files, build the snapshot, and index its labels and passages unless told not to.

    Args:
        source: triples, nodes and edges, passages, RDF (docs/formats.md).
        out: the graph's directory.
        index: make the vectors of entity labels.
    """
    return _build_index_if(index, encoding, _build(source, out, table.build_options()))


def export_graph(graph: Path, /, *, out: Path, format: export.ExportName = "tsv", partial: bool = False) -> int:
    """Write a graph as a file. Building a graph of it gives the same content, and the same hash.

    Args:
        graph: its directory.
        out: the file.
        partial: leave out what the format cannot hold.
    """
    export.export_graph(graph, out, format, partial=partial)
    print_result(f"{out}: {out.stat().st_size:,} bytes")
    return 0


def preview(file: Path, /, *, questions: bool = False, table: TableOptions = TableOptions()) -> int:
    """Show the guess of a file, and its first rows, with tabs between cells.

    Args:
        file: it is not imported.
        questions: it is meant as a question set.
    """
    from retrieval.kg.readers import read_preview  # noqa: PLC0415
    from retrieval.questions import preview_questions  # noqa: PLC0415

    guess = (preview_questions if questions else read_preview)(file, options=table.build_options())
    shown = {
        "format": guess.format or "not recognised",
        "delimiter": repr(guess.delimiter) if guess.delimiter else "",
        "header": "" if guess.header is None else "yes" if guess.header else "no",
        "encoding": guess.encoding,
        "columns": ", ".join(f"{role} {position}" for role, position in guess.columns.items()),
        "files": ", ".join(name for name, _ in guess.members),
    }
    for name, value in shown.items():
        if value:
            print_note(f"{name}: {value}")
    for line in guess.notes:
        print_note(f"note: {line}")
    if guess.rows:
        print_result("\t".join(guess.titles))
    for row in guess.rows:
        print_result("\t".join(" ".join(cell.split()) for cell in row))
    return 0


def infer_model(source: tuple[Path, ...], /, *, form: ModelForm = "json", table: TableOptions = TableOptions()) -> int:
    """Print the data model that an import of the files would have; corrected, `build-graph --model` takes it.

    Args:
        source: tables, nodes and edges; they are not imported.
        form: JSON, CSVW metadata or an RML mapping.
    """
    from retrieval.kg.readers import read_model  # noqa: PLC0415

    model = read_model(source, table.build_options())
    for kind in model.kinds:
        called = " and ".join(kind.name) or "number"
        print_note(f"{kind.table}: {kind.count:,} × {kind.label}, named by {called}. {' '.join(kind.examples[:1])}")
    for warning in model.warnings:
        print_note(f"note: {warning.message}")
    print_result(write_model(model.to_json(), form))
    return 0


def propose(source: tuple[Path, ...], /) -> int:
    """Print shapes that nearly all nodes keep; beside data, `build-graph` and uploads check it by them.

    Args:
        source: RDF files; they are not imported.
    """
    from retrieval.kg.readers.shape_checks import propose_shapes  # noqa: PLC0415

    print_result(propose_shapes(source))
    return 0


def build_corpus(
    source: tuple[Path, ...],
    /,
    *,
    out: Path,
    fmt: GraphFormat = None,
    index: bool = True,
    encoding: Encoding = Encoding(),
) -> int:
    """Like :func:`build_graph`, for documents.

    Args:
        source: text, Markdown, HTML, PDF, passages as JSONL, HotpotQA, MuSiQue.
        out: the graph's directory.
        index: make the vectors and the index of words.

    Raises:
        EmptySourceError: the files hold facts only.
    """
    graph = _build(source, out, ReadOptions(format=fmt))
    if graph.passages is None:
        raise EmptySourceError(
            "The files hold facts and no passages.", hint="Use `build-graph`, or name the --format of a text."
        )
    return _build_index_if(index, encoding, graph)


def _build(source: tuple[Path, ...], out: Path, options: ReadOptions) -> Snapshot:
    from retrieval.kg.analysis.import_report import build_report  # noqa: PLC0415
    from retrieval.kg.build.from_files import build_from_files  # noqa: PLC0415
    from retrieval.kg.readers.shape_checks import validate_files  # noqa: PLC0415

    began = time.perf_counter()
    problems = ProblemList()
    try:
        with Bars() as bars:
            graph, reports = build_from_files(source, out, options, problems=problems, progress=bars)
            violations = validate_files(source, problems=problems)
    finally:
        problems.print_problems()
    counts = graph.manifest
    passages = f", {counts.passages:,} passages" if counts.passages else ""
    odd = _describe_oddities(build_report(graph, reports))
    print_result(
        f"{out}: {counts.triples:,} triples, {counts.entities:,} entities, {counts.relations:,} relations"
        f"{passages}; snapshot {graph.hash[:12]} in {time.perf_counter() - began:.1f} s"
    )
    if violations:
        print_note(f"violations of the shapes: {violations:,}")
    if odd:
        print_note(f"of note: {odd}")
    return graph


def _describe_oddities(import_report: ImportReport) -> str:
    """What a person should know of an import, in a line; empty where nothing is odd."""
    counts = {
        "duplicates": import_report.duplicates,
        "self-loops": import_report.self_loops,
        "nodes of no fact": import_report.dangling,
        "rows with a blank name": import_report.blank_labels,
        "files of odd encodings": import_report.odd_encodings,
    }
    return ", ".join(f"{what}: {count:,}" for what, count in counts.items() if count)


def _build_index_if(wanted: bool, encoding: Encoding, graph: Snapshot) -> int:
    if not wanted:
        print_note("The vectors were skipped; names are found by their spelling only, and passages not at all.")
        return 0
    return _build_index(encoding, graph)


def index(graph: Path, /, *, encoding: Encoding = Encoding()) -> int:
    """Index a graph that stands, or what is missing of its index.

    Args:
        graph: its directory.
    """
    from retrieval.kg import snapshot  # noqa: PLC0415

    return _build_index(encoding, snapshot.open(graph))


def _build_index(encoding: Encoding, graph: Snapshot) -> int:
    from retrieval.linking import indexing  # noqa: PLC0415 - imports torch
    from retrieval.methods.zero_shot import wordings  # noqa: PLC0415 - imports torch

    with watch_interrupts() as stop, Bars() as bars:
        encoder = encoding.load()
        indexing.build(graph, encoder, progress=bars, cancelled=stop.is_set)
        wordings.build(graph, encoder, progress=bars, cancelled=stop.is_set)
    passages = f" and {graph.manifest.passages:,} passages" if graph.passages is not None else ""
    print_result(f"{graph.path}: vectors of {graph.num_entities:,} labels{passages} by {encoder.name}")
    return 0
