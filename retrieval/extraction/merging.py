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


def normalize_name(name: str) -> str:
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
        groups.setdefault(normalize_name(name), []).append(name)
    # The commonest name of a group speaks for it; of groups that merge, the one that is written most.
    keys = sorted(groups, key=lambda key: (-sum(counts[name] for name in groups[key]), key))
    shown = [min(groups[key], key=lambda name: (-counts[name], name)) for key in keys]
    into = list(range(len(keys)))
    near: list[tuple[str, str, float]] = []
    if encode is not None and threshold < 1 and len(keys) > 1:
        for rarer, commoner, cosine in _match_names(shown, encode, threshold, check):
            into[rarer] = commoner
            near.append((shown[rarer], shown[commoner], round(cosine, 4)))
    names = {name: shown[into[index]] for index, key in enumerate(keys) for name in groups[key]}
    by_spelling = sum(len(group) - 1 for group in groups.values())
    return Merged(names, by_spelling, tuple(sorted(near, key=lambda row: row[2])))


def _match_names(
    names: Sequence[str],
    encode: Callable[[list[str]], np.ndarray],
    threshold: float,
    check: Callable[[], None],
) -> list[tuple[int, int, float]]:
    """(rarer, commoner, cosine): each name goes to the nearest of the commoner ones that stand for themselves.

    Only names with the same numbers are compared, ``AT_ONCE`` at a time with those before, so that neither thousands of
    numbered items nor thousands of duplicates need every pair at once.
    """
    vectors = []
    for begin in range(0, len(names), AT_ONCE):
        check()
        vectors.append(np.asarray(encode(list(names[begin : begin + AT_ONCE])), np.float32))
    embeddings = np.concatenate(vectors)
    alike: dict[tuple[str, ...], list[int]] = {}
    for index, name in enumerate(names):
        alike.setdefault(_extract_numbers(name), []).append(index)
    merged: list[tuple[int, int, float]] = []
    for group in alike.values():
        heads: list[int] = []
        for begin in range(0, len(group), AT_ONCE):
            check()
            block = group[begin : begin + AT_ONCE]
            known = len(heads)
            to_heads = embeddings[block] @ embeddings[heads].T
            to_block = embeddings[block] @ embeddings[block].T
            within: list[int] = []  # rows of this block that became heads
            for row, index in enumerate(block):
                cosines = np.concatenate([to_heads[row], to_block[row, within]])
                best = int(cosines.argmax()) if len(cosines) else 0
                if len(cosines) and cosines[best] >= threshold:
                    head = heads[best] if best < known else block[within[best - known]]
                    merged.append((index, head, float(cosines[best])))
                else:
                    within.append(row)
            heads += [block[row] for row in within]
    return merged


def _extract_numbers(name: str) -> tuple[str, ...]:
    return tuple(sorted(_NUMBER.findall(name)))
