"""Relations that a graph writes from both ends: ``film.directed_by`` and, from the director, ``director.film``.

Nothing declares them. Two relations are inverses of each other when the facts of one, turned round, are mostly
facts of the other, neither has more such facts in common with any third, and both lead to about as many things:
a capital is a city in its country, but a country has one capital and many cities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import expand_spans

if TYPE_CHECKING:
    from retrieval.kg.snapshot.adjacency import Adjacency

#: Facts of a relation that are looked at; of more, an even sample.
SAMPLE = 1000
#: Of the rarer relation's facts, the share that the other has too; and how many it takes at least.
SHARE, LEAST = 0.5, 2
#: Facts for each entity that make a relation lead to one thing, and to several.
ONE, SEVERAL = 1.05, 1.3


def find_inverse_relations(snapshot: Adjacency) -> np.ndarray:
    """For each directed relation the one that stands for it and its inverse: the smaller id of the two.

    Walking ``r`` is walking its inverse ``m`` backward, and the other way round. A relation may be its own
    inverse (``sibling``); most have none and stand for themselves.

    Returns:
        Directed relation ids, int64 [2 R].
    """
    relations = snapshot.num_relations
    stands = np.arange(2 * relations)
    first, second, shared = _find_shared(snapshot)
    counts = snapshot.count_facts_by_relation()
    enough = shared >= np.maximum(LEAST, SHARE * np.minimum(counts[first], counts[second]))
    enough &= _has_same_arity(snapshot, first, second)
    best = _find_best(first, second, shared, relations)
    for left, right in zip(first[enough].tolist(), second[enough].tolist(), strict=True):
        if best[left] == right and best[right] == left:
            stands[left] = min(left, right + relations)
            stands[left + relations] = min(left + relations, right)
    return stands


def _find_shared(snapshot: Adjacency) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of relations, each both ways round, and about how many facts of one are the other's turned round."""
    entities, relations = snapshot.num_entities, snapshot.num_relations
    facts, stride = _sample(snapshot)
    facts = facts[snapshot.heads[facts] != snapshot.tails[facts]]
    turned = snapshot.tails[facts].astype(np.int64) * entities + snapshot.heads[facts]
    order = np.argsort(turned, kind="stable")
    turned, sampled = turned[order], snapshot.relations[facts[order]].astype(np.int64)
    keys = snapshot.heads.astype(np.int64) * entities + snapshot.tails
    starts = np.searchsorted(turned, keys)
    place, fact = expand_spans(starts, np.searchsorted(turned, keys, side="right") - starts)
    pair_keys = sampled[place] * relations + snapshot.relations[fact]
    pairs, counts = np.unique(pair_keys, return_counts=True)
    left, right = np.divmod(pairs, relations)
    counts = counts * stride[left]
    # The sample of either relation tells; the one that found more looked where the facts are.
    both, place = np.unique(np.concatenate([pairs, right * relations + left]), return_inverse=True)
    shared = np.zeros(len(both), np.int64)
    np.maximum.at(shared, place, np.concatenate([counts, counts]))
    left, right = np.divmod(both, relations)
    return left, right, shared


def _sample(snapshot: Adjacency) -> tuple[np.ndarray, np.ndarray]:
    """Every k-th fact of each relation, at most ``SAMPLE`` of them; and k, int64 [R]."""
    counts = snapshot.count_facts_by_relation()
    stride = np.maximum(1, -(-counts // SAMPLE))
    order = np.argsort(snapshot.relations, kind="stable")
    of = snapshot.relations[order]
    rank = np.arange(len(order)) - (np.cumsum(counts) - counts)[of]
    return order[rank % stride[of] == 0], stride


def _has_same_arity(snapshot: Adjacency, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of each pair, whether one walked forward and the other backward both lead to one thing, or neither; bool."""
    counts, relations = snapshot.count_facts_by_relation(), snapshot.num_relations
    tails, heads = (
        counts / np.maximum(1, np.bincount(side.keys % relations, minlength=relations))
        for side in (snapshot.out_groups, snapshot.in_groups)
    )
    fits = np.ones(len(first), bool)
    for left, right in ((tails[first], heads[second]), (heads[first], tails[second])):
        fits &= (np.minimum(left, right) > ONE) | (np.maximum(left, right) <= SEVERAL)
    fits |= first == second
    return fits


def _find_best(first: np.ndarray, second: np.ndarray, shared: np.ndarray, relations: int) -> np.ndarray:
    """For each relation the one it shares most facts with, the smaller id when equal; -1 for none."""
    order = np.lexsort((second, -shared, first))
    owners, places = np.unique(first[order], return_index=True)
    best = np.full(relations, -1, np.int64)
    best[owners] = second[order][places]
    return best
