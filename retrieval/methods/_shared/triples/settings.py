"""Settings of the methods that score the triples of a candidate subgraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrieval.config import RetrieverConfig, TrainedOptions, setting


@dataclass(frozen=True, slots=True)
class TripleConfig(RetrieverConfig):
    """Settings of the methods that score the triples of a candidate subgraph."""

    fan_out: int = setting(
        32, "Candidate triples for each entity, relation and direction; a topic gives all of its own."
    )
    max_candidates: int = setting(10_000, "Candidate triples for each topic, at most.")
    words: bool = setting(True, "Read the question's words, not only the text's embedding [no].")
    learning_rate: float = setting(2e-3, "Of Adam [1e-3].", above=0)
    batch_size: int = setting(32, "Questions a step.")
    questions_per_epoch: int = setting(
        4000, "Larger training sets are visited in parts, so that checkpoints come often."
    )


#: What ReG's reasoner reads: the top K triples, re-organised into chains of two hops, all of them.
READ_CHAINS: Mapping[str, Any] = {
    "evidence": "chains",
    "chain_length": 2,
    "chains_read": 0,
    "characters_read": 0,
    "joins": False,
    "text_fit": False,
}


@dataclass(frozen=True, slots=True)
class TripleOptions(TrainedOptions):
    """Settings of the triple-level methods for asking."""

    top_k: int = setting(
        500,
        "K, triples retrieved for each topic, whatever the budget is [ReG 500 or 200, REL-RAG 50 or 500].",
    )
