"""The k-hop neighbourhood of the topics, hubs opened last, under a budget of facts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.search.walks import collect_k_hop, normalize_ids
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.triples.candidates.base import CandidateSubgraph


@dataclass(frozen=True, slots=True)
class KHop:
    """All facts within ``hops`` of the topics, in either direction.

    Attributes:
        hops: how far.
        max_triples: budget of facts; entities of few facts are opened before hubs, so what a budget cuts is
            the far side of hubs.
    """

    hops: int = 2
    max_triples: int = 50_000

    def __call__(self, snapshot: Snapshot, topics: np.ndarray) -> CandidateSubgraph:
        """The candidate subgraph around ``topics``."""
        ids = normalize_ids(topics)
        subgraph = collect_k_hop(snapshot, ids, self.hops, max_triples=self.max_triples)
        return CandidateSubgraph(
            ids, subgraph.entities, subgraph.facts, f"{self.hops}-hop", self.hops, subgraph.truncated
        )
