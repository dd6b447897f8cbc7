"""Personalised PageRank: the entities a random walk from the topics visits most, and the facts among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.candidates.base import CandidateSubgraph
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.walks import as_ids, k_hop


@dataclass(frozen=True, slots=True)
class PersonalisedPageRank:
    """The ``max_entities`` best entities by personalised PageRank on the undirected graph.

    Computed by power iteration inside a ``hops`` neighbourhood of the topics, which bounds the cost.

    Attributes:
        restart: probability of going back to a topic at each step.
        iterations: power iterations; the error left is at most ``(1 - restart) ** iterations``.
        hops: the neighbourhood looked at.
        max_entities: entities kept (topics always are).
        max_triples: budget of the neighbourhood, in facts.
    """

    restart: float = 0.2
    iterations: int = 20
    hops: int = 3
    max_entities: int = 2000
    max_triples: int = 200_000

    def __call__(self, snapshot: Snapshot, topics: np.ndarray) -> CandidateSubgraph:
        """The candidate subgraph around ``topics``."""
        ids = as_ids(topics)
        around = k_hop(snapshot, ids, self.hops, max_triples=self.max_triples)
        scores = self.scores(snapshot, ids, around.entities, around.facts)
        kept = around.entities
        if len(kept) > self.max_entities:
            scores[np.searchsorted(around.entities, ids)] = np.inf
            kept = np.sort(around.entities[np.lexsort((around.entities, -scores))[: self.max_entities]])
        inside = np.zeros(snapshot.num_entities, bool)
        inside[kept] = True
        facts = around.facts
        facts = facts[inside[snapshot.heads[facts]] & inside[snapshot.tails[facts]]]
        truncated = around.truncated or len(kept) < len(around.entities)
        return CandidateSubgraph(ids, kept, facts, "ppr", self.hops, truncated)

    def scores(
        self, snapshot: Snapshot, topics: np.ndarray, entities: np.ndarray, facts: np.ndarray
    ) -> np.ndarray:
        """PageRank of ``entities`` (ascending) over ``facts`` walked in both directions, float64 [n]."""
        size = len(entities)
        if not size or not len(topics):
            return np.zeros(size)
        heads = np.searchsorted(entities, snapshot.heads[facts])
        tails = np.searchsorted(entities, snapshot.tails[facts])
        sources, targets = np.concatenate([heads, tails]), np.concatenate([tails, heads])
        degrees = np.maximum(np.bincount(sources, minlength=size), 1)
        start = np.zeros(size)
        start[np.searchsorted(entities, topics)] = 1 / len(topics)
        score = start
        for _ in range(self.iterations):
            flow = np.bincount(targets, weights=(score / degrees)[sources], minlength=size)
            # What sits on an entity without facts goes back to the topics.
            score = self.restart * start + (1 - self.restart) * (flow + (1 - flow.sum()) * start)
        return score
