"""What every way of choosing a candidate subgraph gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retrieval.kg.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class CandidateSubgraph:
    """The part of a snapshot in which reasoning paths are looked for.

    Attributes:
        topics: topic entities, int64, ascending.
        entities: entity ids, int64, ascending; the topics are among them.
        facts: fact ids, int64, ascending; both ends of each are in ``entities``.
        strategy: how it was chosen, for people (``2-hop``).
        max_hops: no entity is farther from the topics.
        truncated: a budget cut it short.
    """

    topics: np.ndarray
    entities: np.ndarray
    facts: np.ndarray
    strategy: str
    max_hops: int
    truncated: bool


class CandidateStrategy(Protocol):
    """Chooses the candidate subgraph of topic entities."""

    def __call__(self, snapshot: Snapshot, topics: np.ndarray) -> CandidateSubgraph:
        """The candidate subgraph around ``topics`` (entity ids; may be empty)."""
        ...
