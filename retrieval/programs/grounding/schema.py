"""What a graph's programs are made of: kinds, relations with the types of their ends, and words that name them."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot import KINDS
from retrieval.kg.snapshot.arrays import find_common
from retrieval.kg.table import ROW
from retrieval.language.english import STOP
from retrieval.language.gazetteer import CLASSES
from retrieval.language.words import get_label_stems, get_stem, remove_unit
from retrieval.lexicon import get_words
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Entities, Having, Program, Walk
from retrieval.programs.grounding.induction import infer_kinds
from retrieval.programs.grounding.measures import Measures, is_reference
from retrieval.programs.grounding.relation_types import (
    KINDRED,
    LOCATING,
    NOWHERE,
    PERSONAL,
    SOMEBODY,
    SOMEWHERE,
    RelationInfo,
    detect_form,
    is_agent_noun,
    is_personal,
    parse_stems,
)
from retrieval.programs.grounding.row_names import find_naming_relations, find_surrogates

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_LITERAL = KINDS.index("literal")
#: Relations that say what kind of thing a node is, by label.
TYPE_LABELS = get_words("type_relations")
#: Nodes that many others point to are looked up by the stems of their names.
_HUBS = 20_000
_LONGEST_HUB = 4
#: Nodes of a side that are looked at, and the share of them that must have a relation.
_SAMPLE, _NEARLY_ALL, _MOST = 40, 0.9, 0.8
#: Things of one sort, at least; sorts of things, at most; and the share of nodes that two of them may have in common.
_SORT, _SORTS, _ANOTHER_SORT = 2, 5, 0.5
#: From so many facts an end on, the ends of a relation are shared; and how many of them there are at most.
_SHARED, _VALUES = 1.25, 200
#: What a word counts in a relation's name that only says what kind its ends are: the station of "serves station".
_END = 0.3
#: Relations that are told apart by one word: two.
_TWINS = 2
#: Facts an owner, of a relation of which each has one.
_SINGLE = 1.05
#: Kinds with this share of their relations in common are described alike.
_SAME_RELATIONS = 0.5
#: Words of relations that give places, by stem; the best place that anything has is at most so far from the first.
PLACING, _FIRST = parse_stems("rank ranking place position placing standing"), 3
_YES, _NO = frozenset({"yes", "true", "y", "t"}), frozenset({"no", "false", "n", "f"})


#: The share of things without a kind from which on their kinds are told by names, and of those of such a kind that may
#: have another.
_UNTYPED, _TYPED = 0.2, 0.2


class Schema:
    """The schema of one snapshot, computed on first use.

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
        self._weights_of: dict[int, dict[str, float]] = {}
        labels = [snapshot.get_relation_label(relation) for relation in range(snapshot.num_relations)]
        self.listing = labels.index(ROW) if ROW in labels else None
        self.relations = [self._describe_relation(r) for r in range(snapshot.num_relations)]

    def _find_type_relation(self) -> int | None:
        best: tuple[int, int] | None = None
        counts = self.snapshot.count_facts_by_relation()
        for relation in range(self.snapshot.num_relations):
            label = self.snapshot.get_relation_label(relation).casefold().strip()
            if label == "label" and (self.snapshot.kinds[self.columns.list_targets(relation)] == _LITERAL).all():
                continue  # rdfs:label gives a node's other names, not the node labels of a property graph
            if label in TYPE_LABELS and (best is None or counts[relation] > best[0]):
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
    def measures(self) -> Measures:
        """Relations whose numbers are sums, quantities or numbers of rows."""
        return Measures(self.columns, self.relations)

    @cached_property
    def somebody(self) -> np.ndarray:
        """Which nodes are people: by their kind, because they are born and marry, or because something has them as its
        customer or owner; bool [E].
        """
        personal = [info.id for info in self.relations if set(info.stems) & PERSONAL]
        led = [info.id for info in self.relations if self._has_people_ends(info)]
        every = [self.columns.list_sources(relation) for relation in personal]
        return self._build_mask(SOMEBODY, [*every, *(self.columns.list_targets(relation) for relation in led)])

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
        some = nodes[:: max(1, len(nodes) // _SAMPLE)]
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
            sample = nodes[:: max(1, len(nodes) // _SAMPLE)]
            kinds += [
                kind
                for kind in self.kinds
                if len(np.intersect1d(sample, self.list_members(kind), assume_unique=True)) >= _NEARLY_ALL * len(sample)
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
            if 0 < len(stems) <= _LONGEST_HUB and label.casefold() not in _NO:
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
            sample = ends[:: max(1, len(ends) // _SAMPLE)]
            labels = [self.snapshot.get_entity_label(node).casefold() for node in sample.tolist()]
            for noun, names in CLASSES.items() if len(labels) > 1 else ():
                if sum(label in names for label in labels) >= _MOST * len(labels):
                    relations[get_stem(noun)].append(info.id)
        return relations

    @cached_property
    def value_relations(self) -> list[int]:
        """Relations that lead to numbers, dates or times."""
        return [
            info.id for info in self.relations
            if info.id != self.listing and self.columns.get_value_type(info.id) is not None
        ]  # fmt: skip

    @cached_property
    def numbers(self) -> list[int]:
        """Relations that lead to numbers that say how much: no years, and no rows that have numbers for names."""
        kinds = {stem for kind in self.kinds for stem in get_label_stems(self.snapshot.get_entity_label(kind))}
        return [info.id for info in self.measures.numbers if not is_reference(info, kinds)]

    @cached_property
    def placings(self) -> frozenset[int]:
        """Relations that give places in a ranking, of which the first is the best."""
        relations = set[int]()
        for relation in self.value_relations:
            if set(self.relations[relation].stems) & PLACING:
                values = self.columns.get_column(relation).values
                if 1 <= values.min() <= _FIRST and (values == np.floor(values)).all():
                    relations.add(relation)
        return frozenset(relations)

    @cached_property
    def namings(self) -> frozenset[int]:
        """Relations that say what things are called, see :func:`.row_names.find_naming_relations`."""
        return find_naming_relations(self)

    @cached_property
    def surrogates(self) -> tuple[np.ndarray, dict[int, int]]:
        """Rows without names of their own, see :func:`retrieval.programs.grounding.row_names.find_surrogates`."""
        return find_surrogates(self)

    @cached_property
    def induced(self) -> dict[tuple[str, ...], int]:
        """Kinds where no relation says them, see :mod:`.induction`: stems of a noun, and the directed
        relation that its members have.
        """
        return {get_label_stems(noun): relation for noun, relation in self.told.items()}

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
            return infer_kinds(self)
        typed = self.columns.list_sources(self.type_relation)
        return {
            noun: relation for noun, relation in self._told_beside.items()
            if not set(get_label_stems(noun)) & self.kind_stems.keys()
            and len(find_common(self.columns.list_sources(relation),
            typed)) <= _TYPED * len(self.columns.list_sources(relation))
        }  # fmt: skip

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
            if len(nodes) < _SORT or self.columns.kinds[nodes].any():
                continue
            others = (self.columns.list_sources(other) for other in relations)
            shared = (len(np.intersect1d(nodes, sources, assume_unique=True)) / len(nodes) for sources in others)
            if max(shared, default=0.0) < _ANOTHER_SORT:
                relations.append(info.id)
        return relations[:_SORTS]

    @cached_property
    def truths(self) -> dict[int, int]:
        """Relations that say yes or no, with the node that means yes."""
        yes_nodes: dict[int, int] = {}
        for info in self.relations:
            if info.tails <= len(_YES | _NO):
                nodes = self.columns.list_targets(info.id).tolist()
                labels = {self.snapshot.get_entity_label(node).casefold(): node for node in nodes}
                yes = [label for label in labels if label in _YES]
                if yes and set(labels) <= _YES | _NO:
                    yes_nodes[info.id] = labels[yes[0]]
        return yes_nodes

    @cached_property
    def truth_values(self) -> frozenset[int]:
        """The nodes that mean yes or no."""
        return frozenset(node for relation in self.truths for node in self.columns.list_targets(relation).tolist())

    @cached_property
    def untruths(self) -> dict[int, int]:
        """Relations that say yes or no, with the node that means no where there is one."""
        ends = {relation: self.columns.list_targets(relation).tolist() for relation in self.truths}
        no_nodes = {
            relation: [node for node in nodes if self.snapshot.get_entity_label(node).casefold() in _NO]
            for relation, nodes in ends.items()
        }
        return {relation: nodes[0] for relation, nodes in no_nodes.items() if nodes}

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

    def find_peers(self, directed: int) -> Program | None:
        """All nodes of the sort of those that a relation leaves: of their kind, or that have what all of them have.

        None where nothing tells that sort from all others.
        """
        nodes = self.columns.list_sources(directed)
        if not len(nodes):
            return None
        held = self.find_shared_relations(nodes)
        if self.type_relation is not None:
            sample = nodes[:: max(1, len(nodes) // _SAMPLE)]
            kinds = {k for k in self.kinds if len(np.intersect1d(sample, self.list_members(k), assume_unique=True))}
            return Walk(Entities(tuple(sorted(kinds))), self.get_inverse(self.type_relation)) if kinds else None
        wider = [r for r in held if len(self.columns.list_sources(r)) > len(nodes)]
        return Having(max(wider, key=lambda r: (len(self.columns.list_sources(r)), -r))) if wider else None

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

    def _find_targets(self, nodes: np.ndarray, relation: int) -> np.ndarray:
        sources, targets = self.columns.list_arcs(relation)
        return targets[np.isin(sources, nodes)]

    def find_shared_relations(self, nodes: np.ndarray) -> list[int]:
        """Directed relations that nearly all of some nodes have, ascending."""
        sample = nodes[:: max(1, len(nodes) // _SAMPLE)]
        heads, leaving, _, _ = find_arcs(self.snapshot, sample)
        owners = np.unique(np.stack([heads, leaving]), axis=1)
        having = np.bincount(owners[1], minlength=2 * self.snapshot.num_relations)
        held: list[int] = np.flatnonzero(having >= _NEARLY_ALL * len(sample)).tolist()
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
