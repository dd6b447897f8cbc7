"""Graphs as files that other programs read, and that build the same content again where they are imported."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from retrieval.errors import ConfigError
from retrieval.kg import snapshot as kg
from retrieval.kg.readers.property_layout import IDS, SOURCES, TARGETS
from retrieval.kg.readers.property_rows import find_key_language
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.annotations import Annotations
from retrieval.kg.snapshot.attributes import AttributeTable

ExportName = Literal["tsv", "facts", "parquet", "graphml", "cytoscape"]
_Values = Mapping[str, list[str]]
_COLUMNS = ("head", "relation", "tail")
_ISOLATED = "entities without facts"
#: Those of ``apoc.export.csv`` in one file, with attributes as JSON.
_PROPERTY_COLUMNS = ("_id", "name", "_start", "_type", "_end", "_properties")
_NO_CELL = re.compile(r"[\t\n\r]")
#: Keys that name nodes and edges, and those by which JSON tells what a node is and where an edge leads.
_NODE_NAMES, _EDGE_NAMES = frozenset({"name", "label", "labels"}), frozenset({"relation"})
_JSON_KEYS = frozenset({*IDS, "key", "properties", *SOURCES, *TARGETS})
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_GRAPHML = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of files.

    Attributes:
        write: writes a snapshot to a path.
        suffix: of the file's name.
        holds: what it keeps beside facts, as ``Annotations.list_parts`` names it.
    """

    write: Callable[[Snapshot, Path], None]
    suffix: str
    media_type: str
    holds: frozenset[str] = frozenset()


def export_graph(snapshot: Path, path: Path, format: ExportName, *, partial: bool) -> None:
    """Write a snapshot to a file.

    Args:
        format: a name in ``EXPORT_FORMATS``.
        partial: whether what the format cannot hold is left out.

    Raises:
        ConfigError: the format cannot hold all of the graph.
    """
    opened, chosen = kg.open(snapshot), EXPORT_FORMATS[format]
    lost = [name for name in _list_parts(opened) if name not in chosen.holds]
    lost += [f"attribute {key!r}" for key in _list_name_keys(opened)] if chosen.holds else []
    if lost and not partial:
        raise ConfigError(
            f"A file of the format {format} cannot hold the {', '.join(lost)} of this graph.",
            hint="Choose tsv, parquet, graphml or cytoscape for attributes, or leave these out with partial=true.",
        )
    chosen.write(opened, path)


def _list_parts(snapshot: Snapshot) -> list[str]:
    """What a snapshot has beside facts."""
    parts = [name for name, _ in Annotations.load(snapshot.path, snapshot.manifest).list_parts()]
    isolated = (snapshot.get_degrees(np.arange(snapshot.num_entities)) == 0).any()
    return [*parts, _ISOLATED] if isolated else parts


def _list_name_keys(snapshot: Snapshot) -> list[str]:
    """Keys of attributes that a reader would take for names of nodes or of edges."""
    annotations = Annotations.load(snapshot.path, snapshot.manifest)
    return [
        key
        for table, names in ((annotations.entities, _NODE_NAMES), (annotations.facts, _EDGE_NAMES))
        for key in (() if table is None else map(table.keys.__getitem__, range(len(table.keys))))
        if _is_name(key, names)
    ]


def _is_name(key: str, names: frozenset[str]) -> bool:
    return key.lower() in names or (names is _NODE_NAMES and find_key_language(key) is not None)


