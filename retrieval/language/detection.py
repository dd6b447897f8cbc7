"""Whether a question, and what a graph calls its relations, is in English, the language that Clew reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from retrieval.lexicon import get_words

_WORDS = re.compile(r"[^\W\d_]+")
_ENGLISH = get_words("common_english_words")
_OTHERS = get_words("common_foreign_words")
#: English words that are common in other languages too.
_SHARED = get_words("shared_short_words")
#: Relations that are looked at.
_LOOKED_AT = 500
#: Of the letters, so many may be of another script.
_FOREIGN = 0.4


def is_english(question: str) -> bool:
    """Whether a question may be English: in its script, and not with more function words of another language.

    Names alone are in no language, and pass. Those in another script make no other language of what asks about them.
    """
    letters = [letter for letter in question if letter.isalpha()]
    if not letters:
        return True
    foreign = sum(ord(letter) > 0x24F for letter in letters)
    words = [word.casefold() for word in _WORDS.findall(question)]
    others = sum(word in _OTHERS and word not in _ENGLISH for word in words)
    english = sum(word in _ENGLISH for word in words)
    asks = words[0] in _OTHERS and words[0] not in _ENGLISH if words else False
    return (foreign / len(letters) <= _FOREIGN or english > 1) and (others < english if asks else others <= english)


def has_english_names(names: Iterable[str]) -> bool:
    """Whether relations may be named in English: in its script, and not with more function words of another language.

    Names without any such word pass.
    """
    letters = foreign = others = english = 0
    for name, _ in zip(names, range(_LOOKED_AT), strict=False):
        for word in _WORDS.findall(name):
            letters += len(word)
            foreign += sum(ord(letter) > 0x24F for letter in word)
            folded = word.casefold()
            others += folded in _OTHERS and folded not in _ENGLISH
            english += folded in _ENGLISH and folded not in _SHARED
    return foreign <= _FOREIGN * letters and (others < 2 or others <= english)
