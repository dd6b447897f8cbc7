"""The keys of nodes: values that paths lead to, what they come to, and how many nodes they lead to. Numpy only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.language.amounts import Folding
from retrieval.programs.algebra.numbers import match_equal_items, reduce_runs
from retrieval.programs.algebra.operations import Key, Program
from retrieval.programs.algebra.walking import PathWalker


@dataclass(frozen=True, slots=True)
class Keyed:
    """Nodes with a key: ``owners`` int64 ascending, each once, and their ``values`` float64."""

    owners: np.ndarray
    values: np.ndarray


class KeyWalker(PathWalker, ABC):
    """Computes the keys of nodes of one snapshot. Not thread-safe."""

    @abstractmethod
    def compute_nodes(self, program: Program) -> np.ndarray:
        """The set that a program denotes, int64 ascending.

        Raises:
            ProgramError: it denotes no set.
        """

    def compute_keys(self, nodes: np.ndarray, key: Key, *, largest: bool = True) -> Keyed:
        """The key of each of some nodes; those without a value are left out, counts are 0.

        Args:
            nodes: int64 ascending.
            largest: of several values of a node the largest counts, else the smallest.
        """
        if key.counted:
            owners, ends = self.compute_pairs(nodes, key.path)
            if key.among is not None:
                owners = owners[self.test_membership(ends, self.compute_nodes(key.among))]
            counts = np.bincount(np.searchsorted(nodes, owners), minlength=len(nodes))
            return Keyed(nodes, counts.astype(float))
        owners, values = self.collect_values(nodes, key)
        if not len(owners):
            return Keyed(np.zeros(0, np.int64), np.zeros(0))
        starts = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))
        how = key.folding or (Folding.MOST if largest else Folding.LEAST)
        return Keyed(owners[starts], reduce_runs(how, values, starts))

    def collect_values(self, nodes: np.ndarray, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """All values of a key: owners int64 ascending and values float64."""
        second_path = key.times or key.less
        if second_path is not None:
            return self._compute_combined_values(nodes, key, second_path)
        if len(key.path) == 1 and key.among is None:
            column = self.columns.get_column(self._check_relation(key.path[0]))
            mine = self.test_membership(column.owners, nodes)
            return column.owners[mine], column.values[mine]
        owners, ends = self._list_value_owners(nodes, key)
        column = self.columns.get_column(self._check_relation(key.path[-1]))
        who, entries = match_equal_items(ends, column.owners)
        return owners[who], column.values[entries]

    def _compute_combined_values(
        self, nodes: np.ndarray, key: Key, second_path: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What two values of the same node come to, of the nodes that a key's path leads to and that have both."""
        owners, ends = self._list_value_owners(nodes, key)
        having = sort_unique(ends)
        holders, left = self.collect_values(having, Key(key.path[-1:]))
        others, right = self.collect_values(having, Key(second_path))
        entries, partners = match_equal_items(holders, others)
        left, right = left[entries], right[partners]
        values = self.merge_values(key, left, right)
        who, entries = match_equal_items(ends, holders[entries])
        return owners[who], values[entries]

    def _list_value_owners(self, nodes: np.ndarray, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """Which of some nodes lead to which nodes that have the values of a key, int64 [n] each, owners ascending."""
        owners, ends = (nodes, nodes) if len(key.path) == 1 else self.compute_pairs(nodes, key.path[:-1])
        if key.among is not None:
            kept = self.test_membership(ends, self.compute_nodes(key.among))
            owners, ends = owners[kept], ends[kept]
        return owners, ends
