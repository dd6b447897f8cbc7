"""What a graph is like, in figures that a person understands.

Computed in a few passes over the arrays and kept beside the snapshot, where deleting them costs time only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from retrieval.kg.analysis.schema import TypeCount, find_types
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.annotations import Annotations
from retrieval.kg.snapshot.cache import load_or_compute_json

#: Raised when the figures change, so that those kept by an older version are computed again.
VERSION = 1
#: How many relations, hubs and types are listed.
RELATIONS, HUBS, TYPES = 100, 20, 50
#: Attributes of nodes that describe a thing in sentences.
_TEXTS = ("description", "text", "abstract", "summary")


@dataclass(frozen=True, slots=True)
class DegreeBin:
    """How many entities have ``low`` to ``high`` facts, both included."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class RelationCount:
    """A relation, how many facts it has, how many distinct heads and tails, and its first fact as an example."""

    relation: int
    name: str
    label: str
    count: int
    heads: int
    tails: int
    example: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class EntityCount:
    """An entity and how many facts it has."""

    entity: int
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Components:
    """Parts of the graph that no fact connects. Entities without facts are parts of their own."""

    count: int
    largest: int
    largest_share: float


@dataclass(frozen=True, slots=True)
class TextCoverage:
    """How much of the graph has text: passages, and descriptions among the attributes of nodes."""

    passages: int
    facts_with_passages: int
    entities_with_passages: int
    entities_with_attributes: int
    entities_with_descriptions: int


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """See the module. Degrees count facts in both directions, a self-loop twice.

    Attributes:
        kinds: entities by node kind.
        degrees: bins 0, 1, 2-3, 4-7 and so on, as far as the biggest hub.
        hubs: the most connected entities.
        top_relations: by facts, most first; ``relations`` is how many there are in all.
        types: by entities of that type, most first; empty where the graph does not say.
        isolated: entities without a fact.
        unnamed: entities whose label is no name: mediators, and labels without a letter or digit.
        self_loops: facts whose head is their tail.
    """

    entities: int
    relations: int
    triples: int
    kinds: dict[str, int]
    degrees: tuple[DegreeBin, ...]
    mean_degree: float
    median_degree: float
    hubs: tuple[EntityCount, ...]
    top_relations: tuple[RelationCount, ...]
    types: tuple[TypeCount, ...]
    components: Components
    isolated: int
    unnamed: int
    self_loops: int
    text: TextCoverage


def describe(snapshot: Snapshot) -> GraphStatistics:
    """The figures of a snapshot: kept from before, or computed and kept."""
    key = f"{VERSION} {snapshot.hash}"
    kept = load_or_compute_json(snapshot.path, "statistics", key, lambda: asdict(_describe(snapshot)))
    return GraphStatistics(
        **kept
        | {
            "degrees": tuple(DegreeBin(**bin_) for bin_ in kept["degrees"]),
            "hubs": tuple(EntityCount(**hub) for hub in kept["hubs"]),
            "top_relations": tuple(
                RelationCount(**row | {"example": tuple(row["example"])}) for row in kept["top_relations"]
            ),
            "types": tuple(TypeCount(**row) for row in kept["types"]),
            "components": Components(**kept["components"]),
            "text": TextCoverage(**kept["text"]),
        }
    )


def _describe(snapshot: Snapshot) -> GraphStatistics:
    degrees = snapshot.get_degrees(np.arange(snapshot.num_entities))
    kinds = np.bincount(snapshot.kinds, minlength=len(KINDS)).tolist()
    of_type, labels = find_types(snapshot)
    sizes = np.bincount(of_type[of_type >= 0], minlength=len(labels))
    return GraphStatistics(
        entities=snapshot.num_entities,
        relations=snapshot.num_relations,
        triples=snapshot.num_triples,
        kinds=dict(zip(KINDS, kinds, strict=True)),
        degrees=_count_degree_bins(degrees),
        mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
        median_degree=float(np.median(degrees)) if len(degrees) else 0.0,
        hubs=_select_largest(snapshot, np.arange(snapshot.num_entities), degrees, HUBS),
        top_relations=_count_relations(snapshot),
        types=tuple(TypeCount(i, labels[i], int(sizes[i])) for i in np.argsort(-sizes, kind="stable")[:TYPES].tolist()),
        components=_find_components(snapshot),
        isolated=int((degrees == 0).sum()),
        unnamed=_count_unnamed(snapshot),
        self_loops=int((snapshot.heads == snapshot.tails).sum()),
        text=_measure_coverage(snapshot),
    )


