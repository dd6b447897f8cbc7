"""The answer of a whole focus graph (Graph-S3 eq. 3): what a search kept beside its last choice restricts it.

"Films by X released in 2005": a choice that led from the films to 2005, which the question names, is no answer but a
condition on the films.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.methods.common.instances import walk_all
from retrieval.methods.graph_s3.agent.frontier import Branch
from retrieval.methods.graph_s3.agent.state import State
from retrieval.types import FoundPath

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_LOOKED = 20
"""Entities of a choice that are looked for in the question, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Focus:
    """What a search kept, as evidence.

    Attributes:
        graph: its facts, without those of answers that a condition rules out.
        leaves: where each topic's walk stands.
        conditioned: something was ruled out or is no answer.
    """

    graph: Snapshot
    leaves: tuple[Branch, ...]
    conditioned: bool


def build_focus(snapshot: Snapshot, state: State, linked: Iterable[int]) -> Focus:
    """The focus graph of a search, restricted by what the question names.

    Args:
        state: after the last step.
        linked: entities that the question was linked to.
    """
    entities = set(linked)
    branches = [branch for front in state.frontiers[1:] for branch in front.branches]
    conditions = [
        branch for branch in branches
        if len(branch.path) > 1 and _is_named(snapshot, state.question, branch, entities - {branch.topic})
    ]  # fmt: skip
    leaves = state.find_leaves()
    if not conditions:
        complete = all(leaf.whole for leaf in leaves)
        return Focus(snapshot if complete else RestrictedSnapshot(snapshot, state.focus), leaves, False)
    kept = RestrictedSnapshot(snapshot, state.focus)
    targets = _find_targets(leaves, conditions, branches)
    facts, walked = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for leaf in targets:
        some, every = _walk(kept, leaf, conditions)
        facts, walked = np.union1d(facts, some), np.union1d(walked, every)
    unwalked = np.setdiff1d(np.arange(kept.num_triples), walked)
    chosen = kept.facts[np.union1d(facts, unwalked).astype(np.int64)]
    return Focus(RestrictedSnapshot(snapshot, chosen), targets, True)


def list_walks(snapshot: Snapshot, state: State, score: float) -> list[FoundPath]:
    """The walks that the choices of a search kept, those left out that another one begins with; by their arcs.

    Args:
        state: after the last step.
        score: of each.
    """
    kept, rng = RestrictedSnapshot(snapshot, state.focus), np.random.default_rng(0)
    walks: set[tuple[int, tuple[int, ...]]] = set()
    for topic, path in {(branch.topic, branch.path) for front in state.frontiers[1:] for branch in front.branches}:
        for arcs in walk_all(kept, topic, path, simple=True, rng=rng):
            facts = kept.facts[np.array(arcs) % kept.num_triples]
            inverse = np.array(arcs) >= kept.num_triples
            walks.add((topic, tuple((facts + inverse * snapshot.num_triples).tolist())))
    begun = {(topic, arcs[:length]) for topic, arcs in walks for length in range(1, len(arcs))}
    return [FoundPath(topic, arcs, score) for topic, arcs in sorted(walks - begun)]


def _is_named(snapshot: Snapshot, question: Question, branch: Branch, linked: set[int]) -> bool:
    """Whether the question names all that a choice led to."""
    entities = branch.entities.tolist()
    if not 0 < len(entities) <= _LOOKED or branch.topic in entities:
        return False
    return all(
        entity in linked
        or re.search(rf"\b{re.escape(snapshot.get_entity_label(entity))}\b", question.text, re.IGNORECASE)
        for entity in entities
    )


def _find_targets(
    leaves: Sequence[Branch], conditions: Sequence[Branch], branches: Sequence[Branch]
) -> tuple[Branch, ...]:
    """The leaves; of those that are conditions, what they are conditions on."""
    targets: dict[tuple[int, tuple[int, ...]], Branch] = {}
    ruled = {(branch.topic, branch.path) for branch in conditions}
    for leaf in leaves:
        path = leaf.path
        while (leaf.topic, path) in ruled and len(path) > 1:
            path = path[:-1]
        same = (each for each in branches if (each.topic, each.path) == (leaf.topic, path))
        targets.setdefault((leaf.topic, path), next(same, leaf))
    return tuple(targets.values())


def _walk(graph: Snapshot, leaf: Branch, conditions: Sequence[Branch]) -> tuple[np.ndarray, np.ndarray]:
    """Facts of a walk that keep its conditions, and all facts that its steps could take; ids in ``graph``."""
    front = free = np.array([leaf.topic], np.int64)
    steps, every = [], [np.zeros(0, np.int64)]
    for done, relation in enumerate(leaf.path):
        front = _filter_front(graph, front, leaf.topic, leaf.path[:done], conditions)
        source, target, fact = _walk_relation(graph, front, relation)
        steps.append((source, target, fact))
        front = np.unique(target)
        _, free, fact = _walk_relation(graph, np.unique(free), relation)
        every.append(fact)
    front = _filter_front(graph, front, leaf.topic, leaf.path, conditions)
    kept = [np.zeros(0, np.int64)]
    for source, target, fact in reversed(steps):
        back = np.isin(target, front)
        kept.append(fact[back])
        front = np.unique(source[back])
    return np.unique(np.concatenate(kept)), np.unique(np.concatenate(every))


def _walk_relation(graph: Snapshot, front: np.ndarray, relation: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, targets and facts of a relation's arcs from a front."""
    owner, directed, target, arc = find_arcs(graph, front)
    taken = directed == relation
    return front[owner[taken]], target[taken], arc[taken] % graph.num_triples


def _filter_front(
    graph: Snapshot, front: np.ndarray, topic: int, path: tuple[int, ...], conditions: Sequence[Branch]
) -> np.ndarray:
    """Those entities of a front from which every condition on it is met."""
    for condition in conditions:
        if condition.topic == topic and condition.path[:-1] == path:
            owner, directed, target, _ = find_arcs(graph, front)
            met = (directed == condition.path[-1]) & np.isin(target, condition.entities)
            front = front[np.unique(owner[met])]
    return front
