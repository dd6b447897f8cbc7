"""The facts of a snapshot as arrays, and what can be asked of them by id."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from retrieval.errors import DamagedError
from retrieval.kg.snapshot.groups import Groups
from retrieval.kg.snapshot.manifest import Manifest


class Adjacency:
    """The facts and, per entity, where they are. Whoever extends it opens or computes the arrays.

    Attributes:
        heads, relations, tails: int32 [T], the facts sorted by (head, relation, tail).
        out_offsets, in_offsets: int64 [E+1], CSR bounds per entity.
        in_order: int32 [T], fact ids sorted by (tail, relation, head).
        in_heads: int32 [T], ``heads[in_order]`` stored side by side.
        out_groups, in_groups: runs of facts of one entity and one relation (:class:`Groups`).
    """

    manifest: Manifest
    heads: np.ndarray
    relations: np.ndarray
    tails: np.ndarray
    out_offsets: np.ndarray
    in_offsets: np.ndarray
    in_order: np.ndarray
    in_heads: np.ndarray
    out_groups: Groups
    in_groups: Groups

    @property
    def num_entities(self) -> int:
        """E, the number of entities."""
        return self.manifest.entities

    @property
    def num_relations(self) -> int:
        """R, the number of relations; directed relation ids run to 2 R."""
        return self.manifest.relations

    @property
    def num_triples(self) -> int:
        """T, the number of facts; arc ids run to 2 T."""
        return self.manifest.triples

    def get_out_edges(self, entity: int) -> range:
        """Ids of the facts that leave ``entity``."""
        return range(*self._find_bounds(self.out_offsets, entity))

    def get_in_edges(self, entity: int) -> np.ndarray:
        """Ids of the facts that enter ``entity``, sorted by (relation, head)."""
        start, stop = self._find_bounds(self.in_offsets, entity)
        return self.in_order[start:stop]

    def get_degree(self, entity: int) -> int:
        """In-degree plus out-degree."""
        bounds = (self._find_bounds(offsets, entity) for offsets in (self.out_offsets, self.in_offsets))
        return sum(stop - start for start, stop in bounds)

    def get_degrees(self, entities: np.ndarray | Iterable[int]) -> np.ndarray:
        """Degrees of several entities, int64 [n]."""
        ids = np.asarray(entities if isinstance(entities, np.ndarray) else list(entities), dtype=np.int64)
        out = self.out_offsets[ids + 1] - self.out_offsets[ids]
        degrees: np.ndarray = out + self.in_offsets[ids + 1] - self.in_offsets[ids]
        return degrees

    def find_fact(self, head: int, relation: int, tail: int) -> int | None:
        """The id of a fact, or None. Ids out of range are simply not found."""
        if not (0 <= head < self.num_entities and 0 <= relation < self.num_relations):
            return None
        start, stop = self.out_groups.find_run(head, relation)
        i = start + int(np.searchsorted(self.tails[start:stop], tail))
        return i if i < stop and int(self.tails[i]) == tail else None

    def has(self, head: int, relation: int, tail: int) -> bool:
        """Whether the KG holds the fact."""
        return self.find_fact(head, relation, tail) is not None

    def count_facts_by_relation(self) -> np.ndarray:
        """Facts per relation, int64 [R]."""
        return np.bincount(self.relations, minlength=self.num_relations)

    def _find_bounds(self, offsets: np.ndarray, entity: int) -> tuple[int, int]:
        """Where the facts of an entity begin and end in ``offsets``."""
        if not 0 <= entity < len(offsets) - 1:
            raise DamagedError(f"The graph's files are damaged (there is no entity {entity}).")
        start, stop = int(offsets[entity]), int(offsets[entity + 1])
        if not 0 <= start <= stop <= self.num_triples:
            raise DamagedError(f"The graph's files are damaged (the facts of entity {entity} have no place).")
        return start, stop
