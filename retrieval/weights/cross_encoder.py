"""Builds ``cross_encoder.safetensors``, which scores how likely an outcome in words answers a question.

It learns from half of the graphs of the suites, from copies of them that lack a relation, and from tables of Wikipedia;
it is measured on the other half.
"""

from __future__ import annotations

import math
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval import thresholds
from retrieval.answering.fusion.cross_encoder import CrossEncoder
from retrieval.answering.fusion.features import select_scored
from retrieval.language.question import Question
from retrieval.pretrained import CROSS_ENCODER
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.cross_encoder_training import ScoredQuestion, TrainableCrossEncoder, train_cross_encoder
from retrieval.weights.data import DEMO, METAQA, NEWCOMERS, OPERATOR_SUITES, OWN_GRAPHS, PATHQUESTION, WIKITABLES
from retrieval.weights.logistic import compute_calibration_error
from retrieval.weights.masking import mask_questions
from retrieval.weights.outcome_questions import ask_questions, is_for_cross_encoder, load_outcome_questions
from retrieval.weights.suites import load_suites, read_suite
from retrieval.weights.wikitables import CROSS_ENCODER_TABLES, write_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData
    from retrieval.weights.outcome_questions import OutcomeQuestion

#: Weight of a question about a copy of a graph that lacks a relation; others count 1.
_MASKED = 0.5
#: From this probability on an answer is sure.
_SURE = 0.5


@dataclass(slots=True)
class CrossEncoderTask:
    """What the cross-encoder learns from and is measured on.

    Attributes:
        encoder: whose layers are trained.
        learned: questions that are learned from.
        held_out: questions about graphs that are not learned from, by group.
        trained: cross-encoders that were trained, by seed.
    """

    encoder: Encoder
    learned: list[ScoredQuestion] = field(default_factory=list)
    held_out: dict[str, list[ScoredQuestion]] = field(default_factory=lambda: defaultdict(list))
    trained: dict[int, TrainableCrossEncoder] = field(default_factory=dict)

    def train(self, seed: int) -> TrainableCrossEncoder:
        """The cross-encoder, trained once."""
        if seed not in self.trained:
            self.trained[seed] = train_cross_encoder(self.encoder, self.learned, seed)
        return self.trained[seed]


class CrossEncoderBuilder(WeightBuilder[CrossEncoderTask, TrainableCrossEncoder]):
    """Builds the cross-encoder of outcomes."""

    name: ClassVar[str] = "cross_encoder"
    file: ClassVar[Path] = CROSS_ENCODER
    about: ClassVar[str] = "reads a question and an outcome in words together: how likely it is what was entry"
    sources = (OWN_GRAPHS, NEWCOMERS, DEMO, OPERATOR_SUITES, METAQA, PATHQUESTION, WIKITABLES)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> CrossEncoderTask:
        """Ask all questions without a checkpoint, and keep their outcomes in words."""
        task, wikitables = CrossEncoderTask(encoder), data.find("wikitables")
        needs, maskable = [], {question.graph for question in load_suites(data)}
        for entry in ask_questions(load_outcome_questions(data), encoder):
            scored = _put_into_words(entry)
            if not is_for_cross_encoder(entry.question):
                task.held_out[entry.question.group].append(scored)
                continue
            task.learned.append(scored)
            labels = entry.find_needed_relations()
            needs += [(entry.question, labels)] if labels and entry.question.graph in maskable else []
        masked = [copied for copied, _ in mask_questions(data, needs, seed)]
        task.learned += [_put_into_words(entry, _MASKED) for entry in ask_questions(masked, encoder)]
        if wikitables is not None:
            folder = write_suite(wikitables, data.cache / "wikitables_cross_encoder", CROSS_ENCODER_TABLES)
            tables = read_suite(data, folder)
            task.learned += [_put_into_words(entry) for entry in ask_questions(tables, encoder)]
        return task

    def build(self, examples: CrossEncoderTask, seed: int) -> TrainableCrossEncoder:
        """Train it without the held-out graphs, so that the figures are those of these weights."""
        return examples.train(seed)

    def evaluate(self, examples: CrossEncoderTask, seed: int) -> HeldOutFigures:
        """Choose among the outcomes of held-out questions by the cross-encoder's scores alone."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / CROSS_ENCODER.name
            examples.train(seed).save(file)
            model = CrossEncoder(examples.encoder, file)
        rows = [_measure(model, suite, questions) for suite, questions in sorted(examples.held_out.items())]
        everything = [question for questions in examples.held_out.values() for question in questions]
        return HeldOutFigures(
            "Questions over graphs that it did not learn from, answered by the outcome that it finds likeliest, by no "
            "other sign. *possible*: one of the outcomes is right; *wrong, sure*: wrong with a probability of 0.5 "
            "or more; *recognised*: of questions without a right outcome, those whose likeliest has less than 0.3.",
            (*rows, _measure(model, "all", everything)),
        )

    def write(self, built: TrainableCrossEncoder, out: Path) -> None:
        """Write what training changed."""
        built.save(out)


def _put_into_words(entry: OutcomeQuestion, weight: float = 1.0) -> ScoredQuestion:
    positions = select_scored(entry.context, entry.outcomes)
    texts = entry.selector.describe(entry.context, [entry.outcomes[position] for position in positions])
    return ScoredQuestion(
        entry.question.text, tuple(texts), tuple(entry.right[position] for position in positions), weight
    )


def _measure(model: CrossEncoder, group: str, questions: Sequence[ScoredQuestion]) -> FigureRow:
    right, likely, possible = [], [], []
    for question in questions:
        scores = model.score(Question(question.wording), question.texts).tolist()
        best = scores.index(max(scores)) if scores else -1
        total = 1 + sum(map(math.exp, scores))
        right.append(best >= 0 and question.right[best])
        likely.append(math.exp(scores[best]) / total if scores else 0.0)
        possible.append(any(question.right))
    is_right, probability, is_possible = np.array(right, bool), np.array(likely), np.array(possible, bool)
    figures: dict[str, float] = {
        "questions": len(questions),
        "possible": float(is_possible.mean()),
        "exact set": float(is_right.mean()),
        "wrong, sure": float(np.mean((probability >= _SURE) & ~is_right)),
        "ECE": compute_calibration_error(probability, is_right),
    }
    if not is_possible.all():
        figures["recognised"] = float(np.mean(probability[~is_possible] < thresholds.GUESS))
    return FigureRow(group, figures)
