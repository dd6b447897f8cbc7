"""A snapshot restricted in memory to some of its facts: a question's own subgraph, as the papers' protocol has it.

Ids and labels stay those of the whole graph, so what is linked, encoded or labelled once serves every
restriction of it. Facts and arcs are numbered anew, in the same order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retrieval.errors import SnapshotError
from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.kg.snapshot.groups import Groups
from retrieval.kg.snapshot.labels import LabelIndex
from retrieval.kg.snapshot.passages import PassageTable
from retrieval.kg.snapshot.snapshot import Snapshot
from retrieval.kg.typed_values import TypedValues


class RestrictedSnapshot(Snapshot):
    """Some facts of a snapshot. Costs a few array operations; nothing is read or written.

    Attributes:
        base: the snapshot whose entities, relations and labels these are.
        facts: int64 [T], the base's id of each fact, ascending.
    """

    def __init__(self, base: Snapshot, facts: np.ndarray | Iterable[int]) -> None:
        ids = np.asarray(facts if isinstance(facts, np.ndarray) else list(facts), dtype=np.int64)
        ids = sort_unique(ids) if len(ids) else ids
        if len(ids) and not (ids[0] >= 0 and ids[-1] < base.num_triples):
            raise SnapshotError(
                f"A restriction of {base.path.name} names fact {int(ids[0] if ids[0] < 0 else ids[-1])}.",
                hint=f"Facts are numbered 0 to {base.num_triples - 1}.",
            )
        self.__dict__.update(base.__dict__)
        for cached in ("compact", "passages"):  # of a base that is a restriction itself
            self.__dict__.pop(cached, None)
        self.base, self.facts = base, ids
        digest = hashlib.sha256(f"clew-restriction-1 {base.hash}".encode() + ids.astype("<i8").tobytes())
        self.manifest = replace(
            base.manifest, triples=len(ids), content_hash=digest.hexdigest(), duplicates=0, problems=0
        )
        _link(self, base.heads[ids], base.tails[ids], base.relations[ids])

    def __reduce__(self) -> tuple[Callable[..., Snapshot], tuple[object, ...]]:
        return (RestrictedSnapshot, (self.base, self.facts))

    @cached_property
    def labels(self) -> LabelIndex:
        """The base's: names do not depend on facts."""
        return self.base.labels

    @cached_property
    def passages(self) -> PassageTable | None:
        """The base's, which now know of these facts only."""
        table = self.base.passages
        return None if table is None else table.apply_restriction(self.facts)

    def get_fact_attributes(self, fact: int) -> Mapping[str, str]:
        """The base's."""
        return self.base.get_fact_attributes(int(self.facts[fact]))

    @cached_property
    def inverse_relations(self) -> np.ndarray:
        """The base's: few facts do not tell."""
        return self.base.inverse_relations

    @cached_property
    def compact(self) -> CompactSnapshot:
        """The same facts over their own entities only, for what is computed entity by entity."""
        return CompactSnapshot(self)


