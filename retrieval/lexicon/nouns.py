"""Plurals and singulars of English nouns."""

from __future__ import annotations

import re

from retrieval.lexicon import get_pairs, get_words

_PLURALS = get_pairs("irregular_plurals")
IRREGULAR_SINGULARS = {plural: singular for singular, plural in _PLURALS.items() if plural != singular}
_UNCHANGED = get_words("invariable_nouns")
_SAME = ("news", "series", "species")
#: Plurals that add "es", with those of words in "us": buses, viruses; not houses and causes.
_IN_ES = re.compile(r"(?:oes|ches|shes|sses|xes|zzes|lenses|[^aeiou]uses)$")

#: Fewest letters before the "y" of an adjective that is derived from a noun.
_QUALITY = 3


def is_plural(noun: str) -> bool:
    """Whether a noun is a plural, as it is written."""
    low = noun.lower()
    if low in IRREGULAR_SINGULARS or low in _PLURALS or low in _UNCHANGED:
        return low in IRREGULAR_SINGULARS
    return len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is", *_SAME))


def to_plural(noun: str) -> str:
    """Return the plural of a noun, with its first letter kept; a noun that ends as plurals do stays."""
    low = noun.lower()
    if low in _PLURALS:
        return noun[:1] + _PLURALS[low][1:]
    if low.endswith("woman"):
        return noun[:-2] + "en"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if low.endswith("sis"):
        return noun[:-2] + "es"
    if low.endswith(("ss", "us", "sh", "ch", "x", "z")):
        return noun + "es"
    return noun if low.endswith("s") else noun + "s"


def to_singular(noun: str) -> str:
    """Return the singular of a noun; a noun that is no plural stays."""
    low = noun.lower()
    if low in IRREGULAR_SINGULARS:
        return noun[:1] + IRREGULAR_SINGULARS[low][1:]
    if not is_plural(low):
        return noun
    if low.endswith("ies") and len(low) > 4:
        return noun[:-3] + "y"
    return noun[:-2] if _IN_ES.search(low) else noun[:-1]


def list_singulars(name: str) -> list[str]:
    """The possible singulars of a name that ends in a plural, in lower case, the likeliest first; empty for any other.

    ``wood elves`` gives ``wood elve``, ``wood elf`` and ``wood elfe``.
    """
    before, gap, noun = name.rpartition(" ")
    if not is_plural(noun):
        return []
    singulars = [to_singular(noun)]
    if noun.endswith("ves") and noun not in IRREGULAR_SINGULARS:
        singulars += [noun[:-3] + "f", noun[:-3] + "fe"]
    return [before + gap + singular for singular in singulars]


def list_quality_nouns(adjective: str) -> list[str]:
    """Nouns that an adjective in "y" may be derived from, in lower case, the likeliest first; else empty.

    ``foggy`` gives ``fog``, ``fogg`` and ``fogge``.
    """
    noun = adjective[:-1]
    if not adjective.endswith("y") or len(noun) < _QUALITY or noun[-1] in "aeiou":
        return []
    return [*([noun[:-1]] if noun[-1] == noun[-2] else []), noun, noun + "e"]
