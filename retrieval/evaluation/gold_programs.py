"""How what was read and answered compares with the program that a question brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.kg.snapshot.labels import normalise
from retrieval.metrics.scores import QuestionScore, Scored
from retrieval.metrics.values import aligned
from retrieval.programs.equivalence import equivalent
from retrieval.programs.execution import Executor
from retrieval.programs.rendering.formatting import labels_of
from retrieval.programs.rendering.names import resolved

if TYPE_CHECKING:
    from retrieval.evaluation.outcomes import Outcome
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra import Program


class GoldPrograms:
    """Compares outcomes with gold programs over one graph, whose values are typed when the first is run."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._executor: Executor | None = None
        self.unfit: list[str] = []
        """Questions whose program the graph lacks something of, or that cannot be run on it."""

    def scored(self, outcome: Outcome, score: QuestionScore) -> QuestionScore:
        """The score with ``program`` and ``program_answers``; as it is where the question brings no program that fits.

        ``program``: the program that was run is equivalent to the gold one; 0 where none was run.
        ``program_answers``: what was answered is what the gold program gives.
        """
        given = outcome.question.program
        if given is None:
            return score
        try:
            gold = resolved(self._snapshot, given)
            wanted = self._given_by(gold)
        except ProgramError:
            self.unfit.append(outcome.question.id)
            return score
        found = self._read(outcome.program)
        answered = aligned([Scored(*one) for one in outcome.predicted], wanted, normalise)
        return replace(
            score,
            program=float(found is not None and equivalent(found, gold)),
            program_answers=float({one.answer for one in answered} == {normalise(label) for label in wanted}),
        )

    def summary(self, outcomes: Sequence[Outcome], scores: Sequence[QuestionScore]) -> dict[str, Any]:
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

    def _given_by(self, program: Program) -> tuple[str, ...]:
        executor = self._executor = self._executor or Executor(self._snapshot)
        return labels_of(self._snapshot, executor.columns, program, executor.run(program))

    def _read(self, program: dict[str, Any] | None) -> Program | None:
        return None if program is None else resolved(self._snapshot, program)
