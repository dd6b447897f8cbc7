"""What ``reg-path`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import ALL_DRAWN, MASK_NAMES, DoubtingOptions, RetrieverConfig, make_setting
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class RegPathConfig(RetrieverConfig):
    """Settings of ``reg-path``: its planner (ReG eq. 35, App. E). Values in brackets are the paper's."""

    backend: Literal["small", "llm"] = make_setting(
        "small",
        "The planner: a small decoder over relation embeddings, or a causal language model with LoRA adapters, which "
        "needs a GPU to be useful [llm].",
    )
    llm: str = make_setting(
        "", "Directory or GGUF file of the causal language model, for the backend llm [LLaMA-2-7B]."
    )
    lora_rank: int = make_setting(8, "Rank of its adapters.")
    hidden: int = make_setting(192, "Size of the small planner's memory.")
    dropout: float = make_setting(0.3, "Rate in the planner, or in the adapters.", least=0, below=1)
    words: bool = make_setting(True, "The small planner attends to the question's words at every step.")
    word_dropout: float = make_setting(0.1, "Share of the words that are blanked while training.", least=0, below=1)
    tune_encoder: Literal["auto", "yes", "no"] = make_setting(
        "auto",
        "Train a copy of the text encoder with the planner, for the questions; its weights go into the checkpoint. "
        "auto does so for graphs of 1,000 relations or more: telling many apart takes more than the frozen one says.",
    )
    encoder_rate: float = make_setting(5e-5, "Learning rate of that copy.", above=0)
    mask_names: bool = make_setting(True, MASK_NAMES)
    pooling: Literal["likely", "all"] = make_setting(
        "likely",
        "Of several relation paths of one question whose worth nobody judged, learn the sum of their "
        "probabilities, so that the one that fits other questions too wins, or all alike (eq. 35) [all].",
    )
    learning_rate: float = make_setting(1e-3, "Of Adam.", above=0)
    batch_size: int = make_setting(32, "Questions a step.")
    averaging: float = make_setting(
        0.99,
        "Ask with a running average of the weights, of which each step leaves so much; 0 asks with the weights "
        "themselves [0].",
        least=0,
        below=1,
    )


@dataclass(frozen=True, slots=True)
class RegPathOptions(DoubtingOptions):
    """Settings of ``reg-path`` when it is asked."""

    text_fit: bool = make_setting(
        False,
        "A second opinion on what the checkpoint says: how like the question the texts of a relation path's relations "
        "are. The planner has read these texts: on WebQSP it takes 7 points of Macro-F1 away [no].",
    )
    beam: int = make_setting(20, "Relation paths that go on from each topic on every level; 10 asks less [10 or 20].")


SPEC = MethodSpec(
    name="reg-path",
    label="Refined paths",
    description="Plans relation paths, learnt from refined labels (ReG).",
    config=RegPathConfig,
    options=RegPathOptions,
    presets={
        "paper": {
            "backend": "llm",
            "pooling": "all",
            "mask_names": False,
            "averaging": 0.0,
            **ALL_DRAWN,
            "epochs": 8,
            "patience": 8,
        }
    },
    asking={
        "paper": {
            "evidence": "paths",
            "chains_read": 0,
            "characters_read": 0,
            "joins": False,
            "by_words": False,
            "decompose": False,
            "beam": 20,
        }
    },
    on_endpoints=True,
    learns_plans=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.reg_path.retriever:open_retriever",
    task="retrieval.methods.reg_path.training:make_task",
    model="retrieval.methods.reg_path.retriever:build_model",
)
