"""Chain expansion: from retrieved triples to paths that start at a topic (ReG D.4.1, Algorithm 1)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from retrieval.types import Triple


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A fact as walked: forward (head to tail), or backward when ``inverse``."""

    fact: Triple
    inverse: bool = False

    @property
    def source(self) -> int:
        """Entity the step leaves."""
        return self.fact.tail if self.inverse else self.fact.head

    @property
    def target(self) -> int:
        """Entity the step reaches."""
        return self.fact.head if self.inverse else self.fact.tail


Walk = tuple[ChainStep, ...]


def expand(
    facts: Iterable[Triple], topics: Collection[int], max_length: int | None, *, mixed: bool = False
) -> list[Walk]:
    """Every chain that breadth-first search grows from the topics through the retrieved facts.

    A chain begins with a fact at a topic and is extended by a fact that starts where it ends; each pair of
    (topic, entity reached) is extended to once, so chains stay few. Facts at a topic only begin chains.

    Args:
        facts: the retrieved triples; duplicates are dropped, order decides between ties.
        max_length: L, the most facts in a chain; None for no limit.
        mixed: False expands as the paper does, left to right and right to left apart (a chain is walked
            all forward or all backward). True lets a chain change direction, as retrievers that walk
            inverse relations need ("films by the director of ...").

    Returns:
        Chains in order of length, each starting at a topic.
    """
    if max_length is not None and max_length < 1:
        raise ValueError(f"max_length is {max_length}; a chain has at least one fact")
    distinct = list(dict.fromkeys(facts))
    forward = [ChainStep(fact) for fact in distinct]
    backward = [ChainStep(fact, inverse=True) for fact in distinct]
    anchors = set(topics)
    if mixed:
        return _search(forward + backward, anchors, max_length)
    chains = _search(forward, anchors, max_length) + _search(backward, anchors, max_length)
    return sorted(chains, key=len)


def _search(steps: list[ChainStep], topics: set[int], max_length: int | None) -> list[Walk]:
    """Algorithm 1 over directed steps: lines 3-4 split them, lines 6-22 grow the queue."""
    rest: dict[int, list[ChainStep]] = defaultdict(list)
    queue: deque[Walk] = deque()
    for step in steps:
        if step.source in topics:
            queue.append((step,))
        else:
            rest[step.source].append(step)
    chains: list[Walk] = []
    visited: set[tuple[int, int]] = set()
    while queue:
        walk = queue.popleft()
        chains.append(walk)
        if max_length is not None and len(walk) >= max_length:
            continue
        root = walk[0].source
        for step in rest[walk[-1].target]:
            # The same fact walked back is no evidence of anything.
            if (root, step.target) in visited or any(step.fact == past.fact for past in walk):
                continue
            visited.add((root, step.target))
            queue.append((*walk, step))
    return chains
