"""Relations, kinds and keys of a graph in plain English. Standard library only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.language.amounts import Folding, ValueKind
from retrieval.lexicon import get_sequence, get_words
from retrieval.lexicon.nouns import to_plural
from retrieval.programs.algebra.operations import Key
from retrieval.programs.rendering.directions import split_direction

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns

# fmt: off
#: A noun with a unit, or what it is short for, in brackets behind it.
_IN_BRACKETS = re.compile(r"(.*\S)(\s*[(\[][^)\]]+[)\]])")
PREPOSITIONS = get_words("relation_prepositions")
#: Verbs that relations are named with, as one word.
_VERBS = get_words("label_verbs")
_PAST = get_words("relation_past_forms")
PLACES = get_words("places_and_departments")
#: Entities named in a row, and how many of more.
_NAMED, _FEW = 12, 3
_NO_VERBS = frozenset({"is", "was", "has"})
_PREFIXES = ("has ", "is ", "was ", "in ")
_ORDINALS = ("", *get_sequence("ordinal_words"))
# fmt: on
_FOLDINGS = {
    Folding.SUM: "total",
    Folding.AVERAGE: "average",
    Folding.LEAST: "smallest",
    Folding.MOST: "largest",
}  # fmt: skip


def make_plural(noun: str) -> str:
    """The plural of a noun or noun phrase; what already is one stays.

    ``country`` -> ``countries``; ``point of interest`` -> ``points of interest``; ``US state`` -> ``US states``.
    """
    bracketed = _IN_BRACKETS.fullmatch(noun)
    if bracketed is not None:  # monthly fees (£)
        return make_plural(bracketed[1]) + bracketed[2]
    head, of, rest = noun.partition(" of ")
    before, space, word = head.rpartition(" ")
    return f"{before}{space}{to_plural(word)}{of}{rest}"


def format_ordinal(number: int) -> str:
    """``second``, ``11th``."""
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def join_names(names: list[str], word: str = "and", most: int = 3) -> str:
    """Names in a row: ``a, b and c``; of many the first ones, and how many others."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else "nothing"


