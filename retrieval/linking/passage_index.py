"""The passages of a graph by meaning and by words, built by a job and kept beside the snapshot.

Like the entity index it is written in chunks, so that a stopped job goes on where it was, and published by one
rename; a running engine takes it up as soon as it stands.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import numpy as np

from retrieval.errors import Cancelled, NotIndexedError, SnapshotError
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.passages import PassageTable
from retrieval.kg.snapshot.storage import load_array, publish_directory, read_json, save_array, save_json
from retrieval.language import tokens as lexical
from retrieval.linking import passage_chunks
from retrieval.linking.encoder import Encoder
from retrieval.linking.passage_chunks import Chunks
from retrieval.types import Progress

#: Passages encoded and written together: what a stopped job loses at most, of each process.
CHUNK = 512
#: A missing index is looked for at most so often, in seconds.
RECHECK = 2.0
#: Rows of vectors that are compared at a time, so that a large index is never in memory whole.
_ROWS = 65_536
_META = "passages.json"


@dataclass(frozen=True, slots=True)
class Blend:
    """How the three opinions are weighed; chosen on half of MuSiQue's questions (docs/text.md).

    Attributes:
        sentence: of a passage's best sentence, where the whole passage weighs 1; both are cosines.
        words: of BM25, as a share of the best passage's.
    """

    sentence: float = 1.0
    words: float = 0.1


def get_directory(snapshot: Snapshot, encoder_name: str) -> Path:
    """Where the index for an encoder is published: inside the snapshot's directory."""
    return snapshot.path / f"passages-{re.sub(r'[^A-Za-z0-9._-]+', '_', encoder_name)}"


def is_built(snapshot: Snapshot, encoder_name: str) -> bool:
    """Whether the index for an encoder stands, undamaged."""
    directory = get_directory(snapshot, encoder_name)
    return (directory / _META).is_file() and integrity.is_whole(directory)


def require_passages(snapshot: Snapshot) -> PassageTable:
    """The passages of a graph.

    Raises:
        SnapshotError: it has none.
    """
    if snapshot.passages is None:
        raise SnapshotError(
            f"The graph {snapshot.path.name} has no passages.",
            hint="Build it from documents too (`build-corpus`, or upload text, PDF, HTML or passages).",
        )
    return snapshot.passages


