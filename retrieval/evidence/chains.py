"""Evidence chains as shown: a reach with labels, capped levels, and the verified hops between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.evidence.verify import make_hop
from retrieval.kg import search
from retrieval.types import EvidenceChain, Hop, Node

if TYPE_CHECKING:
    from retrieval.evidence.reach import Reach
    from retrieval.kg.snapshot import Snapshot

LEVEL_LIMIT = 40
"""Entities listed of one level, and hops between two; the true counts are carried beside them."""


def build_chain(snapshot: Snapshot, reach: Reach) -> EvidenceChain:
    """The chain of a reach: only what leads to its targets, with every hop checked against the snapshot.

    Levels longer than ``LEVEL_LIMIT`` are cut from the end backwards, so every entity listed leads to a
    listed target and each listed target has its whole path.
    """
    relations = snapshot.num_relations
    steps = [(directed % relations, directed >= relations) for directed in reach.path]
    trace = search.compute_trace(snapshot, [reach.topic], steps, reach.targets, simple=reach.simple, limit=LEVEL_LIMIT)
    hops: list[Hop] = []
    levels: list[tuple[Node, ...]] = []
    for arcs in trace.arcs:
        sources, directed, targets = search.get_arc_ends(snapshot, arcs)
        walked = [
            make_hop(snapshot, source, relation, target)
            for source, relation, target in zip(sources.tolist(), directed.tolist(), targets.tolist(), strict=True)
        ]
        hops += walked
        listed = {hop.target.id: hop.target for hop in walked}
        levels.append(tuple(listed[entity] for entity in sorted(listed)))
    return EvidenceChain(
        source=snapshot.get_node(reach.topic),
        steps=tuple(snapshot.get_relation_step(*step) for step in steps),
        levels=tuple(levels),
        level_counts=tuple(len(level) for level in trace.levels[1:]),
        hops=tuple(hops),
        score=min(1.0, max(0.0, reach.probability)),
        merged_with=reach.partners,
    )


def count_facts(chains: Sequence[EvidenceChain]) -> int:
    """How many different facts the hops of the chains show."""
    return len({get_fact_key(hop) for chain in chains for hop in chain.hops})


def get_fact_key(hop: Hop) -> tuple[int, str, int]:
    """Head, relation and tail of the fact behind a hop, whichever way it was walked."""
    if hop.step.inverse:
        return hop.target.id, hop.step.name, hop.source.id
    return hop.source.id, hop.step.name, hop.target.id