def add_article(noun: str) -> str:
    """The noun with ``a`` or ``an``; a plural as it is."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


class Wording:
    """How a graph's relations and keys are put into words."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.snapshot: Snapshot = columns.snapshot

    def join_labels(self, ids: tuple[int, ...], word: str = "and") -> str:
        """Labels of entities in a row; of many the first few, and how many more there are."""
        if len(ids) > _NAMED:
            first = ", ".join(self.snapshot.get_entity_label(node) for node in ids[:_FEW])
            return f"{first} {word} {len(ids) - _FEW} others"
        return join_names([self.snapshot.get_entity_label(node) for node in ids], word)

    def join_kinds(self, ids: tuple[int, ...]) -> str:
        """Things of some kinds: ``countries or islands``."""
        labels = [self.snapshot.get_entity_label(node) for node in ids]
        return join_names(
            [make_plural(label[0].lower() + label[1:] if label[1:].islower() else label) for label in labels],
            "or",
        )

    def get_label(self, relation: int) -> str:
        """A relation's label, forward."""
        return self.snapshot.get_relation_label(split_direction(self.snapshot, relation)[1])

    def get_noun(self, relation: int) -> str:
        """What a relation leads to: ``capital``; of ``has genre``, ``genre``."""
        label = self.get_label(relation)
        for prefix in _PREFIXES:
            if label.startswith(prefix) and not self.is_prepositional(relation):
                return label.removeprefix(prefix)
        return label

    def is_prepositional(self, relation: int) -> bool:
        """Whether a relation's label asks for what comes next: ``directed by``."""
        words = self.get_label(relation).split()
        return len(words) > 1 and words[-1] in PREPOSITIONS

    def get_verb_forms(self, relation: int) -> tuple[str, str] | None:
        """A label that is an active verb, of many and of one: ``live in``, ``lives in``; None of others."""
        label = self.get_label(relation)
        first, space, rest = label.partition(" ")
        if space and not (self.is_prepositional(relation) and first not in _NO_VERBS and first.endswith("s")):
            return None
        if not space and (label in _PAST or (label.endswith("ed") and self.columns.get_value_type(relation) is None)):
            return label, label
        if first.endswith("ss") or not (space or label in _VERBS):
            return None
        many = first[:-3] + "y" if first.endswith("ies") else first[: -2 if first.endswith(("ches", "shes")) else -1]
        return many + space + rest, label

    def get_participle(self, relation: int) -> str:
        """A prepositional label without its verb: of ``is part of``, ``part of``."""
        return self.get_label(relation).removeprefix("is ").removeprefix("was ")

    def describe_having(self, relation: int) -> str:
        """Of things: from which a directed relation leads on: ``that have a capital``."""
        inverse, _ = split_direction(self.snapshot, relation)
        verb = self.get_verb_forms(relation)
        if verb is not None:
            return f"that something {verb[1]}" if inverse else f"that {verb[0]} something"
        if self.is_prepositional(relation):
            participle = self.get_participle(relation)
            return f"that something is {participle}" if inverse else f"that are {participle} something"
        noun = add_article(self.get_noun(relation))
        return f"that are {noun} of something" if inverse else f"that have {noun}"

    def describe_owner(self, relation: int, what: str) -> str:
        """Of things: from which a relation leads to something; its direction does not matter.

        ``directed by Spielberg``, ``in Africa (continent)``, ``whose language is French``.
        """
        noun, verb = self.get_noun(relation), self.get_verb_forms(relation)
        if verb is not None:
            return f"that {verb[0]} {what}"
        if self.is_prepositional(relation):
            return f"{self.get_participle(relation)} {what}"
        if noun in PLACES:
            return f"in {what} ({noun})"
        return f"whose {noun} is {what}"

    def describe_target(self, relation: int, what: str) -> str:
        """To which a relation leads from something: ``the capital of Egypt``, ``what Jaws is directed by``."""
        verb = self.get_verb_forms(relation)
        if verb is not None:
            return f"what {what} {verb[what != 'they']}"
        if self.is_prepositional(relation):
            return f"what {what} {'are' if what == 'they' else 'is'} {self.get_participle(relation)}"
        return f"the {self.get_noun(relation)} of {what}"

    def describe_relation(self, relation: int, *, things: str = "things") -> str:
        """A directed relation as a noun: ``capital``, ``things with this capital``."""
        inverse, _ = split_direction(self.snapshot, relation)
        verb = self.get_verb_forms(relation)
        if inverse and verb is not None:
            return f"{things} that {verb[0]} this"
        if inverse and self.is_prepositional(relation):
            return f"{things} {self.get_participle(relation)} this"
        return f"{things} with this {self.get_noun(relation)}" if inverse else self.get_noun(relation)

    def describe_path(self, path: tuple[int, ...]) -> str:
        """A relation path as a noun: ``capital's coast``."""
        inverse = any(split_direction(self.snapshot, relation)[0] for relation in path)
        return (" → " if inverse else "'s ").join(map(self.describe_relation, path))

    def describe_counted(self, key: Key, things: str = "things") -> str:
        """What a key counts, in the plural: ``languages``, ``countries with this language``."""
        *before, last = key.path
        inverse, _ = split_direction(self.snapshot, last)
        text = self.describe_relation(last, things=things) if inverse else make_plural(self.get_noun(last))
        return f"{self.describe_path(tuple(before))}'s {text}" if before else text

    def describe_key(self, key: Key, things: str = "things") -> str:
        """A key as a noun: ``population``, ``number of languages``, ``average river length``."""
        if key.counted:
            return f"number of {self.describe_counted(key, things)}"
        extra = key.times or key.less
        also = f" {'×' if key.times else '−'} {self.describe_path(extra)}" if extra else ""
        if not key.folding:
            return f"{self.describe_path(key.path)}{also}"
        how, (*before, last) = self.get_folding_word(key.folding, key), key.path
        if len(before) == 1 and split_direction(self.snapshot, before[0])[0]:  # of the trails of a park
            return f"{how} {self.get_noun(last)}{also} of {self.describe_relation(before[0])}"
        return f"{how} {self.describe_path(key.path)}{also}"

    def get_folding_word(self, how: Folding, key: Key) -> str:
        """The word for what becomes of several values: ``average``; of dates, ``earliest``."""
        if how in (Folding.LEAST, Folding.MOST) and not key.counted:
            return self.get_superlative(key, largest=how is Folding.MOST)
        return _FOLDINGS[how]

    def get_superlative(self, key: Key, *, largest: bool) -> str:
        """The word for an end of a key's order: ``largest``, ``earliest``."""
        if key.counted:
            return "most" if largest else "fewest"
        if key.less is not None:
            return "largest" if largest else "smallest"
        kind = self.columns.get_value_type(key.path[-1])
        if kind is not None and (kind.year or kind.kind is not ValueKind.NUMBER):
            return "latest" if largest else "earliest"
        return "largest" if largest else "smallest"
