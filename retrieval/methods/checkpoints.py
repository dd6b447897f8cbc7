"""Checkpoints of listed methods."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from retrieval.methods import registry
from retrieval.training import checkpoint
from retrieval.training.checkpoint import OpenCheckpoint


def open_checkpoint(path: Path, *, method: str, encoder: str) -> OpenCheckpoint:
    """Open a checkpoint for a method and an encoder.

    Raises:
        CheckpointError: see :func:`retrieval.training.checkpoint.read`.
    """
    return checkpoint.read(path, method=method, encoder=encoder, settings=partial(registry.parse, method))
