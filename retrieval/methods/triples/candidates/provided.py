"""A candidate subgraph that comes with the question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.search.walks import normalize_ids
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.triples.candidates.base import CandidateSubgraph


@dataclass(frozen=True, slots=True, eq=False)
class GivenFacts:
    """The facts that a question brings (its ``triples``), wherever the topics are.

    Attributes:
        facts: fact ids, int64, ascending.
    """

    facts: np.ndarray

    def __call__(self, snapshot: Snapshot, topics: np.ndarray) -> CandidateSubgraph:
        """All given facts; ``max_hops`` is how many there are, since nothing says how far they reach."""
        ids, facts = normalize_ids(topics), self.facts
        entities = np.unique(np.concatenate([ids, snapshot.heads[facts], snapshot.tails[facts]]))
        return CandidateSubgraph(ids, entities.astype(np.int64), facts, "given", len(facts), False)
