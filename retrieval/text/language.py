"""Whether a question is in English, the language that Clew reads."""

from __future__ import annotations

import re

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
#: Of the letters, so many may be of another script.
_FOREIGN = 0.4


def is_english(question: str) -> bool:
    """Whether a question may be English: in its script, and not with more function words of another language.

    Names alone are in no language, and pass.
    """
    letters = [letter for letter in question if letter.isalpha()]
    if not letters:
        return True
    foreign = sum(ord(letter) > 0x24F for letter in letters)
    words = [word.casefold() for word in _WORDS.findall(question)]
    others = sum(word in _OTHERS and word not in _ENGLISH for word in words)
    own = sum(word in _ENGLISH for word in words)
    asks = words[0] in _OTHERS and words[0] not in _ENGLISH if words else False
    return foreign / len(letters) <= _FOREIGN and (others < own if asks else others <= own)
