"""How far the facts of two entities agree, by the log-likelihood ratios of Fellegi and Sunter (1969)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from rapidfuzz import fuzz

from retrieval.kg.analysis.schema import TYPE_RELATIONS
from retrieval.kg.snapshot import Snapshot

#: Log-likelihood ratios of a fact between the two, and of two that have no relation in common.
LINKED, UNRELATED = -4.0, -4.0
#: The chance that an entity that is in the graph twice has the same value of a relation, and the most an agreement
#: counts. Values that are alike, from ``SIMILAR_VALUE`` on, count half.
M, MOST, SIMILAR_VALUE = 0.8, 8.0, 85
#: Relations with more values an entity say nothing by disagreement.
FUNCTIONAL = 1.1
#: Values of a relation that are read.
VALUES = 50


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two entities have of one relation: ``equal``, ``similar`` or ``different`` values."""

    relation: str
    inverse: bool
    outcome: str
    first: str
    second: str


class FactScorer:
    """Compares the facts of two entities."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._graph = snapshot
        self._values: dict[int, dict[tuple[int, bool], set[int]]] = {}
        self._skipped = {r for r in range(snapshot.num_relations) if snapshot.get_relation_label(r) in TYPE_RELATIONS}
        self._label = cache(snapshot.get_entity_label)

    def weigh(self, first: int, second: int) -> float:
        """Return the log-likelihood ratio of the facts of two entities."""
        mine, theirs = self._list_values(first), self._list_values(second)
        shared = mine.keys() & theirs.keys()
        total = sum(self._score_values(key, mine[key], theirs[key])[0] for key in shared) if shared else UNRELATED
        return total + (LINKED if any(second in values for values in mine.values()) else 0.0)

    def describe(self, first: int, second: int) -> tuple[Comparison, ...]:
        """Return what the comparison of two entities rests on, what counts most first."""
        mine, theirs = self._list_values(first), self._list_values(second)
        weighed = [(*self._score_values(key, mine[key], theirs[key]), key) for key in mine if key in theirs]
        weighed.sort(key=lambda row: (-abs(row[0]), row[2]))
        return tuple(
            Comparison(
                self._graph.get_relation_label(key[0]),
                key[1],
                outcome,
                *("; ".join(sorted(self._label(i) for i in values[key])) for values in (mine, theirs)),
            )
            for weight, outcome, key in weighed
            if weight
        )

    @cached_property
    def _agreements(self) -> dict[bool, list[float]]:
        """The log-likelihood ratio of an agreement by relation, forward and inverse."""
        return {inverse: np.log2(M / chances).clip(0, MOST).tolist() for inverse, chances in self._chances.items()}

    @cached_property
    def _disagreements(self) -> list[float]:
        """The log-likelihood ratio of a disagreement by relation; 0 where entities may have several values."""
        graph = self._graph
        owners = np.bincount(np.asarray(graph.out_groups.keys) % graph.num_relations, minlength=graph.num_relations)
        is_functional = graph.count_facts_by_relation() <= FUNCTIONAL * owners
        ratios: list[float] = np.where(is_functional, np.log2((1 - M) / (1 - self._chances[False])), 0.0).tolist()
        return ratios

    @cached_property
    def _chances(self) -> dict[bool, np.ndarray]:
        """The chance that two random facts of a relation have the same end, by direction."""
        graph = self._graph
        chances = {}
        for inverse, groups in ((False, graph.in_groups), (True, graph.out_groups)):
            relations = np.asarray(groups.keys) % max(graph.num_relations, 1)
            sizes = np.diff(groups.starts).astype(np.float64)
            facts = np.bincount(relations, sizes, graph.num_relations)
            same = np.bincount(relations, sizes**2, graph.num_relations)
            chances[inverse] = (same / np.maximum(facts, 1) ** 2).clip(1e-9, 0.999)
        return chances

    def _score_values(self, key: tuple[int, bool], first: set[int], second: set[int]) -> tuple[float, str]:
        """Return the log-likelihood ratio of the values of one relation, and how they compare."""
        relation, inverse = key
        agreement = self._agreements[inverse][relation]
        if shared := len(first & second):
            return agreement * shared / min(len(first), len(second)), "equal"
        disagreement = 0.0 if inverse else self._disagreements[relation]
        if disagreement == 0:
            return 0.0, "different"
        if max(fuzz.ratio(self._label(a), self._label(b)) for a in first for b in second) >= SIMILAR_VALUE:
            return agreement / 2, "similar"
        return disagreement, "different"

    def _list_values(self, entity: int) -> dict[tuple[int, bool], set[int]]:
        """The values of an entity by relation and direction, those of relations with few enough."""
        if entity not in self._values:
            graph, most = self._graph, VALUES * 20
            outgoing = np.arange(*graph.out_offsets[entity : entity + 2])[:most]
            incoming = graph.get_in_edges(entity)[:most]
            values: dict[tuple[int, bool], set[int]] = defaultdict(set)
            for facts, ends, inverse in ((outgoing, graph.tails, False), (incoming, graph.heads, True)):
                for relation, end in zip(graph.relations[facts].tolist(), ends[facts].tolist(), strict=True):
                    if relation not in self._skipped:
                        values[relation, inverse].add(end)
            self._values[entity] = {key: ends for key, ends in values.items() if len(ends) <= VALUES}
        return self._values[entity]