class CompactSnapshot(Snapshot):
    """The facts of a restriction over the entities they name, renumbered in their order.

    Fact and arc ids are the restriction's; entity ids are positions in ``entities``. For computing features and
    states of a small graph, whose cost then does not depend on the size of the whole one.

    Attributes:
        entities: int64 [E], the whole graph's id of each entity, ascending.
    """

    def __init__(self, restricted: RestrictedSnapshot) -> None:
        self.__dict__.update(restricted.base.__dict__)
        self.restricted = restricted
        self.entities = np.union1d(restricted.heads, restricted.tails).astype(np.int64)
        self.__dict__.pop("typed_values", None)  # those have the whole graph's ids
        self.manifest = replace(restricted.manifest, entities=len(self.entities))
        self.kinds = restricted.kinds[self.entities]
        self.entity_labels = restricted.entity_labels.select_strings(self.entities)
        if len(self._iris):
            self._iris = self._iris.select_strings(self.entities)
        heads, tails = self._map_entities(restricted.heads), self._map_entities(restricted.tails)
        _link(self, heads, tails, restricted.relations)

    def __reduce__(self) -> tuple[Callable[..., Snapshot], tuple[object, ...]]:
        return (CompactSnapshot, (self.restricted,))

    @cached_property
    def labels(self) -> LabelIndex:
        """Names are looked up in the whole graph, whose ids they have.

        Raises:
            SnapshotError: always.
        """
        raise SnapshotError("A compact graph has no index of names.", hint="Look them up in the whole graph.")

    @property
    def passages(self) -> PassageTable | None:
        """The restriction's, whose facts these are."""
        return self.restricted.passages

    def get_entity_attributes(self, entity: int) -> Mapping[str, str]:
        """The whole graph's."""
        return self.restricted.get_entity_attributes(int(self.entities[entity]))

    def get_fact_attributes(self, fact: int) -> Mapping[str, str]:
        """The restriction's."""
        return self.restricted.get_fact_attributes(fact)

    @cached_property
    def inverse_relations(self) -> np.ndarray:
        """Those of the whole graph, whose relations these are."""
        return self.restricted.inverse_relations

    @cached_property
    def typed_values(self) -> TypedValues:
        """Those of the whole graph that are among these entities."""
        known = self.restricted.typed_values
        is_member = np.isin(known.nodes, self.entities)
        return TypedValues(self._map_entities(known.nodes[is_member]), known.values[is_member], known.kinds[is_member])

    def _map_entities(self, entities: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.entities, entities).astype(np.int32)


def _link(snapshot: Snapshot, heads: np.ndarray, tails: np.ndarray, relations: np.ndarray) -> None:
    """Give ``snapshot`` the adjacency of sorted facts, int32 [T] each."""
    snapshot.heads, snapshot.relations, snapshot.tails = heads, relations, tails
    order = np.lexsort((heads, relations, tails)).astype(np.int32)
    snapshot.in_order, snapshot.in_heads = order, heads[order]
    snapshot.out_offsets = _compute_offsets(heads, snapshot.num_entities)
    snapshot.in_offsets = _compute_offsets(tails, snapshot.num_entities)
    snapshot.out_groups = _build_groups(heads, relations, snapshot.num_relations)
    snapshot.in_groups = _build_groups(tails[order], relations[order], snapshot.num_relations)


def _build_groups(entities: np.ndarray, relations: np.ndarray, total: int) -> Groups:
    keys = entities.astype(np.int64) * total + relations
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return Groups(keys[starts], np.append(starts, len(keys)).astype(np.int64), total)


def _compute_offsets(entities: np.ndarray, total: int) -> np.ndarray:
    offsets = np.zeros(total + 1, np.int64)
    np.cumsum(np.bincount(entities, minlength=total), out=offsets[1:])
    return offsets


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Labelled triples looked up in a snapshot.

    Attributes:
        facts: int64 [n], ids of those it holds, ascending, each once.
        unknown: how many of the triples name an entity or a relation that it lacks, or a fact it does not hold:
            ``entity``, ``relation``, ``fact``; each triple is counted once, by the first of these.
    """

    facts: np.ndarray
    unknown: Counter[str]


def find_facts(snapshot: Snapshot, triples: Iterable[tuple[str, str, str]]) -> FoundFacts:
    """Look up triples by their exact labels; what the snapshot lacks is counted, not an error."""
    entities: dict[str, int | None] = {}
    relations: dict[str, int | None] = {}
    facts: list[int] = []
    unknown: Counter[str] = Counter()
    for head, name, tail in dict.fromkeys(triples):
        for label in (head, tail):
            if label not in entities:
                entities[label] = snapshot.find_entity(label)
        if name not in relations:
            relations[name] = snapshot.find_relation(name)
        source, relation, target = entities[head], relations[name], entities[tail]
        if source is None or target is None:
            unknown["entity"] += 1
        elif relation is None:
            unknown["relation"] += 1
        elif (fact := snapshot.find_fact(source, relation, target)) is None:
            unknown["fact"] += 1
        else:
            facts.append(fact)
    return FoundFacts(np.array(sorted(facts), np.int64), unknown)
