"""Other readings of a question as people say them: ``countries whose code is TD``, ``how many lakes are in Chad``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.numbers import is_nothing
from retrieval.programs.algebra.operations import Count, Entities, Exists, Fold, KeyOf, Program
from retrieval.programs.rendering.sentences.phrase_writing import write_doing, write_phrase
from retrieval.programs.rendering.sentences.phrases import describe_set, list_named_entities, make_phrase
from retrieval.programs.scoring.features import get_result_key

if TYPE_CHECKING:
    from retrieval.programs.rendering.program_wording import ProgramDescriber
    from retrieval.programs.scoring.candidates import Candidate

_PLURAL = 2
LEAST = 0.01
"""Probability below which a reading is not offered."""


def iter_other_readings(
    describer: ProgramDescriber, best: Candidate, others: Sequence[Candidate]
) -> Iterator[tuple[Candidate, str]]:
    """The candidates that give something else than the best and than each other, each in words.

    Args:
        others: what else a question may mean, the likeliest first.
    """
    results, texts = {get_result_key(best)}, {describe_reading(describer, best.program)}
    for candidate in others:
        key, text = get_result_key(candidate), ""
        if candidate.probability >= LEAST and key not in results and not is_nothing(candidate.result):
            text = describe_reading(describer, candidate.program)
        if text and text not in texts:
            results.add(key)
            texts.add(text)
            yield candidate, text


def describe_reading(describer: ProgramDescriber, program: Program) -> str:
    """What a program asks for, in a phrase; its steps in a row where there are no such words."""
    match program:
        case Count(source):
            phrase = _describe_things(describer, source)
            text = phrase and f"how many {phrase}"
        case Exists(source):
            sentence_phrase = make_phrase(describer, source)
            does = (
                sentence_phrase
                and sentence_phrase.name_count
                and write_doing(sentence_phrase.clauses, sentence_phrase.name_count)
            )
            phrase = _describe_things(describer, source)
            text = (
                f"whether {sentence_phrase.noun} {does}"
                if sentence_phrase and does
                else phrase and f"whether there are {phrase}"
            )
        case Fold(how, source, key):
            phrase, word = _describe_things(describer, source), describer.words.get_folding_word(how, key)
            text = phrase and f"the {word} {describer.describe_key(key)} of {phrase}"
        case KeyOf(source, key):
            phrase = describe_set(describer, source)
            text = phrase and f"the {describer.describe_key(key)} of {phrase}"
        case _:
            text = _describe_things(describer, program)
    return text or " → ".join(line.short for line in describer.describe_lines(program, ()))


def _describe_things(describer: ProgramDescriber, program: Program) -> str | None:
    """A set without its number: ``countries in Africa``; None where its parts have no words."""
    if isinstance(program, Entities) or list_named_entities(program):
        return describer.words.join_labels(list_named_entities(program))
    phrase = make_phrase(describer, program)
    if phrase is None:
        return describe_set(describer, program) if isinstance(describer.executor.run(program), np.ndarray) else None
    if phrase.name_count:
        return f"those of {phrase.noun} {write_phrase(phrase, _PLURAL).removeprefix(phrase.noun).strip()}"
    return write_phrase(phrase, _PLURAL) if phrase.noun else f"things {write_phrase(phrase, _PLURAL)}"