def _count_degree_bins(degrees: np.ndarray) -> tuple[DegreeBin, ...]:
    """Bin 0 is of degree 0; bin k of degrees of k binary digits."""
    if not len(degrees):
        return ()
    digits = np.frexp(degrees.astype(np.float64))[1]
    counts = np.bincount(digits).tolist()
    return tuple(DegreeBin(1 << k >> 1, max((1 << k) - 1, 0), count) for k, count in enumerate(counts))


def _select_largest(
    snapshot: Snapshot, entities: np.ndarray, counts: np.ndarray, limit: int
) -> tuple[EntityCount, ...]:
    """The entities of most, then of the least id."""
    if len(counts) > limit:
        least = np.partition(counts, -limit)[-limit]
        entities, counts = entities[counts >= least], counts[counts >= least]
    order = np.lexsort((entities, -counts))[:limit]
    return tuple(
        EntityCount(entity, snapshot.get_entity_label(entity), count)
        for entity, count in zip(entities[order].tolist(), counts[order].tolist(), strict=True)
    )


def _count_relations(snapshot: Snapshot) -> tuple[RelationCount, ...]:
    counts, size = snapshot.count_facts_by_relation(), snapshot.num_relations
    heads, tails = (
        np.bincount(groups.keys % size, minlength=size) if size else counts
        for groups in (snapshot.out_groups, snapshot.in_groups)
    )
    first = np.full(size, snapshot.num_triples, np.int64)
    kinds, places = np.unique(snapshot.out_groups.keys % max(size, 1), return_index=True)
    first[kinds] = snapshot.out_groups.starts[places]
    relations = []
    for relation in np.lexsort((np.arange(size), -counts))[:RELATIONS].tolist():
        hop = snapshot.get_hop(int(first[relation]))
        relations.append(
            RelationCount(
                relation,
                hop.step.name,
                hop.step.label,
                int(counts[relation]),
                int(heads[relation]),
                int(tails[relation]),
                (hop.source.label, hop.step.label, hop.target.label),
            )
        )
    return tuple(relations)


def _find_components(snapshot: Snapshot) -> Components:
    from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - beside it

    size = snapshot.num_entities
    if not size:
        return Components(0, 0, 0.0)
    matrix = csr_array(
        (np.ones(snapshot.num_triples, np.int8), snapshot.tails, snapshot.out_offsets), shape=(size, size)
    )
    count, part = connected_components(matrix, directed=False)
    largest = int(np.bincount(part).max())
    return Components(int(count), largest, largest / size)


def _count_unnamed(snapshot: Snapshot) -> int:
    """Mediators, and labels without a letter or digit."""
    blob, starts = snapshot.entity_labels.blob, snapshot.entity_labels.offsets[:-1]
    unnamed = snapshot.kinds == KINDS.index("cvt")
    if len(blob):
        plain = np.array([code < 0x80 and chr(code).isalnum() for code in range(256)])
        unsure = np.flatnonzero(~np.logical_or.reduceat(plain[blob], starts))
        # Outside ASCII only a look at the text tells whether it has a letter.
        for entity in unsure.tolist():
            unnamed[entity] |= not any(c.isalnum() for c in snapshot.get_entity_label(entity))
    return int(unnamed.sum())


def _measure_coverage(snapshot: Snapshot) -> TextCoverage:
    annotations = Annotations.load(snapshot.path, snapshot.manifest)
    passages, attributes = annotations.passages, annotations.entities
    with_passages = np.zeros(snapshot.num_entities, bool)
    facts = np.zeros(0, np.int64)
    if passages is not None:
        facts = np.flatnonzero(np.diff(passages.fact_offsets))
        with_passages[snapshot.heads[facts]] = with_passages[snapshot.tails[facts]] = True
    any_attribute = described = 0
    if attributes is not None:
        any_attribute = int((np.diff(attributes.offsets) > 0).sum())
        texts = [key for key, name in enumerate(attributes.keys) if name.lower() in _TEXTS]
        rows = np.flatnonzero(np.isin(attributes.row_keys, texts))
        described = len(np.unique(np.searchsorted(attributes.offsets, rows, side="right")))
    return TextCoverage(
        0 if passages is None else len(passages),
        len(facts),
        int(with_passages.sum()),
        any_attribute,
        described,
    )
