"""Which way a question walks a relation that it names: "what eats X" asks who does it, "what does X eat" to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.language.words import get_stem
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.language.words import Word

#: What stands before who does something, where the verb comes last.
_HELPS = get_words("auxiliaries_before_subjects")
#: First words of names that are no verbs of their own.
_PLAIN = frozenset({"has", "is", "was", "as", "its", "this"})
_LEAST = 4


def infer_direction(words: Sequence[Word], name_start: int, label: str) -> int:
    """1 where a question asks for what the named thing leads to by a relation, -1 for what leads to it, 0 unknown.

    Args:
        name_start: the character at which the named thing begins.
    """
    label_words = label.casefold().split()
    if len(label_words) > 1 and label_words[-1] == "of":
        return _infer_from_noun(words, name_start, get_stem(label_words[-2]))
    verb = label_words[0] if label_words else ""
    if len(verb) >= _LEAST and verb.endswith("s") and not verb.endswith("ss") and verb not in _PLAIN:
        return _infer_from_verb(words, name_start, get_stem(verb))
    return 0


def _infer_from_noun(words: Sequence[Word], name_start: int, noun: str) -> int:
    """ "Child of": the children of X, and X's, lead to X; whom X is a child of is led to."""
    for n, word in enumerate(words):
        if word.stem != noun:
            continue
        behind = words[n + 1].text if n + 1 < len(words) else ""
        if word.start < name_start:
            return -1 if behind == "of" else 0
        if any(token.text in ("'s", "’s") for token in words[max(0, n - 2) : n]):
            return -1
        return 1 if behind == "of" else 0
    return 0


def _infer_from_verb(words: Sequence[Word], name_start: int, verb: str) -> int:
    for n, word in enumerate(words):
        if word.stem != verb or word.start == name_start:
            continue
        helped = any(token.text in _HELPS for token in words[:n])
        behind = words[n + 1].text if n + 1 < len(words) else ""
        if word.start < name_start:
            return 0 if helped else 1 if behind == "by" else -1
        return -1 if behind == "by" else 1
    return 0
