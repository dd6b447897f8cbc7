"""What ``reg-triple`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.config import setting
from retrieval.methods._shared.triples.settings import READ_CHAINS, TripleConfig, TripleOptions
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class RegTripleConfig(TripleConfig):
    """Settings of ``reg-triple`` (ReG App. E). Values in brackets are SubgraphRAG's, which it follows."""

    rounds: int = setting(3, "Rounds of the directional distance encoding, each way [2].")
    hidden: int = setting(128, "Size of the hidden layers [1024].")
    dropout: float = setting(0.1, "Rate after the first layer [0].", least=0, below=1)


SPEC = MethodSpec(
    name="reg-triple",
    label="Refined triples",
    description="Scores triples, learnt from refined labels (ReG).",
    config=RegTripleConfig,
    options=TripleOptions,
    presets={
        "paper": {
            "rounds": 2,
            "hidden": 1024,
            "dropout": 0.0,
            "words": False,
            "learning_rate": 1e-3,
            "epochs": 80,
            "patience": 80,
        }
    },
    asking={"paper": READ_CHAINS},
    on_endpoints=True,
    engine="retrieval.methods._shared.path_engine:open_engine",
    retriever="retrieval.methods.reg_triple.retriever:open_retriever",
    task="retrieval.methods.reg_triple.training:make_task",
    model="retrieval.methods.reg_triple.retriever:model_of",
)
