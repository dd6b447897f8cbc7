"""The smallest proof of what a program gives: for each answer the facts by which it is in the result.

A proof is worked out backwards from the answers. Of several facts that put a node in a set one is enough; what a set
lacks (:class:`Except`, a count of nothing) has no facts. The other members of the sets on the way are no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.proof_facts import ProofFacts
from retrieval.evidence.chains import LEVEL_LIMIT
from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Folding
from retrieval.programs.algebra import operations as ops
from retrieval.programs.algebra.operations import Key, Program, Walk, walk
from retrieval.programs.algebra.table_operations import Table, list_table_paths

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.types import EvidenceChain

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
        score: how likely the program is what was asked, in [0, 1].
    """
    proof = ProofBuilder(executor)
    proof.collect_result_facts(program)
    return proof.facts.build_chains(score)


class ProofBuilder:
    """Collects the facts that prove a program's result."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._known: set[tuple[Program, int]] = set()
        self.facts = ProofFacts(executor)

    def collect_result_facts(self, program: Program) -> None:
        """Prove the first nodes of a set, or a number or truth."""
        match program:
            case ops.Count(source):
                self._collect_members(source, MEMBERS)
            case ops.Exists(source):
                nodes = self._collect_members(source, 1)
                forward = range(self._executor.snapshot.num_relations)
                for part in walk(source) if not nodes else ():  # what the graph says of the named things instead
                    if isinstance(part, Walk) and part.relation in forward and isinstance(part.source, ops.Entities):
                        self._collect_members(part, MEMBERS)
            case ops.Arithmetic() | ops.Holds():
                self.collect_result_facts(program.left)
                self.collect_result_facts(program.right)
            case ops.KeyOf(source, key):
                value = self._executor.compute_number(program)
                for node in self._collect_members(source, 1):
                    self._collect_key_facts(node, key, lambda values: values == value)
            case ops.Fold(how, source, key):
                self._collect_fold_facts(how, source, key, self._executor.compute_number(program))
            case Table(source):
                paths = list_table_paths(program)
                for node in self._collect_members(source, MEMBERS):
                    self._collect_end_facts(node, paths)
            case _ if isinstance(self._executor.run(program), np.ndarray):
                self._collect_members(program, LEVEL_LIMIT)

    def _collect_members(self, program: Program, limit: int) -> list[int]:
        """Prove that the first nodes of a set are in it; returns those."""
        nodes = self._executor.compute_nodes(program)
        self.facts.answers = nodes if len(nodes) > len(self.facts.answers) else self.facts.answers
        members: list[int] = []
        for node in nodes[:limit].tolist():
            if len(self.facts) < CHAINS:
                self.collect_facts(program, node)
                members.append(node)
        return members

    def _collect_end_facts(self, node: int, paths: Iterable[_Path]) -> None:
        """What the first paths lead to from a row's node."""
        for path in paths:
            ends = self._executor.compute_pairs(np.array([node]), path)[1] if len(self.facts) < CHAINS else ()
            for end in np.unique(ends)[:MEMBERS].tolist():
                self.facts.add_path(self.facts.find_path(node, path, int(end)), path)

    def _collect_fold_facts(self, how: Folding, source: Program, key: Key, value: float) -> None:
        nodes = self._executor.compute_nodes(source)
        is_extreme = how in (Folding.LEAST, Folding.MOST)
        keyed = self._executor.compute_keys(nodes, key, largest=how is Folding.MOST)
        nodes = keyed.owners[keyed.values == value][:1] if is_extreme else keyed.owners
        for node in nodes[:MEMBERS].tolist():
            if len(self.facts) < CHAINS:
                self._collect_key_facts(node, key, (lambda values: values == value) if is_extreme else None)
                self.collect_facts(source, node)

    def collect_facts(self, program: Program, node: int) -> None:
        """Collect the facts by which a node is in the set that a program denotes."""
        if (program, node) in self._known:
            return
        self._known.add((program, node))
        match program:
            case ops.Having(relation):
                self.facts.add_having(node, relation)
            case Walk():
                self._collect_walk_facts(program, node)
            case ops.And(left, right):
                self.collect_facts(left, node)
                self.collect_facts(right, node)
            case ops.Or(left, right):
                self.collect_facts(left if node in self._executor.compute_nodes(left) else right, node)
            case ops.Except(source):
                self.collect_facts(source, node)
            case ops.TextFilter(source, relation):
                self.collect_facts(source, node)
                if relation is not None:
                    ends = self._executor.walk(np.array([node]), relation).tolist()
                    fitting = [end for end in ends if self._executor.test_text(program, end)]
                    self.facts.add_first(node, relation, np.array(fitting, np.int64))
            case ops.Filter(source, key):
                self._collect_key_facts(node, key, lambda values: self._executor.compare_keys(program, values))
                self.collect_facts(source, node)
                self.collect_result_facts(program.value)
            case ops.Top():
                self._collect_place_facts(program, node)

    def _collect_walk_facts(self, program: Walk, node: int) -> None:
        """One path by which a walk leads to a node, and that its first node is in the set it begins at."""
        path, nodes, here = list[int](), [node], dict[Program, None]()
        source: Program = program
        while isinstance(source, Walk) and source not in here:
            sources = self._find_sources(nodes[-1], source)
            if not len(sources):  # of an endpoint not all facts are known
                return
            path.append(source.relation)
            nodes.append(self._select_source(source.source, sources))
            source = source.source
        self.facts.add_path(tuple(reversed(nodes)), tuple(reversed(path)))
        self.collect_facts(source, nodes[-1])

    def _find_sources(self, node: int, program: Walk) -> np.ndarray:
        back = self.facts.get_inverse(program.relation)
        return find_common(self._executor.walk(np.array([node]), back), self._executor.compute_nodes(program.source))

    def _select_source(self, program: Program, nodes: np.ndarray) -> int:
        """A node that is proven to be in a set already, else the first: a proof is small where its answers share."""
        known = next((node for node in nodes.tolist() if (program, node) in self._known), None)
        return int(nodes[0]) if known is None else known

    def _collect_place_facts(self, program: ops.Top, node: int) -> None:
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
            self._collect_key_facts(member, key, partial(np.isin, test_elements=value))
            self.collect_facts(program.source, member)
            for group in executor.compute_pairs(np.array([member]), program.per)[1].tolist() if program.per else ():
                self.facts.add_path(self.facts.find_path(member, program.per or (), group), program.per or ())

    def _collect_key_facts(self, node: int, key: Key, fits: _Fits | None) -> None:
        """The facts that give a node's key: those counted, those folded, or one whose value matters."""
        executor = self._executor
        if key.counted:
            ends = executor.compute_pairs(np.array([node]), key.path)[1]
            if key.among is not None:
                ends = find_common(np.unique(ends), executor.compute_nodes(key.among))
            for end in ends[:MEMBERS].tolist():
                self.facts.add_path(self.facts.find_path(node, key.path, end), key.path)
                if key.among is not None:
                    self.collect_facts(key.among, end)
            return
        holders = np.unique(executor.compute_pairs(np.array([node]), key.path[:-1])[1])
        if key.among is not None:
            holders = find_common(holders, executor.compute_nodes(key.among))
        holders = holders[:MEMBERS]
        reads_all = fits is None or key.folding in (Folding.SUM, Folding.AVERAGE)
        for holder in holders.tolist():
            owned = self.facts.find_path(node, key.path[:-1], holder)
            if key.among is not None:
                self.collect_facts(key.among, holder)
            for read, value in self._iter_values(holder, key):
                if not reads_all and fits is not None and not fits(np.array([value]))[0]:
                    continue
                for end, path in zip(read, (key.path[-1:], key.times or key.less or ()), strict=False):
                    self.facts.add_path((*owned, *self.facts.find_path(holder, path, end)[1:]), (*key.path[:-1], *path))
                if not reads_all:
                    return

    def _iter_values(self, holder: int, key: Key) -> Iterator[tuple[tuple[int, ...], float]]:
        """The values of a node by the last relation of a key, each with the nodes that it comes from."""
        second = key.times or key.less
        others, combine = self._list_values(holder, second) if second else [], self._executor.merge_values
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
