"""The reader of answers in passages that comes with Clew, on passages that it did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retrieval.answering.loading import load_encoder
from retrieval.pretrained import READER
from retrieval.weights.reading_examples import read_examples
from retrieval.weights.span_reader import measure_reader
from tests.benchmarks.data import musique_texts
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks span_reader"


def measure(data: Sequence[str]) -> list[Section]:
    """Ask held-out questions of XQuAD and QED over all their passages, read by rules and by the reader.

    Args:
        data: the folder of the questions, laid out as ``python -m retrieval build-weights reader`` needs them.
    """
    if not data:
        return []
    figures = measure_reader(load_encoder(), READER, read_examples(Path(data[0]), musique_texts()))
    names = list(figures.rows[0].values)
    section = Section("Answers read in passages", f"{COMMAND} --data FOLDER", figures.about, head=("set", *names))
    for row in figures.rows:
        section.add(
            row.group, *(f"{value:,}" if isinstance(value, int) else f"{value:.3f}" for value in row.values.values())
        )
    return [section]
