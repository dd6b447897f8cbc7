"""Outcomes in words, as the cross-encoder reads them: what a program says, what it gives and what it leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Entities, Program, Walk
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.rendering.formatting import format_result
from retrieval.programs.rendering.program_wording import ProgramDescriber
from retrieval.programs.rendering.readings import describe_reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.answering.fusion.features import QuestionContext
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.schema import Schema

#: Answers that are named, and characters of each text that are read.
_NAMED, _LABEL, _READING = 3, 40, 240


class OutcomeDescriber:
    """Puts the outcomes of one question into words. Not thread-safe.

    Args:
        executor: what it computed already is not computed again.
    """

    def __init__(self, schema: Schema, columns: Columns, executor: Executor | None = None) -> None:
        self._columns = columns
        self._describer = ProgramDescriber(
            executor or Executor(schema.snapshot, columns), schema.type_relation, schema.nouns
        )

    def describe(self, context: QuestionContext, outcome: CandidateOutcome) -> str:
        """``countries in Africa | 54: Algeria, Angola, Benin | without: famous``."""
        program, unread = _get_program(context, outcome)
        reading = describe_reading(self._describer, program) if program is not None else "what these lead to together"
        text = context.question.text
        left = f"without: {' '.join(text[start:end] for start, end in unread)}" if unread else ""
        parts = (reading[:_READING], self._describe_result(outcome, program), left)
        return " | ".join(filter(None, parts))

    def _describe_result(self, outcome: CandidateOutcome, program: Program | None) -> str:
        """The result in words; empty for an empty result. No training question has one as its answer, so the
        cross-encoder would reject it.
        """
        result, nodes = outcome.result, outcome.nodes
        if nodes is None:
            assert not isinstance(result, np.ndarray | Rows)
            return format_result(self._columns, program, result) if program is not None else f"{result:g}"
        label = self._columns.snapshot.get_entity_label
        names = ", ".join(label(node)[:_LABEL] for node in nodes[:_NAMED].tolist())
        return f"{len(nodes)}: {names}" if names else ""


def _get_program(
    context: QuestionContext, outcome: CandidateOutcome
) -> tuple[Program | None, Sequence[tuple[int, int]]]:
    """The best program of an outcome, or its best relation path as one, with the words that it leaves out."""
    if context.read is not None and outcome.programs:
        meaning = context.read.meanings[outcome.programs[0]]
        return meaning.candidate.program, meaning.unread
    if not outcome.reaches:
        return None, ()
    program: Program = Entities((outcome.reaches[0].topic,))
    for relation in outcome.reaches[0].path:
        program = Walk(program, relation)
    return program, ()
