"""Building and opening a snapshot."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from retrieval.kg import readers, snapshot
from retrieval.kg.build import build_snapshot
from tests.benchmarks.data import found
from tests.benchmarks.report import Section


def measure() -> list[Section]:
    """MetaQA's knowledge base: text to snapshot, and opening it."""
    kb = found("metaqa", "kb.txt.gz")
    if kb is None:
        return []
    section = Section("Snapshot of MetaQA", "python -m tests.benchmarks snapshots", "MetaQA: 133,582 rows, gzipped.")
    with tempfile.TemporaryDirectory() as folder:
        builds, opens = [], []
        for attempt in range(5):
            out = Path(folder) / str(attempt)
            began = time.perf_counter()
            build_snapshot(readers.read_graph([kb], problems=lambda _: None), out)
            builds.append(time.perf_counter() - began)
            began = time.perf_counter()
            opened = snapshot.open(out)
            opened.find_entity("Catch Me If You Can")
            opens.append((time.perf_counter() - began) * 1000)
        section.add("read and build, median of 5", f"{statistics.median(builds):.2f} s", "<= 2 s")
        section.add("open and find one entity, median", f"{statistics.median(opens):.1f} ms", "milliseconds")
        section.add("facts", f"{len(opened.heads):,}")
    return [section]
