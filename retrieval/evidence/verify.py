"""Hops and the facts behind them: nothing is shown as a fact before the snapshot was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.types import Hop, Triple

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def get_fact(snapshot: Snapshot, source: int, directed: int, target: int) -> Triple:
    """The fact behind a step ``source -> target`` along a directed relation.

    Args:
        snapshot: the graph whose relation ids are meant; R is its number of relations.
        source: entity the step leaves.
        directed: relation id r when walked forward, R + r when walked against the fact.
        target: entity the step reaches.
    """
    relations = snapshot.num_relations
    if directed < relations:
        return Triple(source, directed, target)
    return Triple(target, directed - relations, source)


def make_hop(snapshot: Snapshot, source: int, directed: int, target: int) -> Hop:
    """A hop with its labels, verified when the snapshot holds the fact behind it."""
    relations = snapshot.num_relations
    fact = get_fact(snapshot, source, directed, target)
    return Hop(
        source=snapshot.get_node(source),
        step=snapshot.get_relation_step(directed % relations, directed >= relations),
        target=snapshot.get_node(target),
        verified=snapshot.has(fact.head, fact.relation, fact.tail),
    )
