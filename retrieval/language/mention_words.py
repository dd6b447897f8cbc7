"""Words of a question with their places, in which names are looked for; stretches that its signs mark as names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.kg.snapshot.labels import NAME_SIGNS, normalize_name

_WORD = re.compile(rf"[^\W_]+{NAME_SIGNS}?")


@dataclass(frozen=True, slots=True)
class MentionWord:
    """A word of the question: its normalised form and its place."""

    text: str
    start: int
    end: int
    capital: bool


def split_words(text: str) -> tuple[MentionWord, ...]:
    """The words of a text, in order."""
    words = []
    for match in _WORD.finditer(text):
        word = match.group()
        words.append(
            MentionWord(normalize_name(word), match.start(), match.end(), word[0].isupper() or word[0].isdigit())
        )
    return tuple(words)


def has_case(words: Sequence[MentionWord]) -> bool:
    """Whether capitals say anything here: some word after the first has one, and not every word has."""
    later = [word.capital for word in words[1:] if not word.text.isdigit()]
    return any(later) and not all(later)
