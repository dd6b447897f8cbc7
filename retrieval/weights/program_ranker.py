"""Builds the ranker's weights in ``programs.json``: which of the programs that a question composes is what was asked.

All questions are read several times, each with weights that were fitted without its family, because what is composed
depends on the weights; the first time with no weights at all. A program is right when it gives the right answers.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.scoring.fitting import FittingExample, fit
from retrieval.programs.weights import Weights
from retrieval.supervision.program_questions import write as write_questions
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import (
    DEMO,
    FREEBASE,
    METAQA,
    OPERATOR_SUITES,
    OWN_GRAPHS,
    PATHQUESTION,
    SPIDER_TRAINING,
)
from retrieval.weights.reading import ParserPool
from retrieval.weights.suites import SuiteQuestion, load_suites, sample_question_sets

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

#: How often all questions are read.
_PASSES = 4
#: Strength of the ridge on the weights.
_PULL = 0.0005
#: Questions written from the schema of each graph, and their weight beside those of people.
_WRITTEN, _WRITTEN_WEIGHT = 50, 0.7
#: The weight of a family is the number of its questions to the power of this, so that large ones do not dominate.
_FAMILY_POWER = 0.4
#: Features of single words of one graph begin so; weights for all graphs have none.
_WORD_FEATURES = "lex:"
_Features = tuple[tuple[str, float], ...]


@dataclass(slots=True)
class ComposedPrograms:
    """What was composed for all questions.

    Attributes:
        questions: of people, and written ones.
        calibration: of the weights that were there before; it is kept.
        composed: the features of each program ever composed for a question, and whether it is right.
        is_right: whether the best program was right the last time, by weights fitted without the question's family.
    """

    questions: list[SuiteQuestion]
    calibration: dict[str, float]
    composed: dict[SuiteQuestion, dict[_Features, bool]] = field(default_factory=lambda: defaultdict(dict))
    is_right: dict[SuiteQuestion, bool] = field(default_factory=dict)

    def fit_weights(self, without: str | None = None) -> Weights:
        """Weights that make right programs likely, fitted without a family."""
        sizes = Counter((question.family, question.result is None) for question in self.questions)
        examples = [
            FittingExample(
                tuple(map(dict, programs)),
                tuple(programs.values()),
                (1.0 if question.result is None else _WRITTEN_WEIGHT)
                * sizes[question.family, question.result is None] ** (_FAMILY_POWER - 1),
            )
            for question, programs in self.composed.items()
            if question.family != without
        ]
        return fit(examples, Weights(), pull=_PULL)


class ProgramRankerBuilder(WeightBuilder[ComposedPrograms, Weights]):
    """Builds the ranker of programs.

    Args:
        passes: how often all questions are read.
        written: questions written from the schema of each graph.
    """

    name: ClassVar[str] = "programs"
    file: ClassVar[Path] = PROGRAMS
    about: ClassVar[str] = "ranks the programs that a question may mean; their calibration is built with the judge"
    sources = (OWN_GRAPHS, DEMO, OPERATOR_SUITES, METAQA, PATHQUESTION, FREEBASE, SPIDER_TRAINING)

    def __init__(self, passes: int = _PASSES, written: int = _WRITTEN) -> None:
        self.passes, self.written = passes, written

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> ComposedPrograms:
        """Read all questions several times, each time with the weights that the time before gave."""
        pool = ParserPool(encoder, Weights())
        loaded = [*load_suites(data), *sample_question_sets(data)]
        questions = [question for question in loaded if not question.is_unanswerable]
        calibration = Weights.load(data.find_weights(PROGRAMS)).calibration
        examples = ComposedPrograms([*questions, *_write_from_schemas(pool, loaded, self.written, seed)], calibration)
        families = {question.family for question in examples.questions}
        for number in range(self.passes):
            weights = {family: examples.fit_weights(family) if number else Weights() for family in families}
            for question in examples.questions:
                _compose(pool, question, weights[question.family], examples)
            exact = np.mean([examples.is_right[question] for question in questions])
            sys.stderr.write(f"pass {number + 1} of {self.passes}: exact sets of families left out {exact:.3f}\n")
        return examples

    def build(self, examples: ComposedPrograms, seed: int) -> Weights:
        """Fit the weights; the calibration is that of the judge, which is built afterwards."""
        del seed
        return Weights(examples.fit_weights().values, calibration=examples.calibration)

    def evaluate(self, examples: ComposedPrograms, seed: int) -> HeldOutFigures:
        """The share of questions whose best program is right, by weights that were fitted without the family."""
        del seed
        by_suite: dict[str, list[bool]] = defaultdict(list)
        for question in examples.questions:
            if question.result is None:
                by_suite[question.suite].append(examples.is_right[question])
                by_suite["all"].append(examples.is_right[question])
        rows = [
            FigureRow(suite, {"questions": len(right), "exact set": float(np.mean(right))})
            for suite, right in by_suite.items()
        ]
        rows.sort(key=lambda row: row.group == "all")
        return HeldOutFigures(
            "Fitted, and programs composed, without anything of the suite's family: neither its questions nor "
            "questions written from its graphs. The best program by the ranker alone.",
            tuple(rows),
        )

    def write(self, built: Weights, out: Path) -> None:
        """Write them as JSON."""
        built.save(out)


def _write_from_schemas(
    pool: ParserPool, questions: Iterable[SuiteQuestion], count: int, seed: int
) -> list[SuiteQuestion]:
    """Questions written from the schemas of all graphs, with the results of their programs."""
    written = []
    for graph, family in sorted({(question.graph, question.family) for question in questions}):
        parser = pool.get_parser(graph)
        executor = Executor(parser.snapshot, parser.columns)
        for number, made in enumerate(write_questions(parser.schema, executor, count, seed)):
            result, name = executor.run(made.program), f"{graph.name}-{number}"
            written.append(SuiteQuestion(name, "written", family, graph, made.question, result=result))
    return written


def _compose(pool: ParserPool, question: SuiteQuestion, weights: Weights, examples: ComposedPrograms) -> None:
    candidates = pool.read(question, weights).candidates
    right = pool.check_candidates(question, candidates)
    examples.is_right[question] = any(right[:1])
    for candidate, is_right in zip(candidates, right, strict=True):
        shared = {name: value for name, value in candidate.features.items() if not name.startswith(_WORD_FEATURES)}
        examples.composed[question][tuple(sorted(shared.items()))] = is_right
