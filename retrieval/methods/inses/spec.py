"""What ``inses`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import EvidenceOptions, make_setting
from retrieval.methods.common.text_settings import DECOMPOSE, READER
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class InsesOptions(EvidenceOptions):
    """Settings of ``inses``; values in brackets are the paper's."""

    iterations: int = make_setting(6, "Steps at most [6].", below=13)
    similarity: bool = make_setting(True, "Jump to the entity most like each one that the search stands at [yes].")
    threshold: float = make_setting(0.8, "tau_sim, the least cosine of a jump [not given].", above=0, below=1.0001)
    stands: int = make_setting(
        32,
        "Entities that the search jumps from at one step, the best of those it stands at; 0 for all [all].",
        least=0,
    )
    prefilter: int = make_setting(
        60,
        "Triples that a language model chooses among at one step, the most likely of them; 0 for all [all].",
        least=0,
    )
    fill: bool = make_setting(False, "Give back the best of what was left too, until the budget is used up [no].")
    navigator: Literal["auto", "encoder", "llm"] = make_setting(
        "auto", "Who selects triples: auto is a language model where one also answers [llm]."
    )
    reader: Literal["trained", "rules"] = make_setting("trained", READER)
    decompose: bool = make_setting(True, DECOMPOSE)


SPEC = MethodSpec(
    name="inses",
    label="Step by step",
    description=(
        "Explores the graph step by step, with jumps between similar entities (INSES). Needs no training; a language "
        "model chooses the steps where one also answers."
    ),
    options=InsesOptions,
    asking={
        "paper": {
            "evidence": "triples",
            "navigator": "llm",
            "stands": 0,
            "prefilter": 0,
            "characters_read": 0,
            "joins": False,
            "decompose": False,
        }
    },
    standalone=True,
    answerer="retrieval.answering.inses:open_answerer",
)
