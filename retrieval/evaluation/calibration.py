"""Asks questions with known answers, to find the confidence above which few answers are wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from retrieval.evaluation.evaluator import ask
from retrieval.evaluation.report import score
from retrieval.limits import DEFAULT_BUDGET
from retrieval.metrics.guarantee import CalibrationAnswer
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.grounding.schema import Schema
from retrieval.programs.rendering.table_formatting import get_answer_labels
from retrieval.self_training import build_training_set
from retrieval.supervision import program_questions
from retrieval.supervision.path_questions.writer import PathWriter
from retrieval.types import Progress, QuestionRecord

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.kg.snapshot import Snapshot

WRITTEN = 1000
"""Questions written from a graph's schema: half of relation paths, half of programs."""
_SEED = 20_211_001
"""Not that of self-training, which learns from questions that are written alike."""


def write_questions(snapshot: Snapshot, count: int = WRITTEN, seed: int = _SEED) -> list[QuestionRecord]:
    """Questions about a graph's relations, kinds and values with complete answers; fewer for a small graph."""
    if not snapshot.num_triples:
        return []
    schema = Schema(snapshot)
    paths, _ = build_training_set(snapshot, PathWriter(schema, seed).write(count // 2), seed)
    executor = Executor(snapshot)
    programs = [
        QuestionRecord(
            f"program-{seed}-{number}",
            written.question,
            answers=get_answer_labels(snapshot, executor.columns, written.program, executor.run(written.program)),
        )
        for number, written in enumerate(program_questions.write(schema, executor, count - count // 2, seed))
    ]
    return [*paths, *programs]


def calibrate(
    answerer: Answerer,
    reviewed: Sequence[QuestionRecord] = (),
    *,
    written: int = WRITTEN,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[CalibrationAnswer]:
    """Ask questions with known answers the way people ask them; return how confident and how right each answer is.

    Args:
        reviewed: questions of people whose right answers were looked at; none where no answer is right.
        written: questions that are written from the graph's schema, at most.
        progress: told after each question.

    Returns:
        In random order, the same each time; nothing where there is nothing to ask.
    """
    progress(Progress("writing questions", 0, written, "questions"))
    texts = {question.question for question in reviewed}
    fresh = [question for question in write_questions(answerer.snapshot, written) if question.question not in texts]
    questions = [*((question, True) for question in reviewed), *((question, False) for question in fresh)]
    random.Random(_SEED).shuffle(questions)
    answers = []
    for number, (question, is_reviewed) in enumerate(questions, start=1):
        outcome = ask(answerer, question, budget=DEFAULT_BUDGET, seed=0, topics="linked", cancelled=cancelled)
        scores = score(outcome)
        answers.append(CalibrationAnswer(scores.confidence, scores.exact == 1, is_reviewed))
        progress(Progress("asking", number, len(questions), "questions"))
    return answers
