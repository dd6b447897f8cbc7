"""Questions read as programs with the weights that come with Clew."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.weights.correctness import is_right
from retrieval.weights.logistic import compute_calibration_error
from retrieval.weights.suites import UNANSWERABLE, SuiteQuestion
from tests.benchmarks.operators import suites
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks programs"
#: Less confident answers are guesses.
_GUESS = 0.3
_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Measured:
    """One question as it was answered: how sure, whether rightly, and in how many seconds."""

    asked: SuiteQuestion
    sure: float
    right: bool
    seconds: float


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Exact sets of the operator suites by the weights that come with Clew, by suite and by operator."""
    rows = _as_shipped(suites(names))
    outside = [row for row in rows if UNANSWERABLE in row.asked.operators]
    rows = [row for row in rows if UNANSWERABLE not in row.asked.operators]
    told = sum(row.sure < _GUESS for row in outside)
    by_suite = Section(
        "Questions with operators",
        COMMAND,
        "Read as programs with the weights that come with Clew, which were fitted on these questions too; `python -m "
        "retrieval build-weights programs` measures graphs that they have not seen. Expected calibration error over "
        f"ten bins: {_error(rows):.3f}. Of {len(outside)} that their graph cannot answer, {told} are guesses at most.",
        head=("suite", "questions", "exact set", "p50 ms", "p95 ms"),
    )
    by_operator = Section(
        "Questions by operator",
        COMMAND,
        "The same answers; a question counts for every operator that it has.",
        head=("operator", "questions", "exact set"),
    )
    for name, some in _grouped((row.asked.suite, row) for row in rows).items():
        p50, p95 = np.percentile([1000 * row.seconds for row in some], [50, 95])
        by_suite.add(name, f"{len(some):,}", f"{_share(some):.3f}", f"{p50:.0f}", f"{p95:.0f}")
    needed = _grouped((operator, row) for row in rows for operator in row.asked.operators)
    for name, some in sorted(needed.items(), key=lambda item: -len(item[1])):
        by_operator.add(name, f"{len(some):,}", f"{_share(some):.3f}")
    return [by_suite, by_operator]


def _as_shipped(asked: Sequence[SuiteQuestion]) -> list[Measured]:
    rows = []
    encode = load_encoder().encode if asked else None
    for graph, some in _grouped((one.graph, one) for one in asked).items():
        snapshot = snapshots.open(graph)
        reader = ProgramReader(snapshot, encode, PROGRAMS)
        reader.read(Question(some[0].text))  # opens the graph's values and encodes its names
        for one in some:
            began = time.perf_counter()
            found = reader.read(Question(one.text))
            seconds = time.perf_counter() - began
            right = found is not None and is_right(reader.parser.columns, found.best.program, found.best.result, one)
            rows.append(Measured(one, found.confidence if found else 0.0, right, seconds))
    return rows


def _error(rows: Sequence[Measured]) -> float:
    return compute_calibration_error(np.array([row.sure for row in rows]), np.array([row.right for row in rows]))


def _share(rows: Sequence[Measured]) -> float:
    return float(np.mean([row.right for row in rows]))


def _grouped(pairs: Iterable[tuple[_Key, _Item]]) -> dict[_Key, list[_Item]]:
    groups: dict[_Key, list[_Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups
