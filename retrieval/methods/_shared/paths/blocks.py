"""Cut out what the triple encoder needs for chosen arcs of a large graph, hubs sampled."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import spans
from retrieval.nn.entity_graph import EntityBlock, EntityGraphEncoder
from retrieval.nn.triple_encoder import Block, EntitySums, Side, TripleEncoder
from retrieval.text.features import GraphFeatures, norms, reverse_arcs


def sample_arcs(
    snapshot: Snapshot, entities: np.ndarray, limit: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At most ``limit`` arcs that leave each entity, spread evenly over its (relation, target) order.

    Returns:
        ``(owner, arc, scale)``, [n]: position in ``entities``, arc id, and how many arcs each one stands
        for (float32; 1 where nothing was left out).
    """
    out_counts = snapshot.out_offsets[entities + 1] - snapshot.out_offsets[entities]
    counts = snapshot.degrees(entities)
    taken = np.minimum(counts, limit)
    within, owner = spans(np.zeros(len(entities), np.int64), taken)
    whole = counts[owner] <= limit
    stretch = counts[owner] / np.maximum(taken[owner], 1)
    # One shift an entity: positions stay a stretch (at least 1) apart, so that none is drawn twice.
    spread = ((within + rng.random(len(entities))[owner]) * stretch).astype(np.int64)
    position = np.where(whole, within, np.minimum(spread, counts[owner] - 1))
    forward = position < out_counts[owner]
    arcs = np.empty(len(owner), np.int64)
    arcs[forward] = snapshot.out_offsets[entities[owner[forward]]] + position[forward]
    back = ~forward
    into = snapshot.in_offsets[entities[owner[back]]] + position[back] - out_counts[owner[back]]
    arcs[back] = snapshot.in_order[into].astype(np.int64) + snapshot.num_triples
    return owner, arcs, stretch.astype(np.float32)


def build_block(features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator) -> Block:
    """The block whose targets are ``arcs``.

    Args:
        features: of the whole graph.
        arcs: arc ids, [n] int64.
        limit: neighbours read per entity and direction; exact where no entity has more.
        rng: for the neighbours of hubs.
    """
    snapshot = features.snapshot
    sources, _, targets = walks.arc_ends(snapshot, arcs)
    into, receiver_of_head = np.unique(sources, return_inverse=True)
    out_of, receiver_of_tail = np.unique(targets, return_inverse=True)
    ahead_owner, ahead, ahead_scale = sample_arcs(snapshot, into, limit, rng)
    behind_owner, behind, behind_scale = sample_arcs(snapshot, out_of, limit, rng)
    every = np.concatenate([arcs, reverse_arcs(snapshot, ahead), behind])
    heads, relations, tails = walks.arc_ends(snapshot, every)
    entities, slots = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    head_slots, tail_slots = slots[: len(every)], slots[len(every) :]
    loops = heads == tails
    first, second = len(arcs), len(arcs) + len(ahead)
    rows = torch.from_numpy(entities)
    far = features.far[rows] if features.far is not None else None
    near = features.near[rows]
    forward = Side(
        near=torch.from_numpy(head_slots),
        norm=torch.from_numpy(norms(features.degrees, heads, loops)),
        sums=EntitySums(far, features.entering[rows], near),
        senders=torch.arange(first, second),
        receivers=torch.from_numpy(ahead_owner),
        scale=torch.from_numpy(ahead_scale),
        receiver_of=torch.from_numpy(receiver_of_head),
        n_receivers=len(into),
    )
    backward = Side(
        near=torch.from_numpy(tail_slots),
        norm=torch.from_numpy(norms(features.degrees, tails, loops)),
        sums=EntitySums(far, features.leaving[rows], near),
        senders=torch.arange(second, len(every)),
        receivers=torch.from_numpy(behind_owner),
        scale=torch.from_numpy(behind_scale),
        receiver_of=torch.from_numpy(receiver_of_tail),
        n_receivers=len(out_of),
    )
    return Block(
        heads=torch.from_numpy(head_slots),
        relations=torch.from_numpy(relations),
        tails=torch.from_numpy(tail_slots),
        loops=torch.from_numpy(loops),
        targets=torch.arange(first),
        entities=_rows(features.entities, rows),
        forward=forward,
        backward=backward,
    )


def build_entity_block(
    features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator
) -> EntityBlock:
    """The block of the raw-graph variant; see :func:`build_block`.

    The arcs that enter an entity are the inverses of those that leave it, so both directions read the same neighbours.
    """
    snapshot = features.snapshot
    heads, relations, tails = walks.arc_ends(snapshot, arcs)
    ends, slots = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    owner, around, scale = sample_arcs(snapshot, ends, limit, rng)
    sources, _, targets = walks.arc_ends(snapshot, around)
    entities, where = np.unique(np.concatenate([ends, targets]), return_inverse=True)
    rows = torch.from_numpy(entities)
    far = features.far[rows] if features.far is not None else None
    near = features.near[rows]
    return EntityBlock(
        heads=torch.from_numpy(slots[: len(arcs)]),
        relations=torch.from_numpy(relations),
        tails=torch.from_numpy(slots[len(arcs) :]),
        own=torch.from_numpy(where[: len(ends)]),
        entities=_rows(features.entities, rows),
        norm=torch.from_numpy((features.degrees[entities] + 1) ** np.float32(-0.5)),
        forward=EntitySums(far, features.entering[rows], near),
        backward=EntitySums(far, features.leaving[rows], near),
        neighbours=torch.from_numpy(where[len(ends) :]),
        receivers=torch.from_numpy(owner),
        weights=torch.from_numpy(norms(features.degrees, targets, sources == targets) * scale),
    )


def arc_states(
    encoder: TripleEncoder | EntityGraphEncoder,
    features: GraphFeatures,
    arcs: np.ndarray,
    limit: int,
    rng: np.random.Generator,
) -> Tensor:
    """States of distinct arcs, [n, H]; see :func:`build_block`."""
    if isinstance(encoder, EntityGraphEncoder):
        return encoder.on_block(build_entity_block(features, arcs, limit, rng), features.relations)
    return encoder.on_block(build_block(features, arcs, limit, rng), features.relations)


def _rows(table: Tensor | None, rows: Tensor) -> Tensor | None:
    return table[rows] if table is not None else None
