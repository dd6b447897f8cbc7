"""Settings of asking each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config.base import InferenceOptions, setting


@dataclass(frozen=True, slots=True)
class PathOptions(InferenceOptions):
    """Settings of the path methods for asking."""

    inference: Literal["ranked", "sampled"] = setting(
        "ranked",
        "Search the most probable relation paths and take all paths along them, or draw paths at random as the "
        "paper does (docs/adr/0002).",
    )


@dataclass(frozen=True, slots=True)
class RaplOptions(PathOptions):
    """Settings of ``rapl`` for asking; the three configurations of its Table 1."""

    inference: Literal["ranked", "sampled"] = setting(
        "sampled",
        "Draw paths at random as the paper does, or search the most probable relation paths and take all paths "
        "along them (docs/adr/0002).",
    )
    draws: Literal["K60-M80", "K80-M120", "K120-M200"] = setting(
        "K120-M200", "How many first triples are drawn (K), and how many of the drawn paths are kept (M)."
    )

    @property
    def sizes(self) -> tuple[int, int]:
        """K and M."""
        first, kept = self.draws.split("-")
        return int(first[1:]), int(kept[1:])


@dataclass(frozen=True, slots=True)
class TripleOptions(InferenceOptions):
    """Settings of the triple-level methods for asking."""

    top_k: int = setting(500, "K, triples retrieved for each topic [ReG 500 or 200, REL-RAG 50 or 500].")
    chain_length: int = setting(
        3,
        "L, most hops of the chains that a language model reads; 0 for no limit [2, for CWQ no limit].",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class EntityOptions(TripleOptions):
    """Settings of ``reg-entity`` for asking."""

    top_k: int = setting(700, "K, triples retrieved for each topic [200 more than reg-triple].")


@dataclass(frozen=True, slots=True)
class InsesOptions(InferenceOptions):
    """Settings of ``inses``; values in brackets are the paper's."""

    iterations: int = setting(6, "Steps at most [6].", below=13)
    similarity: bool = setting(True, "Jump to the entity most like each one that the search stands at [yes].")
    threshold: float = setting(0.8, "tau_sim, the least cosine of a jump [not given].", above=0, below=1.0001)
    fill: bool = setting(False, "Give back the best of what was left too, until the budget is used up [no].")
    navigator: Literal["auto", "encoder", "llm"] = setting(
        "auto", "Who selects triples: auto is a language model where one also answers [llm]."
    )


@dataclass(frozen=True, slots=True)
class TextOptions(InferenceOptions):
    """Settings of ``text-rag``; values in brackets are the paper's (INSES, Table 2)."""

    passages: int = setting(5, "Passages that are read [5 and 10].", below=51)


@dataclass(frozen=True, slots=True)
class RouterOptions(InferenceOptions):
    """Settings of ``router`` (INSES, Algorithm 2); values in brackets are the paper's."""

    confidence: float = setting(
        0.5,
        "An answer from passages must be more confident than this, or the graph is asked [not given].",
        least=0,
        below=1,
    )
    decider: Literal["auto", "wording", "trained", "llm"] = setting(
        "auto",
        "Who counts the hops: auto is the classifier of a checkpoint of router, without one a language model where one "
        "also answers, else the question's wording [llm].",
    )


@dataclass(frozen=True, slots=True)
class RegPathOptions(InferenceOptions):
    """Settings of ``reg-path`` when it is asked."""

    beam: int = setting(
        20, "Relation paths that go on from each topic on every level; 10 asks less [10 or 20]."
    )


@dataclass(frozen=True, slots=True)
class GraphS3Options(InferenceOptions):
    """Settings of ``graph-s3`` when it is asked."""

    steps: int = setting(12, "Actions of a search, at most.", below=65)
    page: int = setting(
        1000,
        "Facts around entities that are listed at a time, at most 60 where a language model explores; all are counted.",
    )
    beam: int = setting(
        4,
        "Searches that the small policy looks ahead along; as many are under way when relation paths are ranked.",
    )
    policy: Literal["auto", "small", "llm"] = setting(
        "auto",
        "Who explores: auto is the trained policy; without one a language model, where one also answers, else the "
        "relations' likeness to the question [llm].",
    )
