"""The stemmer of English words."""

from __future__ import annotations

from functools import lru_cache

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    """Return a word in lower case without its endings."""
    stemmed: str = _STEMMER.stemWord(word)
    return stemmed
