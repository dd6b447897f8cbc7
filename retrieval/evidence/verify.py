"""Hops and the facts behind them: nothing is shown as a fact before the snapshot was asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.types import Hop, Triple

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def fact_of(snapshot: Snapshot, source: int, directed: int, target: int) -> Triple:
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
    fact = fact_of(snapshot, source, directed, target)
    return Hop(
        source=snapshot.node(source),
        step=snapshot.relation_step(directed % relations, directed >= relations),
        target=snapshot.node(target),
        verified=snapshot.has(fact.head, fact.relation, fact.tail),
    )


def verify_hops(snapshot: Snapshot, hops: Iterable[Hop]) -> tuple[Hop, ...]:
    """The same hops, each with ``verified`` set by asking the snapshot, whatever it said before.

    For hops that somebody else named (a language model, a stored run): node ids outside the snapshot, node
    labels that do not match their ids, and relations that it does not have, make a hop unverified.
    """
    return tuple(replace(hop, verified=_holds(snapshot, hop)) for hop in hops)


def _holds(snapshot: Snapshot, hop: Hop) -> bool:
    count = snapshot.num_entities
    for node in (hop.source, hop.target):
        if not 0 <= node.id < count or snapshot.entity_label(node.id) != node.label:
            return False
    relation = snapshot.find_relation(hop.step.name)
    if relation is None:
        return False
    head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
    return snapshot.has(head.id, relation, tail.id)
