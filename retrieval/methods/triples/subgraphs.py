"""Candidate subgraphs of several (question, topic) pairs side by side, under entity slots of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.data import Data

from retrieval.kg.snapshot import Snapshot
from retrieval.methods.triples.candidates.base import CandidateStrategy
from retrieval.methods.triples.candidates.provided import GivenFacts


@dataclass(frozen=True, slots=True)
class Subgraphs:
    """B candidate subgraphs with N facts and n entities in all; a fact may be in several of them.

    Attributes:
        facts: fact ids of the snapshot, int64 [N], those of one subgraph together and ascending.
        heads, tails: slots of their ends, int64 [N].
        relations: int64 [N].
        entities: entity id of each slot, int64 [n], those of one subgraph together.
        topics: slot of each subgraph's topic, int64 [B].
        fact_bounds: facts of subgraph b are ``fact_bounds[b]:fact_bounds[b + 1]``, int64 [B + 1].
        given: which of them came with their question, bool [B].
    """

    facts: np.ndarray
    heads: np.ndarray
    relations: np.ndarray
    tails: np.ndarray
    entities: np.ndarray
    topics: np.ndarray
    fact_bounds: np.ndarray
    entity_bounds: np.ndarray
    given: np.ndarray

    @property
    def fact_graph(self) -> np.ndarray:
        """Which subgraph each fact is of, int64 [N]."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.fact_bounds))

    @property
    def entity_graph(self) -> np.ndarray:
        """Which subgraph each slot is of, int64 [n]."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.entity_bounds))

    def compute_distances(self, most: int) -> np.ndarray:
        """Hops of each slot from its topic along the candidate facts, either way; ``most`` beyond. int64 [n]."""
        distances = np.full(len(self.entities), most, np.int64)
        distances[self.topics] = 0
        for hop in range(1, most):
            for source, target in ((self.heads, self.tails), (self.tails, self.heads)):
                reached = target[distances[source] == hop - 1]
                distances[reached] = np.minimum(distances[reached], hop)
        return distances

    def batch(self) -> Data:
        """Make the PyG batch that the scorers read.

        Returns:
            ``edge_index`` (slots of heads and tails, int64 [2, N]), ``edge_type`` (relations, int64 [N]),
            ``edge_batch`` (subgraph of each fact, int64 [N]), ``batch`` (of each slot, int64 [n]) and ``topics`` (1 at
            each subgraph's topic, else 0, float [n]).
        """
        flags = np.zeros(len(self.entities), np.float32)
        flags[self.topics] = 1
        return Data(
            num_nodes=len(self.entities),
            edge_index=torch.from_numpy(np.stack([self.heads, self.tails])),
            edge_type=torch.from_numpy(self.relations),
            edge_batch=torch.from_numpy(self.fact_graph),
            batch=torch.from_numpy(self.entity_graph),
            topics=torch.from_numpy(flags),
        )


def build_subgraphs(
    snapshot: Snapshot,
    topics: Sequence[int] | np.ndarray,
    strategy: CandidateStrategy,
    given_facts: Sequence[np.ndarray | None] | None = None,
) -> Subgraphs:
    """The candidate subgraph of each topic.

    Args:
        topics: one entity for each subgraph, in order; the same entity may come again.
        strategy: chooses them.
        given_facts: facts that are the candidates of a topic instead, ascending; None where there are none.
    """
    facts: list[np.ndarray] = []
    entities: list[np.ndarray] = []
    slots: list[tuple[np.ndarray, np.ndarray]] = []
    centres: list[int] = []
    first = 0
    for index, topic in enumerate(topics):
        topic_facts = given_facts[index] if given_facts is not None else None
        chosen: CandidateStrategy = strategy if topic_facts is None else GivenFacts(topic_facts)
        subgraph = chosen(snapshot, np.array([topic], np.int64))
        local = np.union1d(subgraph.entities, [topic])
        heads, tails = snapshot.heads[subgraph.facts], snapshot.tails[subgraph.facts]
        slots.append((first + np.searchsorted(local, heads), first + np.searchsorted(local, tails)))
        centres.append(first + int(np.searchsorted(local, topic)))
        facts.append(subgraph.facts)
        entities.append(local)
        first += len(local)
    every = _join_parts(facts)
    return Subgraphs(
        facts=every,
        heads=_join_parts([heads for heads, _ in slots]),
        relations=snapshot.relations[every].astype(np.int64),
        tails=_join_parts([tails for _, tails in slots]),
        entities=_join_parts(entities),
        topics=np.array(centres, np.int64),
        fact_bounds=np.cumsum([0, *map(len, facts)]),
        entity_bounds=np.cumsum([0, *map(len, entities)]),
        given=np.array(
            [given_facts is not None and given_facts[index] is not None for index in range(len(facts))], bool
        ),
    )


def _join_parts(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64)
