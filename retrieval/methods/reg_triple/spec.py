"""What ``reg-triple`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.config import make_setting
from retrieval.methods.spec import MethodSpec
from retrieval.methods.triples.settings import (
    FIXED_EPOCHS,
    READ_CHAINS,
    SCORED,
    TripleConfig,
    TripleOptions,
)


@dataclass(frozen=True, slots=True)
class RegTripleConfig(TripleConfig):
    """Settings of ``reg-triple`` (ReG App. E). Values in brackets are SubgraphRAG's, which it follows."""

    rounds: int = make_setting(3, "Rounds of the directional distance encoding, each way [2].")
    turning_distances: bool = make_setting(
        True,
        "The directional distance encoding has walks that turn too, and beside each value whether it is above 0; "
        "without, the topic flag and both directions alone [no].",
    )
    hidden: int = make_setting(128, "Size of the hidden layers [1024].")
    dropout: float = make_setting(0.1, "Rate after the first layer [0].", least=0, below=1)


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
            **SCORED,
            **FIXED_EPOCHS,
        }
    },
    asking={"paper": READ_CHAINS},
    on_endpoints=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.reg_triple.retriever:open_retriever",
    task="retrieval.methods.reg_triple.training:make_task",
    model="retrieval.methods.reg_triple.retriever:build_model",
)
