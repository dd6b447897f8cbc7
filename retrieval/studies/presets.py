"""The papers' tables and figures as studies: what is trained and asked, without the data, which a person chooses.

A preset's plan has the form of :mod:`retrieval.studies.plan` without ``data``. What a paper has and Clew has no
setting for, ``about`` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Plan = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Preset:
    """A table or figure as a study.

    Attributes:
        id: short and stable.
        paper: its name, empty for one of Clew's own.
        table: which table or figure.
        title: what it varies.
        about: how it is done here, and what differs from the paper.
        plan: variants, shares, seeds, and how questions are asked.
        cross: each checkpoint is tested on all question sets, so that two are wanted.
        needs: ``llm`` where a language model is asked, ``passages`` where the graph must hold texts.
    """

    id: str
    paper: str
    table: str
    title: str
    about: str
    plan: Plan
    cross: bool = False
    needs: tuple[str, ...] = field(default=())


_PAPER = {"preset": "paper"}
_BUDGETS = (50, 100, 200, 300, 500)
_SEEDS = [0, 1, 2]


def _make_variant(base: str, method: str, **more: Any) -> dict[str, Any]:
    return {"method": method, "of": base, **more}


PRESETS: tuple[Preset, ...] = (
    Preset(
        "methods", "", "Methods side by side", "Five retrievers on the same questions",
        "Each in its default form, labels by answer sets, the extractive reasoner.",
        {
            "variants": {
                name: {"method": name} for name in ("rel-rag-path", "rapl", "reg-triple", "reg-path", "graph-s3")
            },
            "seeds": _SEEDS,
        },
    ),
    Preset(
        "labels", "", "Labels without a language model", "What questions are labelled by",
        "The paths that reach the answer set, one shortest path, or all of them as in the papers' baseline.",
        {
            "variants": {
                "answer sets": {"method": "rel-rag-path", "strategy": "answer-set"},
                "one shortest path": {"method": "rel-rag-path", "strategy": "shortest-path"},
                "all shortest paths": {"method": "rel-rag-path", "strategy": "all-shortest"},
            },
            "seeds": _SEEDS,
            "baseline": "all shortest paths",
        },
    ),
    Preset(
        "efficiency", "", "Data efficiency", "The share of training questions",
        "Smaller shares lie within larger ones; of the dev questions the same share is used.",
        {
            "variants": {name: {"method": name} for name in ("rel-rag-path", "reg-triple")},
            "fractions": [0.01, 0.05, 0.25, 1.0],
            "seeds": _SEEDS,
        },
    ),
    Preset(
        "reg-4a", "ReG", "Figure 4a", "The share of training questions, by labels",
        "The triple retriever from refined labels against all shortest paths. Answer sets stand in for the paper's "
        "language model; choose the strategy llm to have one label.",
        {
            "variants": {
                "refined labels": {"method": "reg-triple", "strategy": "answer-set"},
                "all shortest paths": {"method": "reg-triple", "strategy": "all-shortest"},
            },
            "fractions": [0.05, 0.2, 0.4, 0.8],
            "seeds": _SEEDS,
            "baseline": "all shortest paths",
        },
    ),
    Preset(
        "reg-4b", "ReG", "Figure 4b", "The number of triples",
        "One checkpoint, asked with 50 to 500 triples.",
        {
            "variants": {
                "K = 50": {"method": "reg-triple", "budget": 50, "options": {"top_k": 50, "evidence": "chains"}},
                **{
                    f"K = {k}": _make_variant(
                        "K = 50", "reg-triple", budget=k, options={"top_k": k, "evidence": "chains"}
                    )
                    for k in _BUDGETS[1:]
                },
            },
            "seeds": _SEEDS,
        },
    ),
    Preset(
        "reg-4", "ReG", "Table 4", "Without refined labels, without re-organised evidence",
        "S(I) is the language model's labels, S(II) the chains that it reads in place of triples.",
        {
            "variants": {
                "ReG": {
                    "method": "reg-triple", "strategy": "llm", "prompt": "reg", "options": {"evidence": "chains"},
                },
                "without S(II)": _make_variant("ReG", "reg-triple", options={"evidence": "triples"}),
                "without S(I), S(II)": {
                    "method": "reg-triple", "strategy": "all-shortest", "options": {"evidence": "triples"},
                },
            },
            "reasoner": "llm",
            "limit": 100,
            "baseline": "without S(I), S(II)",
        },
        needs=("llm",),
    ),
    Preset(
        "reg-7", "ReG", "Table 7", "Trained on one set, asked on another",
        "Every checkpoint is tested on all sets that are chosen: choose two.",
        {
            "variants": {
                "refined labels": {"method": "reg-triple", "strategy": "answer-set"},
                "all shortest paths": {"method": "reg-triple", "strategy": "all-shortest"},
            },
            "seeds": _SEEDS,
            "baseline": "all shortest paths",
        },
        cross=True,
    ),
    Preset(
        "rapl-1", "RAPL", "Table 1", "How many paths are drawn",
        "One checkpoint in the paper's form, asked with the paper's three configurations and a language model.",
        {
            "variants": {
                "K60-M80": {
                    "method": "rapl", "config": _PAPER, "options": {**_PAPER, "draws": "K60-M80"}, "budget": 200,
                },
                **{
                    draws: _make_variant("K60-M80", "rapl", budget=200, options={**_PAPER, "draws": draws})
                    for draws in ("K80-M120", "K120-M200")
                },
            },
            "reasoner": "llm",
            "limit": 100,
        },
        needs=("llm",),
    ),
    Preset(
        "rapl-2", "RAPL", "Table 2", "Who labels",
        "A language model's choice of paths against shortest paths and answer sets; read by the extractive reasoner.",
        {
            "variants": {
                "language model": {"method": "rapl", "strategy": "llm", "prompt": "rapl"},
                "all shortest paths": {"method": "rapl", "strategy": "all-shortest"},
                "answer sets": {"method": "rapl", "strategy": "answer-set"},
            },
            "seeds": _SEEDS,
            "baseline": "all shortest paths",
        },
        needs=("llm",),
    ),
    Preset(
        "rapl-3", "RAPL", "Table 3", "Layers and look-ahead",
        "The paper's form, with one layer, and without the look-ahead message passing; and Clew's default form.",
        {
            "variants": {
                "2-layer GCN": {"method": "rapl", "config": _PAPER, "options": _PAPER},
                "1-layer GCN": {"method": "rapl", "config": {**_PAPER, "layers": 1}, "options": _PAPER},
                "without look-ahead": {
                    "method": "rapl", "config": {**_PAPER, "look_ahead": False}, "options": _PAPER,
                },
                "Clew's default": {"method": "rapl"},
            },
            "seeds": _SEEDS,
            "baseline": "2-layer GCN",
        },
    ),
    Preset(
        "rapl-f2", "RAPL", "Figure 2", "Paths or shuffled triples",
        "The same retrieved facts, read by a language model as paths and as triples in random order.",
        {
            "variants": {
                "paths": {"method": "rapl", "options": {"evidence": "paths"}},
                "shuffled triples": _make_variant("paths", "rapl", options={"evidence": "shuffled-triples"}),
            },
            "reasoner": "llm",
            "limit": 100,
            "baseline": "shuffled triples",
        },
        needs=("llm",),
    ),
    Preset(
        "rapl-f3b", "RAPL", "Figure 3b", "Trained on one set, asked on another",
        "Every checkpoint is tested on all sets that are chosen, with few paths and with many.",
        {
            "variants": {
                "K120-M200": {
                    "method": "rapl", "config": _PAPER, "options": {**_PAPER, "draws": "K120-M200"}, "budget": 200,
                },
                "K800-M1200": _make_variant(
                    "K120-M200", "rapl", budget=1200, options={**_PAPER, "draws": "K800-M1200"}
                ),
            },
        },
        cross=True,
    ),
    Preset(
        "rel-rag-1", "REL-RAG", "Table 1", "Path-based and triple-based, 50 and 500 triples",
        "Both ways of training in the paper's form, read by the extractive reasoner; choose a language model to read.",
        {
            "variants": {
                "paths, 50": {"method": "rel-rag-path", "config": _PAPER, "options": _PAPER, "budget": 50},
                "triples, 50": {
                    "method": "rel-rag-triple", "config": _PAPER, "options": {**_PAPER, "top_k": 50}, "budget": 50,
                },
                "triples, 500": _make_variant(
                    "triples, 50", "rel-rag-triple", budget=500, options={**_PAPER, "top_k": 500}
                ),
            },
            "seeds": _SEEDS,
        },
    ),
    Preset(
        "rel-rag-2", "REL-RAG", "Table 2 and Figure 2", "Line graph against raw graph, across sets",
        "Every checkpoint is tested on all sets that are chosen; the breakdown by hops is Figure 2. The paper does not "
        "say how a triple of the raw graph is read: here its state is made of its ends alone, and once more with its "
        "relation's text, which the line graph's then holds too.",
        {
            "variants": {
                f"{form}{name}": {
                    "method": "rel-rag-triple",
                    "config": {**_PAPER, "conv": conv, "readout": readout},
                    "options": _PAPER,
                }
                for readout, name in (("states", ""), ("relation", ", relation read"))
                for form, conv in (("line graph", "line-gcn"), ("raw graph", "entity-gcn"))
            },
            "seeds": _SEEDS,
            "baseline": "raw graph",
        },
        cross=True,
    ),
    Preset(
        "rel-rag-3", "REL-RAG", "Table 3", "Layers and directions of the network",
        "The paper's form with two layers in both directions, one layer in both, and two layers in one.",
        {
            "variants": {
                "2 layers, both directions": {"method": "rel-rag-path", "config": _PAPER, "options": _PAPER},
                "1 layer, both directions": {
                    "method": "rel-rag-path", "config": {**_PAPER, "layers": 1}, "options": _PAPER,
                },
                "2 layers, one direction": {
                    "method": "rel-rag-path", "config": {**_PAPER, "look_ahead": False}, "options": _PAPER,
                },
            },
            "seeds": _SEEDS,
            "baseline": "2 layers, both directions",
        },
    ),
    Preset(
        "rel-rag-7", "REL-RAG", "Table 7", "Who labels",
        "A language model's choice of paths against shortest paths, for both ways of training.",
        {
            "variants": {
                "paths, language model": {"method": "rel-rag-path", "strategy": "llm", "prompt": "rel-rag"},
                "paths, shortest": {"method": "rel-rag-path", "strategy": "all-shortest"},
                "triples, language model": {"method": "rel-rag-triple", "strategy": "llm", "prompt": "rel-rag"},
                "triples, shortest": {"method": "rel-rag-triple", "strategy": "all-shortest"},
            },
        },
        needs=("llm",),
    ),
    Preset(
        "inses-3", "INSES", "Table 3", "Similarity jumps and the router",
        "Nothing is trained; figures are of the extractive reasoner, and passages found at 2 and 5.",
        {
            "variants": {
                "navigator": {"method": "inses", "options": {"similarity": False}},
                "with similarity": {"method": "inses"},
                "with the router": {"method": "router", "trained": False},
            },
            "baseline": "navigator",
        },
        needs=("passages",),
    ),
    Preset(
        "graph-s3-2", "Graph-S3", "Table 2", "Without imitation, reinforcement, interaction, refinement",
        "The small policy. Without interaction all facts within two hops are read at once, without a choice; Table 1's "
        "k-hop RAG reads the same with a model that was not trained.",
        {
            "variants": {
                "Graph-S3": {"method": "graph-s3"},
                "without SFT": {"method": "graph-s3", "config": {"imitation": False}},
                "without interaction": _make_variant("Graph-S3", "graph-s3", options={"interactive": False}),
                "without RL": {"method": "graph-s3", "config": {"rl_epochs": 0}},
                "without refinement": {"method": "graph-s3", "config": {"refinement": "none"}},
            },
            "seeds": _SEEDS,
            "baseline": "Graph-S3",
        },
    ),
    Preset(
        "graph-s3-3", "Graph-S3", "Table 3", "Rewards by step or by outcome",
        "The small policy, trained with each kind of reward.",
        {
            "variants": {
                "by step": {"method": "graph-s3", "config": {"reward": "stepwise"}},
                "by outcome": {"method": "graph-s3", "config": {"reward": "outcome"}},
            },
            "seeds": _SEEDS,
            "baseline": "by outcome",
        },
    ),
)  # fmt: skip
