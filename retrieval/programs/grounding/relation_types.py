"""What relations look like, of what form their names are, and which words stand for somebody and for somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.language.english import AGENT_ENDINGS, RELATION_PREPOSITIONS
from retrieval.language.words import get_stem
from retrieval.lexicon import get_sequence, get_words

Form = Literal["noun", "of", "by", "verb"]
"""Of a relation's label: a noun (``capital``), one with "of" (``mother of``), a participle with "by" (``directed by``),
or a verb or participle with its preposition or none (``depends on``, ``orbits``)."""


def _split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def parse_stems(words: str) -> frozenset[str]:
    """The stems of words with spaces between them."""
    return frozenset(map(get_stem, words.split()))


def load_stems(name: str) -> frozenset[str]:
    """The stems of the words of a list of :mod:`retrieval.lexicon`."""
    return frozenset(map(get_stem, get_words(name)))


PERSONAL = load_stems("personal_relation_words")
"""Words of relations that people alone have, by stem."""
KINDRED = load_stems("kindred_relation_words")
"""Words of relations that lead to people, as they lead from them, by stem."""
SOMEBODY = load_stems("person_nouns")
"""Kinds of people, by stem."""
SOMEWHERE = load_stems("place_nouns")
"""Kinds of places, by stem."""
NOWHERE = load_stems("placeless_relation_words")
"""Words of relations that never say where something is, by stem."""
LOCATING = load_stems("locating_relation_words")
"""Words of relations that say where something is, by stem."""
#: What single verbs of relations end in ("borders", "contains", "orbits"), and nouns that end so.
_VERBAL = get_sequence("third_person_endings")
_NOUNS = get_words("nouns_ending_like_verbs")


#: Words in names of organisations and works, not of people.
_NOT_PERSONAL = get_words("words_in_names_of_organisations")
_NAME_WORDS = range(2, 5)


#: Words that end as those for who does something do.
_NO_DOERS = get_words("nouns_ending_like_agents")


def is_agent_noun(noun: str) -> bool:
    """Whether a noun looks like one for a person who does something, or to whom it is done: "sampler", "appointee"."""
    return noun.endswith((*AGENT_ENDINGS, "ee")) and noun not in _NO_DOERS


def is_personal(name: str) -> bool:
    """Whether a name is of the form of a person's: "Maria Silva", not "Order 1003" or "Acme Ltd"."""
    words = name.split()
    return (
        len(words) in _NAME_WORDS
        and all(word[0].isupper() and word.replace("-", "").replace("'", "").rstrip(".").isalpha() for word in words)
        and not {word.casefold().rstrip(".") for word in words} & _NOT_PERSONAL
    )


#: Past forms without an ending that tells.
_PAST = get_words("relation_past_forms")


def detect_form(label: str) -> Form:
    """The form of a relation's label."""
    words = label.casefold().split()
    if len(words) > 1 and words[-1] in RELATION_PREPOSITIONS | {"of", "to", "with"}:
        return "of" if words[-1] == "of" else "by" if words[-1] == "by" else "verb"
    verbal = words and (words[0] in _PAST or (words[0].endswith(_VERBAL) and words[0] not in _NOUNS))
    return "verb" if len(words) == 1 and verbal else "noun"


@dataclass(frozen=True, slots=True)
class RelationInfo:
    """A relation and what its facts look like.

    Attributes:
        id: forward.
        label: humanised.
        leaves: share of its tails from which nothing leads on.
    """

    id: int
    label: str
    stems: tuple[str, ...]
    facts: int
    heads: int
    tails: int
    leaves: float
    form: Form = "noun"
