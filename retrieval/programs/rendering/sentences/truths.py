"""Sentences of programs that give yes or no."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.operations import (
    And,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Holds,
    Key,
    KeyOf,
    Program,
    Walk,
)
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.calculations import make_quantity
from retrieval.programs.rendering.sentences.clauses import SYMMETRIC_VERBS, make_truth_clause, negate_clause
from retrieval.programs.rendering.sentences.grammar import (
    apply_count,
    capitalise,
    conjugate_plural,
    get_past_participle,
    is_plural,
)
from retrieval.programs.rendering.sentences.phrase_writing import write_doing, write_phrase
from retrieval.programs.rendering.sentences.phrases import make_phrase
from retrieval.programs.rendering.sentences.relations import write_relation_sentence
from retrieval.programs.rendering.sentences.values import format_in_unit, format_label, write_list
from retrieval.programs.rendering.set_wording import NOTHING

if TYPE_CHECKING:
    from retrieval.programs.rendering.sentences.context import AnsweredProgram

_TRUTH = re.compile("(yes|true)|no|false", re.IGNORECASE)
_COMPARED = {
    Comparison.LESS: "less than", Comparison.AT_MOST: "at most", Comparison.EQUAL: "the same as",
    Comparison.NOT_EQUAL: "different from", Comparison.AT_LEAST: "at least", Comparison.MORE: "more than",
}  # fmt: skip


_SHOWN = 3
"""Things that are named of those for which something does not hold."""


def write_comparison_sentence(run: AnsweredProgram, program: Holds) -> str:
    """Write "Yes: the population of Egypt, 110,000,000, is more than that of Kenya, 55,000,000."."""
    is_true, describer = run.label == "yes", run.describer
    if isinstance(program.left, Count) and isinstance(program.left.source, Except):
        return _write_universal_sentence(run, program.left.source)
    left, right = make_quantity(describer, program.left), make_quantity(describer, program.right)
    first = describer.describe_value(program.left)
    second = describer.describe_value(program.right)
    compared = f"{'is' if is_true else 'is not'} {_COMPARED[program.comparison]}"
    if left is not None:
        first = f"the {left.measure.noun} of {left.owner}, {left.shown},"
        second = format_in_unit(second, left.measure.unit)
    if right is not None:
        noun = "that" if left is not None and left.measure.noun == right.measure.noun else f"the {right.measure.noun}"
        second = f"{noun} of {right.owner}, {right.shown}"
    return f"{'Yes' if is_true else 'No'}: {first} {compared} {second}."


def _write_universal_sentence(run: AnsweredProgram, exceptions: Except) -> str:
    """Write "No: 69 of the 77 products are not, such as Chai."; of a yes, of how many things it is true."""
    every, executor = run.write_source(exceptions.source), run.describer.executor
    left_out = executor.compute_nodes(exceptions).tolist()
    if not left_out:
        return (
            f"Yes: that holds for all {every}." if run.count(exceptions.source) > 1 else f"Yes: that holds for {every}."
        )
    names = write_list([format_label(executor.snapshot.get_entity_label(node)) for node in left_out[:_SHOWN]])
    such = "such as " if len(left_out) > _SHOWN else ""
    return f"No: that does not hold for {len(left_out):,} of {every}, {such}{names}."


def write_existence_sentence(run: AnsweredProgram, program: Exists) -> str:
    """Write "Yes: Berlin is the capital of Germany."; of a no, with what the graph says instead."""
    is_true = run.label == "yes"
    word, source = "Yes" if is_true else "No", program.source
    claim = _write_claim(run, source, is_true=is_true)
    if claim is not None:
        instead = _write_contradicting_fact(run) if not is_true and isinstance(source, And) else None
        return f"{word}: {claim}.{f' {instead}' if instead else ''}"
    phrase, count = make_phrase(run.describer, source), run.count(source)
    if phrase is None or phrase.name_count or not phrase.noun:
        return f"{word}."
    number = f"{count:,}" if count else "no"
    return f"{word}: there {'is' if count == 1 else 'are'} {number} {write_phrase(phrase, count)}."


def _write_claim(run: AnsweredProgram, source: Program, *, is_true: bool) -> str | None:
    """What a question asks the truth of, as it is: ``Paris is not the capital of Germany``."""
    match source:
        case And(Walk(Entities(owners), relation) as walk, Entities(ids)) | And(
            Entities(ids), Walk(Entities(owners), relation) as walk
        ) if not split_direction(run.describer.words.snapshot, relation)[0]:
            return _write_member_claim(run, walk, owners, ids, is_true=is_true)
        case Filter(Entities((_,)) as thing, key) if not is_true and not key.counted:
            return _write_actual_value(run, thing, key)
    phrase = make_phrase(run.describer, source)
    if phrase is None or not phrase.name_count or not phrase.clauses:
        return None
    clauses = phrase.clauses
    if not is_true:
        opposite = negate_clause(clauses[-1]) if len(clauses) == 1 else None
        if opposite is None:
            return None
        clauses = (opposite,)
    does = write_doing(clauses, phrase.name_count)
    return f"{phrase.noun} {does}" if does else None


def _write_actual_value(run: AnsweredProgram, thing: Entities, key: Key) -> str | None:
    """The value that a thing has in place of what a question asks; None where it has none."""
    quantity = make_quantity(run.describer, KeyOf(thing, key))
    if quantity is None or quantity.value == NOTHING:
        return None
    sentence = write_relation_sentence(run.describer.describe_key(key), quantity.owner, [quantity.value])
    claim = sentence.removesuffix(".")
    return f"the {claim.removeprefix('The ')}" if claim.startswith("The ") else claim


def _write_member_claim(
    run: AnsweredProgram, walk: Walk, owners: tuple[int, ...], ids: tuple[int, ...], *, is_true: bool
) -> str | None:
    """What is said of a thing by what a relation leads to from another: ``French is one of the languages of Chad``."""
    words, several = run.describer.words, len(owners) > 1
    owner, names = words.join_labels(owners), words.join_labels(ids)
    label, noun, verb = (
        words.get_label(walk.relation),
        words.get_noun(walk.relation),
        words.get_verb_forms(walk.relation),
    )
    truth = _TRUTH.fullmatch(names)
    if truth is not None:
        clause = make_truth_clause(noun, is_true=bool(truth[1]) == is_true)
        return None if clause.does is None else f"{owner} {clause.does[not several]}"
    if label in SYMMETRIC_VERBS:
        return f"{names} {label if is_true else f'does not {conjugate_plural(label)}'} {owner}"
    if verb is not None:
        many, single = verb
        if not is_true and many == single:  # in the past
            return f"{owner} {'have' if several else 'has'} not {get_past_participle(single)} {names}"
        predicate = (many if several else single) if is_true else f"{'do' if several else 'does'} not {many}"
        return f"{owner} {predicate} {names}"
    if words.is_prepositional(walk.relation):
        sentence = write_relation_sentence(label, owner, [names], several_sources=several).removesuffix(".")
        return sentence if is_true else re.sub(r"^(.+?) (is|are|was|were) ", r"\1 \2 not ", sentence, count=1)
    is_ = "is" if is_true else "is not"
    if run.count(walk) > 1 or is_plural(noun):
        return f"{names} {is_} one of the {apply_count(2, noun)} of {owner}"
    return f"{names} {is_} the {noun} of {owner}"


def _write_contradicting_fact(run: AnsweredProgram) -> str | None:
    """The fact that contradicts what a question asks the truth of: "The capital of Germany is Berlin."."""
    if not run.chains:
        return None
    chain = run.chains[0]
    step = chain.steps[0]
    if len(chain.steps) > 1 or step.inverse or not chain.levels or _TRUTH.fullmatch(chain.levels[0][0].label):
        return None
    names = [node.label for node in chain.levels[0]]
    return capitalise(write_relation_sentence(step.label, chain.source.label, names))
