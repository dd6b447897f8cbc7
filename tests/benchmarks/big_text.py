"""A plain text of 200 MB: how long reading takes and how much memory, and what indexing it would take."""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import torch

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.linking import indexing, passage_index
from retrieval.types import Passage
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks big_text"
SIZE = 200_000_000
SAMPLE = 256
"""Passages that are indexed to tell the rate."""
ENGLISH = 1_500
"""Passages of MuSiQue that are indexed by several processes: with fewer the loading of the encoder is most of it."""
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
        "`build-corpus --no-index` in a process of its own. Indexing all of it is not measured: hours are "
        f"extrapolated by letters from its first {SAMPLE} passages, from MuSiQue's, and from MuSiQue's texts in one "
        "plain text file without titles, default encoder. Given are the processor time of one thread, and for two "
        "processes of one thread each the elapsed time and processor time, including the loading of the encoder. "
        "Made-up words cost more: a token has 2.7 letters there and 4.5 in English.",
    )
    with tempfile.TemporaryDirectory() as folder:
        text, corpus = Path(folder) / "big.txt", Path(folder) / "corpus"
        _write(text)
        began = time.perf_counter()
        arguments = ["build-corpus", str(text), "--out", str(corpus), "--no-index"]
        told = subprocess.run([sys.executable, "-c", _CHILD, *arguments], check=True, capture_output=True, text=True)
        section.add("read, cut and stored", f"{time.perf_counter() - began:.0f} s")
        peak = int(told.stdout.rpartition("VmHWM:")[2].split()[0]) / 1024
        section.add("peak memory of that process", f"{peak:.0f} MB")
        built = snapshot.open(corpus)
        assert built.passages is not None, "a text is passages"
        count = len(built.passages)
        section.add("passages", f"{count:,}")
        some = [Passage(i, str(i), "", built.passages.get_text(i)) for i in range(SAMPLE)]
        kinds = {"made-up words": some, "English": _english(), "English, plain text": _plain(Path(folder))}
        for name, passages in kinds.items():
            if passages:
                _add(section, name, passages, Path(folder) / name)
    return [section]


def _add(section: Section, name: str, passages: list[Passage], out: Path) -> None:
    """Rows of some passages: one thread of this process, and as many processes as there are cores."""
    few = passages[:SAMPLE]
    spent = _indexing(few, out)
    section.add(f"{name}: passages indexed a second of a thread", f"{len(few) / spent:.1f}")
    section.add(f"{name}: 200 MB on {CORES} cores, by that", f"{_hours(few, spent / CORES):.1f} hours", "2 hours")
    if name == "made-up words":
        return
    passed, spent = _in_processes(passages, out.with_name(f"{out.name}, together"))
    section.add(f"{name}: passages indexed a second by {CORES} processes", f"{len(passages) / passed:.1f}")
    section.add(f"{name}: 200 MB so, by time that passed", f"{_hours(passages, passed):.1f} hours", "2 hours")
    section.add(
        f"{name}: 200 MB so, by processor time on {CORES} cores",
        f"{_hours(passages, spent / CORES):.1f} hours",
    )


def _hours(passages: list[Passage], seconds: float) -> float:
    """What 200 MB would take where these passages took so many seconds."""
    return SIZE / sum(len(passage.text) for passage in passages) * seconds / 3600


def _english() -> list[Passage]:
    """Passages of MuSiQue, where the data is there."""
    path = found("text", "musique_passages.jsonl.gz")
    if path is None:
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in islice(lines, ENGLISH)]
    return [Passage(i, str(i), each["title"], each["text"]) for i, each in enumerate(read)]


def _plain(folder: Path) -> list[Passage]:
    """The same texts as paragraphs of one file, read as any document."""
    text, corpus = folder / "english.txt", folder / "plain"
    texts = [passage.text for passage in _english()]
    if not texts:
        return []
    text.write_text("\n\n".join(texts), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "retrieval", "build-corpus", str(text), "--out", str(corpus), "--no-index"],
        check=True,
        capture_output=True,
    )
    table = snapshot.open(corpus).passages
    assert table is not None, "a text is passages"
    return [table.get_passage(i) for i in range(len(table))]


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
    graph = build_snapshot(TripleTable.from_facts([], passages=passages), out)
    encoder = load_encoder(device="cpu")
    encoder.encode(["warm"], rough=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    began = time.process_time()
    with _processes(1):
        indexing.build(graph, encoder)
    spent = time.process_time() - began
    torch.set_num_threads(threads)
    return spent


def _in_processes(passages: list[Passage], out: Path) -> tuple[float, float]:
    """Seconds that passed, and of processor time of all processes, while a process for each core indexed."""
    graph = build_snapshot(TripleTable.from_facts([], passages=passages), out)
    encoder = load_encoder(device="cpu")
    began, before = time.perf_counter(), _spent()
    with _processes(CORES):
        passage_index.build(graph, encoder)
    return time.perf_counter() - began, _spent() - before


def _spent() -> float:
    """Processor time of this process and of those of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@contextmanager
def _processes(count: int) -> Iterator[None]:
    """Index in so many processes, each with enough to do."""
    before = os.environ.get("CLEW_INDEX_PROCESSES")
    size = passage_index.CHUNK
    os.environ["CLEW_INDEX_PROCESSES"], passage_index.CHUNK = str(count), 128
    try:
        yield
    finally:
        passage_index.CHUNK = size
        del os.environ["CLEW_INDEX_PROCESSES"]
        if before is not None:
            os.environ["CLEW_INDEX_PROCESSES"] = before
