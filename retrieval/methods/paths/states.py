"""Triple states z_v of a snapshot: computed once and memory-mapped, or on demand. Same numbers either way.

States do not depend on the question (DESIGN, idea 2), so one file per snapshot and checkpoint serves all
questions and processes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.errors import check
from retrieval.kg.search.walks import get_arc_ends
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.storage import load_array, publish_directory, save_array
from retrieval.linking.features import GraphFeatures, Received, compute_norms
from retrieval.methods.paths.blocks import compute_arc_states
from retrieval.methods.paths.neighbourhoods import compute_conv_vectors
from retrieval.methods.paths.network import StateEncoder
from retrieval.nn.conv_encoder import ConvEncoder
from retrieval.nn.entity_graph import EntityGraphEncoder, EntityStates
from retrieval.nn.line_graph import LineGraphConv
from retrieval.nn.triple_encoder import TripleEncoder
from retrieval.types import Progress

_CHUNK = 1 << 15


class States(Protocol):
    """Triple states by arc."""

    def get_states(self, arcs: np.ndarray) -> np.ndarray:
        """States of n arcs, float32 [n, H]."""
        ...


class StoredStates:
    """States of all arcs, fp16 [2T, H], memory-mapped; [T, H] where both arcs of a fact have one state."""

    def __init__(self, table: np.ndarray) -> None:
        self.table = table

    def get_states(self, arcs: np.ndarray) -> np.ndarray:
        """See :class:`States`."""
        rows: np.ndarray = self.table[arcs % max(len(self.table), 1)]
        return rows.astype(np.float32)


class ComputedStates:
    """States computed when asked for, from the neighbours within two steps.

    Exact where no entity in reach has more than ``limit`` arcs; a larger hub is represented by ``limit`` of
    its arcs, always the same ones.
    """

    def __init__(self, encoder: StateEncoder, features: GraphFeatures, *, limit: int = 512) -> None:
        self.encoder = encoder
        self.features = features
        self.limit = limit

    def get_states(self, arcs: np.ndarray) -> np.ndarray:
        """See :class:`States`."""
        if not len(arcs):
            return np.zeros((0, self.encoder.hidden), np.float32)
        distinct, where = np.unique(arcs, return_inverse=True)
        with torch.inference_mode():
            states = compute_arc_states(self.encoder, self.features, distinct, self.limit, np.random.default_rng(0))
        # Rounded as the stored ones are.
        rounded: np.ndarray = states.numpy().astype(np.float16).astype(np.float32)
        return rounded[where]


def open_stored_states(
    encoder: StateEncoder,
    make_features: Callable[[], GraphFeatures],
    *,
    kept: Path,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> StoredStates:
    """Open the states of a snapshot and checkpoint, computing them first where they are missing or damaged.

    Args:
        encoder: in evaluation mode.
        make_features: only called when the states must be computed.
        kept: their directory, shared by processes (``caches.states_folder``); it appears whole or not at all.
    """
    if not ((kept / "states.npy").is_file() and integrity.is_whole(kept)):
        states = compute_all_states(encoder, make_features(), progress=progress, cancelled=cancelled)
        with publish_directory(kept) as directory:
            save_array(directory, "states", states)
    return StoredStates(load_array(kept, "states", "float16"))


def make_states(
    encoder: StateEncoder,
    snapshot: Snapshot,
    make_features: Callable[[], GraphFeatures],
    *,
    budget_mb: int,
    kept: Path,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> States:
    """The states of a snapshot: stored in ``kept`` when they fit ``budget_mb``, else computed on demand.

    See :func:`open_stored_states`.
    """
    size = 2 * snapshot.num_triples * encoder.hidden * 2  # half of it where a fact has one state
    if size > budget_mb << 20:
        return ComputedStates(encoder, make_features())
    return open_stored_states(encoder, make_features, kept=kept, progress=progress, cancelled=cancelled)


@torch.inference_mode()
def compute_all_states(
    encoder: StateEncoder,
    features: GraphFeatures,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> np.ndarray:
    """States of all arcs, fp16 [2T, H] (directed [T, H]), in memory proportional to (E + chunk) x H beside it."""
    if isinstance(encoder, EntityStates):
        vectors = _compute_entity_vectors(encoder, features, cancelled=cancelled)
        return _compute_states_of_ends(encoder, features, vectors, progress=progress, cancelled=cancelled)
    total = features.num_states
    passes = [_Pass.make_forward(encoder, features), _Pass.make_backward(encoder, features)]
    for start in range(0, total, _CHUNK):
        check(cancelled)
        arcs = _Arcs(encoder, features, start, min(total, start + _CHUNK))
        for direction_pass in passes:
            direction_pass.collect(arcs)
        if progress is not None:
            progress(Progress("computing triple states", start // 2, total, "arcs"))
    states = np.empty((total, encoder.hidden), np.float16)
    for start in range(0, total, _CHUNK):
        check(cancelled)
        arcs = _Arcs(encoder, features, start, min(total, start + _CHUNK))
        ahead, behind = (direction_pass.compute_states(arcs) for direction_pass in passes)
        states[start : arcs.stop] = encoder.merge_directions(
            ahead, behind, arcs.x, features.relations, arcs.relations
        ).numpy()
        if progress is not None:
            progress(Progress("computing triple states", (total + arcs.stop) // 2, total, "arcs"))
    return states


def _compute_entity_vectors(
    encoder: EntityStates, features: GraphFeatures, *, cancelled: Callable[[], bool]
) -> list[Tensor]:
    """Vectors of all entities forward and backward, two of [E, H]."""
    if isinstance(encoder, ConvEncoder):
        return [
            compute_conv_vectors(encoder, features, forward=forward, cancelled=cancelled) for forward in (True, False)
        ]
    assert isinstance(encoder, EntityGraphEncoder)
    total, facts = features.num_states, features.snapshot.num_triples
    sides = []
    for layers, received, first in (
        (encoder.forward_layers, features.forward, facts if features.directed else 0),
        (encoder.backward_layers, features.backward, 0),
    ):
        norm = torch.from_numpy((received.degrees + 1) ** np.float32(-0.5))
        inner = encoder.compute_first_layer(layers, received.sums, features.entities, norm)
        if len(layers) == 1:
            sides.append(inner)
            continue
        near = torch.zeros_like(inner)
        for start in range(first, first + total, _CHUNK):
            check(cancelled)
            ids = np.arange(start, min(first + total, start + _CHUNK))
            heads, _, tails = get_arc_ends(features.snapshot, ids)
            weights = torch.from_numpy(compute_norms(received.degrees, tails, heads == tails)).unsqueeze(1)
            near.index_add_(0, torch.from_numpy(heads), inner[torch.from_numpy(tails)] * weights)
        sides.append(encoder.compute_second_layer(layers, near, received.sums.relation, inner, norm))
    return sides


def _compute_states_of_ends(
    encoder: EntityStates,
    features: GraphFeatures,
    vectors: list[Tensor],
    *,
    progress: Callable[[Progress], None] | None,
    cancelled: Callable[[], bool],
) -> np.ndarray:
    """States of all arcs from the vectors of their ends, fp16 [num_states, H]."""
    total = features.num_states
    states = np.empty((total, encoder.hidden), np.float16)
    for start in range(0, total, _CHUNK):
        check(cancelled)
        stop = min(total, start + _CHUNK)
        ends = [torch.from_numpy(part) for part in get_arc_ends(features.snapshot, np.arange(start, stop))]
        ahead, behind = (encoder.compute_triple_states(side, ends[0], ends[2]) for side in vectors)
        x = encoder.compute_phi(features.entities, features.relations, *ends)
        states[start:stop] = encoder.merge_directions(ahead, behind, x, features.relations, ends[1]).numpy()
        if progress is not None:
            progress(Progress("computing triple states", stop, total, "arcs"))
    return states


class _Arcs:
    """A chunk of arcs with phi of each."""

    def __init__(self, encoder: TripleEncoder, features: GraphFeatures, start: int, stop: int) -> None:
        self.stop = stop
        heads, relations, tails = get_arc_ends(features.snapshot, np.arange(start, stop))
        loops = heads == tails
        self.heads, self.tails = torch.from_numpy(heads), torch.from_numpy(tails)
        self.loops = torch.from_numpy(loops)
        self.head_norm = torch.from_numpy(compute_norms(features.forward.degrees, heads, loops))
        self.tail_norm = torch.from_numpy(compute_norms(features.backward.degrees, tails, loops))
        self.relations = torch.from_numpy(relations)
        self.x = encoder.relation(features.relations)[self.relations]
        if features.entities is not None:
            self.x += encoder.head(features.entities[self.heads])
            self.x += encoder.tail(features.entities[self.tails])


class _Pass:
    """One direction: what each entity sends to the second layer where there is one, then the last layer."""

    def __init__(self, layers: nn.ModuleList, received: Tensor, *, forward: bool) -> None:
        first = layers[0]
        assert isinstance(first, LineGraphConv)
        second = layers[1] if len(layers) > 1 else None
        assert second is None or isinstance(second, LineGraphConv)
        self.first, self.second, self.is_forward = first, second, forward
        self.received = first.lin(received)  # [E, H]
        self.summed = torch.zeros_like(self.received)

    @classmethod
    def make_forward(cls, encoder: TripleEncoder, features: GraphFeatures) -> _Pass:
        sums = _compute_projection(encoder, features, features.forward, encoder.tail, encoder.head)
        return cls(encoder.forward_layers, sums, forward=True)

    @classmethod
    def make_backward(cls, encoder: TripleEncoder, features: GraphFeatures) -> _Pass:
        sums = _compute_projection(encoder, features, features.backward, encoder.head, encoder.tail)
        return cls(encoder.backward_layers, sums, forward=False)

    def collect(self, arcs: _Arcs) -> None:
        if self.second is not None:
            ends = arcs.tails if self.is_forward else arcs.heads
            _, norm = self._get_ends(arcs)
            self.summed.index_add_(0, ends, norm.unsqueeze(1) * self.second.lin(self._compute_inner(arcs)))

    def compute_states(self, arcs: _Arcs) -> Tensor:
        if self.second is None:
            return self._compute_first(arcs)
        near, norm = self._get_ends(arcs)
        inner = self._compute_inner(arcs)
        sent = norm.unsqueeze(1) * self.second.lin(inner)
        return self.second.merge_messages(self.summed[near], sent, inner, norm, arcs.loops)

    def _compute_first(self, arcs: _Arcs) -> Tensor:
        near, norm = self._get_ends(arcs)
        sent = norm.unsqueeze(1) * self.first.lin(arcs.x)
        return self.first.merge_messages(self.received[near], sent, arcs.x, norm, arcs.loops)

    def _compute_inner(self, arcs: _Arcs) -> Tensor:
        return torch.relu(self._compute_first(arcs))

    def _get_ends(self, arcs: _Arcs) -> tuple[Tensor, Tensor]:
        return (arcs.heads, arcs.head_norm) if self.is_forward else (arcs.tails, arcs.tail_norm)


def _compute_projection(
    encoder: TripleEncoder, features: GraphFeatures, received: Received, near: nn.Module, far: nn.Module
) -> Tensor:
    return encoder.compute_state_sums(received.sums, features.entities, near, far)
