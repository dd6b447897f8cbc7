"""Scorers of relation paths that saw nothing of a set's family, fitted once and kept."""

from __future__ import annotations

from pathlib import Path

from retrieval.answering.loading import load_encoder
from retrieval.weights.path_scorers import PathScorerBuilder
from tests.benchmarks.operators import TRAINING_DATA


def weights_without(builder: PathScorerBuilder, origin: str) -> Path:
    """The file of weights that were fitted without anything of an origin."""
    file = TRAINING_DATA.cache / "paths" / f"{builder.name}-without-{origin}.safetensors"
    if not file.is_file():
        examples = builder.prepare(TRAINING_DATA, load_encoder(), seed=0)
        builder.build_without(examples, origin).save(file)
    return file
