"""Frozen text features of a snapshot, and the sums over neighbours that are made of them once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.errors import check
from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.storage import load_array, published, save_array
from retrieval.text import relation_index
from retrieval.types import Progress

_CHUNK = 1 << 15
#: Texts encoded between two looks at ``cancelled``: well under a second's work.
_TEXTS_AT_ONCE = 128


class TextEncoder(Protocol):
    """What is needed of ``retrieval.text.encoder.Encoder``."""

    @property
    def name(self) -> str:
        """The name that checkpoints remember."""
        ...

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [n, dim], unit length."""
        ...

    def words(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """What ``encode`` returns, and the words of each text in context, float32 [l, dim] of unit length."""
        ...


@runtime_checkable
class Trainable(Protocol):
    """A text encoder of which a trainable copy can be taken."""

    def trainable(self) -> nn.Module:
        """A layer that takes n texts to unit vectors [n, d], words [n, L, d] and lengths [n]."""
        ...


@dataclass(frozen=True, slots=True)
class GraphFeatures:
    """Text features of a snapshot with every fact walked both ways (2T arcs).

    The arcs that end in an entity are the inverses of the arcs that leave it, so both directions of the
    line graph share ``far``, ``near`` and the degrees; only the relations' sums differ.

    Attributes:
        snapshot: the graph.
        relations: text features of directed relations, [2R, d].
        entities: text features, [E, d], or None when entity texts are left out.
        degrees: arcs that leave (= enter) each entity, float32 [E].
        far: sum over an entity's arcs of norm * text(other end), [E, d] or None.
        near: sum of norm, [E].
        entering, leaving: sums of norm * text(relation) over the arcs that enter / leave, [E, d].
    """

    snapshot: Snapshot
    relations: Tensor
    entities: Tensor | None
    degrees: np.ndarray
    far: Tensor | None
    near: Tensor
    entering: Tensor
    leaving: Tensor


def norms(degrees: np.ndarray, receivers: np.ndarray, loops: np.ndarray) -> np.ndarray:
    """GCN's deg^-1/2 of arcs that receive at ``receivers``; a loop is among its own predecessors, float32."""
    values: np.ndarray = (degrees[receivers] + ~loops) ** np.float32(-0.5)
    return values


def graph_features(
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    entity_texts: bool,
    cache: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> GraphFeatures:
    """Encode what is not cached yet, and sum it over neighbours.

    Args:
        snapshot: the graph, at least one fact.
        encoder: the frozen text encoder.
        entity_texts: use the entities' labels, not only the relations'.
        cache: directory where the label vectors are kept (fp16), shared by checkpoints.
        progress: told about labels encoded.
        cancelled: asked between batches.

    Raises:
        Cancelled: ``cancelled()`` said so.
    """
    texts = text_features(
        snapshot, encoder, entity_texts=entity_texts, cache=cache, progress=progress, cancelled=cancelled
    )
    return features_of(snapshot, texts.relations, texts.entities)


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """Text features alone.

    Attributes:
        relations: of directed relations, [2R, d].
        entities: [E, d], or None when entity texts are left out.
    """

    relations: Tensor
    entities: Tensor | None


def text_features(
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    entity_texts: bool,
    cache: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> TextFeatures:
    """Encode what is not cached yet. Arguments as of :func:`graph_features`."""
    relations = torch.from_numpy(relation_vectors(snapshot, encoder))
    entities = None
    if entity_texts:
        entities = torch.from_numpy(entity_vectors(snapshot, encoder, cache, progress, cancelled))
    return TextFeatures(relations, entities)


def relation_vectors(snapshot: Snapshot, encoder: TextEncoder) -> np.ndarray:
    """Vectors of the 2R directed relations, float32 [2R, d]: of the graph's index, else encoded once a process."""
    kept = relation_index.find(snapshot, encoder.name)
    if kept is not None:
        return kept
    # An encoder is told from another by its identity, which mypy does not grant a Protocol.
    return _encoded(encoder, tuple(relation_index.relation_texts(snapshot))).copy()  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def _encoded(encoder: TextEncoder, texts: tuple[str, ...]) -> np.ndarray:
    return encoder.encode(texts)


def entity_vectors(
    snapshot: Snapshot,
    encoder: TextEncoder,
    cache: Path | None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> np.ndarray:
    """Vectors of all entity labels, float32 [E, d]; kept in ``cache``.

    Raises:
        Cancelled: ``cancelled()`` said so.
    """
    name = hashlib.sha256(f"{snapshot.hash} {encoder.name}".encode()).hexdigest()[:24]
    kept = cache / "labels" / name if cache is not None else None
    if kept is not None and kept.is_dir() and integrity.is_whole(kept):
        return load_array(kept, "entities", "float16").astype(np.float32)
    # A mediator's id says nothing; zero is what the papers give unknown entities.
    texts = [
        "" if snapshot.kind(i) == "cvt" else snapshot.entity_label(i) for i in range(snapshot.num_entities)
    ]
    vectors = encode_all(
        encoder, texts, stage="encoding labels", progress=progress, cancelled=cancelled
    ).astype(np.float16)
    vectors[[not text for text in texts]] = 0
    if kept is not None:
        with published(kept) as directory:
            save_array(directory, "entities", vectors)
    return vectors.astype(np.float32)


class Labels:
    """Vectors of the whole graph's entity labels, opened when first asked for."""

    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, cache: Path | None) -> None:
        self._open = partial(entity_vectors, snapshot, encoder, cache)

    @cached_property
    def _vectors(self) -> np.ndarray:
        return self._open()

    def of(self, entities: np.ndarray) -> Tensor:
        """float32 [n, d]."""
        return torch.from_numpy(self._vectors[entities])


def encode_all(
    encoder: TextEncoder,
    texts: Sequence[str],
    *,
    stage: str,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> np.ndarray:
    """Encode many texts, with progress and a way out. float32 [n, d].

    Raises:
        Cancelled: ``cancelled()`` said so.
    """
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        check(cancelled)
        part = list(texts[start : start + _TEXTS_AT_ONCE])
        vectors[start : start + len(part)] = encoder.encode(part)
        if progress is not None:
            progress(Progress(stage, start + len(part), len(texts), "texts"))
    return vectors


def features_of(snapshot: Snapshot, relations: Tensor, entities: Tensor | None) -> GraphFeatures:
    """Features of a graph whose texts are encoded: [2R, d] and [E, d], None without entity texts."""
    degrees = snapshot.degrees(np.arange(snapshot.num_entities)).astype(np.float32)
    total, width = snapshot.num_entities, relations.shape[1]
    entering, leaving = torch.zeros(total, width), torch.zeros(total, width)
    far = torch.zeros(total, width) if entities is not None else None
    near = torch.zeros(total)
    reverse = torch.from_numpy(reverse_relations(snapshot))
    arcs = 2 * snapshot.num_triples
    for start in range(0, arcs, _CHUNK):
        ids = np.arange(start, min(arcs, start + _CHUNK))
        sources, labels, targets = walks.arc_ends(snapshot, ids)
        # The norm of the arc into ``sources`` along this fact, and of this arc on the reversed graph.
        norm = torch.from_numpy(norms(degrees, targets, sources == targets)).unsqueeze(1)
        here, relation = torch.from_numpy(sources), torch.from_numpy(labels)
        leaving.index_add_(0, here, norm * relations[relation])
        entering.index_add_(0, here, norm * relations[reverse[relation]])
        near.index_add_(0, here, norm.squeeze(1))
        if far is not None and entities is not None:
            far.index_add_(0, here, norm * entities[torch.from_numpy(targets)])
    return GraphFeatures(snapshot, relations, entities, degrees, far, near, entering, leaving)


def reverse_relations(snapshot: Snapshot) -> np.ndarray:
    """The directed relation that walks each directed relation back, int64 [2R]."""
    return np.roll(np.arange(2 * snapshot.num_relations), snapshot.num_relations)


def reverse_arcs(snapshot: Snapshot, arcs: np.ndarray) -> np.ndarray:
    """The arcs that walk the same facts the other way."""
    return np.where(arcs >= snapshot.num_triples, arcs - snapshot.num_triples, arcs + snapshot.num_triples)
