"""The end of a run with its answers in a sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.answering.table_answers import make_describer
from retrieval.programs.rendering.sentences.calculations import infer_unit
from retrieval.programs.rendering.sentences.context import AnsweredProgram
from retrieval.programs.rendering.sentences.owners import find_owners
from retrieval.programs.rendering.sentences.paths import write_path_sentence
from retrieval.programs.rendering.sentences.program import write_program_sentence
from retrieval.programs.rendering.sentences.values import format_in_unit

if TYPE_CHECKING:
    from retrieval.events import AnswerFinal
    from retrieval.programs.understanding import Understanding
    from retrieval.results import Answer, RankedValue
    from retrieval.types import EvidenceChain


def add_program_sentence(
    final: AnswerFinal,
    understanding: Understanding,
    chains: tuple[EvidenceChain, ...],
    ranked: tuple[RankedValue, ...],
) -> AnswerFinal:
    """The end of a run that a program answered, with its sentence and computed values in their units."""
    describer, program = make_describer(understanding), understanding.best.program
    sentence = write_program_sentence(AnsweredProgram(describer, program, final.answers, chains, ranked))
    answers = _add_owners(final.answers, chains)
    if any(answer.entity is None for answer in answers):  # one number or truth
        unit = infer_unit(describer, program)
        answers = tuple(replace(answer, display=format_in_unit(answer.label, unit)) for answer in answers)
    return replace(final, answers=answers, sentence=sentence)


def add_path_sentence(final: AnswerFinal, chains: tuple[EvidenceChain, ...]) -> AnswerFinal:
    """The end of a run that relation paths answered, with its sentence where no language model wrote a text."""
    answers = _add_owners(final.answers, chains)
    if not answers or answers[0].guess or final.text:
        return replace(final, answers=answers)
    return replace(final, answers=answers, sentence=write_path_sentence(answers, chains))


def _add_owners(answers: tuple[Answer, ...], chains: tuple[EvidenceChain, ...]) -> tuple[Answer, ...]:
    owners = find_owners(answers, chains)
    if not owners:
        return answers
    return tuple(
        answer if answer.entity is None else replace(answer, owner=owners.get(answer.entity.id, ""))
        for answer in answers
    )
