"""Builds the ranker's weights in ``programs.json``: which of the programs that a question composes is what was asked.

The weights start from those in ``program_priors.toml`` and are pulled to them, because the sets hold few or no examples
of many rules. A program is right when it gives the right answers.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval.pretrained import PROGRAMS
from retrieval.programs.scoring.fitting import FittingExample, fit
from retrieval.programs.weights import Weights
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import (
    DEMO,
    METAQA,
    NEWCOMERS,
    OPERATOR_SUITES,
    OWN_GRAPHS,
    PATHQUESTION,
    SPIDER_TRAINING,
    WIKITABLES,
)
from retrieval.weights.reading import ParserPool
from retrieval.weights.suites import SuiteQuestion, load_newcomers, load_suites, sample_question_sets

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

PRIORS = Path(__file__).with_name("program_priors.toml")
"""Where the weights start: set by hand, or by earlier fits, with one decimal."""
#: Strength of the pull to them. Of 0.002, 0.005, 0.01, 0.02 and 0.05 the last two read most of half A of the newcomers'
#: lots (0.762 and 0.763), and this one more of the suites.
_PULL = 0.02
#: The weight of a family is the number of its questions to the power of this, so that large ones do not dominate.
_FAMILY_POWER = 0.4
#: Features of single words of one graph begin so; weights for all graphs have none.
_WORD_FEATURES = "lex:"
#: After so many questions it says how far it is.
_REPORTED = 500


@dataclass(frozen=True, slots=True)
class ComposedPrograms:
    """The programs that were composed for a question.

    Attributes:
        suite: what figures are given for together.
        family: questions of one family are left out together; None where nothing is learned from them.
        features: of each program.
        right: which programs are right.
    """

    suite: str
    family: str | None
    features: tuple[dict[str, float], ...]
    right: tuple[bool, ...]

    def is_best_right(self, weights: Weights) -> bool:
        """Whether the program that some weights score best is right."""
        scores = [weights.score(features) for features in self.features]
        return bool(scores) and self.right[int(np.argmax(scores))]


@dataclass(frozen=True, slots=True)
class RankerExamples:
    """What the ranker learns from.

    Attributes:
        start: the weights that all programs were composed with, and that fitted ones are pulled to.
        composed: by question.
    """

    start: Weights
    composed: list[ComposedPrograms]

    def fit_weights(self, without: str | None = None) -> Weights:
        """Weights that make right programs likely, fitted without a family."""
        used = [entry for entry in self.composed if entry.family not in (None, without)]
        sizes = Counter(entry.family for entry in used)
        examples = [
            FittingExample(entry.features, entry.right, sizes[entry.family] ** (_FAMILY_POWER - 1)) for entry in used
        ]
        return fit(examples, self.start, pull=_PULL)


class ProgramRankerBuilder(WeightBuilder[RankerExamples, Weights]):
    """Builds the ranker of programs."""

    name: ClassVar[str] = "programs"
    file: ClassVar[Path] = PROGRAMS
    about: ClassVar[str] = "ranks the programs that a question may mean; their calibration is built with the judge"
    sources = (OWN_GRAPHS, NEWCOMERS, DEMO, OPERATOR_SUITES, METAQA, PATHQUESTION, SPIDER_TRAINING, WIKITABLES)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> RankerExamples:
        """Compose the programs of all questions, with the weights that fitting starts from."""
        del seed  # nothing is drawn
        values = tomllib.loads(PRIORS.read_text(encoding="utf-8"))
        start = Weights(values, calibration=Weights.load(data.find_weights(PROGRAMS)).calibration)
        newcomers = load_newcomers(data)
        halves = dict(zip(sorted({question.family for question in newcomers}), "AB" * len(newcomers), strict=False))
        learned = [*load_suites(data), *(q for q in sample_question_sets(data) if q.family != "WebQSP")]
        pool = ParserPool(encoder, start)
        composed = list(_compose(pool, learned, {}))
        return RankerExamples(start, [*composed, *_compose(pool, newcomers, halves)])

    def build(self, examples: RankerExamples, seed: int) -> Weights:
        """Fit the weights; the calibration is that of the judge, which is built afterwards."""
        del seed
        return examples.fit_weights()

    def evaluate(self, examples: RankerExamples, seed: int) -> HeldOutFigures:
        """The share of questions whose best program is right, by weights that were fitted without the family."""
        del seed
        fitted = {family: examples.fit_weights(family) for family in {entry.family for entry in examples.composed}}
        by_suite: dict[str, list[ComposedPrograms]] = defaultdict(list)
        for entry in examples.composed:
            by_suite[entry.suite].append(entry)
        return HeldOutFigures(
            "Fitted without the suite's family, and without any of the newcomers. The best program by the ranker "
            "alone, among those that are composed with the weights at the start. *start*: by those weights, which have "
            "seen the suites. The strength of the pull was chosen on half A of the newcomers' lots.",
            tuple(
                FigureRow(
                    suite,
                    {
                        "questions": len(some),
                        "possible": float(np.mean([any(entry.right) for entry in some])),
                        "start": float(np.mean([entry.is_best_right(examples.start) for entry in some])),
                        "fitted": float(np.mean([entry.is_best_right(fitted[entry.family]) for entry in some])),
                    },
                )
                for suite, some in by_suite.items()
            ),
        )

    def write(self, built: Weights, out: Path) -> None:
        """Write them as JSON."""
        built.save(out)


def _compose(
    pool: ParserPool, questions: Sequence[SuiteQuestion], halves: Mapping[str, str]
) -> Iterator[ComposedPrograms]:
    """The programs of questions; of a lot that belongs to a half nothing is learned."""
    for number, question in enumerate(questions, start=1):
        if number % _REPORTED == 0:
            sys.stderr.write(f"read {number:,} of {len(questions):,} questions\n")
        if question.is_unanswerable:
            continue
        candidates = pool.read(question).candidates
        half = halves.get(question.family)
        yield ComposedPrograms(
            f"newcomers, half {half}" if half else question.suite,
            None if half else question.family,
            tuple(
                {name: value for name, value in candidate.features.items() if not name.startswith(_WORD_FEATURES)}
                for candidate in candidates
            ),
            pool.check_candidates(question, candidates),
        )
