"""Vectors of relations, built by the index job, so that no engine has to encode thousands of them when it is opened."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from retrieval.errors import Cancelled
from retrieval.kg.snapshot import Snapshot, integrity
from retrieval.kg.snapshot.relation_names import format_directed_relation
from retrieval.kg.snapshot.storage import load_array, publish_directory, read_json, save_array, save_json
from retrieval.linking.encoder import Encoder
from retrieval.types import Progress

_META = "relations.json"


def list_relation_texts(snapshot: Snapshot) -> list[str]:
    """Texts of the 2R directed relations, inverses after the forward ones."""
    labels = [snapshot.get_relation_label(r) for r in range(snapshot.num_relations)]
    return [format_directed_relation(label, inverse) for inverse in (False, True) for label in labels]


def get_directory(snapshot: Snapshot, encoder_name: str) -> Path:
    """Where the vectors of an encoder are published: inside the snapshot's directory."""
    return snapshot.path / f"relations-{re.sub(r'[^A-Za-z0-9._-]+', '_', encoder_name)}"


def is_built(snapshot: Snapshot, encoder_name: str) -> bool:
    """Whether the vectors of an encoder stand."""
    return _is_current(get_directory(snapshot, encoder_name), _build_key(encoder_name, list_relation_texts(snapshot)))


def build(
    snapshot: Snapshot,
    encoder: Encoder,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Encode the texts of all directed relations and publish them.

    Args:
        progress: called now and then, in relations, each walked both ways.

    Returns:
        The published directory. It is built once: a second call finds it and returns.

    Raises:
        Cancelled: ``cancelled`` said so; a later call begins these anew.
    """
    target, texts = get_directory(snapshot, encoder.name), list_relation_texts(snapshot)
    key = _build_key(encoder.name, texts)
    if _is_current(target, key):
        return target

    def update_progress(done: int) -> None:
        if cancelled():
            raise Cancelled("Indexing was stopped.", hint="Start it again: it goes on where it was.")
        if progress is not None:
            progress(Progress("indexing relations", done // 2, len(texts) // 2, "relations"))

    update_progress(0)
    vectors = encoder.encode(texts, progress=update_progress)
    with publish_directory(target) as directory:
        save_array(directory, "vectors", vectors)
        save_json(directory / _META, key)
    return target


def find(snapshot: Snapshot, encoder_name: str) -> np.ndarray | None:
    """The vectors of the 2R directed relations, float32 [2R, d]; None where they were not built."""
    directory = get_directory(snapshot, encoder_name)
    if not _is_current(directory, _build_key(encoder_name, list_relation_texts(snapshot))):
        return None
    return load_array(directory, "vectors", "float32").copy()


def _build_key(encoder_name: str, texts: list[str]) -> dict[str, object]:
    """Of the texts, not of the snapshot: restricted graphs have the whole one's relations."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    return {"encoder": encoder_name, "count": len(texts), "texts": digest}


def _is_current(target: Path, key: dict[str, object]) -> bool:
    return read_json(target / _META) == key and integrity.is_whole(target)
