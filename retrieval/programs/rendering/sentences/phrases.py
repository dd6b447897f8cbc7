"""Sets of a program as noun phrases: "rivers in Germany", "those whose country is Nepal"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.programs.algebra.operations import (
    And,
    Entities,
    Except,
    Filter,
    Having,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.clauses import (
    Clause,
    make_plain_clause,
    make_set_clause,
    make_walk_clause,
    negate_clause,
)
from retrieval.programs.rendering.sentences.comparisons import make_filter_clause, make_period_clause
from retrieval.programs.rendering.sentences.grammar import apply_count, conjugate_plural, is_verb_word, split_role
from retrieval.programs.rendering.sentences.keys import describe_superlative
from retrieval.programs.rendering.sentences.phrase_writing import Phrase, write_members, write_phrase

if TYPE_CHECKING:
    from retrieval.programs.rendering.set_wording import SetDescriber


def list_named_entities(program: Program) -> tuple[int, ...]:
    """The entities that a program names and nothing else; none of other programs."""
    match program:
        case Entities(ids):
            return ids
        case Or(left, right):
            first, second = list_named_entities(left), list_named_entities(right)
            return (*first, *second) if first and second else ()
    return ()


def merge_directions(describer: SetDescriber, program: Program) -> Program:
    """A relation that is walked both ways as a walk forward: whom Rosa is married to, or who is married to her."""
    match program:
        case Or(Walk(source, relation), Walk(other, back)) if source == other:
            count = describer.words.snapshot.num_relations
            if relation % count == back % count:
                return Walk(source, relation % count)
    return program


def make_phrase(describer: SetDescriber, program: Program) -> Phrase | None:
    """Write a set as a noun phrase; None where it is no noun with what is said of it."""
    entities = list_named_entities(program)
    if entities:
        return Phrase(describer.words.join_labels(entities), (), len(entities))
    match program:
        case And(left, right):
            return _make_common_phrase(describer, left, right)
        case Except(source, without):
            clause = _make_clause(describer, without)
            return _add_clause(make_phrase(describer, source), clause and negate_clause(clause))
        case Filter(Filter() as inner) if (period := make_period_clause(describer, program, inner)) is not None:
            return _add_clause(make_phrase(describer, inner.source), period)
        case Filter(source):
            return _add_clause(make_phrase(describer, source), make_filter_clause(describer, program))
        case TextFilter(source, relation, match_, wanted):
            name = "name" if relation is None else describer.words.describe_relation(relation)
            clause = make_plain_clause(f"whose {name} {match_.value} “{wanted}”")
            return _add_clause(make_phrase(describer, source), clause)
        case Walk(_, relation) if not split_direction(describer.words.snapshot, relation)[0]:
            return None  # "the capital of Egypt" is no kind of which there are so many
    return _add_clause(Phrase("", ()), _make_clause(describer, program))


def _make_clause(describer: SetDescriber, program: Program) -> Clause | None:
    """What a set tells of other things that are in it."""
    clause = make_set_clause(describer, program)
    if clause is not None or not isinstance(program, Walk):
        return clause
    if isinstance(program.source, Having) and program.source.relation == program.relation:  # rows with an amount
        inverse, forward = split_direction(describer.words.snapshot, program.relation)
        return make_set_clause(describer, Having(forward)) if inverse else None
    what = _describe_any(describer, program.source)
    return None if what is None else make_walk_clause(describer, program.relation, what, nested=True)


def _describe_any(describer: SetDescriber, program: Program) -> str | None:
    """One member of a set: ``one of 2 writers``, ``something in Germany``; None where the set has no words."""
    entities = list_named_entities(program)
    if entities:
        return describer.words.join_labels(entities, "or")
    phrase, count = make_phrase(describer, program), describer.executor.count_nodes(program)
    if phrase is None or phrase.name_count:
        return describe_set(describer, program)
    text = write_phrase(phrase, 1)
    if not phrase.noun and split_role(text) is None:
        return f"something {text}"
    return f"the {text}" if count == 1 else f"one of {count:,} {write_phrase(phrase, count)}"


def _make_common_phrase(describer: SetDescriber, left: Program, right: Program) -> Phrase | None:
    """What is in two sets: one as a phrase, with the other as a clause."""
    sides = ((right, left), (left, right)) if list_named_entities(right) else ((left, right), (right, left))
    for main, added in sides:  # names are what it is taken from
        phrase = _add_clause(make_phrase(describer, main), _make_clause(describer, added))
        if phrase is not None:
            return phrase
    first, second = make_phrase(describer, left), make_phrase(describer, right)
    if first is None or second is None or first.name_count or second.name_count or first.noun != second.noun:
        return None
    for clause in second.clauses:
        first = _add_clause(first, clause)
    return first


def _add_clause(phrase: Phrase | None, clause: Clause | None) -> Phrase | None:
    """The phrase with one more clause, each once; a kind becomes the noun where there is none."""
    if phrase is None or clause is None:
        return None
    if clause.kind and (not phrase.noun or phrase.noun == clause.kind):
        return replace(phrase, noun=clause.kind, clauses=_drop_weak(phrase.clauses))
    if any(other.after == clause.after for other in phrase.clauses):
        return phrase
    clauses = (*phrase.clauses, clause)
    return replace(phrase, clauses=_drop_weak(clauses) or clauses)


def _drop_weak(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses that say more than what things are known by."""
    return tuple(clause for clause in clauses if not clause.weak)


def describe_set(describer: SetDescriber, program: Program) -> str | None:
    """Write a set as what something is of: ``5 countries in Africa``, ``the capital of Egypt``, ``the longest river``.

    Returns:
        None where its parts have no such words.
    """
    count, words = describer.executor.count_nodes(program), describer.words
    program = merge_directions(describer, program)
    phrase = make_phrase(describer, program)
    if phrase is not None:
        if count == phrase.name_count:
            return phrase.noun
        return f"the {write_phrase(phrase, 1)}" if count == 1 and phrase.noun else write_members(phrase, count)
    match program:
        case Walk(source, relation):  # forward: others are phrases
            inner = describe_set(describer, source)
            if inner is None:
                return None
            noun, verb = words.get_noun(relation), words.get_verb_forms(relation)
            several = describer.executor.count_nodes(source) > 1
            if verb is not None or is_verb_word(noun):
                many, single = verb or (conjugate_plural(noun), noun)
                return f"what {inner} {many if several else single}"
            if words.is_prepositional(relation):
                return f"what {inner} {'are' if several else 'is'} {words.get_participle(relation)}"
            return f"the {apply_count(count, noun) if count > 1 else noun} of {inner}"
        case Top(source):
            phrase = make_phrase(describer, source)
            noun = write_phrase(phrase, count) if phrase is not None and phrase.noun and not phrase.name_count else ""
            number = noun if count == 1 else f"{count:,} {noun}".rstrip()
            return f"the {number or 'one'} with {describe_superlative(describer, program)}"
        case Or(left, right):
            first, second = describe_set(describer, left), describe_set(describer, right)
            return None if first is None or second is None else f"{first} or {second}"
    return None
