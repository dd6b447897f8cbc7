"""A graph as RDF with its values typed: the data that the queries of :mod:`~retrieval.programs.rendering.sparql` ask.

* An entity is its own IRI, else ``<urn:clew:e:LABEL>``; a relation is the IRI that it is named by, else
  ``<urn:clew:r:NAME>``. Labels and names are percent-encoded.
* Numbers, dates and texts are nodes as well. Every node has an ``rdfs:label``, a plain literal.
* A node whose label is a value has ``<urn:clew:kind>`` (``"number"``, ``"date"`` or ``"time"``) and
  ``<urn:clew:value>``, in the base unit of its dimension as in :mod:`retrieval.kg.values`: metres, minutes, years with
  a fraction, minutes after midnight. It is an ``xsd:double``, as values are: many engines have smaller decimals.
* A date has ``<urn:clew:year>`` and ``<urn:clew:monthDay>`` too, integers: 1960 and 811 for 11 August 1960.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from retrieval.kg.values import compute_month_day
from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.columns import VALUE_KINDS, Columns

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

OWN = "urn:clew:"
ENTITY, RELATION = f"{OWN}e:", f"{OWN}r:"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_IRI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:)[^\s<>\"{}|\\^`\x00-\x20]+")
_ESCAPES = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def get_entity_iri(snapshot: Snapshot, entity: int) -> str:
    """What an entity is called in the export."""
    iri = snapshot.get_entity_iri(entity)
    return iri if _IRI.fullmatch(iri) else ENTITY + quote(snapshot.get_entity_label(entity), safe="")


def get_relation_iri(snapshot: Snapshot, relation: int) -> str:
    """What a forward relation is called in the export; none is called as the labels and values of nodes are."""
    name = snapshot.get_relation_name(relation)
    is_usable = _IRI.fullmatch(name) is not None and name != LABEL and not name.startswith(OWN)
    return name if is_usable else RELATION + quote(name, safe="")


def write_text(value: str) -> str:
    """A plain literal as N-Triples and SPARQL write it."""
    return f'"{value.translate(_ESCAPES)}"'


def export(snapshot: Snapshot, columns: Columns | None = None) -> Iterator[str]:
    """The graph in N-Triples, a line each: what the nodes are, then the facts. See the module."""
    columns = columns or Columns(snapshot)
    for node, label in enumerate(snapshot.entity_labels):
        subject = f"<{get_entity_iri(snapshot, node)}>"
        yield f"{subject} <{LABEL}> {write_text(label)} .\n"
        if columns.kinds[node]:
            kind = VALUE_KINDS[columns.kinds[node] - 1]
            for name, value in _write_value_properties(float(columns.values[node]), kind):
                yield f"{subject} <{OWN}{name}> {value} .\n"
    relations = [f"<{get_relation_iri(snapshot, relation)}>" for relation in range(snapshot.num_relations)]
    for fact in range(snapshot.num_triples):
        head, tail = (get_entity_iri(snapshot, int(ends[fact])) for ends in (snapshot.heads, snapshot.tails))
        yield f"<{head}> {relations[int(snapshot.relations[fact])]} <{tail}> .\n"


def _write_value_properties(value: float, kind: ValueKind) -> Iterator[tuple[str, str]]:
    yield "kind", write_text(kind.value)
    yield "value", f'"{value!r}"^^<{_XSD}double>'
    if kind is ValueKind.DATE:
        month, day = compute_month_day(value)
        yield "year", f'"{math.floor(value + 1e-9)}"^^<{_XSD}integer>'
        yield "monthDay", f'"{month * 100 + day}"^^<{_XSD}integer>'
