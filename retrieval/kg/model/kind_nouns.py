"""What the rows of a file are called, by the file's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular

_FILLERS = get_words("file_name_fillers")
_BEFORE = frozenset({"all", "and", "our", "the", "these", "your"})
_BEHIND = get_words("words_behind_table_nouns")
_LISTS = get_words("collection_nouns")
#: What follows a noun in any case: "country by capital".
_PER = frozenset({"by", "per"})


def make_singular(words: Sequence[str]) -> str:
    """Words with the last of them as a singular."""
    return " ".join([*words[:-1], to_singular(words[-1])])


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
