"""Sampled neighbourhoods of entities, as PyG's ``NeighborLoader`` cuts them.

``NeighborLoader`` itself needs pyg-lib or torch-sparse, which come without wheels for every platform, and would keep a
second copy of the edges; here the snapshot's own adjacency is sampled. ``neighbours`` is its ``num_neighbors``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from retrieval.errors import check
from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.linking.features import GraphFeatures, find_reverse_arcs
from retrieval.methods.common.arc_groups import UNLIMITED
from retrieval.nn.conv_encoder import ConvEncoder

_CHUNK = 1 << 13

Ways = Literal["both", "out", "in"]


def sample_arcs(
    snapshot: Snapshot, entities: np.ndarray, limit: int, rng: np.random.Generator, ways: Ways = "both"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At most ``limit`` arcs that leave each entity, spread evenly over its (relation, target) order.

    Args:
        entities: ids, [m].
        limit: of each entity.
        rng: where the spread begins.
        ways: along facts that it is the head of (``out``), against those that it is the tail of (``in``), or both.

    Returns:
        ``(owner, arc, scale)``, [n]: position in ``entities``, arc id, and how many arcs each one stands
        for (float32; 1 where nothing was left out).
    """
    out_counts = snapshot.out_offsets[entities + 1] - snapshot.out_offsets[entities]
    counts = snapshot.get_degrees(entities)
    if ways == "out":
        counts = out_counts
    elif ways == "in":
        counts, out_counts = counts - out_counts, np.zeros_like(out_counts)
    taken = np.minimum(counts, limit)
    within, owner = expand_spans(np.zeros(len(entities), np.int64), taken)
    complete = counts[owner] <= limit
    stretch = counts[owner] / np.maximum(taken[owner], 1)
    # One shift an entity: positions stay a stretch (at least 1) apart, so that none is drawn twice.
    spread = ((within + rng.random(len(entities))[owner]) * stretch).astype(np.int64)
    position = np.where(complete, within, np.minimum(spread, counts[owner] - 1))
    forward = position < out_counts[owner]
    arcs = np.empty(len(owner), np.int64)
    arcs[forward] = snapshot.out_offsets[entities[owner[forward]]] + position[forward]
    back = ~forward
    into = snapshot.in_offsets[entities[owner[back]]] + position[back] - out_counts[owner[back]]
    arcs[back] = snapshot.in_order[into].astype(np.int64) + snapshot.num_triples
    return owner, arcs, stretch.astype(np.float32)


def get_ways(features: GraphFeatures) -> tuple[Ways, Ways]:
    """Which arcs of an entity lead to what sends to it, forward and backward."""
    return ("in", "out") if features.directed else ("both", "both")


def sample_neighbourhood(
    features: GraphFeatures, seeds: np.ndarray, hops: int, limit: int, rng: np.random.Generator, *, forward: bool
) -> Data:
    """Cut out what entities receive in so many rounds of message passing; see ``ConvEncoder`` for the fields.

    Args:
        seeds: entities, int64 [m], distinct and ascending.
        hops: rounds.
        limit: triples read per entity; all where an entity has no more.
        forward: messages go from heads to tails, else from tails to heads.

    Returns:
        ``n_id`` are the entities, ascending, and ``seeds`` the rows of the seeds among them.
    """
    snapshot, ways = features.snapshot, get_ways(features)[0 if forward else 1]
    entities = frontier = seeds
    parts = []
    for _ in range(hops):
        owner, arcs, scale = sample_arcs(snapshot, frontier, limit, rng, ways)
        sources = walks.get_arc_ends(snapshot, arcs)[2]  # an arc leaves the entity that receives along it
        relations = walks.get_arc_ends(snapshot, find_reverse_arcs(snapshot, arcs) if forward else arcs)[1]
        parts.append((sources, frontier[owner], relations, scale))
        frontier = np.setdiff1d(sources, entities)
        entities = np.union1d(entities, frontier)
    sources, targets, relations, scale = (np.concatenate(part) for part in zip(*parts, strict=True))
    received = features.forward if forward else features.backward
    rows = torch.from_numpy(entities)
    return Data(
        n_id=rows,
        num_nodes=len(rows),
        seeds=torch.from_numpy(np.searchsorted(entities, seeds)),
        edge_index=torch.from_numpy(np.searchsorted(entities, np.stack([sources, targets]))),
        edge_type=torch.from_numpy(relations),
        scale=torch.from_numpy(scale),
        x=None if features.entities is None else features.entities[rows],
        norm=torch.from_numpy((received.degrees[entities] + 1) ** np.float32(-0.5)),
        around=received.sums.relation[rows],
    )


def encode_arcs(
    encoder: ConvEncoder, features: GraphFeatures, arcs: np.ndarray, limit: int, rng: np.random.Generator
) -> Tensor:
    """States of n arcs from the sampled neighbourhoods of their ends, [n, H]."""
    heads, relations, tails = walks.get_arc_ends(features.snapshot, arcs)
    seeds, ends = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    sides = []
    for forward in (True, False):
        neighbourhood = sample_neighbourhood(features, seeds, encoder.layers, limit, rng, forward=forward)
        slots = neighbourhood.seeds[torch.from_numpy(ends)]
        neighbourhood.heads, neighbourhood.tails = slots[: len(arcs)], slots[len(arcs) :]
        sides.append(neighbourhood)
    return encoder.encode_block(sides[0], sides[1], torch.from_numpy(relations), features.relations)


def compute_conv_vectors(
    encoder: ConvEncoder, features: GraphFeatures, *, forward: bool, cancelled: Callable[[], bool] = lambda: False
) -> Tensor:
    """Compute the vectors of all entities in one direction, layer by layer in chunks of entities, [E, H].

    Args:
        encoder: in evaluation mode.
        forward: messages go from heads to tails, else from tails to heads.
    """
    received = features.forward if forward else features.backward
    norm = torch.from_numpy((received.degrees + 1) ** np.float32(-0.5))
    vectors = encoder.embed(features.entities, received.sums.relation, norm)
    every, rng = features.snapshot.num_entities, np.random.default_rng(0)
    for depth, layer in enumerate(encoder.forward_layers if forward else encoder.backward_layers):
        inputs = torch.relu(vectors) if depth else vectors
        chunks = []
        for start in range(0, every, _CHUNK):
            check(cancelled)
            seeds = np.arange(start, min(every, start + _CHUNK))
            around = sample_neighbourhood(features, seeds, 1, UNLIMITED, rng, forward=forward)
            edges = encoder.make_edges(around, features.relations)
            chunks.append(layer(inputs[around.n_id], edges)[around.seeds])
        vectors = torch.cat(chunks)
    return vectors
