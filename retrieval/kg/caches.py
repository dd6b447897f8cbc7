"""Where what is computed once for a graph is kept. Deleting any of it costs time only."""

from __future__ import annotations

import hashlib
from pathlib import Path


def cache_of(snapshot: Path) -> Path:
    """Where it is kept when nobody says otherwise: in the snapshot's directory, so that it goes when the graph goes."""
    return snapshot / "cache"


def states_folder(cache: Path, checkpoint: str, snapshot_hash: str) -> Path:
    """Where the triple states of a snapshot under a checkpoint are kept.

    Args:
        cache: of the snapshot.
        checkpoint: its fingerprint.
        snapshot_hash: of the content.
    """
    key = f"{checkpoint} {snapshot_hash}"
    return cache / "states" / hashlib.sha256(key.encode()).hexdigest()[:32]
