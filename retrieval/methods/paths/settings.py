"""Settings of the methods that learn paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from retrieval.config import ALL_DRAWN, MASK_NAMES, SELECTION, DoubtingOptions, RetrieverConfig, make_setting
from retrieval.methods.common.network_texts import (
    ARCS,
    CONV,
    LAYERS,
    LINE_GCN,
    NEIGHBOURS,
    READOUT,
    SELF_WEIGHT,
    list_convs,
)


@dataclass(frozen=True, slots=True)
class PathConfig(RetrieverConfig):
    """Settings of the methods that learn paths. Values in brackets are the papers' (docs/adr/0002)."""

    hidden: int = make_setting(128, "Size of triple states and queries; 128 trains in minutes on two cores [512].")
    dropout: float = make_setting(0.2, "Rate after each first layer [0.2].", least=0, below=1)
    conv: str = make_setting(LINE_GCN, CONV, choices=list_convs)
    arcs: Literal["both", "directed"] = make_setting("both", ARCS)
    layers: int = make_setting(2, LAYERS, below=3)
    self_weight: bool = make_setting(False, SELF_WEIGHT)
    readout: Literal["auto", "states", "relation"] = make_setting("auto", READOUT)
    look_ahead: bool = make_setting(
        True,
        "Read the reversed graph too (RAPL eq. 10); without it, its Table 3's 2-layer GCN w/o look-ahead.",
    )
    skip: bool = make_setting(True, "Add a projection of phi(h, r, t) to the mean of the two GCNs [no].")
    history: bool = make_setting(True, "Condition the query on the path so far [no] (docs/adr/0002).")
    words: bool = make_setting(True, "Attend to the question's words at every step [no] (docs/adr/0002).")
    texts: bool = make_setting(True, "Add a bilinear form of question and relation text to the scores [no].")
    norm: bool = make_setting(True, "Layer norm of triple states, inner products divided by sqrt(hidden) [no].")
    stop: Literal["mlp", "sum"] = make_setting(
        "mlp", "STOP's state: an MLP of taken states and question [RAPL], or their sum [REL-RAG]."
    )
    neighbours: int = make_setting(16, NEIGHBOURS, least=0)
    arcs_per_relation: int = make_setting(
        4,
        "Candidates drawn per entity and directed relation while training, each for its share of a hub's; 0 for no "
        "limit [no limit].",
        least=0,
    )
    learning_rate: float = make_setting(2e-3, "Of Adam [1e-3].", above=0)
    batch_size: int = make_setting(64, "Questions a step [10].")
    patience: int = make_setting(
        5, "Epochs without a better dev score before training stops; the last percent comes slowly."
    )
    path_weight: float = make_setting(1.0, "Of the path loss (REL-RAG eq. 11, RAPL eq. 6) [1].", least=0)
    first_weight: float = make_setting(1.0, "Of the first-triple loss (REL-RAG eq. 14, RAPL eq. 9) [1].", least=0)
    mask_names: bool = make_setting(True, MASK_NAMES)
    selection: Literal["score", "loss"] = make_setting("score", SELECTION)
    similar_relations: float = make_setting(
        0.8,
        "Cosine of question and relation above which a first relation also counts as positive "
        "(REL-RAG eq. 13, RAPL eq. 8, without a language model).",
    )
    composed: float = make_setting(
        1.0,
        "Questions of longer paths that are made of each training question on average, so that paths which no "
        "question has are followed too; English words [0] (docs/adr/0002).",
        least=0,
    )
    state_budget_mb: int = make_setting(
        4096, "Triple states are kept on disk up to this size in megabytes, else computed on demand."
    )


@dataclass(frozen=True, slots=True)
class PathOptions(DoubtingOptions):
    """Settings of the path methods for asking."""

    inference: Literal["ranked", "sampled"] = make_setting(
        "ranked",
        "Search the most probable relation paths and take all paths along them, or draw paths at random as the "
        "paper does (docs/adr/0002).",
    )


#: What the papers' reasoner reads: the retrieved paths, all of them.
READ_PATHS: Mapping[str, Any] = {
    "evidence": "paths",
    "inference": "sampled",
    "characters_read": 0,
    "joins": False,
    "text_fit": False,
    "by_words": False,
    "decompose": False,
}

#: The form that the papers describe, but for STOP (docs/adr/0002).
STATIC: Mapping[str, Any] = {
    "hidden": 512,
    "arcs": "directed",
    "self_weight": True,
    "history": False,
    "words": False,
    "texts": False,
    "skip": False,
    "norm": False,
    "composed": 0.0,
    "mask_names": False,
    "selection": "loss",
    "neighbours": 0,
    "arcs_per_relation": 0,
    "entity_texts": "yes",
    **ALL_DRAWN,
    "learning_rate": 1e-3,
    "batch_size": 10,
    "epochs": 15,
    "patience": 15,
}
