"""Names of a table matched with entities of a graph, as the Reconciliation Service API 0.2 defines queries and answers.

An entity is identified by its label and a property by the name of its relation, which stay the same in later versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from rapidfuzz import fuzz

from retrieval.errors import UnknownEntityError
from retrieval.kg import search
from retrieval.kg.analysis import schema
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from webapp.graphs import browse, kinds

BATCH_MAX = 50
"""Queries of one request."""

SUGGESTED = 20
CANDIDATES_MAX = 100
VALUES_MAX = 100
"""Values of a property that are compared or returned, for one entity."""

MATCH_SCORE = 95.0
"""A candidate is a match from this score, where no other one reaches it."""

OTHER_TYPE_FACTOR = 0.5
NAME_WEIGHT = 2.0
"""What the name counts in a score beside properties, each of which counts 1."""

Text = Annotated[str, Field(max_length=1000)]


class EntityValue(BaseModel):
    """A value that was reconciled itself."""

    id: Text
    name: Text = ""


Value = Text | bool | int | float | EntityValue


class PropertyFilter(BaseModel):
    """Values that a property of the entity should have one of."""

    pid: Text
    v: Value | list[Value]


class ReconciliationQuery(BaseModel):
    """A row of a table: a name, properties, or both.

    Attributes:
        type_strict: whether entities of other types are left out (``any``, ``all``), or only get a lower score.
    """

    model_config = ConfigDict(extra="forbid")

    query: Text | None = None
    type: Text | list[Text] = []
    limit: int = Field(default=10, ge=1)
    properties: list[PropertyFilter] = Field(default=[], max_length=20)
    type_strict: Literal["any", "should", "all"] = "should"

    @model_validator(mode="after")
    def require_content(self) -> Self:
        """Refuse a query about nothing.

        Raises:
            ValueError: it has neither a name nor properties.
        """
        if self.query is None and not self.properties:
            raise ValueError("give query, properties or both")
        return self


class ExtendedProperty(BaseModel):
    """A property whose values are wanted, and how many of them at most; 0 sets no limit."""

    class Settings(BaseModel):
        """What a person may set of it."""

        limit: int = Field(default=0, ge=0)

    id: Text
    settings: Settings = Settings()


class ExtensionQuery(BaseModel):
    """Entities and the properties whose values are wanted."""

    ids: list[Text] = Field(max_length=500)
    properties: list[ExtendedProperty] = Field(max_length=50)


def find_candidates(snapshot: Snapshot, query: ReconciliationQuery) -> list[dict[str, Any]]:
    """The entities that a query may mean, best first.

    Raises:
        UnknownEntityError: the graph has no such property.
    """
    wanted_types = {query.type} if isinstance(query.type, str) else set(query.type)
    filters = [(_require_relation(snapshot, each.pid), _list_values(each)) for each in query.properties]
    names = dict(
        _find_by_name(snapshot, query.query)
        if query.query and query.query.strip()
        else _find_by_values(snapshot, filters)
    )
    candidates = []
    for (entity, name_score), kind in zip(names.items(), kinds.find_kinds(snapshot, [*names]), strict=True):
        fits = not wanted_types or kind in wanted_types
        if not fits and query.type_strict != "should":
            continue
        scores = [_score_property(snapshot, entity, relation, values) for relation, values in filters]
        weighted = [(score, 1.0) for score in scores]
        features: list[dict[str, Any]] = [{"id": "type", "value": fits}] if wanted_types else []
        if name_score is not None:
            weighted.append((name_score, NAME_WEIGHT))
            features.append({"id": "name", "value": name_score})
        features += [{"id": each.pid, "value": score} for each, score in zip(query.properties, scores, strict=True)]
        score = sum(value * weight for value, weight in weighted) / sum(weight for _, weight in weighted)
        candidates.append(
            {
                **_describe_entity(snapshot, entity),
                "type": _render_types([kind]),
                "score": round(score if fits else OTHER_TYPE_FACTOR * score, 2),
                "match": False,
                "features": features,
            }
        )
    candidates.sort(key=lambda candidate: -candidate["score"])
    if sum(candidate["score"] >= MATCH_SCORE for candidate in candidates) == 1:
        candidates[0]["match"] = True
    return candidates[: query.limit]


def _find_by_name(snapshot: Snapshot, name: str) -> Iterator[tuple[int, float]]:
    """Entities of similar names, each with how alike they are, in [0, 100]."""
    normalized = normalize_name(name)
    for match in snapshot.labels.search(name, CANDIDATES_MAX):
        if not _is_value(snapshot, match.entity):
            yield match.entity, round(fuzz.ratio(normalized, match.name), 2)


def _find_by_values(
    snapshot: Snapshot, filters: Iterable[tuple[int, Sequence[str]]]
) -> Iterator[tuple[int, float | None]]:
    """Entities that have one of the values; their names are not compared."""
    for relation, values in filters:
        for value in values:
            end = snapshot.labels.resolve(value)
            if end is not None:
                page = search.list_neighbours(snapshot, end, relation, "in", limit=CANDIDATES_MAX)
                yield from ((int(snapshot.heads[arc - snapshot.num_triples]), None) for arc in page.arcs)


def _score_property(snapshot: Snapshot, entity: int, relation: int, values: Sequence[str]) -> float:
    """How alike the closest value of a property is to one that is wanted, in [0, 100]."""
    labels = [snapshot.get_entity_label(end) for end in _list_ends(snapshot, entity, relation)]
    alike = (_compare_values(value, label) for value in values for label in labels)
    return round(max(alike, default=0.0), 2)


def _compare_values(first: str, second: str) -> float:
    with suppress(ValueError):
        return 100.0 if float(first) == float(second) else 0.0
    return fuzz.ratio(normalize_name(first), normalize_name(second))


def _list_values(wanted: PropertyFilter) -> list[str]:
    values = wanted.v if isinstance(wanted.v, list) else [wanted.v]
    return [value.id if isinstance(value, EntityValue) else str(value) for value in values]


def _list_ends(snapshot: Snapshot, entity: int, relation: int, limit: int = VALUES_MAX) -> list[int]:
    arcs = search.list_neighbours(snapshot, entity, relation, "out", limit=limit).arcs
    return [int(end) for end in snapshot.tails[arcs]]


def extend_entities(snapshot: Snapshot, query: ExtensionQuery) -> dict[str, Any]:
    """The values of properties of entities; those of an entity that is not there are empty.

    Raises:
        UnknownEntityError: the graph has no such property.
    """
    relations = [_require_relation(snapshot, each.id) for each in query.properties]
    rows: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for label in query.ids:
        entity = snapshot.find_entity(label)
        rows[label] = {
            each.id: []
            if entity is None
            else [
                _render_value(snapshot, end)
                for end in _list_ends(snapshot, entity, relation, min(each.settings.limit or VALUES_MAX, VALUES_MAX))
            ]
            for each, relation in zip(query.properties, relations, strict=True)
        }
    meta = [{"id": snapshot.get_relation_name(r), "name": snapshot.get_relation_label(r)} for r in relations]
    return {"meta": meta, "rows": rows}


def _render_value(snapshot: Snapshot, entity: int) -> dict[str, Any]:
    label = snapshot.get_entity_label(entity)
    if not _is_value(snapshot, entity):
        return {"id": label, "name": label}
    for name, kind in (("int", int), ("float", float)):
        with suppress(ValueError):
            number = kind(label)
            return {name: number} if np.isfinite(number) else {"str": label}
    return {"str": label}


def _is_value(snapshot: Snapshot, entity: int) -> bool:
    """Whether a node is a text, number or date, which nobody looks for by its name."""
    values = snapshot.typed_values.nodes
    place = int(np.searchsorted(values, entity))
    return snapshot.get_kind(entity) == "literal" or (place < len(values) and int(values[place]) == entity)


def suggest_entities(snapshot: Snapshot, prefix: str, skip: int) -> list[dict[str, Any]]:
    """Entities by the beginning of their name."""
    found = [match.entity for match in snapshot.labels.search(prefix, skip + SUGGESTED)][skip:]
    return [
        {**_describe_entity(snapshot, entity), "notable": _render_types([kind])}
        for entity, kind in zip(found, kinds.find_kinds(snapshot, found), strict=True)
    ]


def suggest_types(snapshot: Snapshot, prefix: str, skip: int) -> list[dict[str, Any]]:
    """Kinds of entities by the beginning of a word, those of most entities first."""
    return _filter_by_prefix(list_types(snapshot), prefix)[skip : skip + SUGGESTED]


def suggest_properties(snapshot: Snapshot, prefix: str, skip: int) -> list[dict[str, Any]]:
    """Relations by the beginning of a word, those of most facts first."""
    return _filter_by_prefix(_list_properties(snapshot), prefix)[skip : skip + SUGGESTED]


def propose_properties(snapshot: Snapshot, kind: str, limit: int) -> list[dict[str, Any]]:
    """The relations that entities of a kind have, those of most facts first; all where the graph does not say."""
    made = schema.get_schema(snapshot)
    numbers = {each.id for each in made.types if each.label == kind}
    labels = dict.fromkeys(edge.relation for edge in made.edges if edge.source in numbers)
    of_kind = [_render_property(snapshot, relation) for relation in labels]
    return (of_kind or _list_properties(snapshot))[:limit]


def list_types(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Kinds of entities, those of most entities first."""
    typed = [each.label for each in schema.get_schema(snapshot).types if each.label not in KINDS]
    return _render_types(typed or [noun for noun, _ in kinds.list_nouns(snapshot)])


