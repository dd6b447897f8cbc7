"""What Explore draws: entities that a person chose with the facts among them, and the shortest paths between two."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot
from webapp.graphs import browse, kinds, places

ENTITIES_MAX = 500
"""Entities of one picture."""

FACTS_MAX = 2_000
"""Facts of one picture."""

HOPS_MAX = 6
PATHS_MAX = 20


def draw_picture(snapshot: Snapshot, entities: Sequence[int]) -> dict[str, Any]:
    """Entities with the facts among them.

    Args:
        entities: ids; those that the graph does not have come back in ``missing``.

    Returns:
        ``nodes``, ids ascending; ``hops``, heads ascending, at most ``FACTS_MAX`` of ``total``; ``missing``; and
        ``kinds``, the graph's commonest.
    """
    wanted = np.unique(np.asarray(entities, np.int64))
    known = wanted[(wanted >= 0) & (wanted < snapshot.num_entities)]
    facts = find_facts_among(snapshot, known)
    ids = [int(entity) for entity in known]
    return {
        "nodes": [
            {
                **dataclasses.asdict(snapshot.get_node(entity)),
                "type": kind,
                "place": place and {"latitude": place[0], "longitude": place[1]},
                "degree": snapshot.get_degree(entity),
                "iri": snapshot.get_entity_iri(entity),
            }
            for entity, kind, place in zip(
                ids, kinds.find_kinds(snapshot, ids), places.find_places(snapshot, ids), strict=True
            )
        ],
        "hops": [dataclasses.asdict(snapshot.get_hop(int(fact))) for fact in facts[:FACTS_MAX]],
        "total": len(facts),
        "missing": [int(entity) for entity in np.setdiff1d(wanted, known)],
        "kinds": kinds.list_commonest(snapshot),
    }


def find_facts_among(snapshot: Snapshot, entities: np.ndarray) -> np.ndarray:
    """Ids of the facts whose head and tail both are among ``entities``, int64, ascending."""
    offsets = snapshot.out_offsets
    parts = [
        start + np.flatnonzero(np.isin(snapshot.tails[start:end], entities))
        for start, end in ((int(offsets[entity]), int(offsets[entity + 1])) for entity in entities)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def find_paths(snapshot: Snapshot, source: int, target: int, max_hops: int) -> dict[str, Any]:
    """The shortest paths between two entities, whichever way their facts point, at most ``PATHS_MAX`` of them.

    Raises:
        UnknownEntityError: the graph has no such entity.
    """
    for entity in (source, target):
        browse.require_entity(snapshot, entity)
    if source == target:
        return {"paths": [], "truncated": False}
    for hops in range(1, max_hops + 1):
        shortest = search.find_paths(snapshot, [source], [target], max_hops=hops, cap=PATHS_MAX)
        if len(shortest):
            shown = [[dataclasses.asdict(snapshot.get_hop(int(arc))) for arc in path] for path in shortest.list_paths()]
            return {"paths": shown, "truncated": shortest.truncated}
    return {"paths": [], "truncated": False}
