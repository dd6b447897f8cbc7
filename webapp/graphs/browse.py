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


def relations(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Every relation with how many facts it has, most frequent first."""
    counts = snapshot.relation_counts()
    return [
        {"name": snapshot.relation_name(r), "label": snapshot.relation_label(r), "count": int(counts[r])}
        for r in map(int, np.argsort(-counts, kind="stable"))
    ]


def entities(snapshot: Snapshot, text: str, limit: int) -> list[dict[str, Any]]:
    """Entities by a part of their name, best first; for no text the best-connected ones."""
    if not text.strip():
        return _best_connected(snapshot, limit)
    return [
        {
            **dataclasses.asdict(match.node),
            "about": snapshot.description(match.entity),
            "degree": match.degree,
            "score": match.score,
            "source": match.source,
        }
        for match in snapshot.labels.search(text, limit)
    ]


def _best_connected(snapshot: Snapshot, limit: int) -> list[dict[str, Any]]:
    degrees = np.diff(snapshot.out_offsets) + np.diff(snapshot.in_offsets)
    if not len(degrees):
        return []
    limit = min(limit, len(degrees))
    top = np.argpartition(-degrees, limit - 1)[:limit]
    return [entity_row(snapshot, int(i), "degree") for i in top[np.lexsort((top, -degrees[top]))]]


def entity_row(snapshot: Snapshot, entity: int, source: str) -> dict[str, Any]:
    """An entity as a match that nobody searched for; ``source`` says where it comes from."""
    return {
        **dataclasses.asdict(snapshot.node(entity)),
        "about": snapshot.description(entity),
        "degree": snapshot.degree(entity),
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


def node_detail(snapshot: Snapshot, entity: int) -> dict[str, Any]:
    """An entity with its attributes."""
    return {
        **dataclasses.asdict(snapshot.node(entity)),
        "attributes": dict(snapshot.entity_attributes(entity)),
    }


def sourced_hop(snapshot: Snapshot, arc: int) -> dict[str, Any]:
    """An arc with the attributes of its fact and the passages that the fact was extracted from."""
    fact = arc % snapshot.num_triples
    table = snapshot.passages
    sources = [] if table is None else table.of_fact(fact)[:SOURCES_MAX].tolist()
    return {
        **dataclasses.asdict(snapshot.hop(arc)),
        "attributes": dict(snapshot.fact_attributes(fact)),
        "passages": [{"id": i, "name": table.name(i), "title": table.title(i)} for i in sources if table],
    }


def fact(snapshot: Snapshot, *, head: int, relation: str, tail: int) -> dict[str, Any]:
    """One fact as a hop, with its attributes and its passages.

    Raises:
        UnknownEntityError: the graph does not hold it.
    """
    number = snapshot.find_relation(relation)
    found = (
        None
        if number is None
        else snapshot.find_fact(require_entity(snapshot, head), number, require_entity(snapshot, tail))
    )
    if found is None:
        raise UnknownEntityError(
            "The graph does not hold this fact.", hint="The neighbours of an entity list its facts."
        )
    return sourced_hop(snapshot, found)


class PassageRows(Sequence[dict[str, Any]]):
    """The passages of a snapshot, or those that hold a text, as rows of a list; read only as far as asked."""

    def __init__(self, snapshot: Snapshot, text: str = "") -> None:
        self._table = snapshot.passages
        self._text = text.strip()
        total = 0 if self._table is None else len(self._table)
        if self._text and self._table is not None:
            self._ids: Sequence[int] = self._table.containing(self._text).tolist()
        else:
            self._ids = range(total)

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, i: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, i: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, i: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return [self._row(p) for p in self._ids[i]] if isinstance(i, slice) else self._row(self._ids[i])

    def _row(self, i: int) -> dict[str, Any]:
        assert self._table is not None  # it has no ids without one
        row = dataclasses.asdict(self._table.passage(i))
        row["excerpt"] = excerpt(row.pop("text"), self._text)
        return {**row, "facts": len(self._table.facts_of(i))}


def excerpt(text: str, around: str) -> str:
    """At most ``EXCERPT`` characters of a text, from its beginning or from shortly before ``around``."""
    at = text.lower().find(around.lower()) if around else 0
    start = max(0, at - EXCERPT // 3) if at > EXCERPT // 2 else 0
    cut = text[start : start + EXCERPT].strip()
    return ("… " if start else "") + cut + (" …" if start + EXCERPT < len(text) else "")


def passage(snapshot: Snapshot, i: int) -> dict[str, Any]:
    """A passage with the facts that were extracted from it, at most ``FACTS_MAX`` of ``total``.

    Raises:
        UnknownEntityError: the graph has no such passage.
    """
    table = snapshot.passages
    if table is None or not 0 <= i < len(table):
        raise UnknownEntityError(
            f"The graph has no passage number {i}.", hint="The list of passages names all."
        )
    facts = table.facts_of(i)
    return {
        **dataclasses.asdict(table.passage(i)),
        "facts": [sourced_hop(snapshot, arc) for arc in facts[:FACTS_MAX].tolist()],
        "total": len(facts),
    }


def neighbours(
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
    page = search.neighbours(snapshot, entity, wanted, direction, limit=limit, offset=offset)
    return {
        "node": node_detail(snapshot, entity),
        "groups": [
            {
                "relation": snapshot.relation_name(group.relation),
                "label": snapshot.relation_label(group.relation),
                "direction": "in" if group.inverse else "out",
                "count": group.count,
            }
            for group in page.groups
        ],
        "hops": [sourced_hop(snapshot, int(arc)) for arc in page.arcs],
        "total": page.total,
        "shown": len(page.arcs),
    }
