"""The vector part of the entity index: names by meaning, built by a job and joined when it is done.

Vectors are written in chunks beside each other, so that a job that was stopped goes on where it was, and
published by one rename. A reader looks for the published directory whenever it is asked, so a running
worker starts to use the vectors as soon as they stand. Spelling alone works before that (``snapshot.labels``).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic

import faiss
import numpy as np
import torch

from retrieval.errors import Cancelled, SnapshotError
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.labels import Match
from retrieval.kg.snapshot.storage import load_array, publish_directory, read_json, save_array, save_json
from retrieval.linking.encoder import Encoder
from retrieval.types import Progress

#: Labels encoded and written together: what a stopped job loses at most.
CHUNK = 2048
#: Up to so many vectors are compared one by one; more are found through clusters.
FLAT_LIMIT = 200_000
#: From so many vectors on, names are read in blocks of so many for all of them together.
_TOGETHER, _BLOCK = 4, 4096
#: A missing index is looked for at most so often, in seconds.
RECHECK = 2.0
_LABEL_BYTES = 200
_META = "vectors.json"


def get_directory(snapshot: Snapshot, encoder_name: str) -> Path:
    """Where the vectors of an encoder are published: inside the snapshot's directory."""
    return snapshot.path / f"vectors-{re.sub(r'[^A-Za-z0-9._-]+', '_', encoder_name)}"


def is_built(snapshot: Snapshot, encoder_name: str) -> bool:
    """Whether the vectors of an encoder stand, undamaged."""
    directory = get_directory(snapshot, encoder_name)
    return (directory / _META).is_file() and integrity.is_whole(directory)


