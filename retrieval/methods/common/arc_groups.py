"""Arcs by (entity, directed relation), for many entities and relations at once."""

from __future__ import annotations

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import expand_spans

#: As many as there are.
UNLIMITED = int(np.iinfo(np.int64).max)


def find_group_bounds(snapshot: Snapshot, entities: np.ndarray, relations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and size of the group of each (entity, directed relation) pair, int64 [n] each.

    Positions are in the fact order for forward relations and in ``in_order`` for inverse ones.
    """
    inverse = relations >= snapshot.num_relations
    plain = np.where(inverse, relations - snapshot.num_relations, relations)
    out_starts, out_sizes = snapshot.out_groups.find_bounds(entities, plain)
    in_starts, in_sizes = snapshot.in_groups.find_bounds(entities, plain)
    return np.where(inverse, in_starts, out_starts), np.where(inverse, in_sizes, out_sizes)


def get_arcs_at(snapshot: Snapshot, positions: np.ndarray, relations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Arc ids and targets at group positions, int64 [n] each."""
    inverse = relations >= snapshot.num_relations
    back = snapshot.in_order[positions].astype(np.int64) + snapshot.num_triples
    targets = np.where(inverse, snapshot.in_heads[positions], snapshot.tails[positions])
    return np.where(inverse, back, positions), targets.astype(np.int64)


def list_groups(snapshot: Snapshot, entities: np.ndarray) -> tuple[np.ndarray, ...]:
    """All groups of each entity, forward ones first.

    Returns:
        ``(owner, directed relation, start, size)``, int64 [g]; ``owner`` is a position in ``entities``.
    """
    total = snapshot.num_relations
    parts = []
    for inverse, side in ((False, snapshot.out_groups), (True, snapshot.in_groups)):
        first = np.searchsorted(side.keys, entities * total)
        last = np.searchsorted(side.keys, (entities + 1) * total)
        index, owner = expand_spans(first, last - first)
        relation = side.keys[index] % total + (total if inverse else 0)
        parts.append((owner, relation, side.starts[index], side.starts[index + 1] - side.starts[index]))
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(4))


def sample_positions(
    starts: np.ndarray, sizes: np.ndarray, limit: int, rng: np.random.Generator | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At most ``limit`` positions of each group, evenly spread and never the same one twice.

    Args:
        starts, sizes: the groups, [g].
        limit: positions a group.
        rng: shifts the positions of each group; without it they are in the middle of their stretches.

    Returns:
        ``(group, position, weight)``, [n]: which group, where, and how many positions each stands for.
    """
    taken = np.minimum(sizes, limit)
    within, group = expand_spans(np.zeros(len(sizes), np.int64), taken)
    stretch = sizes[group] / taken[group]
    # One shift a group: positions stay a stretch (at least 1) apart, so that none is drawn twice.
    shift = 0.5 if rng is None else rng.random(len(sizes))[group]
    offset = np.minimum(((within + shift) * stretch).astype(np.int64), sizes[group] - 1)
    return group, starts[group] + offset, stretch.astype(np.float32)