def build(
    snapshot: Snapshot,
    encoder: Encoder,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Encode all passages and their sentences, index their words, and publish both.

    Args:
        snapshot: a graph with passages.
        progress: called after each piece, in passages.

    Returns:
        The published directory. It is built once: a second call finds it and returns.

    Raises:
        SnapshotError: the graph has no passages.
        Cancelled: ``cancelled`` said so; a later call goes on from the last chunk.
    """
    table = require_passages(snapshot)
    target = get_directory(snapshot, encoder.name)
    key = {"snapshot": snapshot.hash, "encoder": encoder.name, "chunk": CHUNK, "count": len(table)}
    if _is_current(target, key):
        return target

    def stop() -> None:
        if cancelled():
            raise Cancelled("Indexing was stopped.", hint="Start it again: it goes on where it was.")

    def update_progress(passages: int) -> None:
        if progress is not None:
            progress(Progress("indexing passages", passages, len(table), "passages"))

    folder = target.parent / f".{target.name}.chunks"
    folder.mkdir(parents=True, exist_ok=True)
    if read_json(folder / "key.json") != key:
        for stale in folder.iterdir():
            stale.unlink()
        save_json(folder / "key.json", key)
    chunks = Chunks(folder, len(table), CHUNK)
    passage_chunks.write_chunks(snapshot, table, chunks, encoder, done=update_progress, stop=stop)
    with publish_directory(target) as directory:
        for name in ("vectors", "sentences"):
            _join(directory, name, [chunks.get_path(ids, name) for ids in chunks], encoder.dim)
        lengths = np.concatenate([np.load(chunks.get_path(ids, "lengths")) for ids in chunks])
        offsets = np.zeros(len(table) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        save_array(directory, "sentence_offsets", offsets)
        lexical.write(directory, ((table.get_title(i), table.get_text(i)) for i in range(len(table))), stop)
        save_json(directory / _META, {**key, "dim": encoder.dim})
    for stale in folder.iterdir():
        stale.unlink()
    folder.rmdir()
    return target


def _join(directory: Path, name: str, parts: list[Path], dim: int) -> None:
    """One array of the parts, written through a memory map."""
    pieces = [np.load(part, mmap_mode="r") for part in parts]
    rows = sum(len(piece) for piece in pieces)
    joined = np.lib.format.open_memmap(directory / f"{name}.npy", "w+", np.float16, (rows, dim))
    position = 0
    for piece in pieces:
        joined[position : position + len(piece)] = piece
        position += len(piece)
    joined.flush()


def _is_current(target: Path, key: dict[str, object]) -> bool:
    meta = read_json(target / _META)
    same = all(meta.get(name) == key[name] for name in ("snapshot", "encoder", "count"))
    return same and integrity.is_whole(target)


class PassageIndex:
    """Finds passages of one snapshot. Thread-safe; the index may be built while it is open."""

    def __init__(self, snapshot: Snapshot, encoder: Encoder, blend: Blend | None = None) -> None:
        self.snapshot = snapshot
        self.table = require_passages(snapshot)
        self.blend = blend or Blend()
        self.encoder = encoder
        self._lock = threading.Lock()
        self._checked = float("-inf")
        self._files: _Files | None = None

    @classmethod
    def open(cls, snapshot: Snapshot, encoder: Encoder) -> PassageIndex:
        """The index of a snapshot for an encoder.

        Raises:
            SnapshotError: the graph has no passages.
        """
        return cls(snapshot, encoder)

    def search(self, text: str, limit: int = 10, blend: Blend | None = None) -> list[tuple[int, float]]:
        """The best passages and their scores, the best first; of passages that say the same the first only.

        ``blend`` in place of the index's own.

        Raises:
            NotIndexedError: the index has not been built.
        """
        scores = self.compute_scores(text, blend)
        if not len(scores) or limit < 1:
            return []
        passages: dict[tuple[str, str], tuple[int, float]] = {}
        wanted = limit
        while True:
            wanted = min(wanted * 2, len(scores))
            top = np.argpartition(-scores, wanted - 1)[:wanted]
            for i in top[np.lexsort((top, -scores[top]))].tolist():
                passages.setdefault((self.table.get_title(i), self.table.get_text(i)), (i, round(float(scores[i]), 6)))
            if len(passages) >= limit or wanted == len(scores):
                return list(passages.values())[:limit]

    def compute_scores(self, text: str, blend: Blend | None = None) -> np.ndarray:
        """The blend of all opinions, float32 [P]; about 1 for a passage that answers in the question's own words.

        Raises:
            NotIndexedError: the index has not been built.
        """
        blend = blend or self.blend
        words = self.compute_lexical_scores(text)
        best = float(words.max(initial=0.0))
        mean = (self.compute_dense_scores(text) + blend.sentence * self.score_best_sentences(text)) / (
            1 + blend.sentence
        )
        scores: np.ndarray = (1 - blend.words) * mean + blend.words * (words / best if best else words)
        return scores

    def compute_dense_scores(self, text: str) -> np.ndarray:
        """Cosine of the text and each passage with its title, float32 [P]."""
        return self.compute_cosines(self._encode_text(text))

    def compute_cosines(self, vector: np.ndarray) -> np.ndarray:
        """Cosine of a unit vector, float32 [d], and each passage with its title, float32 [P]."""
        return _compute_cosines(self._open_files().vectors, vector)

    def get_vectors(self, passages: np.ndarray) -> np.ndarray:
        """Vectors of some passages, float32 [n, d] of unit length."""
        vectors: np.ndarray = self._open_files().vectors[passages].astype(np.float32, copy=False)
        return vectors

    def find_passages(self, word: str) -> np.ndarray:
        """The passages whose title or text has a word (see ``lexical.tokenize_text``), int32, ascending."""
        return self._open_files().words.find_passages(word)

    def score_best_sentences(self, text: str) -> np.ndarray:
        """Cosine of the text and the best sentence of each passage, float32 [P]."""
        files = self._open_files()
        cosines = _compute_cosines(files.sentences, self._encode_text(text))
        best = np.maximum.reduceat(np.append(cosines, np.float32(-1)), files.offsets[:-1])
        best[np.diff(files.offsets) == 0] = -1
        return best

    def compute_lexical_scores(self, text: str) -> np.ndarray:
        """BM25 of the text's words in each passage and its title, float32 [P]."""
        return self._open_files().words.compute_scores(text)

    def score_sentences(self, text: str, passage: int) -> np.ndarray:
        """Cosine of the text and each sentence of one passage (``sentences(text)`` of it), float32 [S]."""
        files = self._open_files()
        start, end = files.offsets[passage : passage + 2].tolist()
        return _compute_cosines(files.sentences[start:end], self._encode_text(text))

    def _encode_text(self, text: str) -> np.ndarray:
        vector: np.ndarray = self.encoder.encode([text])[0]
        return vector

    def _open_files(self) -> _Files:
        with self._lock:
            now = monotonic()
            if self._files is None and now - self._checked >= RECHECK:
                self._checked = now
                directory = get_directory(self.snapshot, self.encoder.name)
                ours = read_json(directory / _META).get("snapshot") == self.snapshot.hash
                if ours and integrity.is_whole(directory):
                    self._files = _Files(directory, len(self.table))
        if self._files is None:
            raise NotIndexedError
        return self._files


class _Files:
    """The published arrays."""

    def __init__(self, directory: Path, count: int) -> None:
        self.vectors = _load_rows(load_array(directory, "vectors", "float16"))
        self.sentences = _load_rows(load_array(directory, "sentences", "float16"))
        self.offsets = load_array(directory, "sentence_offsets", "int64")
        self.words = lexical.WordIndex(directory, count)


def _load_rows(vectors: np.ndarray) -> np.ndarray:
    """The vectors as they are compared, in memory, where they are few; else as they lie on disk."""
    return vectors.astype(np.float32) if len(vectors) <= _ROWS else vectors


def _compute_cosines(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Products of unit rows with a unit vector, float32 [n]."""
    products = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _ROWS):
        rows = vectors[start : start + _ROWS]
        products[start : start + len(rows)] = rows.astype(np.float32, copy=False) @ query
    return products
