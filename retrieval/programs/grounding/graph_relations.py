"""A graph's relations: where they lead from and to, which belong together, and the kinds that one of them gives."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot import KINDS
from retrieval.kg.table import ROW
from retrieval.language.english import STOP
from retrieval.language.words import get_label_stems, remove_unit
from retrieval.lexicon import get_words
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Entities, Having, Program, Walk
from retrieval.programs.grounding.relation_types import RelationInfo, detect_form, parse_stems

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_LITERAL = KINDS.index("literal")
#: Relations that say what kind of thing a node is, by label.
_TYPE_LABELS = get_words("type_relations")
#: Nodes of a side that are looked at, and the share of them that must have a relation.
SAMPLE, NEARLY_ALL, MOST = 40, 0.9, 0.8
#: Relations that are told apart by one word: two.
_TWINS = 2
#: Facts an owner, of a relation of which each has one.
_SINGLE = 1.05
#: Words of relations that give places, by stem; the best place that anything has is at most so far from the first.
_PLACING, _FIRST = parse_stems("rank ranking place position placing standing"), 3
_YES, NO = frozenset({"yes", "true", "y", "t"}), frozenset({"no", "false", "n", "f"})
#: Columns of ones and zeros say yes and no where they have so many facts; of fewer rows they may be counts.
_BITS, _FEWEST_BITS = ("0", "1"), 8


class GraphRelations:
    """The relations of one snapshot.

    Attributes:
        type_relation: the relation that says what kind a node is, None where there is none.
        kinds: nodes that are kinds, by id, with how many are of them.
        relations: by forward id.
        listing: the relation that says where things stand in the table that they are from, None where there is none.
            Nothing names it: only what is said of the order of rows leads to it.
    """

    def __init__(self, snapshot: Snapshot, columns: Columns | None = None) -> None:
        self.snapshot = snapshot
        self.columns = columns or Columns(snapshot)
        self.type_relation = self._find_type_relation()
        self.kinds = self._count_kinds()
        labels = [snapshot.get_relation_label(relation) for relation in range(snapshot.num_relations)]
        self.listing = labels.index(ROW) if ROW in labels else None
        self.relations = [self._describe_relation(r) for r in range(snapshot.num_relations)]

    def _find_type_relation(self) -> int | None:
        if self.snapshot.kind_relation is not None:
            return self.snapshot.kind_relation
        best: tuple[int, int] | None = None
        counts = self.snapshot.count_facts_by_relation()
        for relation in range(self.snapshot.num_relations):
            label = self.snapshot.get_relation_label(relation).casefold().strip()
            if label == "label" and (self.snapshot.kinds[self.columns.list_targets(relation)] == _LITERAL).all():
                continue  # rdfs:label gives a node's other names, not the node labels of a property graph
            if label in _TYPE_LABELS and (best is None or counts[relation] > best[0]):
                best = (int(counts[relation]), relation)
        return best[1] if best else None

    def _count_kinds(self) -> dict[int, int]:
        if self.type_relation is None:
            return {}
        nodes, sizes = np.unique(self.columns.list_arcs(self.type_relation)[1], return_counts=True)
        return dict(zip(nodes.tolist(), sizes.tolist(), strict=True))

    def _describe_relation(self, relation: int) -> RelationInfo:
        heads, tails = self.columns.list_sources(relation), self.columns.list_targets(relation)
        out = self.snapshot.out_offsets[tails + 1] - self.snapshot.out_offsets[tails]
        label = self.snapshot.get_relation_label(relation)
        stems = () if relation == self.listing else get_label_stems(remove_unit(label))
        return RelationInfo(
            relation, label, stems, len(self.columns.list_arcs(relation)[0]), len(heads), len(tails),
            float(np.mean(out == 0)) if len(out) else 1.0, detect_form(label),
        )  # fmt: skip

    @cached_property
    def single(self) -> list[int]:
        """Relations to things of which each has one: a wine's producer, a region's country."""
        return [
            info.id for info in self.relations
            if info.facts <= _SINGLE * info.heads and info.id != self.type_relation
            and self.columns.get_value_type(info.id) is None
        ]  # fmt: skip

    def find_twin(self, relation: int) -> int | None:
        """The directed relation whose name differs in the first word alone: of the home team, the away team."""
        inverse, forward = divmod(relation, self.snapshot.num_relations)
        other = self._twins.get(forward)
        return None if other is None else other + inverse * self.snapshot.num_relations

    @cached_property
    def _twins(self) -> dict[int, int]:
        by_rest: dict[str, list[int]] = defaultdict(list)
        for info in self.relations:
            first, _, rest = info.label.casefold().partition(" ")
            if set(rest.split()) - STOP and first not in STOP and self.columns.get_value_type(info.id) is None:
                by_rest[rest].append(info.id)
        pairs = [group for group in by_rest.values() if len(group) == _TWINS]
        return {left: right for pair in pairs for left, right in (pair, pair[::-1])}

    @cached_property
    def value_relations(self) -> list[int]:
        """Relations that lead to numbers, dates or times."""
        return [
            info.id for info in self.relations
            if info.id != self.listing and self.columns.get_value_type(info.id) is not None
        ]  # fmt: skip

    @cached_property
    def placings(self) -> frozenset[int]:
        """Relations that give places in a ranking, of which the first is the best."""
        relations = set[int]()
        for relation in self.value_relations:
            if set(self.relations[relation].stems) & _PLACING:
                values = self.columns.get_column(relation).values
                if 1 <= values.min() <= _FIRST and (values == np.floor(values)).all():
                    relations.add(relation)
        return frozenset(relations)

    @cached_property
    def truths(self) -> dict[int, int]:
        """Relations that say yes or no, with the node that means yes."""
        yes_nodes: dict[int, int] = {}
        for info in self.relations:
            if info.tails <= len(_YES | NO):
                nodes = self.columns.list_targets(info.id).tolist()
                labels = {self.snapshot.get_entity_label(node).casefold(): node for node in nodes}
                yes = [label for label in labels if label in _YES]
                if yes and set(labels) <= _YES | NO:
                    yes_nodes[info.id] = labels[yes[0]]
                elif sorted(labels) == list(_BITS) and info.facts >= _FEWEST_BITS:
                    yes_nodes[info.id] = labels[_BITS[1]]
        return yes_nodes

    @cached_property
    def truth_values(self) -> frozenset[int]:
        """The nodes that mean yes or no wherever they are: not 1 and 0, which are numbers elsewhere."""
        nodes = frozenset(node for relation in self.truths for node in self.columns.list_targets(relation).tolist())
        return frozenset(node for node in nodes if self.snapshot.get_entity_label(node) not in _BITS)

    @cached_property
    def untruths(self) -> dict[int, int]:
        """Relations that say yes or no, with the node that means no where there is one."""
        ends = {relation: self.columns.list_targets(relation).tolist() for relation in self.truths}
        no_nodes = {
            relation: [node for node in nodes if self.snapshot.get_entity_label(node).casefold() in NO | {_BITS[0]}]
            for relation, nodes in ends.items()
        }
        return {relation: nodes[0] for relation, nodes in no_nodes.items() if nodes}

    def find_peers(self, directed: int) -> Program | None:
        """All nodes of the sort of those that a relation leaves: of their kind, or that have what all of them have.

        None where nothing tells that sort from all others.
        """
        nodes = self.columns.list_sources(directed)
        if not len(nodes):
            return None
        held = self.find_shared_relations(nodes)
        if self.type_relation is not None:
            sample = nodes[:: max(1, len(nodes) // SAMPLE)]
            kinds = {k for k in self.kinds if len(np.intersect1d(sample, self.list_members(k), assume_unique=True))}
            return Walk(Entities(tuple(sorted(kinds))), self.get_inverse(self.type_relation)) if kinds else None
        wider = [r for r in held if len(self.columns.list_sources(r)) > len(nodes)]
        return Having(max(wider, key=lambda r: (len(self.columns.list_sources(r)), -r))) if wider else None

    def _find_targets(self, nodes: np.ndarray, relation: int) -> np.ndarray:
        sources, targets = self.columns.list_arcs(relation)
        return targets[np.isin(sources, nodes)]

    def find_shared_relations(self, nodes: np.ndarray) -> list[int]:
        """Directed relations that nearly all of some nodes have, ascending."""
        sample = nodes[:: max(1, len(nodes) // SAMPLE)]
        heads, leaving, _, _ = find_arcs(self.snapshot, sample)
        owners = np.unique(np.stack([heads, leaving]), axis=1)
        having = np.bincount(owners[1], minlength=2 * self.snapshot.num_relations)
        held: list[int] = np.flatnonzero(having >= NEARLY_ALL * len(sample)).tolist()
        return held

    def get_inverse(self, relation: int) -> int:
        """The same relation walked the other way."""
        return (relation + self.snapshot.num_relations) % (2 * self.snapshot.num_relations)

    def list_members(self, kind: int) -> np.ndarray:
        """Nodes of a kind, int64 ascending."""
        if self.type_relation is None:
            return np.zeros(0, np.int64)
        start, stop = self.snapshot.in_groups.find_run(kind, self.type_relation)
        return np.sort(self.snapshot.in_heads[start:stop].astype(np.int64))