def _list_properties(snapshot: Snapshot) -> list[dict[str, Any]]:
    return [{"id": row["name"], "name": row["label"]} for row in browse.list_relations(snapshot)]


def _render_property(snapshot: Snapshot, relation: int) -> dict[str, Any]:
    return {"id": snapshot.get_relation_name(relation), "name": snapshot.get_relation_label(relation)}


def _render_types(labels: Iterable[str]) -> list[dict[str, Any]]:
    return [{"id": label, "name": label} for label in labels if label]


def _describe_entity(snapshot: Snapshot, entity: int) -> dict[str, Any]:
    label = snapshot.get_entity_label(entity)
    return {"id": label, "name": label, "description": snapshot.describe_entity(entity)}


def _filter_by_prefix(rows: Iterable[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """Rows with a word of their name that begins so, or with this id."""
    start = f" {normalize_name(prefix)}"
    return [row for row in rows if row["id"] == prefix or start in f" {normalize_name(row['name'])}"]


def _require_relation(snapshot: Snapshot, name: str) -> int:
    relation = snapshot.find_relation(name)
    if relation is None:
        raise UnknownEntityError(
            f"The graph has no property {name}.", hint="Take one that the service suggests for properties."
        )
    return relation


def list_facts(snapshot: Snapshot, entity: int, limit: int) -> list[Mapping[str, str]]:
    """The first facts of an entity, for a preview."""
    arcs = search.list_neighbours(snapshot, entity, None, "out", limit=limit).arcs
    hops = [snapshot.get_hop(int(arc)) for arc in arcs]
    return [{"relation": hop.step.label, "value": hop.target.label} for hop in hops]
