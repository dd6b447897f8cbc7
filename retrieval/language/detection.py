"""Whether a question, and what a graph calls its relations, is in English, the language that Clew reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset({
    "the", "of", "in", "is", "are", "was", "were", "did", "does", "do", "what", "which", "who", "whom", "whose",
    "where", "when", "how", "many", "much", "and", "or", "that", "with", "has", "have", "to", "from", "by",
    "for", "on", "at", "a", "an", "it", "its", "they", "them", "their", "list", "name", "show", "give",
})  # fmt: skip
_OTHERS = frozenset({
    "der", "die", "das", "den", "dem", "welche", "welcher", "welches", "wer", "wie", "viele", "wo", "wann",
    "ist", "sind", "war", "und", "nicht", "von", "mit", "für", "aus", "ein", "eine", "le", "la", "les", "des",
    "du", "quel", "quelle", "quels", "quelles", "qui", "où", "quand", "combien", "est", "sont", "et", "dans",
    "une", "avec", "el", "los", "las", "cuál", "cuáles", "qué", "quién", "dónde", "cuándo", "cuántos",
    "cuántas", "es", "son", "y", "en", "una", "il", "lo", "gli", "che", "chi", "dove", "quando", "quanti",
    "quante", "è", "sono", "o", "da", "um", "uma", "qual", "quais", "quem", "onde", "quantos", "quantas", "são",
    "hoeveel", "welke", "waar", "wanneer", "het", "een", "zijn", "wat", "kto", "gdzie", "kiedy", "ile", "jest",
    "jaki", "jakie",
})  # fmt: skip
#: English words that are common in other languages too.
_SHARED = frozenset({"in", "is", "an", "a", "on", "at", "to", "do", "for", "has", "was", "are"})
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
