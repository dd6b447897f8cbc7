"""Sentences of programs that give a number which is not computed of two others: counts, folds and single values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import Count, Entities, Fold, KeyOf, Walk
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.grammar import apply_count, capitalise, is_verb_word, write_predicate
from retrieval.programs.rendering.sentences.keys import describe_key
from retrieval.programs.rendering.sentences.phrase_writing import write_count_clause
from retrieval.programs.rendering.sentences.phrases import describe_set, make_phrase, merge_directions
from retrieval.programs.rendering.sentences.relations import write_relation_sentence
from retrieval.programs.rendering.sentences.values import format_in_unit, round_decimals, split_measure

if TYPE_CHECKING:
    from retrieval.programs.rendering.sentences.context import AnsweredProgram


def write_count_sentence(run: AnsweredProgram, program: Count) -> str:
    """Write "9 countries border Germany."; of one thing how many it has."""
    describer, count = run.describer, run.count(program.source)
    source = merge_directions(describer, program.source)
    if isinstance(source, Walk) and not split_direction(describer.words.snapshot, source.relation)[0]:
        return _write_count_of_owner(run, source, count)
    phrase = make_phrase(describer, source)
    if phrase is not None:
        return capitalise(f"{write_count_clause(phrase, count)}.")
    described = describe_set(describer, source)
    if described is None:
        return f"The number is {count:,}."
    counted = re.fullmatch(r"the ((?:one|[\d,]+) .+)", described)
    return f"There {'is' if count == 1 else 'are'} {counted[1]}." if counted else f"{count:,}: {described}."


def _write_count_of_owner(run: AnsweredProgram, source: Walk, count: int) -> str:
    """Write "Switzerland has 4 official languages."."""
    words, relation = run.describer.words, source.relation
    several = run.count(source.source) > 1
    noun = apply_count(count, split_measure(words.get_noun(relation)).noun)
    owner = describe_set(run.describer, source.source)
    if owner is None:
        return f"There {'is' if count == 1 else 'are'} {count:,} {noun}."
    if not isinstance(source.source, Entities):
        owner = capitalise(owner)
    verb = words.get_verb_forms(relation)
    if verb is not None:
        return f"{owner} {verb[not several]} {count:,}."
    if words.is_prepositional(relation) or is_verb_word(words.get_label(relation)):
        return f"{owner} {write_predicate(words.get_label(relation), several=several)} {count:,}."
    return f"{owner} {'have' if several else 'has'} {count:,} {noun}."


def write_fold_sentence(run: AnsweredProgram, program: Fold) -> str:
    """Write "The total weight of 2 lions is 316 kg."."""
    measure = describe_key(run.describer, program.key)
    noun, value = measure.noun, run.label
    match program.how:
        case Folding.SUM:
            noun = f"total of {noun.replace(' × ', ' times ')}" if " × " in noun else f"total {noun}"
        case Folding.AVERAGE:
            noun, value = f"average {noun.removeprefix('average ')}", round_decimals(value)
        case _:
            noun = f"{run.describer.words.get_folding_word(program.how, program.key)} {noun}"
    return f"The {noun} of {run.write_source(program.source)} is {format_in_unit(value, measure.unit)}."


def write_value_sentence(run: AnsweredProgram, program: KeyOf) -> str:
    """Write "The population of Chad is 17,700,000."."""
    source, describer = program.source, run.describer
    owner = describe_set(describer, source)
    if owner is None:
        measure = describe_key(describer, program.key)
        return f"The {measure.noun} is {format_in_unit(run.label, measure.unit)}."
    key, words = program.key, describer.words
    noun = describer.describe_key(key)
    if key.less is not None:
        noun = f"difference of {words.describe_path(key.path)} and {words.describe_path(key.less)}"
    return capitalise(write_relation_sentence(noun, owner, [run.label]))
