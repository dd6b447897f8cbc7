"""Looking around in a graph: its relations, and what lies around an entity."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from retrieval.errors import UnknownEntityError
from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot


def relations(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Every relation with how many facts it has, most frequent first."""
    counts = snapshot.relation_counts()
    return [
        {"name": snapshot.relation_name(r), "label": snapshot.relation_label(r), "count": int(counts[r])}
        for r in map(int, np.argsort(-counts, kind="stable"))
    ]


def entities(snapshot: Snapshot, text: str, limit: int) -> list[dict[str, Any]]:
    """Entities by a part of their name, best first; for no text the best-connected ones."""
    if not text.strip():
        return _best_connected(snapshot, limit)
    return [
        {
            **dataclasses.asdict(match.node),
            "degree": match.degree,
            "score": match.score,
            "source": match.source,
        }
        for match in snapshot.labels.search(text, limit)
    ]


def _best_connected(snapshot: Snapshot, limit: int) -> list[dict[str, Any]]:
    degrees = np.diff(snapshot.out_offsets) + np.diff(snapshot.in_offsets)
    limit = min(limit, len(degrees))
    top = np.argpartition(-degrees, limit - 1)[:limit]
    return [
        {
            **dataclasses.asdict(snapshot.node(int(i))),
            "degree": int(degrees[i]),
            "score": 1.0,
            "source": "degree",
        }
        for i in top[np.lexsort((top, -degrees[top]))]
    ]


def require_entity(snapshot: Snapshot, entity: int) -> int:
    """The id itself.

    Raises:
        UnknownEntityError: the graph has no entity of this id.
    """
    if not 0 <= entity < snapshot.num_entities:
        raise UnknownEntityError(
            f"The graph has no entity number {entity}.", hint="Look the entity up by its name first."
        )
    return entity


def neighbours(
    snapshot: Snapshot,
    *,
    entity: int,
    relation: str | None = None,
    direction: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> dict[str, Any]:
    """The facts around an entity, in groups and as a page of hops that leave it.

    Raises:
        UnknownEntityError: the graph has no such entity or relation.
    """
    require_entity(snapshot, entity)
    wanted = None
    if relation is not None:
        wanted = snapshot.find_relation(relation)
        if wanted is None:
            raise UnknownEntityError(
                f"The graph has no relation {relation}.", hint="Take one of the names that the groups list."
            )
    page = search.neighbours(snapshot, entity, wanted, direction, limit=limit, offset=offset)
    return {
        "node": dataclasses.asdict(snapshot.node(entity)),
        "groups": [
            {
                "relation": snapshot.relation_name(group.relation),
                "label": snapshot.relation_label(group.relation),
                "direction": "in" if group.inverse else "out",
                "count": group.count,
            }
            for group in page.groups
        ],
        "hops": [dataclasses.asdict(snapshot.hop(int(arc))) for arc in page.arcs],
        "total": page.total,
        "shown": len(page.arcs),
    }
