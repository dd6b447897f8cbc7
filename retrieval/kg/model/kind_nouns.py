"""What the rows of a file are called, by the file's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePath

from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular

_FILLERS = get_words("file_name_fillers")
_BEFORE = frozenset({"all", "and", "our", "the", "these", "your"})
_BEHIND = get_words("words_behind_table_nouns")
_LISTS = get_words("collection_nouns")
#: What follows a noun in any case: "country by capital".
_PER = frozenset({"by", "per"})
#: Tables of one upload whose names may begin with where they come from.
_SEVERAL = 3


def make_singular(words: Sequence[str]) -> str:
    """Words with the last of them as a singular."""
    return " ".join([*words[:-1], to_singular(words[-1])])


def drop_shared_words(nouns: Sequence[str]) -> list[str]:
    """Nouns of several tables without the words that all of them begin with: ``order`` of a ``web shop order`` beside
    web shop customers and web shop products; as they are where these words are all of one.
    """
    words = [noun.split() for noun in nouns]
    shared = (
        len([*takewhile(lambda same: len({*same}) == 1, zip(*words, strict=False))]) if len(nouns) >= _SEVERAL else 0
    )
    return [" ".join(each[shared:]) for each in words] if all(len(each) > shared for each in words) else [*nouns]


def infer_noun(name: str) -> str:
    """What the rows of a file are called, ``film`` of ``films.csv``; empty where its name says nothing."""
    stem = PurePath(name).stem
    text = re.sub(
        r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"(?<![^\W_])\d+[^\W\d_]+", " ", stem)
    )  # without parts such as 2k
    words = [word for part in re.split(r"[\W\d_]+", text) if (word := part.lower()) and word not in _FILLERS]
    while words and words[0] in _BEFORE | _BEHIND:
        words = words[1:]
    ends = [
        position
        for position, word in enumerate(words)
        if position and word in _BEHIND and (word in _PER or words[position - 1][-1:] == "s")
    ]
    words = words[: ends[0]] if ends else words
    if len(words) > 1 and words[-1] in _LISTS and words[-2].endswith("s"):
        words = words[:-1]
    return make_singular(words) if any(len(word) > 1 for word in words) else ""
