"""The CSR runs of a snapshot's facts that share an entity and a relation."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import load_array

#: Keys of groups between two that are kept in memory.
_STRIDE = 4096


class Groups:
    """Runs of facts that share an entity and a relation, in one direction.

    ``keys`` is int64 [G], ``entity * R + relation``, ascending; ``starts`` is int64 [G+1], positions in the
    fact order (out) or in ``in_order`` (in).
    """

    def __init__(self, keys: np.ndarray, starts: np.ndarray, relations: int) -> None:
        self.keys = keys
        self.starts = starts
        self.relations = relations

    @classmethod
    def load(cls, path: Path, direction: str, relations: int) -> Groups:
        """Open the groups of ``direction`` (``out`` or ``in``)."""
        keys = load_array(path, f"{direction}_group_keys", "int64")
        starts = load_array(path, f"{direction}_group_starts", "int64")
        if len(starts) != len(keys) + 1:
            raise integrity.make_damaged_error(path, [f"{direction}_group_starts.npy"])
        return cls(keys, starts, relations)

    @cached_property
    def _marks(self) -> np.ndarray:
        """Every ``_STRIDE``-th key, so that a search of a large file touches one place of it; read on first use."""
        return self.keys[::_STRIDE].copy()

    def _find(self, key: int) -> int:
        """The first position whose key is at least ``key``."""
        if len(self.keys) <= _STRIDE:
            return int(np.searchsorted(self.keys, key))
        low = max(int(np.searchsorted(self._marks, key)) - 1, 0) * _STRIDE
        return low + int(np.searchsorted(self.keys[low : low + _STRIDE + 1], key))

    def find_run(self, entity: int, relation: int) -> tuple[int, int]:
        """Positions [start, stop) of one entity's facts of one relation; empty when it has none."""
        key = entity * self.relations + relation
        i = self._find(key)
        if i == len(self.keys) or int(self.keys[i]) != key:
            return 0, 0
        return int(self.starts[i]), int(self.starts[i + 1])

    def find_bounds(self, entities: np.ndarray, relation: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``find_run`` for many entities (and relations, one each): starts and lengths, int64 [n] each."""
        if not len(self.keys):
            zeros = np.zeros(len(entities), np.int64)
            return zeros, zeros
        wanted = entities.astype(np.int64) * self.relations + relation
        i = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        starts = self.starts[i]
        lengths = np.where(self.keys[i] == wanted, self.starts[i + 1] - starts, 0)
        return starts, lengths

    def get_entity_groups(self, entity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One entity's relations with the start and length of each run, ascending by relation."""
        first = self._find(entity * self.relations)
        last = self._find((entity + 1) * self.relations)
        starts = self.starts[first : last + 1]
        return self.keys[first:last] - entity * self.relations, starts[:-1], np.diff(starts)
