"""What a part of a program says of things, as a clause: "that border Chad", "with a price over £3"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Entities, Having, Or, Program, Walk
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.sentences.grammar import (
    add_indefinite_article,
    conjugate_plural,
    get_past_participle,
    is_verb_word,
    make_singular,
    split_role,
    write_being,
)
from retrieval.programs.rendering.sentences.values import lower_capitals, split_measure
from retrieval.programs.rendering.wording import PLACES, make_plural

if TYPE_CHECKING:
    from retrieval.programs.rendering.set_wording import SetDescriber

SYMMETRIC_VERBS = get_words("symmetric_verbs")
"""Relations of two things that hold both ways, such as ``borders``."""
#: Columns of yes and no that are words for a thing, and no adjectives, have one of these ends.
_THING_ENDS = ("s", *sorted(get_words("owned_things")))
_TRUE = frozenset({"yes", "true"})
TRUTHS = _TRUE | {"no", "false"}
_PREPOSITIONAL = re.compile(r"\S+ed (by|in|at|on|from|with)")
#: A column of yes and no with more words is no adjective.
_MAX_ADJECTIVE_WORDS = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """What is said of things, each time of many and of one.

    Attributes:
        after: behind their noun: ``in Africa``, ``that border Chad``.
        does: as a sentence goes on: ``border Chad``, ``is made from milk``; None where there is no such form.
        kind: the plural noun of the kind that they are of; empty where the clause says something else.
        weak: it says only what they are known by, for want of a kind: ``have a birth year``.
    """

    after: tuple[str, str]
    does: tuple[str, str] | None = None
    kind: str = ""
    weak: bool = False


def make_plain_clause(text: str) -> Clause:
    """A clause that is the same of many and of one."""
    return Clause((text, text))


def make_owning_clause(what: str, *, weak: bool = False) -> Clause:
    """Things with something: ``with a coast``, ``have a coast``."""
    after = (f"that have {what}", f"that has {what}") if weak else (f"with {what}", f"with {what}")
    return Clause(after, (f"have {what}", f"has {what}"), weak=weak)


def make_lacking_clause(noun: str) -> Clause:
    """Things without something: ``without a coast``, ``have no coast``."""
    without = f"without {add_indefinite_article(noun)}"
    return Clause((without, without), (f"have no {noun}", f"has no {noun}"))


def make_being_clause(many: str, single: str | None = None) -> Clause:
    """Things that are something: ``that are hardy``, ``is a lion``."""
    single = many if single is None else single
    return Clause((f"that are {many}", f"that is {single}"), (f"are {many}", f"is {single}"))


def make_kind_clause(plural: str) -> Clause:
    """Things of a kind: ``that are rivers``, ``is a river``."""
    being = make_being_clause(plural, add_indefinite_article(make_singular(plural)))
    return Clause(being.after, being.does, kind=plural)


def make_doing_clause(many: str, single: str, *, weak: bool = False) -> Clause:
    """Things that do something: ``that border Chad``, ``borders Chad``."""
    return Clause((f"that {many}", f"that {single}"), (many, single), weak=weak)


def make_truth_clause(column: str, *, is_true: bool) -> Clause:
    """Of a column of yes and no: ``that are hardy``, ``with a crater lake``, ``without parking``."""
    word = re.sub("^(is|are|was) ", "", column.removesuffix("?"))
    if len(word.split()) > _MAX_ADJECTIVE_WORDS:
        return make_plain_clause(f"whose {word} is {'yes' if is_true else 'no'}")
    thing = word.removeprefix("has ")
    if thing == word and not word.endswith(_THING_ENDS):
        return make_being_clause(word if is_true else f"not {word}")
    return make_owning_clause(add_indefinite_article(thing)) if is_true else make_lacking_clause(thing)


def make_set_clause(describer: SetDescriber, program: Program) -> Clause | None:
    """What a set that one step says tells of other things that are in it; None of other sets."""
    match program:
        case Entities(ids):
            return make_being_clause(describer.words.join_labels(ids, "or"))
        case Having(relation):
            return _make_having_clause(describer, relation)
        case Walk(Entities(ids), relation):
            inverse, forward = split_direction(describer.words.snapshot, relation)
            if inverse and forward == describer.type_relation:
                return make_kind_clause(describer.words.join_kinds(ids))
            what = describer.words.join_labels(ids, "or" if inverse else "and")
            return make_walk_clause(describer, relation, what, several=len(ids) > 1)
        case Or(left, right):
            first, second = make_set_clause(describer, left), make_set_clause(describer, right)
            if first is None or second is None:
                return None
            kind = f"{first.kind} or {second.kind}" if first.kind and second.kind else ""
            if kind:
                return make_kind_clause(kind)
            after = tuple(f"{text} or {other}" for text, other in zip(first.after, second.after, strict=True))
            return Clause((after[0], after[1]))
    return None


def negate_clause(clause: Clause) -> Clause | None:
    """The opposite of a clause: ``that do not border Chad``, ``without a coast``; None where there is no form."""
    whose = re.fullmatch("(whose .+ is) ((?!not ).+)", clause.after[0])
    if whose is not None:
        if " or " in whose[2]:
            return None
        after = f"{whose[1]} not {_negate_objects(whose[2])}"
        if clause.does is None:
            return make_plain_clause(after)
        return Clause((after, after), (f"do not {clause.does[0]}", f"does not {clause.does[0]}"))
    if clause.does is None:
        return None
    many, single = clause.does
    for are, is_ in (("are ", "is "), ("were ", "was ")):
        if many.startswith(are) and single.startswith(is_):
            predicates = many.removeprefix(are).removeprefix("not "), single.removeprefix(is_).removeprefix("not ")
            no = "" if many.startswith(f"{are}not ") else "not "
            does = f"{are}{no}{_negate_objects(predicates[0])}", f"{is_}{no}{_negate_objects(predicates[1])}"
            return Clause((f"that {does[0]}", f"that {does[1]}"), does)
    if many.startswith("have "):
        noun = re.sub("^an? ", "", many.removeprefix("have "))
        if noun.endswith("ed") and " " not in noun:  # of a column "collected"
            return make_being_clause(f"not {noun}")
        return make_lacking_clause(noun)
    base = _negate_objects(many)
    verb, _, rest = base.partition(" ")
    if verb == single.partition(" ")[0]:  # in the past
        participle = get_past_participle(verb)
        return make_doing_clause(f"have not {participle} {rest}", f"has not {participle} {rest}")
    return make_doing_clause(f"do not {base}", f"does not {base}")


def _negate_objects(text: str) -> str:
    """``anything`` for ``something``, ``any of 3`` for ``one of 3``."""
    return re.sub(r"\bone of (?=\d)", "any of ", re.sub(r"\bsomething\b", "anything", text))


def _make_having_clause(describer: SetDescriber, relation: int) -> Clause:
    words, (inverse, _) = describer.words, split_direction(describer.words.snapshot, relation)
    if relation in describer.nouns:
        return make_kind_clause(make_plural(describer.nouns[relation]))
    verb = words.get_verb_forms(relation)
    if verb is not None:
        if inverse:
            return make_plain_clause(f"that something {verb[1]}")
        return make_doing_clause(f"{verb[0]} something", f"{verb[1]} something", weak=True)
    if words.is_prepositional(relation):
        participle = words.get_participle(relation)
        if inverse:
            return make_plain_clause(f"that something is {participle}")
        being = make_being_clause(f"{participle} something")
        return Clause(being.after, being.does, weak=True)
    noun = words.get_noun(relation)
    if inverse:
        return make_kind_clause(make_plural(lower_capitals(noun)))
    return make_owning_clause(add_indefinite_article(split_measure(noun).noun), weak=True)


def make_walk_clause(
    describer: SetDescriber, relation: int, what: str, *, several: bool = False, nested: bool = False
) -> Clause:
    """What a walk tells of the things that it leads to.

    Args:
        relation: the directed relation that is walked.
        what: from where.
        several: ``what`` are several things.
        nested: ``what`` are no names.
    """
    words, (inverse, _) = describer.words, split_direction(describer.words.snapshot, relation)
    verb, noun = words.get_verb_forms(relation), lower_capitals(words.get_noun(relation))
    if (label := words.get_label(relation)) in SYMMETRIC_VERBS:
        return make_doing_clause(f"{conjugate_plural(label)} {what}", f"{label} {what}")
    if not inverse:
        if verb is not None or is_verb_word(noun):
            many, single = verb or (conjugate_plural(noun), noun)
            return make_plain_clause(f"that {what} {many if several else single}")
        if words.is_prepositional(relation):
            return make_plain_clause(f"that {what} {'are' if several else 'is'} {words.get_participle(relation)}")
        return make_being_clause(words.describe_target(relation, what))
    if what.lower() in TRUTHS:
        return make_truth_clause(noun, is_true=what.lower() in _TRUE)
    if verb is not None:
        return make_doing_clause(f"{verb[0]} {what}", f"{verb[1]} {what}")
    if words.is_prepositional(relation):
        return _make_participle_clause(f"{words.get_participle(relation)} {what}")
    if noun.removeprefix("in ") in PLACES:
        return Clause((f"in {what}", f"in {what}"), (f"are in {what}", f"is in {what}"))
    return _make_column_clause(noun, what, has_verb=not several and not nested)


def _make_participle_clause(text: str) -> Clause:
    """Things ``directed by Spielberg``, which ``are directed by Spielberg``; ``members of a club``."""
    role = split_role(text)
    plural = text if role is None else f"{make_plural(role[0])} {role[1]}"
    return Clause((plural, text), (write_being(text, several=True), write_being(text, several=False)))


def _make_column_clause(noun: str, value: str, *, has_verb: bool) -> Clause:
    """Things whose column has a value: ``whose colour is red``, ``have the colour red``."""
    if _PREPOSITIONAL.fullmatch(noun):
        return _make_participle_clause(f"{noun} {value}")
    if is_verb_word(noun):
        return make_doing_clause(f"{conjugate_plural(noun)} {value}", f"{noun} {value}")
    text = f"whose {noun} is {value}"
    return Clause((text, text), (f"have the {noun} {value}", f"has the {noun} {value}") if has_verb else None)