def build(
    snapshot: Snapshot,
    encoder: Encoder,
    out: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Encode the labels of all named entities and publish the vectors. About 700 labels a second on 2 cores.

    Args:
        out: where to publish; None for the place where :class:`EntityIndex` looks.
        progress: called after each piece, in labels.

    Returns:
        The published directory. It is built once: a second call finds it and returns.

    Raises:
        Cancelled: ``cancelled`` said so; a later call goes on from the last chunk.
    """
    target = out or get_directory(snapshot, encoder.name)
    entities = _find_named(snapshot)
    if _is_current(target, snapshot, encoder.name, len(entities)):
        return target
    chunks = target.parent / f".{target.name}.chunks"
    chunks.mkdir(parents=True, exist_ok=True)
    key = {"snapshot": snapshot.hash, "encoder": encoder.name, "chunk": CHUNK, "count": len(entities)}
    if read_json(chunks / "key.json") != key:
        for stale in chunks.iterdir():
            stale.unlink()
        save_json(chunks / "key.json", key)
    for start in range(0, len(entities), CHUNK):
        ids = entities[start : start + CHUNK]
        labels = partial(snapshot.entity_labels.get_many, ids)
        _encode_chunk(encoder, chunks / f"{start:09d}.npy", labels, cancelled)
        if progress is not None:
            progress(Progress("indexing names", start + len(ids), len(entities), "labels"))
    vectors = [np.load(chunks / f"{start:09d}.npy") for start in range(0, len(entities), CHUNK)]
    with publish_directory(target) as directory:
        empty = np.zeros((0, encoder.dim), np.float16)
        save_array(directory, "vectors", np.concatenate(vectors) if vectors else empty)
        save_array(directory, "entities", entities)
        save_json(directory / _META, {**key, "dim": encoder.dim})
    for stale in chunks.iterdir():
        stale.unlink()
    chunks.rmdir()
    return target


def _find_named(snapshot: Snapshot) -> np.ndarray:
    """Entities worth a vector: with a name of their own (no mediators), int32."""
    lengths = np.diff(snapshot.entity_labels.offsets)
    return np.flatnonzero((snapshot.kinds != 1) & (lengths <= _LABEL_BYTES)).astype(np.int32)


def _encode_chunk(encoder: Encoder, path: Path, labels: Callable[[], list[str]], cancelled: Callable[[], bool]) -> None:
    """Write the vectors of some labels to ``path`` unless they are there from an earlier try."""
    if path.is_file():
        return

    def stop(_: int = 0) -> None:
        if cancelled():
            raise Cancelled("Indexing was stopped.", hint="Start it again: it goes on where it was.")

    stop()
    texts = [label.replace("_", " ") for label in labels()]
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.save(file, encoder.encode(texts, progress=stop).astype(np.float16))
    part.replace(path)


def _is_current(target: Path, snapshot: Snapshot, encoder_name: str, count: int) -> bool:
    meta = read_json(target / _META)
    identity = (meta.get("snapshot"), meta.get("encoder"), meta.get("count"))
    return identity == (snapshot.hash, encoder_name, count) and integrity.is_whole(target)


class EntityIndex:
    """Finds entities of one snapshot by name and, once its vectors stand, by meaning. Thread-safe."""

    def __init__(self, snapshot: Snapshot, encoder: Encoder | None = None) -> None:
        self.snapshot = snapshot
        self._encoder = encoder
        self._lock = threading.Lock()
        self._checked = float("-inf")
        self._vectors: faiss.Index | None = None
        self._entities = np.zeros(0, np.int32)
        self._rows = np.zeros((0, 0), np.float16)

    @classmethod
    def open(cls, snapshot: Snapshot, encoder: Encoder | None = None) -> EntityIndex:
        """The index of a snapshot. Without an encoder, or before its vectors stand, spelling decides alone."""
        return cls(snapshot, encoder)

    def search(self, text: str, limit: int = 10) -> list[Match]:
        """By spelling first (see ``LabelIndex.search``); free places are filled by meaning."""
        matches = {match.entity: match for match in self.snapshot.labels.search(text, limit)}
        if len(matches) < limit and self._encoder is not None and self._load_vectors() is not None:
            for match in self.search_vector(self._encoder.encode([text])[0], limit):
                matches.setdefault(match.entity, match)
        return list(matches.values())[:limit]

    def search_vector(self, vector: np.ndarray, limit: int = 10) -> list[Match]:
        """Entities whose name is nearest in meaning; ``score`` is the cosine. Empty before vectors stand.

        Args:
            vector: unit length, float32 [d].
            limit: at most so many.
        """
        index = self._load_vectors()
        if index is None or not index.ntotal:
            return []
        scores, positions = index.search(vector[None].astype(np.float32), min(limit, index.ntotal))
        matches = []
        for score, position in zip(scores[0].tolist(), positions[0].tolist(), strict=True):
            if position < 0:
                continue
            entity = int(self._entities[position])
            node = self.snapshot.get_node(entity)
            likeness = max(0.0, min(1.0, float(score)))
            matches.append(Match(entity, node, node.label, likeness, "vector", self.snapshot.get_degree(entity)))
        return matches

    def find_nearest(self, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The other entity most like each one, int64 [n], and the cosine, float64 [n] at most 1.

        -1 where an entity has no name, where there is no other, and for all before vectors stand.
        """
        nearest_ids, scores = np.full(len(entities), -1, np.int64), np.zeros(len(entities))
        index = self._load_vectors()
        vectors = self.get_vectors(entities)
        rows_with_vector = np.flatnonzero(vectors.any(1))
        if index is None or not len(rows_with_vector):
            return nearest_ids, scores
        likeness, places = self._find_two_best(index, vectors[rows_with_vector])
        for row, i in enumerate(rows_with_vector.tolist()):
            for value, place in zip(likeness[row].tolist(), places[row].tolist(), strict=True):
                if place >= 0 and int(self._entities[place]) != int(entities[i]) and nearest_ids[i] < 0:
                    nearest_ids[i], scores[i] = int(self._entities[place]), min(1.0, value)
        return nearest_ids, scores

    def _find_two_best(self, index: faiss.Index, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cosines and places of the two names nearest to each vector, [n, 2], the best first.

        An exact index reads all names anew for each vector; for many vectors each name is read once instead.
        """
        count = len(self._rows)
        if len(vectors) < _TOGETHER or not 2 <= count <= FLAT_LIMIT:
            likeness, places = index.search(vectors, min(2, index.ntotal))
            return likeness, places
        queries = torch.from_numpy(vectors)
        values, positions = list[torch.Tensor](), list[torch.Tensor]()
        for start in range(0, count, _BLOCK):
            block = torch.from_numpy(np.array(self._rows[start : start + _BLOCK])).float()
            best = (queries @ block.T).topk(min(2, len(block)))
            values.append(best.values)
            positions.append(best.indices + start)
        joined = torch.cat(values, dim=1).topk(2)
        return joined.values.numpy(), torch.cat(positions, dim=1).gather(1, joined.indices).numpy()

    def get_vectors(self, entities: np.ndarray) -> np.ndarray:
        """Vectors of entities, float32 [n, d]; zero for those without a name, and for all before vectors stand."""
        dim = self._encoder.dim if self._encoder is not None else 0
        vectors = np.zeros((len(entities), dim), np.float32)
        if self._load_vectors() is not None and len(self._entities):
            places = np.minimum(np.searchsorted(self._entities, entities), len(self._entities) - 1)
            has_vector = self._entities[places] == entities
            vectors[has_vector] = self._rows[places[has_vector]]
        return vectors

    @property
    def has_vectors(self) -> bool:
        """Whether the vectors stand."""
        return self._load_vectors() is not None

    def _load_vectors(self) -> faiss.Index | None:
        """The vectors, looked for again from time to time while they are missing."""
        if self._vectors is not None or self._encoder is None:
            return self._vectors
        with self._lock:
            now = monotonic()
            if self._vectors is None and now - self._checked >= RECHECK:
                self._checked = now
                directory = get_directory(self.snapshot, self._encoder.name)
                meta = read_json(directory / _META)
                if meta.get("snapshot") == self.snapshot.hash and integrity.is_whole(directory):
                    self._entities = load_array(directory, "entities", "int32")
                    self._rows = load_array(directory, "vectors", "float16")
                    self._vectors = _build_faiss_index(self._rows)
        return self._vectors


def _build_faiss_index(vectors: np.ndarray) -> faiss.Index:
    """Inner product, exact up to ``FLAT_LIMIT`` vectors, by clusters beyond. Half precision in memory."""
    count, dim = vectors.shape
    if count <= FLAT_LIMIT:
        index: faiss.Index = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    else:
        lists = int(4 * count**0.5)
        quantizer = faiss.IndexFlatIP(dim)
        clustered = faiss.IndexIVFScalarQuantizer(
            quantizer, dim, lists, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        clustered.nprobe = 16
        sample = np.random.default_rng(0).choice(count, min(count, 40 * lists), replace=False)
        clustered.train(vectors[np.sort(sample)].astype(np.float32))
        index = clustered
    for start in range(0, count, 65_536):
        index.add(vectors[start : start + 65_536].astype(np.float32))
    if index.ntotal != count:
        raise SnapshotError("The vectors could not be indexed.", hint="Build the entity index again.")
    return index
