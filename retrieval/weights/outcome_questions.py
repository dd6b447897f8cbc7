"""Asks the questions of suites, question sets and tables without a checkpoint, and keeps the outcomes considered."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.answering.fusion.selector import OutcomeSelector
from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question
from retrieval.methods.registry import DEFAULT
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.grounding.schema import Schema
from retrieval.weights.correctness import is_right
from retrieval.weights.logistic import assign_fold
from retrieval.weights.masking import find_needed_relations
from retrieval.weights.suites import WIKITABLES_SUITE, load_newcomers, load_suites, sample_question_sets

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.answering.fusion.features import QuestionContext
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData
    from retrieval.weights.suites import SuiteQuestion


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeQuestion:
    """A question with the outcomes that were considered.

    Attributes:
        right: which outcomes are right.
        selector: of its graph.
    """

    question: SuiteQuestion
    context: QuestionContext
    outcomes: Sequence[CandidateOutcome]
    right: tuple[bool, ...]
    selector: OutcomeSelector

    def find_needed_relations(self) -> frozenset[str]:
        """Labels of the relations that the best right program uses; empty where only relation paths are right."""
        read = self.context.read
        for outcome, right in zip(self.outcomes, self.right, strict=True):
            if right and read is not None and outcome.programs:
                program = read.meanings[outcome.programs[0]].candidate.program
                return find_needed_relations(read.schema, program)
        return frozenset()


def is_for_cross_encoder(question: SuiteQuestion) -> bool:
    """Whether the cross-encoder, and not the choice, learns from a question: whole graphs are assigned, half of them.

    Tables of Wikipedia in the suites are left to the choice; the cross-encoder has its own.
    """
    return question.suite != WIKITABLES_SUITE and assign_fold(f"half {question.graph.name}", 2) == 0


def load_outcome_questions(data: TrainingData) -> list[SuiteQuestion]:
    """All questions of newcomers' graphs, of suites, and samples of the question sets."""
    # The nodes of WebQSP's graph have no names, so its questions are answered by relation paths only.
    samples = [question for question in sample_question_sets(data) if question.family != "WebQSP"]
    return [*load_newcomers(data), *load_suites(data), *samples]


def ask_questions(questions: Iterable[SuiteQuestion], encoder: Encoder) -> Iterator[OutcomeQuestion]:
    """Ask questions, graph by graph. Questions that are answered without a choice among outcomes are skipped."""
    by_graph: dict[Path, list[SuiteQuestion]] = defaultdict(list)
    for question in questions:
        by_graph[question.graph].append(question)
    for number, (graph, some) in enumerate(by_graph.items(), start=1):
        yield from _ask_graph(graph, some, encoder)
        sys.stderr.write(f"asked {number} of {len(by_graph)} graphs\n")


class _RecordingSelector(OutcomeSelector):
    """Keeps the outcomes that were considered."""

    def __init__(self, schema: Schema, columns: Columns) -> None:
        super().__init__(schema, columns)
        self._considered: list[tuple[QuestionContext, list[CandidateOutcome]]] = []

    def prepare(self, *arguments: Any, **options: Any) -> tuple[QuestionContext, list[CandidateOutcome]]:
        """What the selector prepares."""
        self._considered.append(super().prepare(*arguments, **options))
        return self._considered[-1]

    def take_last(self) -> tuple[QuestionContext, list[CandidateOutcome]] | None:
        """What was considered last since this was called before; None where nothing was."""
        last = self._considered[-1] if self._considered else None
        self._considered.clear()
        return last


def _ask_graph(graph: Path, questions: Sequence[SuiteQuestion], encoder: Encoder) -> Iterator[OutcomeQuestion]:
    snapshot = snapshots.open(graph)
    answerer: Any = load_answerer(AnswererSpec(graph, None, DEFAULT), load_parts(snapshot, encoder))
    columns = Columns(snapshot)
    selector = answerer.programs.outcomes = _RecordingSelector(Schema(snapshot, columns), columns)
    for question in questions:
        for _ in answerer.run(AskRequest(Question(question.text))):
            pass
        considered = selector.take_last()
        if considered is None:
            continue
        context, outcomes = considered
        right = tuple(_is_right_outcome(question, context, outcome, columns) for outcome in outcomes)
        yield OutcomeQuestion(question, context, outcomes, right, selector)


def _is_right_outcome(
    question: SuiteQuestion, context: QuestionContext, outcome: CandidateOutcome, columns: Columns
) -> bool:
    program = None
    if context.read is not None and outcome.programs:
        program = context.read.meanings[outcome.programs[0]].candidate.program
    return is_right(columns, program, outcome.result, question)
