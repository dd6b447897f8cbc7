"""How a graph is written in RDF, so that queries of programs can name its nodes and read its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Key
from retrieval.programs.rendering import rdf
from retrieval.programs.rendering.equality import compute_tolerance

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

Lines = list[str]
NewVariable = Callable[[str], str]
"""Gives a variable of a name that the query does not have yet."""

PREFIXES = {
    "e": rdf.ENTITY, "r": rdf.RELATION, "c": rdf.OWN, "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}  # fmt: skip
_LOCAL = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-F]{2})(?:[A-Za-z0-9_-]|%[0-9A-F]{2})*")


class RdfVocabulary(Protocol):
    """How the nodes, relations and values of a graph are asked for. Variables are given with their question mark."""

    def list_terms(self, node: int) -> list[str]:
        """What stands for a node: an IRI, or the literals that it may be."""

    def write_relation(self, forward: int) -> str:
        """The predicate of a forward relation."""

    def write_spoken(self, relation: int, end: str) -> Lines:
        """What keeps the ends of a directed relation to the languages that are asked for."""

    def write_value(self, end: str, value: str, relation: int | None, new: NewVariable) -> Lines:
        """A pattern that binds ``value`` to the number of a node.

        Args:
            end: a variable that is bound, or a term.
            relation: the directed relation that led there, None where it is not known.
            new: see :data:`NewVariable`.

        Raises:
            ProgramError: the values of the relation cannot be computed with.
        """

    def write_date_part(self, value: str, part: str, name: str, new: NewVariable) -> Lines:
        """A pattern that binds ``part`` to the ``name`` (``year`` or ``monthDay``) of a date with a value."""

    def write_label(self, node: str, label: str, relation: int | None) -> Lines:
        """A pattern that binds ``label`` to the text of a node that a relation led to, None: of any node."""

    def write_near(self, key: Key, value: float, slack: float) -> float | None:
        """See :func:`retrieval.programs.rendering.equality.compute_tolerance`."""


class Typed:
    """The vocabulary of :mod:`~retrieval.programs.rendering.rdf`: every value is a node that says what it is."""

    def __init__(self, snapshot: Snapshot, columns: Columns) -> None:
        self._snapshot = snapshot
        self._columns = columns

    def list_terms(self, node: int) -> list[str]:
        """See :class:`RdfVocabulary`."""
        return [_write_short_iri(rdf.get_entity_iri(self._snapshot, node))]

    def write_relation(self, forward: int) -> str:
        """See :class:`RdfVocabulary`."""
        return _write_short_iri(rdf.get_relation_iri(self._snapshot, forward))

    def write_spoken(self, relation: int, end: str) -> Lines:
        """Nothing: texts of all languages count."""
        del relation, end
        return []

    def write_value(self, end: str, value: str, relation: int | None, new: NewVariable) -> Lines:
        """See :class:`RdfVocabulary`."""
        del new
        kind = None if relation is None else self._columns.get_value_type(relation)
        typed = "" if kind is None else f" ; c:kind {rdf.write_text(kind.kind.value)}"
        return [f"{end} c:value {value}{typed} ."]

    def write_date_part(self, value: str, part: str, name: str, new: NewVariable) -> Lines:
        """See :class:`RdfVocabulary`; the date is looked up by its value."""
        date, date_value = new("date"), new("value")
        return [f'{date} c:value {date_value} ; c:kind "date" ; c:{name} {part} .', f"FILTER({date_value} = {value})"]

    def write_label(self, node: str, label: str, relation: int | None) -> Lines:
        """See :class:`RdfVocabulary`."""
        del relation
        return [f"{node} rdfs:label {label} ."]

    def write_near(self, key: Key, value: float, slack: float) -> float | None:
        """See :class:`RdfVocabulary`."""
        return compute_tolerance(self._columns, key, value, slack)


def _write_short_iri(iri: str) -> str:
    """An IRI with a prefix where that can be written, else in full."""
    for name in ("e", "r"):
        if iri.startswith(PREFIXES[name]) and _LOCAL.fullmatch(iri, len(PREFIXES[name])):
            return f"{name}:{iri[len(PREFIXES[name]) :]}"
    return f"<{iri}>"


def add_prefixes(body: Lines) -> str:
    """A query of some lines, with the prefixes that they use."""
    text = "\n".join(body)
    used = [f"PREFIX {name}: <{iri}>" for name, iri in PREFIXES.items() if re.search(rf"[ (^]{name}:", text)]
    return "\n".join([*used, text, ""])
