"""Looking around in a graph: its relations, and what lies around an entity."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from retrieval.errors import UnknownEntityError
from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot

#: How many passages are listed with a fact, and facts with a passage.
SOURCES_MAX = 20
FACTS_MAX = 200
EXCERPT = 300


def list_relations(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Every relation with how many facts it has, most frequent first."""
    counts = snapshot.count_facts_by_relation()
    return [
        {
            "name": snapshot.get_relation_name(r),
            "label": snapshot.get_relation_label(r),
            "count": int(counts[r]),
        }
        for r in map(int, np.argsort(-counts, kind="stable"))
    ]


def search_entities(snapshot: Snapshot, text: str, limit: int) -> list[dict[str, Any]]:
    """Entities by a part of their name, best first; for no text the best-connected ones."""
    if not text.strip():
        return _list_best_connected(snapshot, limit)
    return [
        {
            **dataclasses.asdict(match.node),
            "about": snapshot.describe_entity(match.entity),
            "degree": match.degree,
            "score": match.score,
            "source": match.source,
        }
        for match in snapshot.labels.search(text, limit)
    ]


def _list_best_connected(snapshot: Snapshot, limit: int) -> list[dict[str, Any]]:
    degrees = np.diff(snapshot.out_offsets) + np.diff(snapshot.in_offsets)
    if not len(degrees):
        return []
    limit = min(limit, len(degrees))
    top = np.argpartition(-degrees, limit - 1)[:limit]
    return [build_entity_row(snapshot, int(i), "degree") for i in top[np.lexsort((top, -degrees[top]))]]


def build_entity_row(snapshot: Snapshot, entity: int, source: str) -> dict[str, Any]:
    """An entity as a match that nobody searched for; ``source`` says where it comes from."""
    return {
        **dataclasses.asdict(snapshot.get_node(entity)),
        "about": snapshot.describe_entity(entity),
        "degree": snapshot.get_degree(entity),
        "score": 1.0,
        "source": source,
    }


def require_entity(snapshot: Snapshot, entity: int) -> int:
    """The id itself.

    Raises:
        UnknownEntityError: the graph has no entity of this id.
    """
    if not 0 <= entity < snapshot.num_entities:
        raise UnknownEntityError(
            f"The graph has no entity number {entity}.", hint="Look the entity up by its name first."
        )
    return entity


def describe_node(snapshot: Snapshot, entity: int) -> dict[str, Any]:
    """An entity with its attributes and its names in languages."""
    names = [] if snapshot.names is None else snapshot.names.list_names(entity)
    return {
        **dataclasses.asdict(snapshot.get_node(entity)),
        "attributes": dict(snapshot.get_entity_attributes(entity)),
        "names": [dataclasses.asdict(name) for name in names],
    }


def describe_hop(snapshot: Snapshot, arc: int) -> dict[str, Any]:
    """An arc with the attributes of its fact and the passages that the fact was extracted from."""
    fact = arc % snapshot.num_triples
    table = snapshot.passages
    sources = [] if table is None else table.get_fact_passages(fact)[:SOURCES_MAX].tolist()
    return {
        **dataclasses.asdict(snapshot.get_hop(arc)),
        "attributes": dict(snapshot.get_fact_attributes(fact)),
        "passages": [{"id": i, "name": table.get_name(i), "title": table.get_title(i)} for i in sources if table],
    }


def describe_fact(snapshot: Snapshot, *, head: int, relation: str, tail: int) -> dict[str, Any]:
    """One fact as a hop, with its attributes and its passages.

    Raises:
        UnknownEntityError: the graph does not hold it.
    """
    number = snapshot.find_relation(relation)
    arc = (
        None
        if number is None
        else snapshot.find_fact(require_entity(snapshot, head), number, require_entity(snapshot, tail))
    )
    if arc is None:
        raise UnknownEntityError(
            "The graph does not hold this fact.", hint="The neighbours of an entity list its facts."
        )
    return describe_hop(snapshot, arc)


class PassageRows(Sequence[dict[str, Any]]):
    """The passages of a snapshot, or those that hold a text, as rows of a list; read only as far as asked."""

    def __init__(self, snapshot: Snapshot, text: str = "") -> None:
        self._table = snapshot.passages
        self._text = text.strip()
        total = 0 if self._table is None else len(self._table)
        if self._text and self._table is not None:
            self._ids: Sequence[int] = self._table.find_containing(self._text).tolist()
        else:
            self._ids = range(total)

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, i: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, i: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, i: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return [self._build_row(p) for p in self._ids[i]] if isinstance(i, slice) else self._build_row(self._ids[i])

    def _build_row(self, i: int) -> dict[str, Any]:
        assert self._table is not None  # it has no ids without one
        row = dataclasses.asdict(self._table.get_passage(i))
        row["excerpt"] = extract_excerpt(row.pop("text"), self._text)
        return {**row, "facts": len(self._table.get_passage_facts(i))}


def extract_excerpt(text: str, around: str) -> str:
    """At most ``EXCERPT`` characters of a text, from its beginning or from shortly before ``around``."""
    position = text.lower().find(around.lower()) if around else 0
    start = max(0, position - EXCERPT // 3) if position > EXCERPT // 2 else 0
    cut = text[start : start + EXCERPT].strip()
    return ("… " if start else "") + cut + (" …" if start + EXCERPT < len(text) else "")


def describe_passage(snapshot: Snapshot, i: int) -> dict[str, Any]:
    """A passage with the facts that were extracted from it, at most ``FACTS_MAX`` of ``total``.

    Raises:
        UnknownEntityError: the graph has no such passage.
    """
    table = snapshot.passages
    if table is None or not 0 <= i < len(table):
        raise UnknownEntityError(f"The graph has no passage number {i}.", hint="The list of passages names all.")
    facts = table.get_passage_facts(i)
    return {
        **dataclasses.asdict(table.get_passage(i)),
        "facts": [describe_hop(snapshot, arc) for arc in facts[:FACTS_MAX].tolist()],
        "total": len(facts),
    }


def list_neighbours(
    snapshot: Snapshot,
    *,
    entity: int,
    relation: str | None = None,
    direction: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> dict[str, Any]:
    """The facts around an entity, in groups and as a page of hops that leave it.

    Raises:
        UnknownEntityError: the graph has no such entity or relation.
    """
    require_entity(snapshot, entity)
    wanted = None
    if relation is not None:
        wanted = snapshot.find_relation(relation)
        if wanted is None:
            raise UnknownEntityError(
                f"The graph has no relation {relation}.", hint="Take one of the names that the groups list."
            )
    page = search.list_neighbours(snapshot, entity, wanted, direction, limit=limit, offset=offset)
    return {
        "node": describe_node(snapshot, entity),
        "groups": [
            {
                "relation": snapshot.get_relation_name(group.relation),
                "label": snapshot.get_relation_label(group.relation),
                "direction": "in" if group.inverse else "out",
                "count": group.count,
            }
            for group in page.groups
        ],
        "hops": [describe_hop(snapshot, int(arc)) for arc in page.arcs],
        "total": page.total,
        "shown": len(page.arcs),
    }
