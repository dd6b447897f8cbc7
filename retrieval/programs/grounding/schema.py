"""What a graph's programs are made of: kinds, relations with the types of their ends, and words that name them."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.gazetteer import CLASSES
from retrieval.language.words import get_label_stems, get_stem
from retrieval.programs.grounding.graph_relations import MOST, NEARLY_ALL, NO, SAMPLE
from retrieval.programs.grounding.induction import infer_kinds
from retrieval.programs.grounding.measures import Measures, is_reference
from retrieval.programs.grounding.observations import find_observed, find_period_nouns
from retrieval.programs.grounding.people_and_places import PeopleAndPlaces
from retrieval.programs.grounding.row_names import find_naming_relations, find_surrogates

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns

#: Nodes that many others point to are looked up by the stems of their names.
_HUBS = 20_000
_LONGEST_HUB = 4
#: Things of one sort, at least; sorts of things, at most; and the share of nodes that two of them may have in common.
_SORT, _SORTS, _ANOTHER_SORT = 2, 5, 0.5
#: From so many facts an end on, the ends of a relation are shared; and how many of them there are at most.
_SHARED, _VALUES = 1.25, 200
#: What a word counts in a relation's name that only says what kind its ends are: the station of "serves station".
_END = 0.3
#: Kinds with this share of their relations in common are described alike.
_SAME_RELATIONS = 0.5


#: The share of things without a kind from which on their kinds are told by names, and of those of such a kind that may
#: have another.
_UNTYPED, _TYPED = 0.2, 0.2


class Schema(PeopleAndPlaces):
    """The schema of one snapshot, computed on first use."""

    def __init__(self, snapshot: Snapshot, columns: Columns | None = None) -> None:
        super().__init__(snapshot, columns)
        self._weights_of: dict[int, dict[str, float]] = {}

    @cached_property
    def measures(self) -> Measures:
        """Relations whose numbers are sums, quantities or numbers of rows."""
        return Measures(self.columns, self.relations)

    @cached_property
    def word_weights(self) -> dict[str, float]:
        """How much a stem tells of which relation is meant: less, the more relations have it."""
        holding = Counter(stem for info in self.relations for stem in set(info.stems))
        return {stem: 1.0 / (1.0 + 0.25 * (count - 1)) for stem, count in holding.items()}

    def get_stem_weights(self, relation: int) -> dict[str, float]:
        """How much each stem of a relation's label tells of it: less, where it only names the kind of its ends."""
        if relation not in self._weights_of:
            weights = {word_stem: self.word_weights[word_stem] for word_stem in self.relations[relation].stems}
            ends = {
                word_stem
                for kind in self._find_end_kinds(relation)
                for word_stem in get_label_stems(self.snapshot.get_entity_label(kind))
            }
            if set(weights) - ends:
                weights = {
                    word_stem: weight * (_END if word_stem in ends else 1.0) for word_stem, weight in weights.items()
                }
            self._weights_of[relation] = weights
        return self._weights_of[relation]

    def _find_end_kinds(self, relation: int) -> list[int]:
        """The kinds that most heads, and most tails, of a relation are of."""
        if self.type_relation is None or relation == self.type_relation:
            return []
        kinds = []
        for nodes in (self.columns.list_sources(relation), self.columns.list_targets(relation)):
            sample = nodes[:: max(1, len(nodes) // SAMPLE)]
            kinds += [
                kind
                for kind in self.kinds
                if len(np.intersect1d(sample, self.list_members(kind), assume_unique=True)) >= NEARLY_ALL * len(sample)
            ]
        return kinds

    @cached_property
    def by_stem(self) -> dict[str, list[int]]:
        """Relations whose label has a stem."""
        relations: dict[str, list[int]] = defaultdict(list)
        for info in self.relations:
            for word_stem in set(info.stems):
                relations[word_stem].append(info.id)
        return relations

    @cached_property
    def hubs(self) -> dict[tuple[str, ...], list[tuple[int, int, int]]]:
        """Nodes that several others point to, by the stems of their name: (node, relation, how many point); and those
        beside them: comedy, among genres that films share.
        """
        keys, starts = self.snapshot.in_groups.keys, self.snapshot.in_groups.starts
        sizes = np.diff(starts)
        values = np.array([info.facts >= _SHARED * info.tails and info.tails <= _VALUES for info in self.relations])
        several = np.flatnonzero((sizes >= 2) | values[keys % self.snapshot.num_relations] if len(keys) else sizes >= 2)
        if len(several) > _HUBS:
            several = several[np.argpartition(-sizes[several], _HUBS)[:_HUBS]]
        by_stems: dict[tuple[str, ...], list[tuple[int, int, int]]] = defaultdict(list)
        for group in several.tolist():
            node, relation = divmod(int(keys[group]), self.snapshot.num_relations)
            if self.columns.kinds[node]:
                continue
            label = self.snapshot.get_entity_label(node)
            stems = get_label_stems(label)
            if 0 < len(stems) <= _LONGEST_HUB and label.casefold() not in NO:
                by_stems[stems].append((node, relation, int(sizes[group])))
        return by_stems

    @cached_property
    def kind_stems(self) -> dict[str, list[int]]:
        """Kinds whose name has a stem."""
        kinds: dict[str, list[int]] = defaultdict(list)
        for node in self.kinds:
            for word_stem in set(get_label_stems(self.snapshot.get_entity_label(node))):
                kinds[word_stem].append(node)
        return kinds

    @cached_property
    def called(self) -> dict[str, list[int]]:
        """By the stem of a noun, relations nearly all of whose ends bear names that it stands for: ``located in``, of
        "country", where it leads to Norway and Latvia.
        """
        relations: dict[str, list[int]] = defaultdict(list)
        for info in self.relations:
            ends = self.columns.list_targets(info.id)
            sample = ends[:: max(1, len(ends) // SAMPLE)]
            labels = [self.snapshot.get_entity_label(node).casefold() for node in sample.tolist()]
            for noun, names in CLASSES.items() if len(labels) > 1 else ():
                if sum(label in names for label in labels) >= MOST * len(labels):
                    relations[get_stem(noun)].append(info.id)
        return relations

    @cached_property
    def numbers(self) -> list[int]:
        """Relations that lead to numbers that say how much: no years, and no rows that have numbers for names."""
        kinds = {stem for kind in self.kinds for stem in get_label_stems(self.snapshot.get_entity_label(kind))}
        return [info.id for info in self.measures.numbers if not is_reference(info, kinds)]

    @cached_property
    def namings(self) -> frozenset[int]:
        """Relations that say what things are called, see :func:`.row_names.find_naming_relations`."""
        return find_naming_relations(self)

    @cached_property
    def surrogates(self) -> tuple[np.ndarray, dict[int, int]]:
        """Rows without names of their own, see :func:`retrieval.programs.grounding.row_names.find_surrogates`."""
        return find_surrogates(self)

    @cached_property
    def observed(self) -> dict[int, int]:
        """Panels and the things they observe, see :func:`.observations.find_observed`."""
        return find_observed(self)

    @cached_property
    def periods(self) -> dict[tuple[str, ...], int]:
        """Nouns for unnamed rows with a date of their own, see :func:`.observations.find_period_nouns`."""
        return find_period_nouns(self)

    @cached_property
    def induced(self) -> dict[tuple[str, ...], int]:
        """Kinds where no relation says them, see :mod:`.induction`: stems of a noun, and the directed
        relation that its members have.
        """
        return self.periods | {get_label_stems(noun): relation for noun, relation in self.told.items()}

    @cached_property
    def nouns(self) -> dict[int, str]:
        """What the nodes are called from which a directed relation leads on, where they are all rows of one table, or
        where nothing but their names tells.
        """
        by_relation = {relation: noun for noun, relation in reversed(self.told.items())}
        rows = self.surrogates[0]
        for kind in self.kinds:
            members = self.list_members(kind)
            if rows[members].all():
                label = self.snapshot.get_entity_label(kind).lower()
                relations = (r for r in self.find_shared_relations(members) if r < self.snapshot.num_relations)
                by_relation |= {r: label for r in relations if np.array_equal(self.columns.list_sources(r), members)}
        return by_relation

    @cached_property
    def told(self) -> dict[str, int]:
        """Nouns of kinds that no relation says but names tell, each with the relation that its members have; where a
        relation says some kinds, those of things of which it says none.
        """
        if self.type_relation is None:
            return self._apply_wordings(infer_kinds(self))
        typed = self.columns.list_sources(self.type_relation)
        return self._apply_wordings({
            noun: relation for noun, relation in self._told_beside.items()
            if not set(get_label_stems(noun)) & self.kind_stems.keys()
            and len(find_common(self.columns.list_sources(relation),
            typed)) <= _TYPED * len(self.columns.list_sources(relation))
        })  # fmt: skip

    def _apply_wordings(self, nouns: dict[str, int]) -> dict[str, int]:
        """Call inferred kinds as the snapshot's renaming calls them."""
        return {self.snapshot.get_kind_wording(noun): relation for noun, relation in nouns.items()}

    @cached_property
    def _told_beside(self) -> dict[str, int]:
        """What names tell in a graph in which many things have no kind."""
        values = self.columns.kinds > 0
        offsets = self.snapshot.out_offsets
        things = np.flatnonzero((offsets[1:] > offsets[:-1]) & ~values)
        assert self.type_relation is not None
        untyped = len(things) - len(find_common(things, self.columns.list_sources(self.type_relation)))
        return infer_kinds(self) if untyped >= _UNTYPED * len(things) else {}

    @cached_property
    def sorts(self) -> list[int]:
        """Of a graph that says no kinds, relations whose heads are things of one sort each, that of most things first:
        of relations that mostly leave the same nodes, the one that most of them have.
        """
        relations: list[int] = []
        if self.type_relation is not None:
            return relations
        for info in sorted(self.relations, key=lambda info: (-info.heads, info.id)):
            nodes = self.columns.list_sources(info.id)
            if len(nodes) < _SORT or self.columns.are_values(nodes):
                continue
            others = (self.columns.list_sources(other) for other in relations)
            shared = (len(np.intersect1d(nodes, sources, assume_unique=True)) / len(nodes) for sources in others)
            if max(shared, default=0.0) < _ANOTHER_SORT:
                relations.append(info.id)
        return relations[:_SORTS]

    @cached_property
    def _described(self) -> dict[int, frozenset[int]]:
        """The relations that nearly all nodes of a kind have, of each kind."""
        return {kind: frozenset(self.find_shared_relations(self.list_members(kind))) for kind in self.kinds}

    def find_similar_kinds(self, kind: int) -> tuple[int, ...]:
        """A kind and those whose nodes have the same relations but for a few, ascending."""
        described = self._described[kind]
        alike = [
            other
            for other, held in self._described.items()
            if len(described & held) >= _SAME_RELATIONS * len(described | held)
        ]
        return tuple(sorted({kind, *alike}))
