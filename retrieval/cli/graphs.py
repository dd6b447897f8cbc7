"""``build-graph``."""

from __future__ import annotations

import argparse
import time

from retrieval.cli.console import Bars, ProblemList, note, say, stoppable
from retrieval.loading import load_encoder


def build_graph(args: argparse.Namespace) -> int:
    """Read the files, build the snapshot, and index its labels unless told not to."""
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
                delimiter=args.delimiter,
                header=args.header,
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
    if args.no_index:
        note("The vectors of entity labels were skipped; names are found by their spelling only.")
        return 0
    from retrieval.text import entity_index  # noqa: PLC0415 - imports torch

    with stoppable() as stop, Bars() as bars:
        encoder = load_encoder(args.encoder, args.device)
        entity_index.build(graph, encoder, progress=bars, cancelled=stop.is_set)
    say(f"{args.out}: vectors of {counts.entities:,} labels by {encoder.name}")
    return 0
