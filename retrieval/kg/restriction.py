"""A snapshot restricted in memory to some of its facts: a question's own subgraph, as the papers' protocol has it.

Ids and labels stay those of the whole graph, so what is linked, encoded or labelled once serves every
restriction of it. Facts and arcs are numbered anew, in the same order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retrieval.errors import SnapshotError
from retrieval.kg.labels import LabelIndex
from retrieval.kg.snapshot import Groups, Snapshot
from retrieval.kg.storage import sorted_unique


class RestrictedSnapshot(Snapshot):
    """Some facts of a snapshot. Costs a few array operations; nothing is read or written.

    Attributes:
        base: the snapshot whose entities, relations and labels these are.
        facts: int64 [T], the base's id of each fact, ascending.
    """

    def __init__(self, base: Snapshot, facts: np.ndarray | Iterable[int]) -> None:
        ids = np.asarray(facts if isinstance(facts, np.ndarray) else list(facts), dtype=np.int64)
        ids = sorted_unique(ids) if len(ids) else ids
        if len(ids) and not (ids[0] >= 0 and ids[-1] < base.num_triples):
            raise SnapshotError(
                f"A restriction of {base.path.name} names fact {int(ids[0] if ids[0] < 0 else ids[-1])}.",
                hint=f"Facts are numbered 0 to {base.num_triples - 1}.",
            )
        self.__dict__.update(base.__dict__)
        self.base, self.facts = base, ids
        digest = hashlib.sha256(f"clew-restriction-1 {base.hash}".encode() + ids.astype("<i8").tobytes())
        self.manifest = replace(
            base.manifest, triples=len(ids), content_hash=digest.hexdigest(), duplicates=0, problems=0
        )
        self._link(base.heads[ids], base.relations[ids], base.tails[ids])

    def __reduce__(self) -> tuple[Callable[..., Snapshot], tuple[object, ...]]:
        return (RestrictedSnapshot, (self.base, self.facts))

    @cached_property
    def labels(self) -> LabelIndex:
        """The base's: names do not depend on facts."""
        return self.base.labels

    def _link(self, heads: np.ndarray, relations: np.ndarray, tails: np.ndarray) -> None:
        """CSR of sorted facts, int32 [T] each."""
        self.heads, self.relations, self.tails = heads, relations, tails
        self.in_order = np.lexsort((heads, relations, tails)).astype(np.int32)
        self.in_heads = heads[self.in_order]
        self.out_offsets = _offsets(heads, self.num_entities)
        self.in_offsets = _offsets(tails, self.num_entities)
        self.out_groups = self._groups(heads, relations)
        self.in_groups = self._groups(tails[self.in_order], relations[self.in_order])

    def _groups(self, entities: np.ndarray, relations: np.ndarray) -> Groups:
        keys = entities.astype(np.int64) * self.num_relations + relations
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return Groups(keys[starts], np.append(starts, len(keys)).astype(np.int64), self.num_relations)


def _offsets(entities: np.ndarray, total: int) -> np.ndarray:
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
    found: list[int] = []
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
            found.append(fact)
    return FoundFacts(np.array(sorted(found), np.int64), unknown)
