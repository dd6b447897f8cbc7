"""Similarity expansion (INSES eq. 4): entities that mean the same and are not connected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.methods.inses.base import Jump, Stand

if TYPE_CHECKING:
    from retrieval.linking.entity_index import EntityIndex


class Expansion:
    """Finds the entity most like another one.

    Args:
        index: names of the graph with their vectors.
        threshold: tau_sim, the least cosine, in (0, 1].
        most: stands that are jumped from at one step, the best; 0 for all.
    """

    def __init__(self, index: EntityIndex, threshold: float, most: int = 32) -> None:
        self._most = most
        self._index = index
        self._threshold = threshold

    def find_jumps(self, stands: Sequence[Stand]) -> list[Jump]:
        """A jump from each stand whose nearest other entity is near enough, the best stands first."""
        most = sorted(stands, key=lambda stand: -stand.score)[: self._most or None]
        entities = np.array([stand.entity for stand in most], np.int64)
        near, scores = self._index.find_nearest(entities)
        return [
            Jump(source, target, score)
            for source, target, score in zip(entities.tolist(), near.tolist(), scores.tolist(), strict=True)
            if target >= 0 and score >= self._threshold
        ]
