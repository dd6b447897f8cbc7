"""The words of a question around a stretch of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import Self

from retrieval.language.mention_words import MentionWord
from retrieval.linking.mentions import to_context_stem


class WordContext:
    """The words of a question around a stretch of it, counted once for all stretches."""

    def __init__(self, words: Sequence[MentionWord]) -> None:
        self._words = Counter(word.text for word in words)
        self._stems = Counter(to_context_stem(word.text) for word in words)
        del self._stems[""]
        self._inside: Counter[str] = Counter()
        self._inside_stems: Counter[str] = Counter()

    def copy_without(self, inside: list[str]) -> Self:
        """The words around a stretch."""
        other = copy(self)
        other._inside, other._inside_stems = Counter(inside), Counter(map(to_context_stem, inside))
        return other

    def has(self, word: str) -> bool:
        """Whether a word stands there."""
        return self._words[word] > self._inside[word]

    def has_stem(self, stem: str) -> bool:
        """Whether a word of this stem stands there."""
        return self._stems[stem] > self._inside_stems[stem]
