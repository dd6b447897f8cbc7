"""Similarity expansion (INSES eq. 4): entities that mean the same and are not connected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.retrievers.inses.base import Stand
from retrieval.retrievers.inses.search import Jump

if TYPE_CHECKING:
    from retrieval.text.entity_index import EntityIndex


class Expansion:
    """Finds the entity most like another one.

    Args:
        index: names of the graph with their vectors.
        threshold: tau_sim, the least cosine, in (0, 1].
    """

    def __init__(self, index: EntityIndex, threshold: float) -> None:
        self._index = index
        self._threshold = threshold

    def jumps(self, stands: Sequence[Stand]) -> list[Jump]:
        """A jump from each stand whose nearest other entity is near enough, in the order of the stands."""
        vectors = self._index.vectors_of(np.array([stand.entity for stand in stands], np.int64))
        found = []
        for stand, vector in zip(stands, vectors, strict=True):
            if not vector.any():  # an entity without a name is like no other
                continue
            nearest = next((m for m in self._index.nearest(vector, 2) if m.entity != stand.entity), None)
            if nearest is not None and nearest.score >= self._threshold:
                found.append(Jump(stand.entity, nearest.entity, nearest.score))
        return found
