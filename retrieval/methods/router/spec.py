"""What ``router`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import ALL_DRAWN, InferenceOptions, TrainingConfig, make_setting
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class RouterConfig(TrainingConfig):
    """Settings of ``router``: the classifier that tells questions of three hops or more (docs/router.md).

    INSES trains none: the preset ``paper`` only counts epochs as papers do.
    """

    hidden: int = make_setting(64, "Size of its hidden layer.")
    dropout: float = make_setting(0.2, "Rate before each layer.", least=0, below=1)


@dataclass(frozen=True, slots=True)
class RouterOptions(InferenceOptions):
    """Settings of ``router`` (INSES, Algorithm 2); values in brackets are the paper's."""

    confidence: float = make_setting(
        0.5,
        "An answer from passages must be more confident than this, or the graph is asked [not given].",
        least=0,
        below=1,
    )
    decider: Literal["auto", "wording", "trained", "llm"] = make_setting(
        "auto",
        "Who counts the hops: auto is the classifier of a checkpoint of router, without one a language model where one "
        "also answers, else the question's wording [llm].",
    )
    text: str = make_setting(
        "",
        "Settings for asking the passages with, of text-rag: NAME=VALUE, several with commas between them.",
    )
    graph: str = make_setting(
        "", "Settings for asking the graph with, of the method that it is asked by: NAME=VALUE, with commas."
    )


SPEC = MethodSpec(
    name="router",
    label="Let Clew choose",
    description=(
        "Answers simple questions from passages and complex or unsure ones in the graph (INSES, Algorithm 2). What is "
        "complex can be learnt from questions whose hops are known."
    ),
    config=RouterConfig,
    options=RouterOptions,
    presets={"paper": {**ALL_DRAWN, "patience": 15}},
    asking={"paper": {"decider": "llm", "text": "preset=paper", "graph": "preset=paper"}},
    routes=True,
    standalone=True,
    needs=(),
    answerer="retrieval.answering.router:open_answerer",
    train="retrieval.methods.router.training:train_classifier",
    model="retrieval.methods.router.deciders:build_model",
)
