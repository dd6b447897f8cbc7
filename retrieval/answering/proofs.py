"""The smallest proof of what a program gives: for each answer the facts by which it is in the result.

A proof is worked out backwards from the answers. Of several facts that put a node in a set one is enough; what a set
lacks (:class:`Except`, a count of nothing) has no facts. The other members of the sets on the way are no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evidence.chains import LEVEL_LIMIT, get_fact_key
from retrieval.evidence.verify import make_hop
from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Folding
from retrieval.programs.algebra import operations as ops
from retrieval.programs.algebra.operations import Key, Program, Walk, walk
from retrieval.types import EvidenceChain

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.types import Node

CHAINS = 24
"""Chains after which no further answers are proven."""
MEMBERS = 24
"""Members of a set that are proven, where it is counted, summed or compared."""

#: Marks the values of a key that matter: float64 [n] to bool [n].
_Fits = Callable[[np.ndarray], np.ndarray]
_Path = tuple[int, ...]


def build_chains(executor: Executor, program: Program, score: float) -> tuple[EvidenceChain, ...]:
    """The facts that prove the first answers of a program, or its number or truth, as chains.

    Args:
        executor: of the graph; what it has computed already is not computed again.
        program: over the graph.
        score: how likely the program is what was asked, in [0, 1].
    """
    proof = ProofBuilder(executor)
    proof.prove_result(program)
    return proof.build_chains(score)


class ProofBuilder:
    """Collects the facts that prove a program's result.

    Args:
        executor: of the graph.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._known: set[tuple[Program, int]] = set()
        # By where a path begins and its directed relations: the pairs of nodes of each step.
        self._steps: dict[tuple[int, _Path], list[dict[tuple[int, int], None]]] = {}
        # Nodes that have a relation, whatever it leads to.
        self._had: dict[tuple[int, int], None] = {}
        self._answers = np.zeros(0, np.int64)

    def prove_result(self, program: Program) -> None:
        """Prove the first nodes of a set, or a number or truth."""
        match program:
            case ops.Count(source):
                self._prove_members(source, MEMBERS)
            case ops.Exists(source):
                nodes = self._prove_members(source, 1)
                forward = range(self._executor.snapshot.num_relations)
                for part in walk(source) if not nodes else ():  # what the graph says of the named things instead
                    if isinstance(part, Walk) and part.relation in forward and isinstance(part.source, ops.Entities):
                        self._prove_members(part, MEMBERS)
            case ops.Arithmetic() | ops.Holds():
                self.prove_result(program.left)
                self.prove_result(program.right)
            case ops.KeyOf(source, key):
                value = self._executor.compute_number(program)
                for node in self._prove_members(source, 1):
                    self._prove_key(node, key, lambda values: values == value)
            case ops.Fold(how, source, key):
                self._prove_fold(how, source, key, self._executor.compute_number(program))
            case _ if isinstance(self._executor.run(program), np.ndarray):
                self._prove_members(program, LEVEL_LIMIT)

    def _prove_members(self, program: Program, limit: int) -> list[int]:
        """Prove that the first nodes of a set are in it; returns those."""
        nodes = self._executor.compute_nodes(program)
        self._answers = nodes if len(nodes) > len(self._answers) else self._answers
        members: list[int] = []
        for node in nodes[:limit].tolist():
            if len(self._steps) < CHAINS:
                self.prove(program, node)
                members.append(node)
        return members

    def _prove_fold(self, how: Folding, source: Program, key: Key, value: float) -> None:
        nodes = self._executor.compute_nodes(source)
        is_extreme = how in (Folding.LEAST, Folding.MOST)
        keyed = self._executor.compute_keys(nodes, key, largest=how is Folding.MOST)
        nodes = keyed.owners[keyed.values == value][:1] if is_extreme else keyed.owners
        for node in nodes[:MEMBERS].tolist():
            if len(self._steps) < CHAINS:
                self._prove_key(node, key, (lambda values: values == value) if is_extreme else None)
                self.prove(source, node)

    def prove(self, program: Program, node: int) -> None:
        """Collect the facts by which a node is in the set that a program denotes."""
        if (program, node) in self._known:
            return
        self._known.add((program, node))
        match program:
            case ops.Having(relation):
                self._had[node, relation] = None
            case Walk():
                self._prove_walk(program, node)
            case ops.And(left, right):
                self.prove(left, node)
                self.prove(right, node)
            case ops.Or(left, right):
                self.prove(left if node in self._executor.compute_nodes(left) else right, node)
            case ops.Except(source):
                self.prove(source, node)
            case ops.TextFilter(source, relation):
                self.prove(source, node)
                if relation is not None:
                    ends = self._executor.walk(np.array([node]), relation).tolist()
                    fitting = [end for end in ends if self._executor.test_text(program, end)]
                    self._add_first(node, relation, np.array(fitting, np.int64))
            case ops.Filter(source, key):
                self._prove_key(node, key, lambda values: self._executor.compare_keys(program, values))
                self.prove(source, node)
                self.prove_result(program.value)
            case ops.Top():
                self._prove_place(program, node)

    def _prove_walk(self, program: Walk, node: int) -> None:
        """One path by which a walk leads to a node, and that its first node is in the set it begins at."""
        path, nodes, here = list[int](), [node], dict[Program, None]()
        source: Program = program
        while isinstance(source, Walk) and source not in here:
            sources = self._find_sources(nodes[-1], source)
            if not len(sources):  # of an endpoint not all facts are known
                return
            path.append(source.relation)
            nodes.append(self._choose(source.source, sources))
            source = source.source
        self._add_path(tuple(reversed(nodes)), tuple(reversed(path)))
        self.prove(source, nodes[-1])

    def _find_sources(self, node: int, program: Walk) -> np.ndarray:
        back = self._invert(program.relation)
        return find_common(self._executor.walk(np.array([node]), back), self._executor.compute_nodes(program.source))

    def _choose(self, program: Program, nodes: np.ndarray) -> int:
        """A node that is proven to be in a set already, else the first: a proof is small where its answers share."""
        known = next((node for node in nodes.tolist() if (program, node) in self._known), None)
        return int(nodes[0]) if known is None else known

    def _prove_place(self, program: ops.Top, node: int) -> None:
        """The value and group by which a node has its place, and what stands before it where that is not the first."""
        executor, key = self._executor, program.key
        keyed = executor.compute_ranking(program)
        values = keyed.values if program.largest else -keyed.values
        mine = values[keyed.owners == node]
        placed = [node]
        if program.rank > 1 and len(mine):
            before = keyed.owners[values > mine[0]]
            if program.per is not None:
                groups = executor.compute_pairs(np.array([node]), program.per)[1]
                owners, ends = executor.compute_pairs(before, program.per)
                before = np.unique(owners[np.isin(ends, groups)])
            placed += before[:MEMBERS].tolist()
        for member in placed:
            value = keyed.values[keyed.owners == member]
            self._prove_key(member, key, partial(np.isin, test_elements=value))
            self.prove(program.source, member)
            for group in executor.compute_pairs(np.array([member]), program.per)[1].tolist() if program.per else ():
                self._add_path(self._trace(member, program.per or (), group), program.per or ())

    def _prove_key(self, node: int, key: Key, fits: _Fits | None) -> None:
        """The facts that give a node's key: those counted, those folded, or one whose value matters."""
        executor = self._executor
        if key.counted:
            ends = executor.compute_pairs(np.array([node]), key.path)[1]
            if key.among is not None:
                ends = find_common(np.unique(ends), executor.compute_nodes(key.among))
            for end in ends[:MEMBERS].tolist():
                self._add_path(self._trace(node, key.path, end), key.path)
                if key.among is not None:
                    self.prove(key.among, end)
            return
        holders = np.unique(executor.compute_pairs(np.array([node]), key.path[:-1])[1])[:MEMBERS]
        reads_all = fits is None or key.folding in (Folding.SUM, Folding.AVERAGE)
        for holder in holders.tolist():
            owned = self._trace(node, key.path[:-1], holder)
            for read, value in self._iter_values(holder, key):
                if not reads_all and fits is not None and not fits(np.array([value]))[0]:
                    continue
                for end, path in zip(read, (key.path[-1:], key.times or key.less or ()), strict=False):
                    self._add_path((*owned, *self._trace(holder, path, end)[1:]), (*key.path[:-1], *path))
                if not reads_all:
                    return

    def _iter_values(self, holder: int, key: Key) -> Iterator[tuple[tuple[int, ...], float]]:
        """The values of a node by the last relation of a key, each with the nodes that it comes from."""
        second = key.times or key.less
        others, combine = self._list_values(holder, second) if second else [], self._executor.combine_values
        for end, left in self._list_values(holder, key.path[-1:]):
            if not second:
                yield (end,), left
            for other, right in others:
                yield (end, other), float(combine(key, np.array([left]), np.array([right]))[0])

    def _list_values(self, node: int, path: _Path) -> list[tuple[int, float]]:
        """The value nodes that a path leads to, with their values."""
        column = self._executor.columns.get_column(path[-1])
        values: list[tuple[int, float]] = []
        owners = self._executor.compute_pairs(np.array([node]), path[:-1])[1]
        for owner in owners.tolist():
            first, last = np.searchsorted(column.owners, [owner, owner + 1])
            values += zip(column.nodes[first:last].tolist(), column.values[first:last].tolist(), strict=True)
        return values

    def _trace(self, start: int, path: _Path, end: int) -> tuple[int, ...]:
        """The nodes of one path from a node to another."""
        levels = [np.array([start])]
        for relation in path[:-1]:
            levels.append(self._executor.walk(levels[-1], relation))
        nodes = [end]
        for relation, level in zip(reversed(path), reversed(levels), strict=True) if path else ():
            nodes.append(int(find_common(self._executor.walk(np.array([nodes[-1]]), self._invert(relation)), level)[0]))
        return tuple(reversed(nodes))

    def _invert(self, relation: int) -> int:
        count = self._executor.snapshot.num_relations
        return (relation + count) % (2 * count)

    def _add_first(self, node: int, relation: int, ends: np.ndarray) -> None:
        if len(ends):
            self._add_path((node, int(ends[0])), (relation,))

    def _add_path(self, nodes: tuple[int, ...], path: _Path) -> None:
        steps = self._steps.setdefault((nodes[0], path), [{} for _ in path])
        for step, pair in zip(steps, pairwise(nodes), strict=True):
            step[pair] = None

    def build_chains(self, score: float) -> tuple[EvidenceChain, ...]:
        """The facts as chains: paths of the same relations from one node are one chain, a fact both ways too."""
        for node, relation in self._had:
            if not self._is_shown(node, relation):
                self._add_first(node, relation, self._executor.walk(np.array([node]), relation))
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
        back = self._invert(relation)
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
        counts[-1] = max(counts[-1], len(find_common(reached, self._answers)))  # of many answers the first are proven
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
