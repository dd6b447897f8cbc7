"""Entities that are like one: those that have the same facts."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from typing import Any

import numpy as np

from retrieval.kg.snapshot import Snapshot
from webapp.graphs import browse

SIMILAR_MAX = 10
"""Entities that are told."""

SHARED_MAX = 5
"""Facts that are told of each."""

_ALIKE_MAX = 5_000
"""A fact that more entities have tells little of any of them, and is left out."""

_FACTS_MAX = 500
"""Facts of the entity that are looked at."""


def find_similar(snapshot: Snapshot, entity: int) -> list[dict[str, Any]]:
    """Entities that share facts with one, those first that share most.

    A fact is shared where relation, direction and the other end are the same; one that holds both ways counts once.
    It weighs ``1 / log2(1 + n)``, n being how many entities have it (Adamic and Adar, 2003, over facts); ties are
    broken by id.

    Returns:
        At most ``SIMILAR_MAX``, each with ``node``, ``count`` of the facts shared, and ``hops``: of these, the rarest
        first, at most ``SHARED_MAX``, as facts of the other entity.

    Raises:
        UnknownEntityError: the graph has no such entity.
    """
    browse.require_entity(snapshot, entity)
    weights: dict[int, float] = defaultdict(float)
    shared: dict[int, list[tuple[float, int]]] = defaultdict(list)
    counted: set[tuple[int, int, int]] = set()
    for end, facts, others in _find_alike(snapshot, entity):
        weight = 1 / math.log2(1 + len(others))
        for fact, other in zip(facts.tolist(), others.tolist(), strict=True):
            key = (other, int(snapshot.relations[fact]), end)
            if other != entity and key not in counted:
                counted.add(key)
                weights[other] += weight
                shared[other].append((-weight, fact))
    best = sorted(weights, key=lambda other: (-weights[other], other))[:SIMILAR_MAX]
    return [
        {
            "node": dataclasses.asdict(snapshot.get_node(other)),
            "count": len(shared[other]),
            "hops": [dataclasses.asdict(snapshot.get_hop(fact)) for _, fact in sorted(shared[other])[:SHARED_MAX]],
        }
        for other in best
    ]


def _find_alike(snapshot: Snapshot, entity: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """For each fact of an entity: its other end, the facts with the same relation and end, and whose they are."""
    groups = []
    start, stop = int(snapshot.out_offsets[entity]), int(snapshot.out_offsets[entity + 1])
    for fact in range(start, min(stop, start + _FACTS_MAX)):
        tail, relation = int(snapshot.tails[fact]), int(snapshot.relations[fact])
        low, high = snapshot.in_groups.find_run(tail, relation)
        if 1 < high - low <= _ALIKE_MAX:
            groups.append((tail, snapshot.in_order[low:high], snapshot.in_heads[low:high]))
    start, stop = int(snapshot.in_offsets[entity]), int(snapshot.in_offsets[entity + 1])
    for fact in snapshot.in_order[start : min(stop, start + _FACTS_MAX)].tolist():
        head = int(snapshot.heads[fact])
        low, high = snapshot.out_groups.find_run(head, int(snapshot.relations[fact]))
        if 1 < high - low <= _ALIKE_MAX:
            groups.append((head, np.arange(low, high), snapshot.tails[low:high]))
    return groups
