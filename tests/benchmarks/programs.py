"""Questions read as programs: with the weights that come with Clew, and with those fitted without a suite."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.optimize import minimize

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Program
from retrieval.programs.calibration import compute_evidence
from retrieval.programs.parser import ParsedQuestion
from retrieval.programs.reader import ProgramReader
from retrieval.programs.scoring.fitting import FittingExample, fit
from retrieval.programs.weights import Weights
from retrieval.supervision.program_questions import write
from tests.benchmarks.masked import masked, needed
from tests.benchmarks.operators import UNANSWERABLE, Asked, Parsers, is_right, path_sets, suites
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks programs"
WEIGHTS_COMMAND = "python -m tests.benchmarks program_weights"
#: How often all questions are read; what is ranked depends on the weights of the time before.
_PASSES = 3
#: How strongly weights are held to what is believed before anything was learned.
_PULL = 0.01
#: Questions written from a graph's schema, and what they count beside those of people.
_WRITTEN, _WRITTEN_SHARE = 50, 0.7
#: A family counts by its questions to the power of this in all, so that large ones do not drown the others.
_LARGE = 0.4
#: Features of single words of one graph begin so; weights for all graphs have none.
_OWN_WORDS = "lex:"
_BINS = 10
#: Less confident answers are guesses.
_GUESS = 0.3
_RIDGE = 0.0005
_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Measured:
    """One question as it was answered: how sure, whether rightly, and in how many seconds."""

    asked: Asked
    sure: float
    right: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Said:
    """The best program of a question, what speaks for it, and whether it is right."""

    family: str
    evidence: dict[str, float]
    right: bool
    weight: float
    program: Program | None = None


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Exact sets of the operator suites by the weights that come with Clew, by suite and by operator."""
    rows = _as_shipped(suites(names))
    outside = [row for row in rows if UNANSWERABLE in row.asked.operators]
    rows = [row for row in rows if UNANSWERABLE not in row.asked.operators]
    told = sum(row.sure < _GUESS for row in outside)
    by_suite = Section(
        "Questions with operators",
        COMMAND,
        "Read as programs with the weights that come with Clew, which were fitted on these questions too; "
        "`program_weights` measures graphs that they have not seen. Expected calibration error over ten bins: "
        f"{_error(rows):.3f}. Of {len(outside)} that their graph cannot answer, {told} are guesses at most.",
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


def fit_weights(names: Sequence[str] = (), out: Path | None = None) -> list[Section]:
    """Exact sets with everything of a suite left out of fitting; with ``out``, weights fitted with all."""
    asked = suites(names)
    if not asked:
        return []
    asked += [] if names else path_sets()
    fitting = _Fitting(asked)
    rows, final = fitting.run()
    section = Section(
        "Programs on unseen graphs",
        WEIGHTS_COMMAND,
        "The ranker fitted, and candidates composed, without anything of the suite: neither its questions nor "
        f"questions written from its graphs. Expected calibration error over ten bins: {_error(rows):.3f}, of "
        "confidences that were fitted without the suite too.",
        head=("left out", "questions", "exact set"),
    )
    for name, some in _grouped((row.asked.suite, row) for row in rows).items():
        section.add(name, f"{len(some):,}", f"{_share(some):.3f}")
    if out is not None:
        final.save(out)
        print(f"wrote {out}", flush=True)
    return [section]


def _as_shipped(asked: Sequence[Asked]) -> list[Measured]:
    rows = []
    encode = load_encoder().encode if asked else None
    for graph, some in _grouped((one.graph, one) for one in asked).items():
        snapshot = snapshots.open(graph)
        reader = ProgramReader(snapshot, encode, PROGRAMS)
        reader.read(Question(some[0].question))  # opens the graph's values and encodes its names
        for one in some:
            began = time.perf_counter()
            found = reader.read(Question(one.question))
            seconds = time.perf_counter() - began
            right = found is not None and is_right(reader.parser.columns, snapshot, found.best, one)
            rows.append(Measured(one, found.confidence if found else 0.0, right, seconds))
    return rows


class _Fitting:
    """Reads all questions again and again, each with weights that were fitted without its family."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.parsers = Parsers(load_encoder().encode)
        self.asked = [one for one in asked if UNANSWERABLE not in one.operators]
        self.asked += self._from_schemas(asked)
        self.families = sorted({one.family for one in asked})
        self.sizes: dict[tuple[str, bool], int] = defaultdict(int)
        for one in self.asked:
            self.sizes[one.family, one.result is not None] += 1
        self.composed: dict[Asked, dict[tuple[tuple[str, float], ...], bool]] = defaultdict(dict)

    def run(self) -> tuple[list[Measured], Weights]:
        """What the last pass answered, and the weights of everything."""
        without = dict.fromkeys(self.families, Weights())
        said: dict[Asked, Said] = {}
        outside: list[Asked] = []
        for done in range(_PASSES):
            if done:
                without = {family: self._fitted(family) for family in self.families}
            said = {one: self._read(one, without[one.family]) for one in self.asked}
            right = np.mean([said[one].right for one in self.asked if one.result is None])
            outside = outside or self._masked(said)
            print(f"pass {done + 1} of {_PASSES}: exact sets left out {right:.3f}", flush=True)
        people = {one: own for one, own in said.items() if one.result is None}
        judged = [*people.values(), *(self._read(one, without[one.family]) for one in outside)]
        logistic = {family: _calibrated([own for own in judged if own.family != family]) for family in self.families}
        rows = [Measured(one, _sure(logistic[one.family], own.evidence), own.right, 0.0) for one, own in people.items()]
        final = self._fitted()
        final.calibration = _calibrated(judged)
        return rows, final

    def _from_schemas(self, asked: Iterable[Asked]) -> list[Asked]:
        written = []
        for graph, family in sorted({(one.graph, one.family) for one in asked}):
            parser = self.parsers.of(graph)
            executor = Executor(parser.snapshot, parser.columns)
            for number, made in enumerate(write(parser.schema, executor, _WRITTEN)):
                result, name = executor.run(made.program), f"{graph.name}-{number}"
                written.append(Asked(name, "written", family, graph, made.question, result=result))
        return written

    def _masked(self, said: dict[Asked, Said]) -> list[Asked]:
        """Questions of suites over copies of their graphs that lack a relation of their program."""
        return masked(
            (one, needed(self.parsers.of(one.graph).schema, own.program))
            for one, own in said.items()
            if one.suite in self.families and own.right and own.program is not None
        )

    def _weight(self, one: Asked) -> float:
        written = one.result is not None
        size = self.sizes[one.family, written]
        return (_WRITTEN_SHARE if written else 1.0) * float(size ** (_LARGE - 1))

    def _read(self, one: Asked, weights: Weights) -> Said:
        parser = self.parsers.of(one.graph)
        parser.weights = weights
        reading: ParsedQuestion = parser.read(Question(one.question))
        right = [is_right(parser.columns, parser.snapshot, own, one) for own in reading.candidates]
        for candidate, own in zip(reading.candidates, right, strict=True):
            self.composed[one][tuple(sorted(_shared(candidate.features).items()))] = own
        if not right:
            return Said(one.family, {}, False, self._weight(one))
        best = reading.candidates[0].program
        return Said(one.family, compute_evidence(reading), right[0], self._weight(one), best)

    def _fitted(self, without: str | None = None) -> Weights:
        examples = [
            FittingExample(tuple(map(dict, own)), tuple(own.values()), self._weight(one))
            for one, own in self.composed.items()
            if one.family != without
        ]
        return fit(examples, Weights(), pull=_PULL)


def _shared(features: dict[str, float]) -> dict[str, float]:
    """Features that mean the same over every graph."""
    return {name: value for name, value in features.items() if not name.startswith(_OWN_WORDS)}


def _calibrated(said: Sequence[Said]) -> dict[str, float]:
    """Weights of a logistic model of being right, where anything was composed."""
    told = [own for own in said if own.evidence]
    names = sorted({name for own in told for name in own.evidence})
    matrix = np.array([[own.evidence.get(name, 0.0) for name in names] for own in told])
    right = np.array([float(own.right) for own in told])
    weight = np.array([own.weight for own in told])
    weight /= weight.sum()

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ theta
        wrong = (weight * (np.logaddexp(0.0, scores) - right * scores)).sum()
        slope = matrix.T @ (weight * (1.0 / (1.0 + np.exp(-scores)) - right))
        return float(wrong + _RIDGE * (theta @ theta)), slope + 2 * _RIDGE * theta

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return dict(zip(names, found.x.tolist(), strict=True))


def _sure(logistic: dict[str, float], said: dict[str, float]) -> float:
    if not said:
        return 0.0
    return float(1.0 / (1.0 + np.exp(-sum(logistic.get(name, 0.0) * value for name, value in said.items()))))


def _error(rows: Sequence[Measured]) -> float:
    """The expected calibration error: how far confidence and share of right answers are apart, bin by bin."""
    sure, right = np.array([row.sure for row in rows]), np.array([row.right for row in rows])
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    apart = [abs(sure[own].sum() - right[own].sum()) for own in (bins == each for each in range(_BINS))]
    return float(sum(apart)) / len(rows)


def _share(rows: Sequence[Measured]) -> float:
    return float(np.mean([row.right for row in rows]))


def _grouped(pairs: Iterable[tuple[_Key, _Item]]) -> dict[_Key, list[_Item]]:
    groups: dict[_Key, list[_Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups
