"""A plain text of 200 MB: how long reading takes and how much memory, and what indexing it would take."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.loading import load_encoder
from retrieval.text import indexing
from retrieval.types import Passage
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks big_text"
SIZE = 200_000_000
SAMPLE = 256
"""Passages that are indexed to tell the rate."""
#: The highest memory of a process of its own; what ``getrusage`` says of a child has its parent's in it.
_CHILD = """
import sys
from retrieval.__main__ import main
main(sys.argv[1:])
print(open("/proc/self/status").read())
"""
_SYLLABLES = ("ka", "lo", "mi", "ren", "tas", "vor", "shi", "du", "pel", "ona")


def measure() -> list[Section]:
    """Write the text, read it in a process of its own, index some of it."""
    section = Section(
        "A text of 200 MB",
        COMMAND,
        "One plain text file of made-up words in sentences and paragraphs, read and cut into passages by "
        "`build-corpus --no-index` in a process of its own. Indexing it whole is not measured: the rate is of its "
        f"first {SAMPLE} passages, default encoder, and the hours are extrapolated from it.",
    )
    with tempfile.TemporaryDirectory() as folder:
        text, corpus = Path(folder) / "big.txt", Path(folder) / "corpus"
        _write(text)
        began = time.perf_counter()
        arguments = ["build-corpus", str(text), "--out", str(corpus), "--no-index"]
        told = subprocess.run(
            [sys.executable, "-c", _CHILD, *arguments], check=True, capture_output=True, text=True
        )
        section.add("read, cut and stored", f"{time.perf_counter() - began:.0f} s")
        peak = int(told.stdout.rpartition("VmHWM:")[2].split()[0]) / 1024
        section.add("peak memory of that process", f"{peak:.0f} MB")
        built = snapshot.open(corpus)
        assert built.passages is not None, "a text is passages"
        count = len(built.passages)
        section.add("passages", f"{count:,}")
        some = [Passage(i, str(i), "", built.passages.text(i)) for i in range(SAMPLE)]
        rate = _rate(some, Path(folder) / "some")
        section.add("passages indexed a second", f"{rate:.1f}")
        section.add("indexing all, by that rate", f"{count / rate / 3600:.0f} hours")
    return [section]


def _write(out: Path) -> None:
    """The same words every time."""
    drawn = random.Random(0)
    words = ["".join(drawn.choices(_SYLLABLES, k=drawn.randint(1, 4))) for _ in range(5_000)]
    with out.open("w", encoding="utf-8") as file:
        written = 0
        while written < SIZE:
            sentences = (" ".join(drawn.choices(words, k=12)).capitalize() for _ in range(6))
            written += file.write(". ".join(sentences) + ".\n\n")


def _rate(passages: list[Passage], out: Path) -> float:
    graph = build_snapshot(TripleTable.of([], passages=passages), out)
    encoder = load_encoder(device="cpu")
    encoder.encode(["warm"])
    began = time.perf_counter()
    indexing.build(graph, encoder)
    return len(passages) / (time.perf_counter() - began)
