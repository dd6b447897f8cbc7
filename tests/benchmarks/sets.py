"""Question sets, public ones and the demo's, as graphs and question files, with the index that engines ask with."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from retrieval.errors import ConfigError
from retrieval.studies.plan import DataSet
from retrieval.weights.data import TrainingData
from retrieval.weights.question_sets import QUESTION_SETS, prepare_set
from tests.benchmarks.data import DATA

ROOT = Path(__file__).resolve().parents[2]
#: Where graphs, checkpoints and finished cells are kept between runs.
CACHE = Path(os.environ.get("CLEW_BENCH_CACHE", ROOT / ".clew" / "benchmarks"))
#: Sets whose graphs are asked with vectors of their entities' names.
_INDEXED = ("WebQSP",)


def prepared(name: str) -> DataSet | None:
    """Graph and questions of a set; None (said aloud) without the data."""
    there = prepare_set(TrainingData(DATA, CACHE), name)
    if there is None:
        print(f"skipped: {DATA} lacks files of {name}", flush=True)
    elif name in _INDEXED and not (mark := there.questions.with_suffix(".indexed")).is_file():
        clew("index", str(there.graph))
        mark.touch()
    return there


def chosen(names: Sequence[str], otherwise: Sequence[str]) -> dict[str, DataSet]:
    """The sets that are named, else ``otherwise``, as far as their data is there.

    Raises:
        ConfigError: a name is unknown.
    """
    for name in names:
        if name not in QUESTION_SETS:
            raise ConfigError(f"There is no data set {name!r}.", hint=f"There is: {', '.join(QUESTION_SETS)}.")
    return {name: of for name in (names or otherwise) if (of := prepared(name)) is not None}


def clew(*arguments: str) -> None:
    """Run a command of the engine's command line."""
    subprocess.run([sys.executable, "-m", "retrieval", *arguments], check=True, stderr=subprocess.DEVNULL)
