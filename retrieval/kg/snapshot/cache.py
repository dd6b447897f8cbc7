"""Where what is computed once for a graph is kept. Deleting any of it costs time only."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retrieval.kg.snapshot.storage import read_json, save_json


def get_cache_folder(snapshot: Path) -> Path:
    """Where it is kept when nobody says otherwise: in the snapshot's directory, so that it goes when the graph goes."""
    return snapshot / "cache"


def get_states_folder(cache: Path, checkpoint: str, snapshot_hash: str) -> Path:
    """Where the triple states of a snapshot under a checkpoint are kept."""
    key = f"{checkpoint} {snapshot_hash}"
    return cache / "states" / hashlib.sha256(key.encode()).hexdigest()[:32]


def load_or_compute_json(snapshot: Path, name: str, key: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``compute`` returned when it was last asked for under this ``key``; kept as ``name`` in the cache."""
    path = get_cache_folder(snapshot) / f"{name}.json"
    kept = read_json(path)
    if kept.get("key") == key:
        value: dict[str, Any] = kept["value"]
        return value
    value = compute()
    path.parent.mkdir(parents=True, exist_ok=True)
    building = path.with_name(f".{name}.{uuid.uuid4().hex[:8]}")
    save_json(building, {"key": key, "value": value})
    building.replace(path)
    return value
