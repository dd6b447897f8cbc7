"""Typing errors in the words that ask for an operator: "hihgest", "averge", "how mnay"."""

from __future__ import annotations

from functools import lru_cache

from retrieval.language.adjectives import COMPARATIVES, SUPERLATIVES
from retrieval.language.comparisons import FOLDINGS
from retrieval.language.english import STOP
from retrieval.lexicon import get_words

#: Shorter words are too often words of their own: "lager", "colder".
_SUPERLATIVE, _COMPARATIVE = 6, 7
_VOWELS = frozenset("aeiouy")
MANY = get_words("misspellings_of_many")
"""What "many" is typed as behind "how"."""


@lru_cache(maxsize=1)
def _collect_operator_words() -> frozenset[str]:
    single = {word for word in SUPERLATIVES if word.isalpha() and len(word) >= _SUPERLATIVE}
    single |= {word for word in (*COMPARATIVES, *FOLDINGS) if word.isalpha() and len(word) >= _COMPARATIVE}
    return frozenset(single | {"number", "before", "between", "without"})


@lru_cache(maxsize=10_000)
def resolve_operator_word(word: str) -> str:
    """The word that is meant by one with a letter missing, doubled or too many, a wrong vowel, or two letters that
    changed places; else the word itself. The first letter is always right, and the last but for "highets".
    """
    if len(word) < _SUPERLATIVE - 1 or word in STOP or word in _collect_operator_words() or not word.isalpha():
        return word
    ends = word[:-3] + "est" if word.endswith("ets") else word
    if ends in _collect_operator_words():
        return ends
    meant = [
        candidate
        for candidate in _collect_operator_words()
        if candidate[0] == word[0] and candidate[-1] == word[-1] and _is_one_apart(word, candidate)
    ]
    return meant[0] if len(meant) == 1 else word


def _is_one_apart(left: str, right: str) -> bool:
    if len(left) == len(right):
        apart = [n for n in range(len(left)) if left[n] != right[n]]
        if len(apart) == 1:
            return {left[apart[0]], right[apart[0]]} <= _VOWELS
        first, last = apart[0], apart[-1]
        return len(apart) == 2 and last == first + 1 and (left[first], left[last]) == (right[last], right[first])
    short, long = sorted((left, right), key=len)
    return len(long) == len(short) + 1 and any(long[:n] + long[n + 1 :] == short for n in range(len(long)))
