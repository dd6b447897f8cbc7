"""Sentences of programs that give a set: who or what is in it, and the best of a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.programs.algebra.operations import EVERY, And, Entities, Except, Program, Top, Walk
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.clauses import SYMMETRIC_VERBS, TRUTHS, make_set_clause
from retrieval.programs.rendering.sentences.context import AnsweredProgram
from retrieval.programs.rendering.sentences.grammar import apply_count, capitalise, get_noun
from retrieval.programs.rendering.sentences.keys import describe_each, describe_superlative
from retrieval.programs.rendering.sentences.owners import find_owners
from retrieval.programs.rendering.sentences.paths import write_walk_sentence
from retrieval.programs.rendering.sentences.phrase_writing import write_members_clause
from retrieval.programs.rendering.sentences.phrases import describe_set, make_phrase, merge_directions
from retrieval.programs.rendering.sentences.relations import (
    write_owned_sentence,
    write_relation_sentence,
)
from retrieval.programs.rendering.sentences.values import format_in_unit, format_label, split_measure, write_list

if TYPE_CHECKING:
    pass


def write_ranking_sentence(run: AnsweredProgram, program: Top) -> str:
    """Write "Nigeria, 223,800,000: the largest population of 53 countries in Africa."."""
    if program.per is not None:
        return _write_groups_sentence(run, program)
    if program.count == EVERY:
        noun = describe_each(run.describer, program.key)
        values = [f"{format_label(ranked.node.label)} {ranked.display}" for ranked in run.ranked]
        return f"{capitalise(noun)}: {write_list(_fill(values, len(run.answers)))}."
    superlative, of = describe_superlative(run.describer, program), run.write_source(program.source)
    listed = write_list(run.names)
    if program.count > 1:
        return f"{listed}: the {program.count} with {superlative} of {of}."
    value = next((ranked.display for ranked in run.ranked if ranked.answer), "")
    return f"{listed}{f', {value}' if value else ''}: {superlative} of {of}."


def _write_groups_sentence(run: AnsweredProgram, program: Top) -> str:
    """Write the best of each group, with its value."""
    best = [
        f"{format_label(ranked.node.label)} ({ranked.group}, {ranked.display})"
        for ranked in run.ranked
        if ranked.answer
    ]
    step = run.describer.describe_lines(program, ())[-1].text
    return f"{capitalise(step)}: {write_list(_fill(best, len(run.answers)))}."


def _fill(texts: list[str], count: int) -> list[str]:
    """The texts with empty ones for what there is more of, which a list counts as others."""
    return texts + [""] * max(0, count - len(texts))


def write_set_sentence(run: AnsweredProgram, program: Program) -> str:
    """Write what is in a set that no ranking ends in."""
    describer, names = run.describer, run.names
    program = merge_directions(describer, program)
    match program:
        case Walk(source, relation) if not split_direction(describer.words.snapshot, relation)[0]:
            return _write_walk_sentence(run, source, relation)
        case And(Top() as top, kind) if make_set_clause(describer, kind) is not None:
            return f"{write_list(names)}: {describe_superlative(describer, top)}."
        case And(_, Entities(ids)) if len(ids) > 1:
            return f"{len(names):,} of the {len(ids):,}: {write_list(names)}."
        case Entities():
            return f"{write_list(names)}."
    phrase = make_phrase(describer, program)
    if phrase is None or (not phrase.noun and isinstance(program, Walk) and isinstance(program.source, Walk)):
        walked = _write_chain(run)
        if walked is not None:
            return walked
    if phrase is not None:
        return capitalise(f"{write_members_clause(phrase, names)}.")
    described = describe_set(describer, program)
    if described is None and isinstance(program, And | Except):
        sources = [program.source] if isinstance(program, Except) else [program.left, program.right]
        larger = max(sources, key=run.count)
        total = describe_set(describer, larger)
        described = total and f"{len(names):,} of {total}"
    return f"{write_list(names)}: {described}." if described else f"{write_list(names)}."


def _write_chain(run: AnsweredProgram) -> str | None:
    """The facts one after the other, where one chain leads to all answers."""
    if not run.chains or any(len(answer.chains) != 1 for answer in run.answers):
        return None
    return write_walk_sentence(run.chains[0], run.names)


def _write_walk_sentence(run: AnsweredProgram, source: Program, relation: int) -> str:
    """Write what a relation leads to from a set: "The product of the one whose customer is Bob: Kettle."."""
    describer, names = run.describer, run.names
    words, verb = describer.words, describer.words.get_verb_forms(relation)
    several = run.count(source) > 1
    owners = find_owners(run.answers, run.chains)
    is_truth = len(run.answers) == 1 and names[0].lower() in TRUTHS
    if owners and verb is None:
        ids = [answer.entity.id if answer.entity is not None else -1 for answer in run.answers]
        are_values = all(answer.entity is not None and answer.entity.kind == "literal" for answer in run.answers)
        noun = split_measure(words.get_noun(relation)).noun
        return write_owned_sentence(noun, names, [owners.get(node, "") for node in ids], are_values=are_values)
    label = words.get_label(relation)
    phrase = make_phrase(describer, source)
    if phrase is not None and phrase.name_count == run.count(source):
        whose = phrase.noun
        if verb is not None and label not in SYMMETRIC_VERBS and not is_truth:
            return f"{whose} {verb[not several]} {write_list(names)}."
        return write_relation_sentence(label, whose, [answer.label for answer in run.answers], several_sources=several)
    walked = None if phrase is not None else _write_chain(run)
    if walked is not None:
        return walked
    described = describe_set(describer, source)
    if described is None:
        return f"{capitalise(apply_count(len(names), words.get_noun(relation)))}: {write_list(names)}."
    if verb is not None:
        return f"{capitalise(described)} {verb[not several]} {write_list(names)}."
    if words.is_prepositional(relation):
        return write_relation_sentence(label, capitalise(described), names, several_sources=several)
    measure = split_measure(get_noun(label))
    listed = write_list([format_in_unit(answer.label, measure.unit) for answer in run.answers])
    return f"The {apply_count(2, measure.noun) if len(names) > 1 else measure.noun} of {described}: {listed}."
