"""Entities of one kind that may be the same: candidates by name, scored by what their facts say.

Candidates are neighbours in the order of their names, of their reversed names and of their sorted words, and entities
that share a rare word (sorted neighbourhoods, Hernández and Stolfo, 1995), or a rare value if each word of one name
is like a word of the other or its initial. Their score is the sum of log-likelihood
ratios of Fellegi and Sunter (1969): with the chance ``p`` that two random entities agree on a relation and the chance
``M`` that the same entity does, agreement counts ``log2(M / p)`` and disagreement ``log2((1 - M) / (1 - p))``.
Names with other numbers are never candidates: Apollo 11 is not Apollo 12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product

import numpy as np
from rapidfuzz import fuzz, process

from retrieval.kg.analysis.fact_agreement import Comparison, FactScorer
from retrieval.kg.analysis.schema import TYPE_RELATIONS, find_types
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.cache import load_or_compute_json
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.kg.snapshot.storage import load_array

#: Raised when what is computed changes, so that what an older version kept is computed again.
VERSION = 2
#: The score from which a pair is suggested.
SUGGESTED = 0.5
#: Log-likelihood ratios: before anything is known, of equal, nearly equal and alike names, of a name that has all words
#: of the other, and of names with like words.
PRIOR, SAME_NAME, NEAR_NAME, ALIKE_NAME, LONGER_NAME, LIKE_WORDS = -6.0, 8.0, 5.0, 2.0, 1.0, 0.5
#: Name similarities, 0 to 100, from which names are near and alike.
NEAR, ALIKE = 90, 80
#: The similarity of words of names, 0 to 100, from which they are like each other.
LIKE_WORD = 65
#: Entities that are compared in a large graph, those with most facts; neighbours in an order that are compared,
#: entities that may share a word or a value, and pairs whose facts are compared.
ENTITIES, WINDOW, RARE, RARE_VALUE, PAIRS = 100_000, 4, 30, 5, 50_000

_BRACKET = re.compile(r"(?<=\S)\s*\([^()]*\)$")
_NUMBER = re.compile(r"\b(?:\w*\d\w*|[ivxlc]+)\b")


@dataclass(frozen=True, slots=True)
class DuplicateCandidate:
    """Two entities that may be the same, with the probability of it and what it rests on, strongest first."""

    first: int
    second: int
    score: float
    comparisons: tuple[Comparison, ...]


def get_duplicates(snapshot: Snapshot) -> list[DuplicateCandidate]:
    """The likeliest duplicates of a snapshot: kept from before, or computed and kept."""
    kept = load_or_compute_json(
        snapshot.path,
        "duplicates",
        f"{VERSION} {snapshot.hash}",
        lambda: {"candidates": [asdict(pair) for pair in find_duplicates(snapshot)]},
    )
    return [
        DuplicateCandidate(**row | {"comparisons": tuple(Comparison(**part) for part in row["comparisons"])})
        for row in kept["candidates"]
    ]


def find_duplicates(snapshot: Snapshot, limit: int = 200) -> list[DuplicateCandidate]:
    """Return the likeliest duplicates, likeliest first; ties by id."""
    scorer = FactScorer(snapshot)
    scored = []
    for first, second, weight in _find_similar_names(snapshot, _collect_names(snapshot)):
        score = 1 / (1 + 2.0 ** -(PRIOR + weight + scorer.weigh(first, second)))
        if score >= SUGGESTED:
            scored.append((-round(score, 4), first, second))
    return [
        DuplicateCandidate(first, second, -score, scorer.describe(first, second))
        for score, first, second in sorted(scored)[:limit]
    ]


@dataclass(frozen=True, slots=True)
class _Names:
    """Entities with the codes of their kinds, and their normalised names without what is in brackets at the end."""

    entities: list[int]
    kinds: list[int]
    names: list[str]
    brackets: list[str]


def _collect_names(snapshot: Snapshot) -> _Names:
    """Names of entities with a letter in them, by the snapshot's index of names."""
    alias = load_array(snapshot.path, "names_alias", "uint8")
    owners = load_array(snapshot.path, "names_entity", "int32")
    rows = np.flatnonzero((alias == 0) & (snapshot.kinds[owners] == 0))
    if len(rows) > ENTITIES:
        rows = np.sort(rows[np.argsort(-snapshot.get_degrees(owners[rows]), kind="stable")[:ENTITIES]])
    labels = snapshot.entity_labels.get_many(owners[rows])
    brackets = ["".join(_BRACKET.findall(label)) for label in labels]
    names = [
        normalize_name(label.removesuffix(bracket)) if bracket else name
        for name, label, bracket in zip(snapshot.labels.names.get_many(rows), labels, brackets, strict=True)
    ]
    kinds = find_types(snapshot)[0]
    is_kind = np.zeros(snapshot.num_entities, bool)
    for relation in range(snapshot.num_relations):
        if snapshot.get_relation_label(relation) in TYPE_RELATIONS:
            is_kind[snapshot.tails[snapshot.relations == relation]] = True
    kept = [i for i, name in enumerate(names) if not name.isnumeric() and not is_kind[owners[rows[i]]]]
    entities = owners[rows[kept]]
    return _Names(entities.tolist(), kinds[entities].tolist(), [names[i] for i in kept], [brackets[i] for i in kept])


