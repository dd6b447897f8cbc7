"""What kind of thing an entity of a picture is, also where the graph has no relation that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrieval.kg.analysis import schema
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.cache import load_or_compute_json
from retrieval.programs.grounding.induction import infer_kinds
from retrieval.programs.grounding.schema import Schema

SHOWN_MAX = 8
"""Kinds that have a colour of their own."""

_FACTS_MAX = 100_000
"""In larger graphs kinds are not told by the names of relations, which takes seconds there."""

_VERSION = 1


def find_kinds(snapshot: Snapshot, entities: Sequence[int]) -> list[str]:
    """The kind of each entity: its type, else what the relations that it has tell; "" where nothing does."""
    types = schema.get_type_labels(snapshot, entities)
    if any(types) or not (nouns := _list_noun_relations(snapshot)):
        return types
    return [
        next((noun for noun, relation in nouns if relation in having), "")
        for having in (_list_directed_relations(snapshot, entity) for entity in entities)
    ]


def list_commonest(snapshot: Snapshot) -> list[str]:
    """The kinds that most entities are of, most first, at most ``SHOWN_MAX``."""
    if snapshot.num_triples > 10 * _FACTS_MAX:
        return []
    typed = [entity_type.label for entity_type in schema.get_schema(snapshot).types if entity_type.label not in KINDS]
    return (typed or [noun for noun, _ in _list_noun_relations(snapshot)])[:SHOWN_MAX]


def list_nouns(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Nouns of kinds that names tell, each with how many are of it, most first."""
    counts = np.bincount(snapshot.out_groups.keys % max(snapshot.num_relations, 1), minlength=snapshot.num_relations)
    back = np.bincount(snapshot.in_groups.keys % max(snapshot.num_relations, 1), minlength=snapshot.num_relations)
    return [(noun, int(np.append(counts, back)[relation])) for noun, relation in _list_noun_relations(snapshot)]


def _list_noun_relations(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Nouns of kinds with the directed relation that their members have, those of most members first.

    Of several nouns of the same members the first is taken. None where the graph has types, or is too large.
    """
    if snapshot.num_triples > _FACTS_MAX:
        return []
    kept = load_or_compute_json(snapshot.path, "kinds", f"{_VERSION} {snapshot.hash}", lambda: _compute_nouns(snapshot))
    return [(noun, int(relation)) for noun, relation in kept["nouns"]]


def _compute_nouns(snapshot: Snapshot) -> dict[str, Any]:
    of_type, _ = schema.find_types(snapshot)
    if (of_type >= 0).any():
        return {"nouns": []}
    described = Schema(snapshot)
    relations = infer_kinds(described)
    ordered = sorted(relations, key=lambda noun: -len(described.columns.list_sources(relations[noun])))
    first = {relations[noun]: noun for noun in reversed(ordered)}
    return {"nouns": [(noun, relations[noun]) for noun in ordered if first[relations[noun]] == noun]}


def _list_directed_relations(snapshot: Snapshot, entity: int) -> set[int]:
    """The directed relations of an entity: those of its facts as head, and, after all relations, as tail."""
    out = snapshot.relations[int(snapshot.out_offsets[entity]) : int(snapshot.out_offsets[entity + 1])]
    into = snapshot.in_order[int(snapshot.in_offsets[entity]) : int(snapshot.in_offsets[entity + 1])]
    forward, back = np.unique(out).tolist(), np.unique(snapshot.relations[into]).tolist()
    return {*forward, *(snapshot.num_relations + relation for relation in back)}
