"""The neighbours of an entity, in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
from retrieval.kg.search.walks import NONE, Group


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """A page of the arcs that leave an entity.

    Attributes:
        groups: all groups of the entity, largest first, whatever was asked.
        arcs: arc ids of this page.
    """

    groups: tuple[Group, ...]
    arcs: np.ndarray
    total: int


def list_neighbours(
    snapshot: Snapshot,
    entity: int,
    relation: int | None = None,
    direction: str | None = None,
    *,
    limit: int = 50,
    offset: int = 0,
) -> NeighbourPage:
    """The arcs that leave an entity, grouped and paged.

    Args:
        relation: only this relation.
        direction: ``out`` (facts it heads), ``in`` (facts it ends), None for both.
        limit: at most so many arcs.
        offset: skip so many.

    Returns:
        Arcs in the order of (out before in, relation, other end's id), and all groups with counts.
    """
    out_relations, out_starts, out_lengths = snapshot.out_groups.get_entity_groups(entity)
    in_relations, in_starts, in_lengths = snapshot.in_groups.get_entity_groups(entity)
    groups = [Group(int(r), False, int(n)) for r, n in zip(out_relations, out_lengths, strict=True)]
    groups += [Group(int(r), True, int(n)) for r, n in zip(in_relations, in_lengths, strict=True)]
    starts = np.concatenate([out_starts, in_starts])
    fits = [
        (relation is None or g.relation == relation) and (direction is None or g.inverse == (direction == "in"))
        for g in groups
    ]
    total = sum(g.count for g, fit in zip(groups, fits, strict=True) if fit)
    arcs: list[np.ndarray] = []
    skip, left = offset, limit
    for group, start, fit in zip(groups, starts.tolist(), fits, strict=True):
        if not fit or left <= 0:
            continue
        if skip >= group.count:
            skip -= group.count
            continue
        stop = min(group.count, skip + left)
        positions = np.arange(start + skip, start + stop)
        facts = snapshot.in_order[positions] + snapshot.num_triples if group.inverse else positions
        arcs.append(facts.astype(np.int64))
        left -= stop - skip
        skip = 0
    ordered = sorted(groups, key=lambda g: (-g.count, g.inverse, g.relation))
    return NeighbourPage(tuple(ordered), np.concatenate(arcs) if arcs else NONE, total)
