"""The suites and samples of question sets that several benchmarks ask, in the folders that benchmarks use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from retrieval.weights.data import TrainingData
from retrieval.weights.suites import OWN_SUITE, SuiteQuestion, load_suites, sample_question_sets
from tests.benchmarks.data import DATA
from tests.benchmarks.sets import CACHE

#: Folders of further suites, in the form of ``tests/own_graphs``.
_MORE = os.environ.get("CLEW_BENCH_SUITES", "")
TRAINING_DATA = TrainingData(DATA, CACHE, suites=tuple(Path(name) for name in _MORE.split(os.pathsep) if name))
#: Small graphs as newcomers bring them, with the first questions that they ask; part of the repository.
OWN_GRAPHS = TRAINING_DATA.own / OWN_SUITE


def suites(names: Sequence[str] = ()) -> list[SuiteQuestion]:
    """Questions of the operator suites that are named, else of all that are there."""
    return load_suites(TRAINING_DATA, names)


def path_sets() -> list[SuiteQuestion]:
    """Some training questions of sets that relation paths answer."""
    return sample_question_sets(TRAINING_DATA)
