"""``build-graph``, ``build-corpus`` and ``index``."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from retrieval.cli.console import Bars, ProblemList, note, say, stoppable
from retrieval.errors import ConfigError, EmptySourceError
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import ImportReport


def build_graph(args: argparse.Namespace) -> int:
    """Read the files, build the snapshot, and index its labels and passages unless told not to."""
    return _index(args, _build(args, given(args)))


def preview(args: argparse.Namespace) -> int:
    """Show the guess of a file, and its first rows, with tabs between cells."""
    from retrieval.kg.readers import preview_graph  # noqa: PLC0415
    from retrieval.questions import preview_questions  # noqa: PLC0415

    if args.questions:
        found = preview_questions(args.file, fmt=args.format, encoding=args.encoding)
    else:
        found = preview_graph(args.file, fmt=args.format, **given(args))
    shown = {
        "format": found.format or "not recognised",
        "delimiter": repr(found.delimiter) if found.delimiter else "",
        "header": "" if found.header is None else "yes" if found.header else "no",
        "encoding": found.encoding,
        "columns": ", ".join(f"{role} {position}" for role, position in found.columns.items()),
        "files": ", ".join(name for name, _ in found.members),
    }
    for name, value in shown.items():
        if value:
            note(f"{name}: {value}")
    for line in found.notes:
        note(f"note: {line}")
    if found.rows:
        say("\t".join(found.titles))
    for row in found.rows:
        say("\t".join(" ".join(cell.split()) for cell in row))
    return 0


def given(args: argparse.Namespace) -> dict[str, Any]:
    """What the arguments say of a table."""
    return {
        "delimiter": args.delimiter,
        "header": args.header,
        "encoding": args.encoding,
        "columns": columns_of(args.columns),
    }


def columns_of(text: str | None) -> dict[str, int | str] | None:
    """The columns of head, relation and tail, as ``2,0,1`` or ``subject,predicate,object`` names them.

    Raises:
        ConfigError: there are not three.
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise ConfigError(f"--columns {text!r} does not name three columns.", hint="Write --columns 0,1,2.")
    return {
        role: int(part) if part.isdigit() else part
        for role, part in zip(("head", "relation", "tail"), parts, strict=True)
    }


def build_corpus(args: argparse.Namespace) -> int:
    """Like :func:`build_graph`, for documents.

    Raises:
        EmptySourceError: the files hold facts only.
    """
    graph = _build(args, {})
    if graph.passages is None:
        raise EmptySourceError(
            "The files hold facts and no passages.", hint="Use `build-graph`, or name the --format of a text."
        )
    return _index(args, graph)


def _build(args: argparse.Namespace, said: dict[str, Any]) -> Snapshot:
    from retrieval.kg.analysis.import_report import report  # noqa: PLC0415
    from retrieval.kg.build.from_files import build_from_files  # noqa: PLC0415

    began = time.perf_counter()
    problems = ProblemList()
    try:
        with Bars() as bars:
            graph, reports = build_from_files(
                args.source, args.out, problems=problems, progress=bars, fmt=args.format, **said
            )
    finally:
        problems.report()
    counts = graph.manifest
    passages = f", {counts.passages:,} passages" if counts.passages else ""
    odd = _odd(report(graph, reports))
    say(
        f"{args.out}: {counts.triples:,} triples, {counts.entities:,} entities, {counts.relations:,} relations"
        f"{passages}; snapshot {graph.hash[:12]} in {time.perf_counter() - began:.1f} s"
    )
    if odd:
        note(f"of note: {odd}")
    return graph


def _odd(found: ImportReport) -> str:
    """What a person should know of an import, in a line; empty where nothing is odd."""
    counts = {
        "duplicates": found.duplicates,
        "self-loops": found.self_loops,
        "nodes of no fact": found.dangling,
        "rows with a blank name": found.blank_labels,
        "files of odd encodings": found.odd_encodings,
    }
    return ", ".join(f"{what}: {count:,}" for what, count in counts.items() if count)


def _index(args: argparse.Namespace, graph: Snapshot) -> int:
    if args.no_index:
        note("The vectors were skipped; names are found by their spelling only, and passages not at all.")
        return 0
    return _indexed(args, graph)


def index(args: argparse.Namespace) -> int:
    """Index a graph that stands, or what is missing of its index."""
    from retrieval.kg import snapshot  # noqa: PLC0415

    return _indexed(args, snapshot.open(args.graph))


def _indexed(args: argparse.Namespace, graph: Snapshot) -> int:
    from retrieval.text import indexing  # noqa: PLC0415 - imports torch

    with stoppable() as stop, Bars() as bars:
        encoder = load_encoder(args.encoder, args.device)
        indexing.build(graph, encoder, progress=bars, cancelled=stop.is_set)
    passages = f" and {graph.manifest.passages:,} passages" if graph.passages is not None else ""
    say(f"{graph.path}: vectors of {graph.num_entities:,} labels{passages} by {encoder.name}")
    return 0
