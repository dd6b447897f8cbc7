"""Settings of the methods that score the triples of a candidate subgraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrieval.config import ALL_DRAWN, MASK_NAMES, RetrieverConfig, TrainedOptions, make_setting

FAN_OUT = (
    "Candidate triples for each entity, relation and direction, of questions that bring no subgraph of their own; a "
    "topic gives all of its own; 0 for no limit [no limit]."
)


@dataclass(frozen=True, slots=True)
class TripleConfig(RetrieverConfig):
    """Settings of the methods that score the triples of a candidate subgraph."""

    fan_out: int = make_setting(32, FAN_OUT, least=0)
    max_candidates: int = make_setting(
        10_000, "Candidate triples for each topic, at most; 0 for no limit [no limit].", least=0
    )
    texts: bool = make_setting(True, "Add a bilinear form of question and relation text to the scores [no].")
    words: bool = make_setting(True, "Read the question's words, not only the text's embedding [no].")
    mask_names: bool = make_setting(True, MASK_NAMES)
    learning_rate: float = make_setting(2e-3, "Of Adam [1e-3].", above=0)
    batch_size: int = make_setting(32, "Questions a step.")
    questions_per_epoch: int = make_setting(
        4000,
        "Larger training sets are visited in parts, so that checkpoints come often; 0 for no limit [no limit].",
        least=0,
    )


#: Every triple of the subgraph is a candidate, and is scored by what the papers score it by.
ALL_CANDIDATES: Mapping[str, Any] = {
    **ALL_DRAWN,
    "fan_out": 0,
    "max_candidates": 0,
    "entity_texts": "yes",
    "mask_names": False,
}

#: What ReG's triple and entity scorers leave out (App. E).
SCORED: Mapping[str, Any] = {
    **ALL_CANDIDATES,
    "words": False,
    "texts": False,
    "turning_distances": False,
    "learning_rate": 1e-3,
}

#: How long they are trained (App. E).
FIXED_EPOCHS: Mapping[str, Any] = {"epochs": 80, "patience": 80}

#: What ReG's reasoner reads: the top K triples, re-organised into chains of two hops, all of them.
READ_CHAINS: Mapping[str, Any] = {
    "evidence": "chains",
    "chain_length": 2,
    "turning_chains": False,
    "chains_read": 0,
    "characters_read": 0,
    "joins": False,
    "text_fit": False,
}


@dataclass(frozen=True, slots=True)
class TripleOptions(TrainedOptions):
    """Settings of the triple-level methods for asking."""

    top_k: int = make_setting(
        500,
        "K, triples retrieved for each topic, whatever the budget is [ReG 500 or 200, REL-RAG 50 or 500].",
    )
