"""The effect of an edit: which facts and entities go, and which come. Swapped, it undoes the edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

Attributes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FactRecord:
    """A fact with its attributes and the names of the passages that it was extracted from."""

    head: str
    relation: str
    tail: str
    attributes: Attributes = ()
    passages: tuple[str, ...] = ()

    @property
    def triple(self) -> tuple[str, str, str]:
        """The labels of its ends and the name of its relation."""
        return (self.head, self.relation, self.tail)

    def move(self, source: str, target: str) -> FactRecord:
        """Return the fact with one end replaced wherever it occurs."""
        head, tail = (target if end == source else end for end in (self.head, self.tail))
        return replace(self, head=head, tail=tail)

    def combine(self, other: FactRecord) -> FactRecord:
        """Return the fact with the attributes and passages of both."""
        return replace(
            self,
            attributes=tuple(sorted({*self.attributes, *other.attributes})),
            passages=tuple(sorted({*self.passages, *other.passages})),
        )


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """An entity with its kind of node, its IRI ("" for none), its attributes and its names in languages.

    A lonely one has no facts. ``names`` are (language, name, rank); the name of rank 0 is shown in its language.
    """

    label: str
    kind: str
    iri: str = ""
    attributes: Attributes = ()
    is_lonely: bool = False
    names: tuple[tuple[str, str, int], ...] = ()

    def merge_names(self, other: NodeRecord) -> tuple[tuple[str, str, int], ...]:
        """Return the names of both; in a language that both have, the name of this entity is shown."""
        shown = {language for language, _, rank in self.names if not rank}
        known = {(language, name) for language, name, _ in self.names}
        added = ((language, name, max(rank, language in shown)) for language, name, rank in other.names)
        return tuple(sorted([*self.names, *(row for row in added if row[:2] not in known)]))


@dataclass(frozen=True, slots=True)
class Effect:
    """The facts and entities that an edit removes and adds. An entity that changes is in both."""

    removed: tuple[FactRecord, ...] = ()
    added: tuple[FactRecord, ...] = ()
    nodes_removed: tuple[NodeRecord, ...] = ()
    nodes_added: tuple[NodeRecord, ...] = ()

    def invert(self) -> Effect:
        """Return the effect that undoes this one."""
        return Effect(self.added, self.removed, self.nodes_added, self.nodes_removed)

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Effect:
        """Read what :meth:`to_json` made."""
        return cls(
            tuple(_read_fact(row) for row in value["removed"]),
            tuple(_read_fact(row) for row in value["added"]),
            tuple(_read_node(row) for row in value["nodes_removed"]),
            tuple(_read_node(row) for row in value["nodes_added"]),
        )


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """What became of an operation: its effect, or why it cannot be applied."""

    effect: Effect | None
    message: str = ""


def _read_fact(row: Mapping[str, Any]) -> FactRecord:
    return FactRecord(
        row["head"], row["relation"], row["tail"], _read_attributes(row["attributes"]), tuple(row["passages"])
    )


def _read_node(row: Mapping[str, Any]) -> NodeRecord:
    names = tuple((language, name, rank) for language, name, rank in row.get("names", ()))
    attributes = _read_attributes(row["attributes"])
    return NodeRecord(row["label"], row["kind"], row["iri"], attributes, row["is_lonely"], names)


def _read_attributes(rows: list[list[str]]) -> Attributes:
    return tuple((key, value) for key, value in rows)