def _list_facts(snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    labels = snapshot.get_entity_label
    for head, relation, tail in zip(snapshot.heads, snapshot.relations, snapshot.tails, strict=True):
        yield labels(int(head)), snapshot.get_relation_name(int(relation)), labels(int(tail))


def _has_properties(snapshot: Snapshot) -> bool:
    return not _ATTRIBUTES.isdisjoint(_list_parts(snapshot))


def _list_property_rows(snapshot: Snapshot) -> Iterator[tuple[str, ...]]:
    """Nodes, then edges, in ``_PROPERTY_COLUMNS``."""
    for entity, attributes in _list_nodes(snapshot):
        yield f"n{entity}", snapshot.get_entity_label(entity), "", "", "", _write_bag(attributes)
    for fact, attributes in _list_edges(snapshot):
        relation = snapshot.get_relation_name(int(snapshot.relations[fact]))
        yield "", "", f"n{snapshot.heads[fact]}", relation, f"n{snapshot.tails[fact]}", _write_bag(attributes)


def _write_bag(values: _Values) -> str:
    return json.dumps(values, ensure_ascii=False) if values else ""


def _write_tsv(snapshot: Snapshot, path: Path) -> None:
    if not _has_properties(snapshot):
        return _write_facts(snapshot, path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(_PROPERTY_COLUMNS)
        writer.writerows(map(_check_cells, _list_property_rows(snapshot)))


def _write_facts(snapshot: Snapshot, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in chain([_COLUMNS], _list_facts(snapshot)):
            file.write("\t".join(_check_cells(row)) + "\n")


def _check_cells(row: tuple[str, ...]) -> tuple[str, ...]:
    if any(_NO_CELL.search(cell) for cell in row):
        raise ConfigError(
            "A name of this graph has a tab or a line end, which TSV cannot hold.", hint="Choose the format parquet."
        )
    if any(len(cell) > csv.field_size_limit() for cell in row):
        raise ConfigError("Attributes of this graph are too long for a cell of TSV.", hint="Choose the format parquet.")
    return row


def _write_parquet(snapshot: Snapshot, path: Path) -> None:
    import polars as pl  # noqa: PLC0415 - needed by this format alone

    columns, list_rows = (
        (_PROPERTY_COLUMNS, _list_property_rows) if _has_properties(snapshot) else (_COLUMNS, _list_facts)
    )
    pl.DataFrame(list(list_rows(snapshot)), schema=dict.fromkeys(columns, pl.String), orient="row").write_parquet(path)


def _write_cytoscape(snapshot: Snapshot, path: Path) -> None:
    """Cytoscape's JSON, one element a line."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"elements": {"nodes": [')
        for entity, attributes in _list_nodes(snapshot):
            name = {"id": f"n{entity}", "name": snapshot.get_entity_label(entity)}
            _write_element(file.write, entity, {**_unwrap_values(attributes), **name})
        file.write('\n], "edges": [')
        for fact, attributes in _list_edges(snapshot):
            ends = {"id": f"e{fact}", "source": f"n{snapshot.heads[fact]}", "target": f"n{snapshot.tails[fact]}"}
            relation = snapshot.get_relation_name(int(snapshot.relations[fact]))
            _write_element(file.write, fact, {**_unwrap_values(attributes), **ends, "relation": relation})
        file.write("\n]}}\n")


def _write_element(write: Callable[[str], object], place: int, data: Mapping[str, object]) -> None:
    write(f"{',' if place else ''}\n{json.dumps({'data': data}, ensure_ascii=False)}")


def _write_graphml(snapshot: Snapshot, path: Path) -> None:
    keys = {("node", "name"): "name", ("edge", "relation"): "relation"}
    for kind, rows in (("node", _list_nodes(snapshot)), ("edge", _list_edges(snapshot))):
        for _, attributes in rows:
            for name in attributes:
                keys.setdefault((kind, name), f"k{len(keys)}")
    with path.open("w", encoding="utf-8") as file:
        file.write(_GRAPHML)
        for (kind, name), key in keys.items():
            file.write(f'<key id="{key}" for="{kind}" attr.name={quoteattr(name)} attr.type="string"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for entity, attributes in _list_nodes(snapshot):
            values = {**attributes, "name": [snapshot.get_entity_label(entity)]}
            file.write(f'<node id="n{entity}">{_render_data(keys, "node", values)}</node>\n')
        for fact, attributes in _list_edges(snapshot):
            values = {**attributes, "relation": [snapshot.get_relation_name(int(snapshot.relations[fact]))]}
            ends = f'source="n{snapshot.heads[fact]}" target="n{snapshot.tails[fact]}"'
            file.write(f"<edge {ends}>{_render_data(keys, 'edge', values)}</edge>\n")
        file.write("</graph>\n</graphml>\n")


def _render_data(keys: Mapping[tuple[str, str], str], kind: str, values: _Values) -> str:
    pairs = ((keys[kind, name], value) for name, texts in values.items() for value in texts)
    text = "".join(f'<data key="{key}">{escape(value)}</data>' for key, value in pairs)
    if _NO_XML.search(text):
        raise ConfigError(
            "A name or value of this graph has a control character, which XML cannot hold.",
            hint="Choose the format cytoscape.",
        )
    return text


def _list_nodes(snapshot: Snapshot) -> Iterator[tuple[int, _Values]]:
    table = Annotations.load(snapshot.path, snapshot.manifest).entities
    return _list_values(table, snapshot.num_entities, _NODE_NAMES)


def _list_edges(snapshot: Snapshot) -> Iterator[tuple[int, _Values]]:
    table = Annotations.load(snapshot.path, snapshot.manifest).facts
    return _list_values(table, snapshot.num_triples, _EDGE_NAMES)


def _list_values(table: AttributeTable | None, owners: int, left_out: frozenset[str]) -> Iterator[tuple[int, _Values]]:
    for owner in range(owners):
        values: dict[str, list[str]] = {}
        for key, value in table.list_pairs(owner) if table is not None else ():
            if not _is_name(key, left_out):
                values.setdefault(key, []).append(value)
        yield owner, values


def _unwrap_values(values: _Values) -> dict[str, object]:
    """Values as JSON has them: a list only where there are several; apart where the key is one of the format."""
    flat: dict[str, object] = {key: texts[0] if len(texts) == 1 else texts for key, texts in values.items()}
    apart = {key: flat.pop(key) for key in list(flat) if key.lower() in _JSON_KEYS}
    return {**flat, "properties": apart} if apart else flat


_ATTRIBUTES = frozenset({"entity attributes", "fact attributes", _ISOLATED})
EXPORT_FORMATS: dict[ExportName, ExportFormat] = {
    "tsv": ExportFormat(_write_tsv, ".tsv", "text/tab-separated-values", _ATTRIBUTES),
    "facts": ExportFormat(_write_facts, ".tsv", "text/tab-separated-values"),
    "parquet": ExportFormat(_write_parquet, ".parquet", "application/vnd.apache.parquet", _ATTRIBUTES),
    "graphml": ExportFormat(_write_graphml, ".graphml", "application/xml", _ATTRIBUTES),
    "cytoscape": ExportFormat(_write_cytoscape, ".json", "application/json", _ATTRIBUTES),
}
