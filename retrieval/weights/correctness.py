"""Whether a program or an outcome gives the right answers, compared as evaluation compares answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.metrics.scores import Scored
from retrieval.metrics.values import match_answers
from retrieval.programs.algebra.operations import EVERY, Program, Top
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.rendering.formatting import format_result
from retrieval.programs.rendering.table_formatting import get_answer_labels

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.algebra.numbers import Result
    from retrieval.weights.suites import SuiteQuestion


def is_right(columns: Columns, program: Program | None, result: Result, question: SuiteQuestion) -> bool:
    """Whether a result is what was asked.

    Args:
        columns: of the graph.
        program: what gave the result; None for the nodes that a relation path reaches.
        result: nodes, a number, or yes and no.
        question: with its right answers.
    """
    if question.is_unanswerable:
        return False
    if isinstance(result, Rows):
        answers = list(get_answer_labels(columns.snapshot, columns, program, result)) if program is not None else []
    elif isinstance(result, np.ndarray):
        if len(result) > 2 * max(map(len, question.right)) + 10:
            return False
        answers = [columns.snapshot.get_entity_label(node) for node in result.tolist()]
    else:
        answers = [text] if program is not None and (text := format_result(columns, program, result)) else []
    return any(_are_same_answers(answers, right, program) for right in question.right)


def _are_same_answers(answers: Sequence[str], right: Sequence[str], program: Program | None) -> bool:
    if isinstance(program, Top) and program.count == EVERY and all(": " in label for label in right):
        return sorted(answers) == sorted(label.rpartition(": ")[0] for label in right)
    matched = {item.answer for item in match_answers([Scored(a, 1.0) for a in answers if a], right, normalize_name)}
    return bool(matched) and matched == {normalize_name(label) for label in right}
