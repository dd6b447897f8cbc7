"""Facts of a proof: collected as steps of paths, given as evidence chains."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evidence.chains import get_fact_key
from retrieval.evidence.verify import make_hop
from retrieval.kg.snapshot.arrays import find_common
from retrieval.types import EvidenceChain

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.types import Node

_Path = tuple[int, ...]


class ProofFacts:
    """The facts that were collected for one proof.

    Attributes:
        answers: nodes of the largest set that was proven, int64 [n].
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        # By where a path begins and its directed relations: the pairs of nodes of each step.
        self._steps: dict[tuple[int, _Path], list[dict[tuple[int, int], None]]] = {}
        # Nodes that have a relation, whatever it leads to.
        self._had: dict[tuple[int, int], None] = {}
        self.answers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        """How many paths there are; at least as many as chains."""
        return len(self._steps)

    def add_having(self, node: int, relation: int) -> None:
        """That a node has a relation: any of its facts."""
        self._had[node, relation] = None

    def find_path(self, start: int, path: _Path, end: int) -> tuple[int, ...]:
        """The nodes of one path from a node to another."""
        levels = [np.array([start])]
        for relation in path[:-1]:
            levels.append(self._executor.walk(levels[-1], relation))
        nodes = [end]
        for relation, level in zip(reversed(path), reversed(levels), strict=True) if path else ():
            nodes.append(
                int(find_common(self._executor.walk(np.array([nodes[-1]]), self.get_inverse(relation)), level)[0])
            )
        return tuple(reversed(nodes))

    def get_inverse(self, relation: int) -> int:
        """The directed relation the other way round."""
        count = self._executor.snapshot.num_relations
        return (relation + count) % (2 * count)

    def add_first(self, node: int, relation: int, ends: np.ndarray) -> None:
        """The fact that leads to the first of some nodes, if there are any."""
        if len(ends):
            self.add_path((node, int(ends[0])), (relation,))

    def add_path(self, nodes: tuple[int, ...], path: _Path) -> None:
        """The facts of a path through some nodes, one more than relations."""
        steps = self._steps.setdefault((nodes[0], path), [{} for _ in path])
        for step, pair in zip(steps, pairwise(nodes), strict=True):
            step[pair] = None

    def build_chains(self, score: float) -> tuple[EvidenceChain, ...]:
        """The facts as chains: paths of the same relations from one node are one chain, a fact both ways too."""
        for node, relation in self._had:
            if not self._is_shown(node, relation):
                self.add_first(node, relation, self._executor.walk(np.array([node]), relation))
        chains: list[EvidenceChain] = []
        shown: list[frozenset[tuple[int, str, int]]] = []
        for (start, path), steps in self._steps.items():
            chain = self._build_chain(start, path, steps, score)
            facts = frozenset(map(get_fact_key, chain.hops))
            if facts not in shown:
                chains.append(chain)
                shown.append(facts)
        return tuple(chains)

    def _is_shown(self, node: int, relation: int) -> bool:
        """Whether some fact shows already that a node has a relation."""
        back = self.get_inverse(relation)
        return any(
            (way == relation and source == node) or (way == back and target == node)
            for (_, path), steps in self._steps.items()
            for way, step in zip(path, steps, strict=True)
            for source, target in step
        )

    def _build_chain(
        self, start: int, path: _Path, steps: list[dict[tuple[int, int], None]], score: float
    ) -> EvidenceChain:
        snapshot, relations = self._executor.snapshot, self._executor.snapshot.num_relations
        levels: list[tuple[Node, ...]] = [
            tuple(map(snapshot.get_node, sorted({target for _, target in step}))) for step in steps
        ]
        reached = np.array([start])
        for relation in path:
            reached = self._executor.walk(reached, relation)
        counts = [len(level) for level in levels]
        counts[-1] = max(counts[-1], len(find_common(reached, self.answers)))  # of many answers the first are proven
        return EvidenceChain(
            source=snapshot.get_node(start),
            steps=tuple(snapshot.get_relation_step(r % relations, r >= relations) for r in path),
            levels=tuple(levels),
            level_counts=tuple(counts),
            hops=tuple(
                make_hop(snapshot, source, relation, target)
                for relation, step in zip(path, steps, strict=True)
                for source, target in sorted(step)
            ),
            score=min(1.0, max(0.0, score)),
        )
