"""Relation paths and the entity sets they reach: the raw material of chains and of extractive answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evidence.expand import Walk
from retrieval.kg.search.walks import execute
from retrieval.kg.snapshot import KINDS
from retrieval.types import Triple

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

Ids = np.ndarray
_MEDIATOR = KINDS.index("cvt")

PROFILE_SAMPLE = 20
"""Entities of a set that are looked at to tell what kind they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """A relation path walked from one topic, with everything it reaches.

    Attributes:
        topic: entity the path starts at.
        path: directed relation ids (r forward, R + r inverse), at least one.
        probability: of the relation path for this question and topic, in [0, 1].
        levels: sorted distinct entity ids after each step, int64 [n_i]; complete, never capped.
        simple: whether only walks that never come back to the topic count.
        partners: positions of the reaches whose targets were intersected with this one's.
        parallel: of each step all directed relations that join its entities, where parallel facts are one triple;
            ``path`` has the first of each. Empty where they are not.
    """

    topic: int
    path: tuple[int, ...]
    probability: float
    levels: tuple[Ids, ...]
    simple: bool = True
    partners: tuple[int, ...] = field(default=())
    parallel: tuple[tuple[int, ...], ...] = ()

    @property
    def targets(self) -> Ids:
        """The entities after the last step."""
        return self.levels[-1]


def walk(snapshot: Snapshot, topic: int, path: Sequence[int], probability: float, *, simple: bool) -> Reach:
    """Execute a relation path over the snapshot.

    Args:
        topic: entity to start from.
        path: directed relation ids.
        probability: of the relation path, carried along.
        simple: count only walks that never come back to the topic, as the retriever's checkpoint was taught.
    """
    relations = snapshot.num_relations
    steps = [(directed % relations, directed >= relations) for directed in path]
    levels = execute(snapshot, [topic], steps, simple=simple)
    # A mediator stands between things and is none: it answers nothing.
    targets = levels[-1][snapshot.kinds[levels[-1]] != _MEDIATOR]
    return Reach(topic, tuple(path), probability, (*levels[:-1], targets), simple)


def from_walks(
    snapshot: Snapshot, walks: Iterable[tuple[Walk, float]], units: Sequence[tuple[int, ...]] = ()
) -> list[Reach]:
    """Multi-answer merging (ReG D.4.2): walks of one relation path from one topic become one reach.

    Its probability is the best of its walks'. Best first; equal ones keep their order.

    Args:
        walks: with scores.
        units: the relations that each relation id of the walks stands for (:func:`merge_parallel`); none: itself.
    """
    relations = len(units) or snapshot.num_relations
    levels: dict[tuple[int, tuple[int, ...]], list[set[int]]] = {}
    best: dict[tuple[int, tuple[int, ...]], float] = {}
    for steps, score in walks:
        path = tuple(step.fact.relation + relations * step.inverse for step in steps)
        key = (steps[0].source, path)
        merged = levels.setdefault(key, [set() for _ in steps])
        for level, step in zip(merged, steps, strict=True):
            level.add(step.target)
        best[key] = max(score, best.get(key, 0.0))
    reaches = [
        Reach(topic, path, best[topic, path], tuple(np.array(sorted(level)) for level in sets), simple=False)
        for (topic, path), sets in levels.items()
    ]
    if units:
        reaches = [_expand_units(reach, units, snapshot.num_relations) for reach in reaches]
    return sorted(reaches, key=lambda reach: -reach.probability)


def _expand_units(reach: Reach, units: Sequence[tuple[int, ...]], relations: int) -> Reach:
    """Replace units by the directed relations of the graph that they stand for."""
    parallel = tuple(
        tuple(relation + relations * (code >= len(units)) for relation in units[code % len(units)])
        for code in reach.path
    )
    return replace(reach, path=tuple(step[0] for step in parallel), parallel=parallel)


def merge_parallel(facts: Mapping[Triple, float]) -> tuple[dict[Triple, float], list[tuple[int, ...]]]:
    """Unify facts that lead from one entity to the same other one: (h, r1 ⊕ r2, t) (ReG App. E).

    Args:
        facts: with scores, best first.

    Returns:
        The unified triples with the best of their facts' scores, in the order of these; and the relations that each
        of their relation ids stands for, ascending. Triples of the same relations have the same id.
    """
    joined: dict[tuple[int, int], set[int]] = {}
    best: dict[tuple[int, int], float] = {}
    for fact, score in facts.items():
        ends = fact.head, fact.tail
        joined.setdefault(ends, set()).add(fact.relation)
        best[ends] = max(score, best.get(ends, score))
    units: dict[tuple[int, ...], int] = {}
    unified = {}
    for (head, tail), relations in joined.items():
        unit = units.setdefault(tuple(sorted(relations)), len(units))
        unified[Triple(head, unit, tail)] = best[head, tail]
    return unified, list(units)


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """One reach of each topic, whose targets are intersected (ReG D.4.2, multi-entity merging).

    ``members`` are positions in the list of reaches, in topic order; ``targets`` is the shared target set,
    sorted; ``probability`` is the product of the members'.
    """

    members: tuple[int, ...]
    targets: Ids
    probability: float