def _find_similar_names(snapshot: Snapshot, names: _Names) -> list[tuple[int, int, float]]:
    """Pairs of entities of one kind whose names are similar, at most ``PAIRS``, with the weight of their names."""
    words = [" ".join(sorted(name.split())) for name in names.names]
    sharing = _find_sharing_pairs(snapshot, names)
    keys = np.union1d(_find_name_pairs(names, words), sharing)
    if not len(keys):
        return []
    pairs = np.stack(np.divmod(keys, len(words)), axis=1)
    shares = np.isin(keys, sharing, assume_unique=True).tolist()
    ratios = np.maximum(
        *(
            process.cpdist([texts[i] for i in pairs[:, 0]], [texts[j] for j in pairs[:, 1]], scorer=fuzz.ratio)
            for texts in (names.names, words)
        )
    )
    numbers = [sorted(_NUMBER.findall(name)) for name in names.names]
    weighed = []
    for (i, j), ratio, has_shared in zip(pairs.tolist(), ratios.tolist(), shares, strict=True):
        weight = _score_names(words[i], words[j], ratio)
        if weight == 0 and has_shared and _is_like_name(words[i].split(), words[j].split()):
            weight = LIKE_WORDS
        if weight == 0 or numbers[i] != numbers[j]:
            continue
        if names.brackets[i] != names.brackets[j]:
            weight = min(weight, NEAR_NAME)
        first, second = sorted((names.entities[i], names.entities[j]))
        weighed.append((first, second, weight))
    weighed.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    return weighed[:PAIRS]


def _score_names(first: str, second: str, ratio: float) -> float:
    """Return the log-likelihood ratio of two names by their sorted words; 0 where they are no candidates."""
    if ratio >= 100:
        return SAME_NAME
    if ratio >= ALIKE:
        return NEAR_NAME if ratio >= NEAR else ALIKE_NAME
    words, others = set(first.split()), set(second.split())
    return LONGER_NAME if words < others or others < words else 0.0


def _is_like_name(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether each word of either name is like a word of the other one, or its initial."""
    if len(first) != len(second):
        return False
    likeness = process.cdist(first, second, scorer=fuzz.ratio)
    for (i, word), (j, other) in product(enumerate(first), enumerate(second)):
        if 1 in (len(word), len(other)) and word[0] == other[0]:
            likeness[i, j] = 100
    return bool(min(likeness.max(axis=0).min(), likeness.max(axis=1).min()) >= LIKE_WORD)


def _find_sharing_pairs(snapshot: Snapshot, names: _Names) -> np.ndarray:
    """Pairs of names whose entities are of one kind and have a value that few others have, as keys, each once."""
    places = np.full(snapshot.num_entities, -1)
    places[names.entities] = np.arange(len(names.entities))
    facts = np.flatnonzero(places[snapshot.heads] >= 0)
    values = snapshot.tails[facts].astype(np.int64) * snapshot.num_relations + snapshot.relations[facts]
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    is_rare = (counts[group] > 1) & (counts[group] <= RARE_VALUE)
    owners, group = places[snapshot.heads[facts[is_rare]]], group[is_rare]
    kinds = np.asarray(names.kinds, np.int64)[owners]
    order = np.lexsort((owners, kinds, group))
    return _collect_neighbours(np.stack((group, kinds), axis=1)[order], owners[order], len(names.entities))


def _collect_neighbours(groups: np.ndarray, places: np.ndarray, size: int) -> np.ndarray:
    """Pairs of places that follow each other within ``WINDOW`` in one group, as keys ``low * size + high``, each once.

    Args:
        groups: of each place, int64 [n, k], equal rows next to each other.
        places: int64 [n].
    """
    keys = [np.zeros(0, np.int64)]
    for step in range(1, WINDOW + 1):
        same = (groups[:-step] == groups[step:]).all(axis=1) & (places[:-step] != places[step:])
        low, high = places[:-step][same], places[step:][same]
        keys.append(np.minimum(low, high) * size + np.maximum(low, high))
    return np.unique(np.concatenate(keys))


def _find_name_pairs(names: _Names, words: Sequence[str]) -> np.ndarray:
    """Pairs of names that are compared, as keys, each once."""
    counts = Counter(word for text in words for word in set(text.split()))
    size = len(words)
    orders = [
        [(kind, "", text, i) for i, (kind, text) in enumerate(zip(names.kinds, texts, strict=True))]
        for texts in (names.names, [name[::-1] for name in names.names], words)
    ]
    by_word = [
        (kind, word, text, i)
        for i, (kind, text) in enumerate(zip(names.kinds, words, strict=True))
        for word in set(text.split())
        if 1 < counts[word] <= RARE
    ]
    keys = []
    for order in (*orders, by_word):
        order.sort()
        places = np.array([row[3] for row in order], np.int64)
        group = np.cumsum([False, *(a[:2] != b[:2] for a, b in pairwise(order))])[: len(order)]
        keys.append(_collect_neighbours(group[:, None], places, size))
    return np.unique(np.concatenate(keys))
