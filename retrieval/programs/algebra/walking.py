"""Walks over a snapshot: which nodes are in a set, what a relation or path leads to. Numpy only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError, check
from retrieval.kg.search.walks import walk_relation
from retrieval.kg.snapshot.arrays import is_among, sort_unique
from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.numbers import compute_years_between

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.operations import Key

#: Sets so many times larger than what is looked up are searched, smaller ones marked.
_MARKED = 8


class PathWalker:
    """Walks along the relations of one snapshot. Not thread-safe."""

    def __init__(self, snapshot: Snapshot, columns: Columns, cancelled: Callable[[], bool]) -> None:
        self.snapshot = snapshot
        self.columns = columns
        self.cancelled = cancelled
        self._marks = np.zeros(snapshot.num_entities, bool)

    def test_membership(self, nodes: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Which of some nodes are in a set, ascending; bool [n]. Costs as much as both are long."""
        if len(known) > _MARKED * len(nodes):
            return is_among(nodes, known)
        self._marks[known] = True
        mask: np.ndarray = self._marks[nodes]
        self._marks[known] = False
        return mask

    def walk(self, nodes: np.ndarray, relation: int) -> np.ndarray:
        """What a directed relation leads to from any of some nodes, int64 ascending."""
        if len(nodes) > len(self.columns.list_sources(relation)) // 2:
            owners, targets = self.columns.list_arcs(relation)
            return sort_unique(targets[self.test_membership(owners, nodes)])
        inverse, forward = divmod(relation, self.snapshot.num_relations)
        return sort_unique(walk_relation(self.snapshot, nodes, forward, bool(inverse))[1])

    def compute_pairs(self, nodes: np.ndarray, path: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Which of some nodes a path leads to which, each pair once: owners and ends, int64 [n], owners ascending."""
        owners = ends = nodes
        for relation in path:
            inverse, forward = divmod(self._check_relation(relation), self.snapshot.num_relations)
            position, ends, _ = walk_relation(self.snapshot, ends, forward, bool(inverse))
            owners = owners[position]
            if len(path) > 1:
                owners, ends = np.divmod(
                    sort_unique(owners * self.snapshot.num_entities + ends), self.snapshot.num_entities
                )
            check(self.cancelled)
        order = np.argsort(owners, kind="stable")
        return owners[order], ends[order]

    def merge_values(self, key: Key, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """What the values of a key's two paths come to: their products, or how much the first are more."""
        if key.times is not None:
            product: np.ndarray = left * right / self.columns.compute_divisor(key)
            return product
        kind = self.columns.get_value_type(key.path[-1])
        if kind is not None and kind.kind is ValueKind.DATE:
            return compute_years_between(left, right)
        difference: np.ndarray = left - right
        return difference

    def _check_relation(self, relation: int) -> int:
        if not 0 <= relation < 2 * self.snapshot.num_relations:
            raise ProgramError(f"The graph has no relation {relation}.")
        return relation
