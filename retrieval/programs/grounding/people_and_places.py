"""Which nodes of a graph are people, and which are places."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from retrieval.language.words import get_label_stems
from retrieval.programs.grounding.graph_relations import SAMPLE, GraphRelations
from retrieval.programs.grounding.relation_types import (
    KINDRED,
    LOCATING,
    NOWHERE,
    PERSONAL,
    SOMEBODY,
    SOMEWHERE,
    RelationInfo,
    is_agent_noun,
    is_personal,
)
from retrieval.programs.grounding.row_names import is_number_of


class PeopleAndPlaces(GraphRelations):
    """Tells people and places by their kinds, their names, and what is said of them."""

    @cached_property
    def somebody(self) -> np.ndarray:
        """Which nodes are people: by their kind, because they are born and marry, or because something has them as its
        customer or owner; bool [E]. Numbered rows that refer to a person are none: "manager 1", of an employee.
        """
        personal = [info.id for info in self.relations if set(info.stems) & PERSONAL]
        led = [info.id for info in self.relations if self._has_people_ends(info)]
        every = [self.columns.list_sources(relation) for relation in personal]
        mask = self._build_mask(SOMEBODY, [*every, *(self.columns.list_targets(relation) for relation in led)])
        for kind in self.kinds:
            rows = self.list_members(kind)
            if mask[rows].all() and self._refer_to_people(kind, rows, mask):
                mask[rows] = False
        return mask

    def _refer_to_people(self, kind: int, rows: np.ndarray, people: np.ndarray) -> bool:
        """Whether rows are named by their numbers, and all refer to people who are not among them."""
        noun, some = self.snapshot.get_entity_label(kind).casefold(), rows[:: max(1, len(rows) // SAMPLE)]
        labels = [self.snapshot.get_entity_label(node).casefold() for node in some.tolist()]
        if not labels or not all(is_number_of(label, noun) for label in labels):
            return False
        ends = [
            self._find_targets(rows, r) for r in self.find_shared_relations(rows) if r < self.snapshot.num_relations
        ]
        return any(people[nodes].all() and not np.isin(nodes, rows).any() for nodes in ends)

    def _has_people_ends(self, info: RelationInfo) -> bool:
        if set(info.stems) & KINDRED:
            return self.columns.get_value_type(info.id) is None
        if info.form == "by":
            return self._has_personal_ends(info.id)
        stems = info.stems[:-1] if info.stems[-1:] == ("name",) else info.stems
        if not stems or info.form != "noun" or self.columns.get_value_type(info.id) is not None:
            return False
        doer = is_agent_noun(info.label.casefold().rpartition(" ")[2])
        return stems[-1] in SOMEBODY or (doer and self._has_personal_names(self.columns.list_targets(info.id)))

    def _has_personal_ends(self, relation: int) -> bool:
        """Whether no kind is said of what things are "placed by", and all are called as people are."""
        some = self.columns.list_targets(relation)
        typed = () if self.type_relation is None else self.columns.list_sources(self.type_relation)
        return not np.isin(some, typed).any() and self._has_personal_names(some)

    def _has_personal_names(self, nodes: np.ndarray) -> bool:
        some = nodes[:: max(1, len(nodes) // SAMPLE)]
        return bool(len(some)) and all(is_personal(self.snapshot.get_entity_label(node)) for node in some.tolist())

    @cached_property
    def somewhere(self) -> np.ndarray:
        """Which nodes are places, by their kind or because something lies there; bool [E]."""
        locating = [info.id for info in self.relations if set(info.stems) & (SOMEWHERE | LOCATING)]
        led = [self.columns.list_targets(r) for r in locating if self.columns.get_value_type(r) is None]
        return self._build_mask(SOMEWHERE, led)

    @cached_property
    def nowhere(self) -> np.ndarray:
        """Which nodes are surely no places: trades and days that nothing more is said of; bool [E]."""
        relations = [info.id for info in self.relations if set(info.stems) & NOWHERE]
        mask = np.zeros(self.snapshot.num_entities, bool)
        for relation in relations:
            mask[self.columns.list_targets(relation)] = True
        leaves = np.asarray(self.snapshot.out_offsets[:-1] == self.snapshot.out_offsets[1:])
        return np.asarray(mask & leaves & ~self.somewhere)

    def _build_mask(self, kinds: frozenset[str], others: list[np.ndarray]) -> np.ndarray:
        mask = np.zeros(self.snapshot.num_entities, bool)
        for kind in self.kinds:
            if set(get_label_stems(self.snapshot.get_entity_label(kind))) & kinds:
                mask[self.list_members(kind)] = True
        for nodes in others:
            mask[nodes] = True
        return mask

    def find_people_relations(self, nodes: np.ndarray) -> list[int]:
        """Relations by which all of some things, themselves no people, have people: orders their customers, plots the
        tenants who have one each.
        """
        if not len(nodes) or self.somebody[nodes].any():
            return []
        forward = self.snapshot.num_relations
        of_one = {info.id + forward for info in self.relations if info.facts == info.heads}
        return [
            relation for relation in self.find_shared_relations(nodes)
            if (relation < forward or relation in of_one)
            and self.somebody[self._find_targets(nodes, relation)].all()
        ]  # fmt: skip

    def find_owner_relations(self, nodes: np.ndarray) -> list[int]:
        """Inverse relations by which things that are no people belong to something: whose title "CEO" is."""
        if not len(nodes) or self.somebody[nodes].any():
            return []
        kind = None if self.type_relation is None else self.get_inverse(self.type_relation)
        relations = [relation for relation in self.find_shared_relations(nodes) if relation != kind]
        if any(r < self.snapshot.num_relations for r in relations):
            return []
        return [r for r in relations if not self.somewhere[self._find_targets(nodes, r)].any()]
