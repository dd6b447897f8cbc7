"""Cut out what an encoder needs for chosen arcs of a large graph, hubs sampled."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from retrieval.kg.search import walks
from retrieval.linking.features import GraphFeatures, Received, compute_norms, find_reverse_arcs
from retrieval.methods.paths.neighbourhoods import encode_arcs, get_ways, sample_arcs
from retrieval.methods.paths.network import StateEncoder
from retrieval.nn.conv_encoder import ConvEncoder
from retrieval.nn.entity_graph import EntityBlock, EntityGraphEncoder, EntitySide
from retrieval.nn.triple_encoder import Block, EntitySums, Side


def build_block(features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator) -> Block:
    """The block whose targets are ``arcs``.

    Args:
        arcs: arc ids, [n] int64; where the features are directed, of facts walked forward.
        limit: neighbours read per entity and direction; exact where no entity has more.
    """
    snapshot = features.snapshot
    sources, _, targets = walks.get_arc_ends(snapshot, arcs)
    into, receiver_of_head = np.unique(sources, return_inverse=True)
    out_of, receiver_of_tail = np.unique(targets, return_inverse=True)
    into_ways, out_ways = get_ways(features)
    ahead_owner, ahead, ahead_scale = sample_arcs(snapshot, into, limit, rng, into_ways)
    behind_owner, behind, behind_scale = sample_arcs(snapshot, out_of, limit, rng, out_ways)
    every = np.concatenate([arcs, find_reverse_arcs(snapshot, ahead), behind])
    heads, relations, tails = walks.get_arc_ends(snapshot, every)
    entities, slots = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    head_slots, tail_slots = slots[: len(every)], slots[len(every) :]
    loops = heads == tails
    first, second = len(arcs), len(arcs) + len(ahead)
    rows = torch.from_numpy(entities)
    forward = Side(
        near=torch.from_numpy(head_slots),
        norm=torch.from_numpy(compute_norms(features.forward.degrees, heads, loops)),
        sums=_select_sums(features.forward, rows),
        senders=torch.arange(first, second),
        receivers=torch.from_numpy(ahead_owner),
        scale=torch.from_numpy(ahead_scale),
        receiver_of=torch.from_numpy(receiver_of_head),
        n_receivers=len(into),
    )
    backward = Side(
        near=torch.from_numpy(tail_slots),
        norm=torch.from_numpy(compute_norms(features.backward.degrees, tails, loops)),
        sums=_select_sums(features.backward, rows),
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
        entities=_select_rows(features.entities, rows),
        forward=forward,
        backward=backward,
    )


def build_entity_block(features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator) -> EntityBlock:
    """The block of the raw-graph variant; see :func:`build_block`.

    Walked both ways, the arcs that enter an entity are the inverses of those that leave it, so both directions read the
    same neighbours.
    """
    snapshot = features.snapshot
    heads, relations, tails = walks.get_arc_ends(snapshot, arcs)
    ends, slots = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    into_ways, out_ways = get_ways(features)
    into = sample_arcs(snapshot, ends, limit, rng, into_ways)
    out_of = sample_arcs(snapshot, ends, limit, rng, out_ways) if features.directed else into
    around = [walks.get_arc_ends(snapshot, sampled) for _, sampled, _ in (into, out_of)]
    entities = np.unique(np.concatenate([ends, *(targets for _, _, targets in around)]))
    rows = torch.from_numpy(entities)

    def build_side(received: Received, which: int) -> EntitySide:
        owner, _, scale = (into, out_of)[which]
        sources, _, targets = around[which]
        return EntitySide(
            norm=torch.from_numpy((received.degrees[entities] + 1) ** np.float32(-0.5)),
            sums=_select_sums(received, rows),
            neighbours=torch.from_numpy(np.searchsorted(entities, targets)),
            receivers=torch.from_numpy(owner),
            weights=torch.from_numpy(compute_norms(received.degrees, targets, sources == targets) * scale),
        )

    return EntityBlock(
        heads=torch.from_numpy(slots[: len(arcs)]),
        relations=torch.from_numpy(relations),
        tails=torch.from_numpy(slots[len(arcs) :]),
        own=torch.from_numpy(np.searchsorted(entities, ends)),
        entities=_select_rows(features.entities, rows),
        forward=build_side(features.forward, 0),
        backward=build_side(features.backward, 1),
    )


def compute_arc_states(
    encoder: StateEncoder, features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator
) -> Tensor:
    """States of distinct arcs, [n, H]; see :func:`build_block`. Directed, both arcs of a fact have its one state."""
    wanted, where = arcs, None
    if features.directed:
        wanted, where = np.unique(arcs % features.snapshot.num_triples, return_inverse=True)
    if isinstance(encoder, ConvEncoder):
        states = encode_arcs(encoder, features, wanted, limit, rng)
    elif isinstance(encoder, EntityGraphEncoder):
        states = encoder.encode_block(build_entity_block(features, wanted, limit, rng), features.relations)
    else:
        states = encoder.encode_block(build_block(features, wanted, limit, rng), features.relations)
    return states if where is None else states[torch.from_numpy(where)]


def _select_sums(received: Received, rows: Tensor) -> EntitySums:
    sums = received.sums
    return EntitySums(_select_rows(sums.far, rows), sums.relation[rows], sums.near[rows])


def _select_rows(table: Tensor | None, rows: Tensor) -> Tensor | None:
    return table[rows] if table is not None else None
