"""Settings of an answerer beyond those of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.reasoning.extractive import ExtractiveSettings
from retrieval.reasoning.gather import GatherSettings


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """Settings of the answerer beyond those of its parts.

    Attributes:
        relation_paths: relation paths asked of the retriever for each topic.
        subgraph_hops: radius of the candidate subgraph that is reported.
        subgraph_triples: facts after which its extent is no longer counted.
    """

    relation_paths: int = 16
    subgraph_hops: int = 2
    subgraph_triples: int = 20_000
    gather: GatherSettings = field(default_factory=GatherSettings)
    extractive: ExtractiveSettings = field(default_factory=ExtractiveSettings)
