"""Builds ``choice.json``: which of all that programs and relation paths give answers a question, and how surely.

The rankers of programs and of relation paths stay as they are. The model learns from questions with their answers which
of their outcomes is right; it is measured on graphs that were left out of fitting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval import thresholds
from retrieval.answering.fusion.cross_encoder import CrossEncoder
from retrieval.answering.fusion.features import Signs, compute_signs
from retrieval.answering.fusion.model import OutcomeChoice
from retrieval.answering.fusion.selection import find_likeliest
from retrieval.environment import DEFAULT_ENCODER
from retrieval.linking.encoder import load
from retrieval.pretrained import CHOICE, CROSS_ENCODER
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import DEMO, METAQA, NEWCOMERS, OPERATOR_SUITES, OWN_GRAPHS, PATHQUESTION, WIKITABLES
from retrieval.weights.logistic import assign_fold, compute_calibration_error, fit_logistic
from retrieval.weights.outcome_questions import ask_questions, is_for_cross_encoder, load_outcome_questions
from retrieval.weights.suites import OWN_SUITE

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData
    from retrieval.weights.outcome_questions import OutcomeQuestion

#: Whole graphs are left out in so many parts.
_FOLDS = 8
#: Weight of a question that its graph cannot answer beside another: few are asked. With 3 in its place 0.77 of those
#: left out were recognised instead of 0.84, and the confidence was off by 0.045 instead of 0.069.
_UNANSWERABLE = 8.0
#: Weight of a question of a set whose training questions the rankers have seen. With 0.35 in its place 0.019 fewer of
#: MetaQA's were right, and no more of the graphs that were left out.
_SEEN = 0.6
#: Signs of fewer outcomes get no weight.
_RARE = 20
#: Set by hand: the sets hold no question that nothing answers.
_NOTHING = {"gives.nothing": -1.0}
#: Sure answers.
_SURE = 0.5


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question with the signs of all its outcomes.

    Attributes:
        graph: the name of its graph.
        group: what figures are given for together.
        unanswerable: the graph cannot answer.
        seen: the rankers have seen questions of its set.
        signs: of each outcome.
        right: which outcomes are right.
    """

    graph: str
    group: str
    unanswerable: bool
    seen: bool
    signs: tuple[Signs, ...]
    right: tuple[bool, ...]

    @property
    def weight(self) -> float:
        """How much it counts."""
        return (_SEEN if self.seen else 1.0) * (_UNANSWERABLE if self.unanswerable else 1.0)


class OutcomeChoiceBuilder(WeightBuilder[list[WeighedQuestion], OutcomeChoice]):
    """Builds the model that chooses among outcomes."""

    name: ClassVar[str] = "choice"
    file: ClassVar[Path] = CHOICE
    about: ClassVar[str] = "chooses the answer among the outcomes of programs and relation paths"
    sources = (OWN_GRAPHS, NEWCOMERS, DEMO, OPERATOR_SUITES, METAQA, PATHQUESTION, WIKITABLES)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> list[WeighedQuestion]:
        """Ask all questions about graphs that the cross-encoder did not learn from, and keep the signs of outcomes."""
        del seed  # nothing is drawn
        questions = [question for question in load_outcome_questions(data) if not is_for_cross_encoder(question)]
        cross_encoder = CrossEncoder(load(DEFAULT_ENCODER, "cpu"), data.find_weights(CROSS_ENCODER))
        return [_weigh_outcomes(entry, cross_encoder) for entry in ask_questions(questions, encoder)]

    def build(self, examples: list[WeighedQuestion], seed: int) -> OutcomeChoice:
        """Fit the model."""
        del seed
        return OutcomeChoice(_fit(examples))

    def evaluate(self, examples: list[WeighedQuestion], seed: int) -> HeldOutFigures:
        """Measure models that were fitted without the graph and all questions about it."""
        del seed
        answers = [answer for fold in range(_FOLDS) for answer in _answer_left_out(examples, fold)]
        by_group: dict[str, list[_Answer]] = defaultdict(list)
        for answer in answers:
            by_group[answer.question.group].append(answer)
        rows = [_compute_row(group, some) for group, some in sorted(by_group.items())]
        return HeldOutFigures(
            f"Fitted without the graph and without all questions about it, in {_FOLDS} parts; the rankers of programs "
            "and relation paths below it have seen the public sets. *possible*: some program or relation path gives "
            "the right answers; *wrong, sure*: wrong with a probability of 0.5 or more; *recognised*: unanswerable "
            "questions that are answered with a probability below 0.3, if at all.",
            (*rows, _compute_row("all", answers)),
        )

    def write(self, built: OutcomeChoice, out: Path) -> None:
        """Write the weights by sign, as JSON."""
        built.save(out)


def _weigh_outcomes(entry: OutcomeQuestion, cross_encoder: CrossEncoder) -> WeighedQuestion:
    question = entry.question
    is_new = question.is_newcomer or question.suite == OWN_SUITE
    log_odds = entry.selector.score(entry.context, entry.outcomes, cross_encoder)
    return WeighedQuestion(
        question.graph.name,
        question.group,
        question.is_unanswerable,
        not is_new,
        tuple(compute_signs(entry.context, entry.outcomes, log_odds)),
        entry.right,
    )


def _fit(questions: Sequence[WeighedQuestion]) -> dict[str, float]:
    rows = [
        (question, signs, right)
        for question in questions
        for signs, right in zip(question.signs, question.right, strict=True)
        if not signs.get("gives.nothing")
    ]
    weight = np.array([question.weight for question, *_ in rows])
    return fit_logistic([signs for _, signs, _ in rows], [right for *_, right in rows], weight, rare=_RARE) | _NOTHING


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was chosen for a question: how likely it is, and whether it is right."""

    question: WeighedQuestion
    probability: float
    right: bool


def _answer_left_out(questions: Sequence[WeighedQuestion], fold: int) -> list[_Answer]:
    """The questions of a part, answered by a model that was fitted without it."""
    others = [question for question in questions if assign_fold(question.graph, _FOLDS) != fold]
    held_out = [question for question in questions if assign_fold(question.graph, _FOLDS) == fold]
    if not others or not held_out:
        return []
    choice = OutcomeChoice(_fit(others))
    return [_choose(choice, question) for question in held_out]


def _choose(choice: OutcomeChoice, question: WeighedQuestion) -> _Answer:
    if not question.signs:
        return _Answer(question, 0.0, False)
    best, probability = find_likeliest(question.signs, [choice.compute_probability(signs) for signs in question.signs])
    return _Answer(question, probability, question.right[best])


def _compute_row(group: str, answers: Sequence[_Answer]) -> FigureRow:
    answerable = [answer for answer in answers if not answer.question.unanswerable]
    unanswerable = [answer.probability for answer in answers if answer.question.unanswerable]
    right = np.array([answer.right for answer in answerable], bool)
    probability = np.array([answer.probability for answer in answerable], float)
    figures: dict[str, float] = {"questions": len(answerable)}
    if answerable:
        figures |= {
            "possible": float(np.mean([any(answer.question.right) for answer in answerable])),
            "exact set": float(right.mean()),
            "wrong, sure": float(np.mean((probability >= _SURE) & ~right)),
            "ECE": compute_calibration_error(probability, right),
        }
    if unanswerable:
        figures |= {
            "unanswerable": len(unanswerable),
            "recognised": float(np.mean(np.array(unanswerable) < thresholds.GUESS)),
        }
    return FigureRow(group, figures)
