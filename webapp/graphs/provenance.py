"""Where facts come from: the file and row that state them, or the person who added them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.fact_sources import FactSource
from webapp.graphs.models import Graph


@dataclass(frozen=True, slots=True)
class FactKey:
    """A fact by the number of its head, the name of its relation and the number of its tail."""

    head: int
    relation: str
    tail: int


@dataclass(frozen=True, slots=True)
class EditAuthor:
    """Who edited a graph, when and why; no name where the account is gone."""

    person: str
    edited_at: datetime
    reason: str


FindAuthors = Callable[[Graph, Iterable[int]], Mapping[int, EditAuthor]]
_find_authors: list[FindAuthors] = []


def register_authors(find: FindAuthors) -> None:
    """Say how the authors of edits are found by the numbers that edits have in a graph."""
    _find_authors.append(find)


def list_fact_sources(graph: Graph, snapshot: Snapshot, facts: Sequence[FactKey]) -> list[dict[str, Any] | None]:
    """Where each fact comes from; None of facts that the version does not hold, and where nobody knows."""
    sources = []
    for fact in facts:
        relation = snapshot.find_relation(fact.relation)
        is_inside = max(fact.head, fact.tail) < snapshot.num_entities
        arc = snapshot.find_fact(fact.head, relation, fact.tail) if relation is not None and is_inside else None
        sources.append(snapshot.get_fact_source(arc) if arc is not None else None)
    numbers = {source.edit for source in sources if source is not None and source.edit is not None}
    authors: dict[int, EditAuthor] = {}
    for find in _find_authors if numbers else ():
        authors.update(find(graph, numbers))
    return [None if source is None else _describe_source(source, authors) for source in sources]


def _describe_source(source: FactSource, authors: Mapping[int, EditAuthor]) -> dict[str, Any]:
    author = authors.get(source.edit) if source.edit is not None else None
    return {
        "type": "file" if source.edit is None else "edit",
        "name": source.name,
        "row": source.row,
        "edit": source.edit,
        "author": None if author is None else asdict(author),
    }
