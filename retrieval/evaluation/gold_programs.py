"""How what was read and answered compares with the program that a question brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.metrics.scores import QuestionScore, Scored
from retrieval.metrics.values import match_answers
from retrieval.programs.algebra.equivalence import is_equivalent
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.rendering.names import from_named_json
from retrieval.programs.rendering.table_formatting import get_answer_labels

if TYPE_CHECKING:
    from retrieval.evaluation.outcomes import Outcome
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.operations import Program


class GoldPrograms:
    """Compares outcomes with gold programs over one graph, whose values are typed when the first is run."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._executor: Executor | None = None
        self.unfit: list[str] = []
        """Questions whose program the graph lacks something of, or that cannot be run on it."""

    def score_program(self, outcome: Outcome, score: QuestionScore) -> QuestionScore:
        """The score with ``program`` and ``program_answers``; as it is where the question brings no program that fits.

        ``program``: the program that was run is equivalent to the gold one; 0 where none was run.
        ``program_answers``: what was answered is what the gold program gives.
        """
        gold_program = outcome.question.program
        if gold_program is None:
            return score
        try:
            gold = from_named_json(self._snapshot, gold_program)
            wanted = self._compute_answers(gold)
        except ProgramError:
            self.unfit.append(outcome.question.id)
            return score
        program = self._read(outcome.program)
        answered = match_answers([Scored(*pair) for pair in outcome.predicted], wanted, normalize_name)
        return replace(
            score,
            program=float(program is not None and is_equivalent(program, gold)),
            program_answers=float({item.answer for item in answered} == {normalize_name(label) for label in wanted}),
        )

    def count_programs(self, outcomes: Sequence[Outcome], scores: Sequence[QuestionScore]) -> dict[str, Any]:
        """How many questions bring a program, what became of them, and whose programs are ``unfit``."""
        fitting = [
            (outcome.program, score)
            for outcome, score in zip(outcomes, scores, strict=True)
            if score.program is not None
        ]
        return {
            "given": sum(outcome.question.program is not None for outcome in outcomes),
            "unfit": self.unfit,
            "exact": sum(score.program == 1 for _, score in fitting),
            "same_answers": sum(score.program_answers == 1 for _, score in fitting),
            "none_run": sum(program is None for program, _ in fitting),
        }

    def _compute_answers(self, program: Program) -> tuple[str, ...]:
        executor = self._executor = self._executor or Executor(self._snapshot)
        return get_answer_labels(self._snapshot, executor.columns, program, executor.run(program))

    def _read(self, program: dict[str, Any] | None) -> Program | None:
        return None if program is None else from_named_json(self._snapshot, program)
