"""The sentence that answers a run: of its program where it has one, else of its relation paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.programs.algebra.operations import Arithmetic, Count, Exists, Fold, Holds, KeyOf, Top
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.sentences.calculations import write_calculation_sentence
from retrieval.programs.rendering.sentences.numbers import (
    write_count_sentence,
    write_fold_sentence,
    write_value_sentence,
)
from retrieval.programs.rendering.sentences.sets import write_ranking_sentence, write_set_sentence
from retrieval.programs.rendering.sentences.tables import write_table_sentence
from retrieval.programs.rendering.sentences.truths import write_comparison_sentence, write_existence_sentence

if TYPE_CHECKING:
    from retrieval.programs.rendering.sentences.context import AnsweredProgram


def write_program_sentence(run: AnsweredProgram) -> str | None:
    """Write the answers of a program in a sentence; None where there are none, or they are guesses."""
    if not run.answers or run.answers[0].guess:
        return None
    match run.program:
        case Count() as program:
            return write_count_sentence(run, program)
        case Top() as program:
            return write_ranking_sentence(run, program)
        case Exists() as program:
            return write_existence_sentence(run, program)
        case Holds() as program:
            return write_comparison_sentence(run, program)
        case Fold() as program:
            return write_fold_sentence(run, program)
        case KeyOf() as program:
            return write_value_sentence(run, program)
        case Arithmetic() as program:
            return write_calculation_sentence(run, program)
        case Table() as program:
            return write_table_sentence(run, program)
        case program:
            return write_set_sentence(run, program)
