"""Which entities to answer with when relation paths of one topic reach different sets: the best guess of all.

The right set is taken to be one of the sets that the paths reach, each with its probability. The answer is the set
whose expected likeness to it is greatest (minimum Bayes risk): a set that overlaps with the likely ones beats a
slightly likelier one that is alone, and two sets together beat either when it is a toss-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

#: Sets that may be the right one, that may be the answer, and that may be answered with in pairs.
POSSIBLE, OFFERED, PAIRED = 20, 10, 4


class Weighted(Protocol):
    """A set with the probability that it is the right one."""

    @property
    def targets(self) -> np.ndarray:
        """Entity ids, ascending."""
        ...

    @property
    def probability(self) -> float:
        """In [0, 1]; they need not sum to 1."""
        ...


def select_best_guess(sets: Sequence[Weighted], hit: float) -> np.ndarray:
    """The set of greatest expected F1 + ``hit`` [has a right entity]; the likeliest one when equal.

    Args:
        sets: distinct, not empty, most probable first; at least one.
        hit: how much it counts that some answer is right, beside F1; 0 is F1 alone.

    Returns:
        Entity ids, ascending.
    """
    sets = sets[:POSSIBLE]
    entities = np.unique(np.concatenate([each.targets for each in sets]))
    member = np.array([np.isin(entities, each.targets, assume_unique=True) for each in sets], np.float32)
    weights = np.array([each.probability for each in sets])
    offered = list(member[:OFFERED])
    paired = member[:PAIRED]
    offered += [np.maximum(paired[i], paired[j]) for i in range(len(paired)) for j in range(i + 1, len(paired))]
    guesses = np.array(offered)
    shared = guesses @ member.T
    f1 = 2 * shared / (guesses.sum(1)[:, None] + member.sum(1)[None])
    expected = (f1 + hit * (shared > 0)) @ (weights / weights.sum())
    chosen = int(np.argmax(np.round(expected, 9)))
    entities_chosen: np.ndarray = entities[guesses[chosen] > 0]
    return entities_chosen