def find_joins(
    reaches: Sequence[Reach], topics: Sequence[int], *, per_topic: int, further_hop: float = 1.0
) -> list[Join]:
    """Every non-empty intersection of one reach for each topic, most probable first.

    Most probable under a prior: what several topics lead to together is mostly one hop from each, and longer
    relation paths, being many, meet somewhere by chance.

    Args:
        reaches: relation paths of all topics.
        topics: distinct topics, all of which must take part; a topic without a reach gives no join.
        per_topic: how many of a topic's best reaches are tried; the work is per_topic ** len(topics)
            intersections, so it shrinks when topics are many.
        further_hop: prior of each hop after a relation path's first, in (0, 1]; 1 has no preference. It orders
            reaches and joins, and is no part of a join's probability.
    """

    def compute_weight(i: int) -> float:
        return reaches[i].probability * further_hop ** (len(reaches[i].path) - 1)

    width = per_topic if len(topics) <= 2 else max(2, round(per_topic ** (2 / len(topics))))
    by_topic = [
        sorted((i for i, r in enumerate(reaches) if r.topic == topic), key=lambda i: -compute_weight(i))
        for topic in topics
    ]
    intersections: list[Join] = []
    for members in product(*(positions[:width] for positions in by_topic)):
        targets = reaches[members[0]].targets
        for other in members[1:]:
            targets = np.intersect1d(targets, reaches[other].targets, assume_unique=True)
        if len(targets):
            probability = float(np.prod([reaches[i].probability for i in members]))
            intersections.append(Join(members, targets, probability))
    return sorted(intersections, key=lambda join: -prod(compute_weight(i) for i in join.members))


def compute_similarity(snapshot: Snapshot, first: Ids, second: Ids) -> float:
    """Whether two entity sets are of one kind: films and films, or films and years.

    The cosine of how often each directed relation leaves the sets' entities (a sample of each), in [0, 1].
    """
    first_profile, second_profile = _compute_profile(snapshot, first), _compute_profile(snapshot, second)
    size = float(np.linalg.norm(first_profile) * np.linalg.norm(second_profile))
    return float(first_profile @ second_profile) / size if size else 0.0


def _compute_profile(snapshot: Snapshot, entities: Ids) -> np.ndarray:
    """Share of the entities that each directed relation leaves, float [2 R]."""
    chosen = entities[:: max(1, len(entities) // PROFILE_SAMPLE)]
    counts = np.zeros(2 * snapshot.num_relations)
    for entity in chosen.tolist():
        counts[snapshot.out_groups.get_entity_groups(entity)[0]] += 1
        counts[snapshot.in_groups.get_entity_groups(entity)[0] + snapshot.num_relations] += 1
    return counts / max(1, len(chosen))


def apply_join(reaches: Sequence[Reach], join: Join) -> list[Reach]:
    """The reaches with the join's members first, side by side, their targets the shared ones (ReG D.4.2)."""
    chosen = set(join.members)
    first = [
        replace(
            reaches[i],
            levels=(*reaches[i].levels[:-1], join.targets),
            partners=tuple(p for p in range(len(join.members)) if p != position),
        )
        for position, i in enumerate(join.members)
    ]
    return first + [reach for i, reach in enumerate(reaches) if i not in chosen]


def merge_entities(reaches: Sequence[Reach], topics: Sequence[int]) -> list[Reach]:
    """Multi-entity merging (ReG D.4.2) of every group of reaches that meet, for any number of topics.

    Beginning with the best reach, the best one of each other topic joins it as long as something is shared by all
    of them. A group stands side by side (spatial reordering), its targets the shared ones (target refinement);
    a topic that leads nowhere in common is left out of the group, and its reaches find their own place.

    Args:
        reaches: best first.
        topics: distinct topics, in the order in which they may join a group.

    Returns:
        The same reaches in their new order; ``partners`` are positions in it.
    """
    left = list(range(len(reaches)))
    merged: list[Reach] = []
    while left:
        group, shared = [left[0]], reaches[left[0]].targets
        for topic in topics:
            if topic == reaches[group[0]].topic:
                continue
            for i in left[1:]:
                both = np.intersect1d(shared, reaches[i].targets) if reaches[i].topic == topic else shared[:0]
                if len(both):
                    group.append(i)
                    shared = both
                    break
        places = range(len(merged), len(merged) + len(group))
        for place, i in zip(places, group, strict=True):
            reach = reaches[i]
            if len(group) > 1:
                partners = tuple(other for other in places if other != place)
                reach = replace(reach, levels=(*reach.levels[:-1], shared), partners=partners)
            merged.append(reach)
        left = [i for i in left if i not in group]
    return merged
