"""Frontiers: the entities that an agent has come to, and the facts around them, counted and listed by relation."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.kg.search import walks
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.methods.common.arc_groups import get_arcs_at, list_groups

#: Branches whose facts are remembered, so that many steps of many questions share them.
_KEPT = 4096
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """What a relation path reaches from a topic.

    Attributes:
        topic: entity id.
        path: directed relations, r forward, R + r backward.
        entities: ascending, int64 [n].
        whole: all that the path reaches; otherwise only some of it was kept.
    """

    topic: int
    path: tuple[int, ...]
    entities: np.ndarray
    whole: bool = True

    @property
    def last(self) -> int:
        """The directed relation of the last step, -1 before the first."""
        return self.path[-1] if self.path else -1


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """The facts around entities by directed relation, as walked from them.

    Attributes:
        relations: ascending, int64 [k].
        facts: how many there are of each, at least 1, int64 [k].
    """

    relations: np.ndarray
    facts: np.ndarray

    @property
    def total(self) -> int:
        """How many there are of all relations."""
        return int(self.facts.sum())


class Frontiers:
    """Walks a graph branch by branch; exact whatever the size, by the graph's groups. Threads may share it.

    Args:
        simple: walks never come back to their topic, which is how "co-wrote films with whom" is answered: the writers
            of X's films are others than X.
    """

    def __init__(self, snapshot: Snapshot, *, simple: bool = True) -> None:
        self.snapshot = snapshot
        self.simple = simple
        self._around: OrderedDict[tuple[int, tuple[int, ...]], Around] = OrderedDict()
        self._lock = threading.Lock()

    def start_branch(self, topic: int) -> Branch:
        """The empty walk at a topic."""
        return Branch(topic, (), np.array([topic], np.int64))

    def count_facts_around(self, branch: Branch) -> Around:
        """The facts around a branch's entities, without those that lead back to its topic."""
        key = (branch.topic, branch.path)
        if branch.whole:
            with self._lock:
                if key in self._around:
                    self._around.move_to_end(key)
                    return self._around[key]
        around = self._count(branch)
        if branch.whole:
            with self._lock:
                self._around[key] = around
                while len(self._around) > _KEPT:
                    self._around.popitem(last=False)
        return around

    def walk_relation(self, branch: Branch, relation: int) -> tuple[Branch, np.ndarray]:
        """The branch one directed relation further, and the arcs walked, int64 [m]."""
        total = self.snapshot.num_relations
        owner, targets, arcs = walks.walk_relation(self.snapshot, branch.entities, relation % total, relation >= total)
        if self.simple:
            sources = branch.entities[owner]
            reverse = walks.is_reverse(self.snapshot, relation, branch.last)
            step = np.zeros_like(targets)
            keep = walks.mark_simple_arcs(self.snapshot, sources, targets, branch.topic, step, reverse=reverse)
            targets, arcs = targets[keep], arcs[keep]
        return Branch(branch.topic, (*branch.path, relation), np.unique(targets), branch.whole), arcs

    def walk(self, topic: int, path: Iterable[int]) -> Branch:
        """The branch of a whole relation path."""
        branch = self.start_branch(topic)
        for relation in path:
            branch, _ = self.walk_relation(branch, relation)
        return branch

    def list_facts(self, branches: Sequence[Branch], count: int) -> np.ndarray:
        """The first ``count`` arcs around branches: the first of each relation, then the second of each, and so on.

        So a relation of few facts is seen beside one of 50,000.
        """
        parts = [self._list_first_arcs(branch, count) for branch in branches]
        if not parts:
            return _NONE
        rank, relation, arcs = (np.concatenate([part[k] for part in parts]) for k in range(3))
        order = np.lexsort((arcs, relation, rank))
        arcs = arcs[order]
        _, first = np.unique(arcs, return_index=True)
        distinct: np.ndarray = arcs[np.sort(first)][:count]
        return distinct

    def _count(self, branch: Branch) -> Around:
        graph = self.snapshot
        _, relation, _, size = list_groups(graph, branch.entities)
        counts = np.bincount(relation, weights=size, minlength=2 * graph.num_relations).astype(np.int64)
        if self.simple:
            # What leads back to the topic is among the topic's own arcs, seen from the other end.
            _, mine, target, _ = walks.find_arcs(graph, np.array([branch.topic], np.int64))
            there = _is_member(target, branch.entities)
            back = (mine[there] + graph.num_relations) % len(counts)
            away = counts - np.bincount(back, minlength=len(counts))
            returns = (graph.kinds[target[there]] != KINDS.index("cvt")) & ~walks.is_reverse(graph, back, branch.last)
            counts = np.where(away > 0, away, np.bincount(back[returns], minlength=len(counts)))
        relations = np.flatnonzero(counts > 0)
        return Around(relations, counts[relations])

    def _list_first_arcs(self, branch: Branch, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rank within its relation, directed relation and arc of the first ``count`` of each relation, about."""
        owner, relation, starts, sizes = list_groups(self.snapshot, branch.entities)
        order = np.lexsort((owner, relation))
        relation, starts, sizes = relation[order], starts[order], sizes[order]
        before = np.cumsum(sizes) - sizes
        new = np.concatenate([[True], relation[1:] != relation[:-1]]) if len(relation) else np.zeros(0, bool)
        rank_before = before - before[np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]
        # One more, because an arc back to the topic may be among them.
        taken = np.clip(count + 1 - rank_before, 0, sizes)
        positions, group = expand_spans(starts, taken)
        within, _ = expand_spans(np.zeros(len(taken), np.int64), taken)
        arcs, targets = get_arcs_at(self.snapshot, positions, relation[group])
        rank = rank_before[group] + within
        sources, avoid = branch.entities[owner[order][group]], branch.topic if self.simple else -1
        reverse = walks.is_reverse(self.snapshot, relation[group], branch.last)
        keep = walks.mark_simple_arcs(self.snapshot, sources, targets, avoid, relation[group], reverse=reverse)
        return rank[keep], relation[group][keep], arcs[keep]


def _is_member(values: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    """Which values are among those, bool [n]."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    matches: np.ndarray = ascending[place] == values
    return matches
