"""One name for what several passages name in different ways.

Names that are equal but for case, accents' form, punctuation and a leading article are one entity. Beyond that, names
whose embeddings are nearer than a threshold are merged, unless numbers in them differ: "Apollo 11" and "Apollo 12" are
near and not the same. An entity gets the spelling that the text uses most.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

THRESHOLD = 0.93
"""Cosine from which two names are one; 1 or more merges equal names only."""

AT_ONCE = 1_024

_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_PUNCTUATION = re.compile(r"[^\w\s]+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Merged:
    """What was merged.

    Attributes:
        names: the entity of each name.
        by_spelling: names that went into another because only their spelling differs.
        by_meaning: (name, entity, cosine) of those that embeddings merged, the least sure first.
    """

    names: dict[str, str]
    by_spelling: int
    by_meaning: tuple[tuple[str, str, float], ...]


def normal(name: str) -> str:
    """A name as compared."""
    text = unicodedata.normalize("NFKC", name).casefold()
    bare = " ".join(_PUNCTUATION.sub(" ", text).split())
    return _ARTICLE.sub("", bare) or text.strip()


def merge(
    mentions: Iterable[str],
    encode: Callable[[list[str]], np.ndarray] | None,
    *,
    threshold: float = THRESHOLD,
    check: Callable[[], None] = lambda: None,
) -> Merged:
    """Merge names.

    Args:
        mentions: every name as often as it was written.
        encode: names to unit vectors, float32 [n, d]; None merges equal names only.
        threshold: see :data:`THRESHOLD`.
        check: called between pieces of work; may raise to stop it.
    """
    counts = Counter(mentions)
    groups: dict[str, list[str]] = {}
    for name in counts:
        groups.setdefault(normal(name), []).append(name)
    # The commonest name of a group speaks for it; of groups that merge, the one that is written most.
    keys = sorted(groups, key=lambda key: (-sum(counts[name] for name in groups[key]), key))
    shown = [min(groups[key], key=lambda name: (-counts[name], name)) for key in keys]
    into = list(range(len(keys)))
    near: list[tuple[str, str, float]] = []
    if encode is not None and threshold < 1 and len(keys) > 1:
        for one, other, cosine in _near(shown, encode, threshold, check):
            if into[one] == one and into[other] == other and _numbers(shown[one]) == _numbers(shown[other]):
                into[other] = one
                near.append((shown[other], shown[one], round(cosine, 4)))
    names = {name: shown[into[at]] for at, key in enumerate(keys) for name in groups[key]}
    by_spelling = sum(len(group) - 1 for group in groups.values())
    return Merged(names, by_spelling, tuple(sorted(near, key=lambda row: row[2])))


def _near(
    names: Sequence[str],
    encode: Callable[[list[str]], np.ndarray],
    threshold: float,
    check: Callable[[], None],
) -> list[tuple[int, int, float]]:
    """Pairs (commoner, rarer, cosine) at or above the threshold, the nearest first.

    Names are compared in blocks of ``AT_ONCE``, so that tens of thousands need no n x n matrix at a time.
    """
    vectors = []
    for begin in range(0, len(names), AT_ONCE):
        check()
        vectors.append(np.asarray(encode(list(names[begin : begin + AT_ONCE])), np.float32))
    whole = np.concatenate(vectors)
    pairs: list[tuple[int, int, float]] = []
    for begin in range(0, len(names), AT_ONCE):
        check()
        cosines = whole[begin : begin + AT_ONCE] @ whole[begin:].T
        for row, column in zip(*np.nonzero(cosines >= threshold), strict=True):
            if row < column:
                pairs.append((begin + int(row), begin + int(column), float(cosines[row, column])))
    return sorted(pairs, key=lambda pair: (-round(pair[2], 6), pair[0], pair[1]))


def _numbers(name: str) -> list[str]:
    return sorted(_NUMBER.findall(name))
