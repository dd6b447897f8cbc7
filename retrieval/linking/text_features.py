"""Vectors of a graph's texts, encoded and kept: the names of its relations and entities; what is needed for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.storage import load_array, publish_directory, save_array
from retrieval.linking import relation_index
from retrieval.types import Progress

#: Texts encoded between two looks at ``cancelled``: well under a second's work.
_TEXTS_AT_ONCE = 128


class TextEncoder(Protocol):
    """What is needed of ``retrieval.linking.encoder.Encoder``."""

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

    def encode_words(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """What ``encode`` returns, and the words of each text in context, float32 [l, dim] of unit length."""
        ...


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """Text features alone.

    Attributes:
        relations: of directed relations, [2R, d].
        entities: [E, d], or None when entity texts are left out.
    """

    relations: Tensor
    entities: Tensor | None


def encode_graph_texts(
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    entity_texts: bool,
    cache: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> TextFeatures:
    """Encode what is not cached yet. Arguments as of :func:`compute_graph_features`."""
    relations = torch.from_numpy(get_relation_vectors(snapshot, encoder))
    entities = None
    if entity_texts:
        entities = torch.from_numpy(get_entity_vectors(snapshot, encoder, cache, progress, cancelled))
    return TextFeatures(relations, entities)


def get_relation_vectors(snapshot: Snapshot, encoder: TextEncoder) -> np.ndarray:
    """Vectors of the 2R directed relations, float32 [2R, d]: of the graph's index, else encoded once a process."""
    kept = relation_index.find(snapshot, encoder.name)
    if kept is not None:
        return kept
    # An encoder is told from another by its identity, which mypy does not grant a Protocol.
    return _encode_texts(encoder, tuple(relation_index.list_relation_texts(snapshot))).copy()  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def _encode_texts(encoder: TextEncoder, texts: tuple[str, ...]) -> np.ndarray:
    return encoder.encode(texts)


def get_entity_vectors(
    snapshot: Snapshot,
    encoder: TextEncoder,
    cache: Path | None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> np.ndarray:
    """Vectors of all entity labels, float32 [E, d]; kept in ``cache``."""
    name = hashlib.sha256(f"{snapshot.hash} {encoder.name}".encode()).hexdigest()[:24]
    kept = cache / "labels" / name if cache is not None else None
    if kept is not None and kept.is_dir() and integrity.is_whole(kept):
        return load_array(kept, "entities", "float16").astype(np.float32)
    # A mediator's id says nothing; zero is what the papers give unknown entities.
    texts = [
        "" if snapshot.get_kind(i) == "cvt" else snapshot.get_entity_label(i) for i in range(snapshot.num_entities)
    ]
    vectors = encode_all(encoder, texts, stage="encoding labels", progress=progress, cancelled=cancelled).astype(
        np.float16
    )
    vectors[[not text for text in texts]] = 0
    if kept is not None:
        with publish_directory(kept) as directory:
            save_array(directory, "entities", vectors)
    return vectors.astype(np.float32)


def encode_all(
    encoder: TextEncoder,
    texts: Sequence[str],
    *,
    stage: str,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> np.ndarray:
    """Encode many texts, with progress and a way out. float32 [n, d]."""
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        check(cancelled)
        part = list(texts[start : start + _TEXTS_AT_ONCE])
        vectors[start : start + len(part)] = encoder.encode(part)
        if progress is not None:
            progress(Progress(stage, start + len(part), len(texts), "texts"))
    return vectors
