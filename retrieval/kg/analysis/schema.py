"""What kinds of things a graph holds and which relations lead from one kind to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.annotations import Annotations
from retrieval.kg.snapshot.cache import load_or_compute_json
from retrieval.kg.snapshot.relation_names import KIND_LABEL

#: Relations, humanised, that say what a thing is; and the attribute of nodes that does.
TYPE_RELATIONS = frozenset({"type", "instance of", "is a", "P31"})
TYPE_ATTRIBUTE = "type"
#: Raised when what is computed changes, so that what an older version kept is computed again.
VERSION = 2
#: How many types and relations between types are listed.
TYPES, EDGES = 50, 300


@dataclass(frozen=True, slots=True)
class TypeCount:
    """A type and how many entities are of it. ``id`` is its place among the graph's types, by which edges name it."""

    id: int
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class SchemaEdge:
    """How many facts of a relation lead from things of one type to things of another, by the types' ids."""

    relation: int
    label: str
    source: int
    target: int
    count: int


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """Types by entities, edges by facts, most first, and how many there are of each in all."""

    types: tuple[TypeCount, ...]
    edges: tuple[SchemaEdge, ...]
    num_types: int
    num_edges: int


def get_schema(snapshot: Snapshot) -> GraphSchema:
    """The schema of a snapshot: kept from before, or computed and kept."""
    kept = load_or_compute_json(
        snapshot.path, "schema", f"{VERSION} {snapshot.hash}", lambda: asdict(_build_schema(snapshot))
    )
    return GraphSchema(
        tuple(TypeCount(**row) for row in kept["types"]),
        tuple(SchemaEdge(**row) for row in kept["edges"]),
        kept["num_types"],
        kept["num_edges"],
    )


def find_types(snapshot: Snapshot) -> tuple[np.ndarray, list[str]]:
    """The type of each entity, int64 [E], and the types' labels; -1 where the graph does not say.

    A type is the tail of a relation such as ``type`` or ``instance of``, else the attribute ``type`` of a node. Of
    several types of an entity the one that most things are of counts, then the one first in the alphabet.
    """
    saying = _list_kind_relations(snapshot)
    facts = np.flatnonzero(np.isin(snapshot.relations, saying)) if saying else np.zeros(0, np.int64)
    owners, tails = snapshot.heads[facts].astype(np.int64), snapshot.tails[facts]
    entities, codes = np.unique(tails, return_inverse=True)
    labels = snapshot.entity_labels.get_many(entities)
    of_type = _find_commonest(owners, codes, snapshot.num_entities)
    table = Annotations.load(snapshot.path, snapshot.manifest).entities
    key = None if table is None else table.keys.find(TYPE_ATTRIBUTE)
    if table is not None and key is not None:
        rows = np.flatnonzero(table.row_keys == key)
        owners = np.searchsorted(table.offsets, rows, side="right") - 1
        texts, codes = np.unique(table.row_texts[rows], return_inverse=True)
        places = {label: place for place, label in enumerate(labels)}
        text_types = [places.setdefault(label, len(places)) for label in table.texts.get_many(texts)]
        labels = list(places)
        attribute_types = _find_commonest(owners, np.array(text_types, np.int64)[codes], snapshot.num_entities)
        of_type = np.where(of_type < 0, attribute_types, of_type)
    return of_type, labels


def get_type_labels(snapshot: Snapshot, entities: Sequence[int]) -> list[str]:
    """The labels of the types of some entities, as :func:`find_types` chooses them; empty where the graph does not say.

    Looks at the facts of these entities alone, so that it is quick in a graph of any size.
    """
    saying = _list_kind_relations(snapshot)
    sizes: dict[int, int] = {}

    def count_members(kind: int) -> int:
        if kind not in sizes:
            members = snapshot.in_order[snapshot.in_offsets[kind] : snapshot.in_offsets[kind + 1]]
            sizes[kind] = int(np.isin(snapshot.relations[members], saying).sum())
        return sizes[kind]

    type_labels = []
    for entity in entities:
        facts = slice(int(snapshot.out_offsets[entity]), int(snapshot.out_offsets[entity + 1]))
        kinds = snapshot.tails[facts][np.isin(snapshot.relations[facts], saying)].tolist() if len(saying) else []
        best = min(set(kinds), key=lambda kind: (-count_members(kind), kind), default=None)
        attribute_type = snapshot.get_entity_attributes(entity).get(TYPE_ATTRIBUTE, "")
        type_labels.append(attribute_type if best is None else snapshot.get_entity_label(best))
    return type_labels


def _list_kind_relations(snapshot: Snapshot) -> list[int]:
    """The relations that say what a thing is: those that are called so, or the one told apart from a property."""
    known = snapshot.kind_relation
    if known is not None and snapshot.get_relation_label(known) == KIND_LABEL:
        return [known]
    return [r for r in range(snapshot.num_relations) if snapshot.get_relation_label(r) in TYPE_RELATIONS]


def _find_commonest(owners: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    """For each of ``size`` owners the code that is commonest in all, of those it has; int64, -1 for none."""
    best = np.full(size, -1, np.int64)
    if len(codes):
        order = np.lexsort((codes, -np.bincount(codes)[codes], owners))
        unique_owners, first = np.unique(owners[order], return_index=True)
        best[unique_owners] = codes[order][first]
    return best


def _build_schema(snapshot: Snapshot) -> GraphSchema:
    of_type, labels = find_types(snapshot)
    # What has no type is shown by its kind.
    of_type = np.where(of_type < 0, len(labels) + snapshot.kinds.astype(np.int64), of_type)
    labels = [*labels, *KINDS]
    counts = np.bincount(of_type, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    place = np.full(len(labels), -1, np.int64)
    place[order] = np.arange(len(order))
    of_type, size = place[of_type], max(len(order), 1)
    keys = (of_type[snapshot.heads] * snapshot.num_relations + snapshot.relations) * size + of_type[snapshot.tails]
    edge_keys, sums = np.unique(keys, return_counts=True)
    shown = min(size, TYPES)
    pair, targets = np.divmod(edge_keys, size)
    sources, relations = np.divmod(pair, max(snapshot.num_relations, 1))
    fits = np.flatnonzero((sources < shown) & (targets < shown))
    fits = fits[np.argsort(-sums[fits], kind="stable")][:EDGES]
    return GraphSchema(
        tuple(TypeCount(i, labels[t], int(counts[t])) for i, t in enumerate(order[:shown].tolist())),
        tuple(
            SchemaEdge(int(r), snapshot.get_relation_label(int(r)), int(s), int(t), int(n))
            for r, s, t, n in zip(relations[fits], sources[fits], targets[fits], sums[fits], strict=True)
        ),
        len(order),
        len(edge_keys),
    )
