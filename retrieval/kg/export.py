"""Graphs as files that other programs read, and that build the same content again where they are imported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from retrieval.errors import ConfigError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.annotations import Annotations

_COLUMNS = ("head", "relation", "tail")
_ISOLATED = "entities without facts"
_LINE_END = re.compile(r"[\n\r]")
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


def export_graph(snapshot: Path, path: Path, format: str, *, partial: bool) -> None:
    """Write a snapshot to a file.

    Args:
        format: a name in ``EXPORT_FORMATS``.
        partial: whether what the format cannot hold is left out.

    Raises:
        ConfigError: the format cannot hold all of the graph.
    """
    opened, chosen = kg.open(snapshot), EXPORT_FORMATS[format]
    lost = [name for name in _list_parts(opened) if name not in chosen.holds]
    if lost and not partial:
        raise ConfigError(
            f"A file of the format {format} cannot hold the {', '.join(lost)} of this graph.",
            hint="Choose graphml or cytoscape for attributes, or leave these out with partial=true.",
        )
    chosen.write(opened, path)


def _list_parts(snapshot: Snapshot) -> list[str]:
    """What a snapshot has beside facts."""
    parts = [name for name, _ in Annotations.load(snapshot.path, snapshot.manifest).list_parts()]
    isolated = (snapshot.get_degrees(np.arange(snapshot.num_entities)) == 0).any()
    return [*parts, _ISOLATED] if isolated else parts


def _list_facts(snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    labels = snapshot.get_entity_label
    for head, relation, tail in zip(snapshot.heads, snapshot.relations, snapshot.tails, strict=True):
        yield labels(int(head)), snapshot.get_relation_name(int(relation)), labels(int(tail))


def _write_tsv(snapshot: Snapshot, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\t".join(_COLUMNS) + "\n")
        for fact in _list_facts(snapshot):
            line = "\t".join(fact)
            if line.count("\t") > 2 or _LINE_END.search(line):
                raise ConfigError(
                    "A name of this graph has a tab or a line end, which TSV cannot hold.",
                    hint="Choose the format parquet.",
                )
            file.write(line + "\n")


def _write_parquet(snapshot: Snapshot, path: Path) -> None:
    import polars as pl  # noqa: PLC0415 - needed by this format alone

    pl.DataFrame(list(_list_facts(snapshot)), schema=dict.fromkeys(_COLUMNS, pl.String), orient="row").write_parquet(
        path
    )


def _write_cytoscape(snapshot: Snapshot, path: Path) -> None:
    """Cytoscape's JSON, one element a line."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"elements": {"nodes": [')
        for entity, attributes in _list_nodes(snapshot):
            name = {"id": f"n{entity}", "name": snapshot.get_entity_label(entity)}
            _write_element(file.write, entity, {**attributes, **name})
        file.write('\n], "edges": [')
        for fact, attributes in _list_edges(snapshot):
            ends = {"id": f"e{fact}", "source": f"n{snapshot.heads[fact]}", "target": f"n{snapshot.tails[fact]}"}
            relation = snapshot.get_relation_name(int(snapshot.relations[fact]))
            _write_element(file.write, fact, {**attributes, **ends, "relation": relation})
        file.write("\n]}}\n")


def _write_element(write: Callable[[str], object], place: int, data: Mapping[str, str]) -> None:
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
            values = {**attributes, "name": snapshot.get_entity_label(entity)}
            file.write(f'<node id="n{entity}">{_render_data(keys, "node", values)}</node>\n')
        for fact, attributes in _list_edges(snapshot):
            values = {**attributes, "relation": snapshot.get_relation_name(int(snapshot.relations[fact]))}
            ends = f'source="n{snapshot.heads[fact]}" target="n{snapshot.tails[fact]}"'
            file.write(f"<edge {ends}>{_render_data(keys, 'edge', values)}</edge>\n")
        file.write("</graph>\n</graphml>\n")


def _render_data(keys: Mapping[tuple[str, str], str], kind: str, values: Mapping[str, str]) -> str:
    data = (f'<data key="{keys[kind, name]}">{escape(value)}</data>' for name, value in values.items())
    text = "".join(data)
    if _NO_XML.search(text):
        raise ConfigError(
            "A name or value of this graph has a control character, which XML cannot hold.",
            hint="Choose the format cytoscape.",
        )
    return text


def _list_nodes(snapshot: Snapshot) -> Iterator[tuple[int, Mapping[str, str]]]:
    return ((entity, snapshot.get_entity_attributes(entity)) for entity in range(snapshot.num_entities))


def _list_edges(snapshot: Snapshot) -> Iterator[tuple[int, Mapping[str, str]]]:
    return ((fact, snapshot.get_fact_attributes(fact)) for fact in range(snapshot.num_triples))


_ATTRIBUTES = frozenset({"entity attributes", "fact attributes", _ISOLATED})
EXPORT_FORMATS = {
    "tsv": ExportFormat(_write_tsv, ".tsv", "text/tab-separated-values"),
    "parquet": ExportFormat(_write_parquet, ".parquet", "application/vnd.apache.parquet"),
    "graphml": ExportFormat(_write_graphml, ".graphml", "application/xml", _ATTRIBUTES),
    "cytoscape": ExportFormat(_write_cytoscape, ".json", "application/json", _ATTRIBUTES),
}
