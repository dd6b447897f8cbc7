"""A plain text of 200 MB: how long reading takes and how much memory, and what indexing it would take."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import torch

from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.loading import load_encoder
from retrieval.text import indexing
from retrieval.types import Passage
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks big_text"
SIZE = 200_000_000
SAMPLE = 256
"""Passages that are indexed to tell the rate."""
CORES = 2
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
        f"first {SAMPLE} passages, and of MuSiQue's, default encoder: processor time of one thread. The hours are "
        "extrapolated by letters. Made-up words cost more: a piece of a word as the encoder reads them has 2.7 letters "
        "there and 4.5 in English.",
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
        for name, passages in {"made-up words": some, "English": _english()}.items():
            if passages:
                spent = _indexing(passages, Path(folder) / name)
                letters = sum(len(passage.text) for passage in passages)
                section.add(f"{name}: passages indexed a second", f"{len(passages) / spent:.1f}")
                hours = SIZE / letters * spent / 3600 / CORES
                section.add(f"{name}: 200 MB on {CORES} cores, by that", f"{hours:.1f} hours", "2 hours")
    return [section]


def _english() -> list[Passage]:
    """Passages of MuSiQue, where the data is there."""
    path = found("text", "musique_passages.jsonl.gz")
    if path is None:
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in islice(lines, SAMPLE)]
    return [Passage(i, str(i), each["title"], each["text"]) for i, each in enumerate(read)]


def _write(out: Path) -> None:
    """The same words every time."""
    drawn = random.Random(0)
    words = ["".join(drawn.choices(_SYLLABLES, k=drawn.randint(1, 4))) for _ in range(5_000)]
    with out.open("w", encoding="utf-8") as file:
        written = 0
        while written < SIZE:
            sentences = (" ".join(drawn.choices(words, k=12)).capitalize() for _ in range(6))
            written += file.write(". ".join(sentences) + ".\n\n")


def _indexing(passages: list[Passage], out: Path) -> float:
    """Seconds of processor time that indexing takes one thread."""
    graph = build_snapshot(TripleTable.of([], passages=passages), out)
    encoder = load_encoder(device="cpu")
    encoder.encode(["warm"], rough=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    began = time.process_time()
    indexing.build(graph, encoder)
    spent = time.process_time() - began
    torch.set_num_threads(threads)
    return spent
