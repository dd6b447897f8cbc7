"""Frozen text features of a snapshot, and the sums over neighbours that are made of them once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot
from retrieval.linking import relation_index
from retrieval.linking.text_features import TextEncoder, encode_graph_texts, get_entity_vectors
from retrieval.linking.text_vectors import TextVectors
from retrieval.nn.triple_encoder import EntitySums
from retrieval.types import Progress

_CHUNK = 1 << 15


@runtime_checkable
class Trainable(Protocol):
    """A text encoder of which a trainable copy can be taken."""

    def make_trainable(self) -> nn.Module:
        """A layer that takes n texts to unit vectors [n, d], words [n, L, d] and lengths [n]."""
        ...


@dataclass(frozen=True, slots=True)
class Received:
    """What each entity receives in one direction.

    Attributes:
        degrees: triples that send to it, float32 [E].
    """

    degrees: np.ndarray
    sums: EntitySums


@dataclass(frozen=True, slots=True)
class GraphFeatures:
    """Text features of a snapshot, and their sums over the triples of its entities.

    With every fact walked both ways (2T arcs) those that end in an entity are the inverses of those that leave it, so
    both directions share all but the relations' sums. *Directed*, each fact is one triple, as in the papers.

    Attributes:
        relations: text features of directed relations, [2R, d].
        entities: text features, [E, d], or None when entity texts are left out.
        directed: each fact is one triple.
        forward: over the triples that end in an entity.
        backward: over those that begin there.
    """

    snapshot: Snapshot
    relations: Tensor
    entities: Tensor | None
    directed: bool
    forward: Received
    backward: Received

    @property
    def num_states(self) -> int:
        """Triples of the graph that is encoded: T or 2T."""
        return (1 if self.directed else 2) * self.snapshot.num_triples


def compute_norms(degrees: np.ndarray, receivers: np.ndarray, loops: np.ndarray) -> np.ndarray:
    """GCN's deg^-1/2 of arcs that receive at ``receivers``; a loop is among its own predecessors, float32."""
    values: np.ndarray = (degrees[receivers] + ~loops) ** np.float32(-0.5)
    return values


def compute_graph_features(
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    entity_texts: bool,
    directed: bool = False,
    cache: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> GraphFeatures:
    """Encode what is not cached yet, and sum it over neighbours.

    Args:
        snapshot: the graph, at least one fact.
        entity_texts: use the entities' labels, not only the relations'.
        directed: each fact is one triple; else it is walked both ways.
        cache: directory where the label vectors are kept (fp16), shared by checkpoints.
    """
    texts = encode_graph_texts(
        snapshot, encoder, entity_texts=entity_texts, cache=cache, progress=progress, cancelled=cancelled
    )
    return build_features(snapshot, texts.relations, texts.entities, directed=directed)


def make_relation_vectors(snapshot: Snapshot, encoder: TextEncoder) -> TextVectors:
    """The same vectors, of which those that the graph's index lacks are encoded as they are asked for."""
    texts = relation_index.list_relation_texts(snapshot)
    return TextVectors(texts, encoder, partial(relation_index.find, snapshot, encoder.name))


class Labels:
    """Vectors of the whole graph's entity labels, opened when first asked for."""

    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, cache: Path | None) -> None:
        self._open = partial(get_entity_vectors, snapshot, encoder, cache)

    @cached_property
    def _vectors(self) -> np.ndarray:
        return self._open()

    def get_vectors(self, entities: np.ndarray) -> Tensor:
        """float32 [n, d]."""
        return torch.from_numpy(self._vectors[entities])


def build_features(
    snapshot: Snapshot, relations: Tensor, entities: Tensor | None, *, directed: bool = False
) -> GraphFeatures:
    """Features of a graph whose texts are encoded: [2R, d] and [E, d], None without entity texts."""
    total = snapshot.num_triples
    if directed:
        # Arc ids: a fact walked forward leaves its head, walked backward its tail.
        entering, leaving = np.diff(snapshot.in_offsets), np.diff(snapshot.out_offsets)
        forward = _compute_received(snapshot, relations, entities, entering, range(total, 2 * total), turned=True)
        backward = _compute_received(snapshot, relations, entities, leaving, range(total), turned=False)
        return GraphFeatures(snapshot, relations, entities, True, forward, backward)
    degrees = snapshot.get_degrees(np.arange(snapshot.num_entities))
    backward = _compute_received(snapshot, relations, entities, degrees, range(2 * total), turned=False)
    reverse = torch.from_numpy(find_reverse_relations(snapshot))
    sums = EntitySums(
        backward.sums.far,
        _compute_received(snapshot, relations[reverse], None, degrees, range(2 * total), turned=False).sums.relation,
        backward.sums.near,
    )
    return GraphFeatures(snapshot, relations, entities, False, Received(backward.degrees, sums), backward)


def _compute_received(
    snapshot: Snapshot, relations: Tensor, entities: Tensor | None, counts: np.ndarray, arcs: range, *, turned: bool
) -> Received:
    """What entities receive from the arcs that leave them, ``turned`` ones with the texts of the facts they turn."""
    degrees = counts.astype(np.float32)
    size, width = snapshot.num_entities, relations.shape[1]
    summed, near = torch.zeros(size, width), torch.zeros(size)
    far = torch.zeros(size, width) if entities is not None else None
    for start in range(arcs.start, arcs.stop, _CHUNK):
        ids = np.arange(start, min(arcs.stop, start + _CHUNK))
        sources, labels, targets = walks.get_arc_ends(snapshot, ids)
        norm = torch.from_numpy(compute_norms(degrees, targets, sources == targets)).unsqueeze(1)
        here = torch.from_numpy(sources)
        relation = torch.from_numpy(labels - snapshot.num_relations if turned else labels)
        summed.index_add_(0, here, norm * relations[relation])
        near.index_add_(0, here, norm.squeeze(1))
        if far is not None and entities is not None:
            far.index_add_(0, here, norm * entities[torch.from_numpy(targets)])
    return Received(degrees, EntitySums(far, summed, near))


def find_reverse_relations(snapshot: Snapshot) -> np.ndarray:
    """The directed relation that walks each directed relation back, int64 [2R]."""
    return np.roll(np.arange(2 * snapshot.num_relations), snapshot.num_relations)


def find_reverse_arcs(snapshot: Snapshot, arcs: np.ndarray) -> np.ndarray:
    """The arcs that walk the same facts the other way."""
    return np.where(arcs >= snapshot.num_triples, arcs - snapshot.num_triples, arcs + snapshot.num_triples)
