"""One trained checkpoint of the film world, shared by the retriever tests."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from retrieval.kg.snapshot import Snapshot
from retrieval.training import TrainResult, train
from tests.retrieval.films import WordEncoder, build, questions

# Matrices of this size are slower on several threads, and much slower on a busy machine.
torch.set_num_threads(1)

SETTINGS = {"hidden": 32, "batch_size": 32, "epochs": 3, "dropout": 0.0}


@dataclass(frozen=True)
class Trained:
    graph: Snapshot
    encoder: WordEncoder
    checkpoint: Path
    result: TrainResult
    cache: Path


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    root = tmp_path_factory.mktemp("trained")
    graph, encoder = build(root / "graph"), WordEncoder()
    result = train(
        "rel-rag-path", graph, questions(),
        config=SETTINGS, out=root / "checkpoint", encoder=encoder, cache=root / "cache",
    )  # fmt: skip
    return Trained(graph, encoder, result.checkpoint, result, root / "cache")
