"""Words that carry meaning, whatever their endings, and how much each of them tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.tokens import tokenize_text
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.linking.passage_index import PassageIndex

_ENDINGS = ("ing", "ed")
#: Words that say nothing of what is asked. Nouns that ask ("state", "president") stay: a passage answers with them.
_FUNCTION_WORDS = get_words("passage_stop_words")


def extract_stems(text: str) -> list[str]:
    """Words that carry meaning, without endings that only grammar needs; repeats once, in order."""
    stems = dict.fromkeys(_to_stem(word) for word in tokenize_text(text))
    return [word for word in stems if word not in _FUNCTION_WORDS]


def _to_stem(word: str) -> str:
    if len(word) > 4 and word.endswith("s"):
        word = word[:-1]
    for ending in _ENDINGS:
        if len(word) > 6 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def list_forms(stem: str) -> list[str]:
    """Words that have a stem."""
    spelt = [stem, *(stem + ending for ending in _ENDINGS)]
    return [form for each in spelt for form in (each, f"{each}s") if _to_stem(form) == stem]


def find_stem_passages(passages: PassageIndex, stem: str) -> np.ndarray:
    """The passages that hold a word, whatever its ending, int32."""
    return np.unique(np.concatenate([passages.find_passages(form) for form in list_forms(stem)]))


def compute_word_shares(stems: Iterable[str], count: int, having: Callable[[str], np.ndarray]) -> dict[str, float]:
    """How much each word tells, log(1 + n / (1 + those of n that have it)), as shares of all of them."""
    weights = {word: math.log(1 + count / (1 + len(having(word)))) for word in stems}
    total = sum(weights.values())
    return {word: weight / total for word, weight in weights.items()} if total else {}
