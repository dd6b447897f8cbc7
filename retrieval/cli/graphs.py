"""``build-graph``, ``build-corpus`` and ``index``."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from retrieval.cli.console import Bars, ProblemList, note, say, stoppable
from retrieval.errors import EmptySourceError
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def build_graph(args: argparse.Namespace) -> int:
    """Read the files, build the snapshot, and index its labels and passages unless told not to."""
    return _index(args, _build(args, args.delimiter, args.header))


def build_corpus(args: argparse.Namespace) -> int:
    """Like :func:`build_graph`, for documents.

    Raises:
        EmptySourceError: the files hold facts only.
    """
    graph = _build(args, None, None)
    if graph.passages is None:
        raise EmptySourceError(
            "The files hold facts and no passages.", hint="Use `build-graph`, or name the --format of a text."
        )
    return _index(args, graph)


def _build(args: argparse.Namespace, delimiter: str | None, header: bool | None) -> Snapshot:
    from retrieval.kg import snapshot  # noqa: PLC0415
    from retrieval.kg.readers import read_graph  # noqa: PLC0415

    began = time.perf_counter()
    problems = ProblemList()
    try:
        with Bars() as bars:
            table = read_graph(
                args.source,
                problems=problems,
                progress=bars,
                fmt=args.format,
                delimiter=delimiter,
                header=header,
            )
            graph = snapshot.build(table, args.out, progress=bars)
    finally:
        problems.report()
    counts = graph.manifest
    passages = f", {counts.passages:,} passages" if counts.passages else ""
    say(
        f"{args.out}: {counts.triples:,} triples, {counts.entities:,} entities, {counts.relations:,} relations"
        f"{passages}; snapshot {graph.hash[:12]} in {time.perf_counter() - began:.1f} s"
    )
    return graph


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
