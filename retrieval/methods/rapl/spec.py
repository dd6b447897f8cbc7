"""What ``rapl`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import make_setting
from retrieval.methods.paths.settings import READ_PATHS, STATIC, PathConfig, PathOptions
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class RaplConfig(PathConfig):
    """Settings of ``rapl`` (RAPL section 4.3, App. H)."""


@dataclass(frozen=True, slots=True)
class RaplOptions(PathOptions):
    """Settings of ``rapl`` for asking; the configurations of its Table 1 and Figure 3b."""

    inference: Literal["ranked", "sampled"] = make_setting(
        "sampled",
        "Draw paths at random as the paper does, or search the most probable relation paths and take all paths "
        "along them (docs/adr/0002).",
    )
    draws: Literal["K60-M80", "K80-M120", "K120-M180", "K120-M200", "K800-M1200"] = make_setting(
        "K120-M200",
        "How many first triples are drawn (K), and how many of the drawn paths are kept (M) [Table 1; K120-M180 and "
        "K800-M1200 in Figures 2 and 3b].",
    )

    @property
    def sizes(self) -> tuple[int, int]:
        """K and M."""
        first, kept = self.draws.split("-")
        return int(first[1:]), int(kept[1:])


SPEC = MethodSpec(
    name="rapl",
    label="Rational paths",
    description="Walks the line graph guided by paths judged rational (RAPL).",
    config=RaplConfig,
    options=RaplOptions,
    presets={"paper": {**STATIC, "stop": "mlp"}},
    asking={"paper": READ_PATHS},
    on_endpoints=True,
    answerer="retrieval.answering.paths:open_answerer",
    retriever="retrieval.methods.rapl.retriever:open_retriever",
    task="retrieval.methods.rapl.training:make_task",
    model="retrieval.methods.paths.retriever:build_model",
)
