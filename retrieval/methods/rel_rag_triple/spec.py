"""What ``rel-rag-triple`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import SELECTION, make_setting
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
from retrieval.methods.spec import MethodSpec
from retrieval.methods.triples.settings import ALL_CANDIDATES, TripleConfig, TripleOptions


@dataclass(frozen=True, slots=True)
class RelRagTripleConfig(TripleConfig):
    """Settings of ``rel-rag-triple``. Values in brackets are the paper's (REL-RAG App. F.1)."""

    hidden: int = make_setting(128, "Size of triple states and queries; 128 trains in minutes on two cores [512].")
    dropout: float = make_setting(0.2, "Rate after each first layer [0.2].", least=0, below=1)
    conv: str = make_setting(LINE_GCN, CONV, choices=list_convs)
    arcs: Literal["both", "directed"] = make_setting("both", ARCS)
    layers: int = make_setting(2, LAYERS, below=3)
    self_weight: bool = make_setting(False, SELF_WEIGHT)
    readout: Literal["auto", "states", "relation"] = make_setting("auto", READOUT)
    look_ahead: bool = make_setting(
        True,
        "Read the reversed graph too (RAPL eq. 10); without it, Table 3's uni-directional GCN.",
    )
    skip: bool = make_setting(True, "Add a projection of phi(h, r, t) to the mean of the two GCNs [no].")
    norm: bool = make_setting(
        True, "Layer norm of triple states; inner products are divided by sqrt(hidden) and have a bias [no]."
    )
    places: bool = make_setting(
        True,
        "Ask for another triple at each hop from the topic; without it a relation counts once in a chain [no].",
    )
    states: Literal["graph", "own"] = make_setting(
        "graph",
        "Where a question brings a subgraph of its own: compute the states to learn from on the whole graph, which is "
        "faster, or on that subgraph alone, as when asking [own].",
    )
    neighbours: int = make_setting(16, NEIGHBOURS, least=0)
    negatives: int = make_setting(5, "Negatives drawn for each positive [5].")
    positives: int = make_setting(
        16, "Positives drawn for a question and topic, at most; 0 for no limit [no limit].", least=0
    )
    selection: Literal["score", "loss"] = make_setting("score", SELECTION)
    state_budget_mb: int = make_setting(
        4096, "Triple states are kept on disk up to this size in megabytes, else computed on demand."
    )


SPEC = MethodSpec(
    name="rel-rag-triple",
    label="Relation triples",
    description="Scores triples by their surroundings (REL-RAG, triples).",
    config=RelRagTripleConfig,
    options=TripleOptions,
    presets={
        "paper": {
            "hidden": 512,
            "arcs": "directed",
            "self_weight": True,
            "skip": False,
            "norm": False,
            "texts": False,
            "places": False,
            "states": "own",
            "words": False,
            "neighbours": 0,
            "positives": 0,
            "selection": "loss",
            **ALL_CANDIDATES,
            "learning_rate": 1e-3,
            "batch_size": 10,
            "epochs": 15,
            "patience": 15,
        }
    },
    asking={
        "paper": {"evidence": "triples", "characters_read": 0, "joins": False, "text_fit": False},
    },
    on_endpoints=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.rel_rag_triple.retriever:open_retriever",
    task="retrieval.methods.rel_rag_triple.training:make_task",
    model="retrieval.methods.rel_rag_triple.retriever:build_model",
)
