"""The neighbourhood of the topics with a few facts of each relation: every relation path, few of its walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from retrieval.kg.search.walks import normalize_ids
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.common.arc_groups import UNLIMITED, get_arcs_at, list_groups, sample_positions
from retrieval.methods.triples.candidates.base import CandidateSubgraph
from retrieval.methods.triples.settings import TripleConfig


@dataclass(frozen=True, slots=True)
class FanOut:
    """Facts within ``hops`` of the topics, at most ``per_relation`` for each entity and directed relation.

    On MetaQA a median film has 10,682 facts within three hops, most of them behind a genre, a year or a
    language; with 32 a relation it has 899, and the relation paths are the same.

    Attributes:
        hops: how far.
        per_relation: facts an entity gives for one relation in one direction, evenly spread over its order.
            The topics give all of theirs.
        max_triples: no entity is opened after so many facts; those of few relations are opened first.
    """

    hops: int = 3
    per_relation: int = 32
    max_triples: int = 10_000

    @classmethod
    def from_settings(cls, config: TripleConfig) -> Self:
        """Make the strategy of a method's settings, where 0 stands for no limit."""
        return cls(config.max_hops, config.fan_out or UNLIMITED, config.max_candidates or UNLIMITED)

    def __call__(self, snapshot: Snapshot, topics: np.ndarray) -> CandidateSubgraph:
        """The candidate subgraph around ``topics``."""
        ids = normalize_ids(topics)
        seen = np.zeros(snapshot.num_entities, bool)
        seen[ids] = True
        taken: list[np.ndarray] = []
        frontier, left, truncated = ids, self.max_triples, False
        for hop in range(self.hops):
            owner, relation, starts, sizes = list_groups(snapshot, frontier)
            kept = np.minimum(sizes, self.per_relation if hop else self.max_triples)
            gives = np.bincount(owner, weights=kept, minlength=len(frontier))
            opened = np.zeros(len(frontier), bool)
            order = np.argsort(gives, kind="stable")
            opened[order[np.cumsum(gives[order]) - gives[order] < left]] = True
            truncated |= not bool(opened.all()) or bool((sizes > kept).any())
            use = opened[owner]
            group, positions, _ = sample_positions(starts[use], sizes[use], int(kept.max(initial=1)))
            arcs, targets = get_arcs_at(snapshot, positions, relation[use][group])
            taken.append(arcs % snapshot.num_triples)
            left -= len(arcs)
            frontier = np.unique(targets[~seen[targets]])
            seen[frontier] = True
            if not len(frontier):
                break
            if left <= 0:
                truncated |= hop + 1 < self.hops
                break
        facts = np.unique(np.concatenate(taken)) if taken else np.zeros(0, np.int64)
        return CandidateSubgraph(ids, np.flatnonzero(seen), facts, "fan-out", self.hops, truncated)
