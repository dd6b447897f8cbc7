"""One trained checkpoint of the film world, shared by the retriever tests."""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import torch

from retrieval.kg.snapshot import Snapshot
from retrieval.methods.registry import RETRIEVERS
from retrieval.train import train
from tests.retrieval.films import WordEncoder, build, questions
from tests.support.sharing import get_shared_folder, make_once

# Matrices of this size are slower on several threads, and much slower on a busy machine.
torch.set_num_threads(1)

PATHS = {"hidden": 32, "batch_size": 32, "epochs": 1, "dropout": 0.0}
SCORERS = {"hidden": 24, "batch_size": 16, "epochs": 1, "learning_rate": 0.005, "dropout": 0.0}
SETTINGS = {
    "graph-s3": {**PATHS, "epochs": 2, "rl_epochs": 1, "learning_rate": 5e-3},
    "rapl": PATHS,
    "reg-entity": SCORERS,
    "reg-path": {**PATHS, "epochs": 1, "learning_rate": 2e-3},
    "reg-triple": SCORERS,
    "rel-rag-path": PATHS,
    "rel-rag-triple": {"hidden": 32, "batch_size": 32, "epochs": 1, "dropout": 0.0},
}


@dataclass(frozen=True)
class Trained:
    graph: Snapshot
    encoder: WordEncoder
    cache: Path
    checkpoints: dict[str, Path]

    def checkpoint(self, method: str = "rel-rag-path") -> Path:
        return self.checkpoints[method]


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    root = tmp_path_factory.mktemp("trained")
    graph, encoder = build(root / "graph"), WordEncoder()
    shared = get_shared_folder(tmp_path_factory) / "trained"

    def fit(method, out):
        train(
            method, graph, questions(), config=SETTINGS[method],
            out=out, encoder=encoder, cache=shared / f"{method}.cache",
        )  # fmt: skip

    make_once({method: partial(fit, method) for method in RETRIEVERS}, shared)
    for method in RETRIEVERS:
        shutil.copytree(shared / method, root / method)
    return Trained(graph, encoder, root / "cache", {method: root / method for method in RETRIEVERS})
