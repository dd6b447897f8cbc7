"""What ``reg-entity`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.config import make_setting
from retrieval.methods.common.network_texts import ENTITY_CONV, PNA, list_entity_convs
from retrieval.methods.spec import MethodSpec
from retrieval.methods.triples.settings import (
    FAN_OUT,
    FIXED_EPOCHS,
    READ_CHAINS,
    SCORED,
    TripleConfig,
    TripleOptions,
)


@dataclass(frozen=True, slots=True)
class RegEntityConfig(TripleConfig):
    """Settings of ``reg-entity`` (ReG App. E)."""

    hidden: int = make_setting(32, "Size of entity states and messages.")
    fan_out: int = make_setting(16, FAN_OUT, least=0)
    rounds: int = make_setting(3, "Rounds of the directional distance encoding, each way.")
    turning_distances: bool = make_setting(
        True,
        "The directional distance encoding has walks that turn too, and beside each value whether it is above 0; "
        "without, the topic flag and both directions alone [no].",
    )
    conv: str = make_setting(PNA, ENTITY_CONV, choices=list_entity_convs)
    layers: int = make_setting(3, "Layers of message passing.")
    dropout: float = make_setting(0.1, "Rate after each layer.", least=0, below=1)
    walks: bool = make_setting(
        True,
        "Score which facts are walked too, by which relation paths are told apart [no: by entities alone].",
    )
    norm: bool = make_setting(True, "Layer norm of what is read of a question and of the states of entities [no].")
    places: bool = make_setting(True, "Ask for another relation at each hop from the topic, with walks [no].")


@dataclass(frozen=True, slots=True)
class EntityOptions(TripleOptions):
    """Settings of ``reg-entity`` for asking."""

    top_k: int = make_setting(700, "K, triples retrieved for each topic [200 more than reg-triple].")


SPEC = MethodSpec(
    name="reg-entity",
    label="Refined entities",
    description="Scores entities, learnt from refined labels (ReG).",
    config=RegEntityConfig,
    options=EntityOptions,
    presets={
        "paper": {
            **SCORED,
            **FIXED_EPOCHS,
            "walks": False,
            "places": False,
            "norm": False,
        }
    },
    asking={"paper": {**READ_CHAINS, "merge_parallel": True}},
    on_endpoints=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.reg_entity.retriever:open_retriever",
    task="retrieval.methods.reg_entity.training:make_task",
    model="retrieval.methods.reg_entity.retriever:build_model",
)
