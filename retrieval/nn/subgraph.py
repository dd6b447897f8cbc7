"""Candidate subgraphs as the scorers see them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class SubgraphBatch:
    """B candidate subgraphs side by side, N triples and n entity slots in all.

    Attributes:
        heads, tails: slots, int64 [N].
        relations: int64 [N].
        topics: 1 at each subgraph's topic, else 0, float [n].
        fact_graph: subgraph of each triple, int64 [N].
        entity_graph: subgraph of each slot, int64 [n].
    """

    heads: Tensor
    relations: Tensor
    tails: Tensor
    topics: Tensor
    fact_graph: Tensor
    entity_graph: Tensor
