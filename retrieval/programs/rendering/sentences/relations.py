"""One relation in a sentence: "The capital of Germany is Berlin.", "Jaws is directed by Steven Spielberg."."""

from __future__ import annotations

import re

from retrieval.programs.rendering.sentences.clauses import SYMMETRIC_VERBS, make_truth_clause
from retrieval.programs.rendering.sentences.grammar import (
    apply_count,
    capitalise,
    get_copula,
    get_noun,
    is_participle,
    is_prepositional,
    is_single_role,
    is_verb_word,
    write_past,
    write_predicate,
)
from retrieval.programs.rendering.sentences.values import format_in_unit, lower_capitals, split_measure, write_list

_TRUTH = re.compile("yes|no|true|false", re.IGNORECASE)
_TRUE = re.compile("yes|true", re.IGNORECASE)
_WHEN = {re.compile(r"\d{4}"): "in", re.compile(r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}"): "on"}


def write_relation_sentence(label: str, source: str, names: list[str], *, several_sources: bool = False) -> str:
    """Write what a relation leads to from a thing.

    Args:
        source: the thing, or several as a list.
        names: what the relation leads to.
        several_sources: ``source`` names several.
    """
    measure, label = split_measure(label), lower_capitals(label)
    listed = write_list([format_in_unit(name, measure.unit) for name in names])
    if is_prepositional(label) or is_verb_word(label):
        return f"{source} {write_predicate(label, several=several_sources)} {listed}."
    if len(names) == 1 and _TRUTH.fullmatch(names[0]):
        clause = make_truth_clause(label, is_true=bool(_TRUE.fullmatch(names[0])))
        if clause.does is None:
            return f"{source}: {label} {names[0].lower()}."
        return f"{source} {clause.does[not several_sources]}."
    noun = get_noun(measure.noun)
    when = next((word for pattern, word in _WHEN.items() if all(map(pattern.fullmatch, names))), None)
    if when is not None and is_participle(noun.lower().rpartition(" ")[2]):
        return f"{source} {write_past(noun.lower(), several=several_sources)} {when} {listed}."
    if re.search("[^e]ed$", noun):  # "first published" is no noun
        return f"{source}: {noun} {listed}."
    if len(names) > 1:
        return f"{source} {'have' if several_sources else 'has'} {len(names):,} {apply_count(2, noun)}: {listed}."
    return f"The {noun} of {source} {get_copula(noun)} {listed}."


def write_inverse_sentence(label: str, source: str, names: list[str]) -> str:
    """Write what leads to a thing by a relation: "Ann and Bo work at Acme.", "Berlin is the capital of Germany."."""
    label, listed = lower_capitals(label), write_list(names)
    if label in SYMMETRIC_VERBS:
        return f"{source} {label} {listed}."
    if is_prepositional(label) or is_verb_word(label):
        return f"{listed} {write_predicate(label, several=len(names) > 1)} {source}."
    noun = get_noun(label)
    if is_single_role(noun) and len(names) == 1:
        return f"{source} is the {noun} of {listed}."
    return f"{listed}: {noun} {source}."


def write_owned_sentence(noun: str, names: list[str], owners: list[str], *, are_values: bool) -> str:
    """Write what each of several things has: "Population: Chad 17,700,000 and Niger 27,200,000."."""
    pairs = list(zip(names, owners, strict=True))
    if are_values:
        return f"{capitalise(noun)}: {write_list([f'{owner} {name}'.strip() for name, owner in pairs])}."
    members = [f"{name} ({owner})" if owner else name for name, owner in pairs]
    return f"{capitalise(apply_count(2, noun))}: {write_list(members)}."
