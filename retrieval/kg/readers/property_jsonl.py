"""Nodes and edges as JSON objects, one a line or in one array.

- an edge has a source, a relation and a target (see :mod:`~retrieval.kg.readers.property_layout` for the words);
- a node has an ``id`` or a name, and what is known of it beside that, plainly or under ``properties``;
- ``apoc.export.json``: ``{"type": "node" | "relationship", ...}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import BAGS, IDS, RELATIONS, SOURCES, TARGETS
from retrieval.kg.readers.property_rows import (
    NAMES,
    BadRowError,
    PropertyRows,
    expand_names,
    extract_attributes,
    extract_node_attributes,
    find_name_key,
    format_value,
)
from retrieval.kg.snapshot.relation_names import TYPE

#: What passages and documents have, and nodes only beside a type.
_TEXTS = frozenset({"text", "contents", "paragraph_text", "paragraphs", "context"})


def is_graph_object(row: object) -> bool:
    """Whether a JSON value looks like a node or an edge, and not like a passage or a question."""
    if not isinstance(row, dict) or "question" in row or any(key.startswith("@") for key in row):
        return False
    if _find_end_keys(row) is not None or row.get("type") == "node":
        return True
    described = bool(row.keys() & {TYPE, "labels", *BAGS})
    return bool(row.keys() & {*IDS, *NAMES}) and (described or not row.keys() & _TEXTS)


def read_property_jsonl(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one file of nodes, of edges, or of both."""
    rows = PropertyRows(log)
    for line, row in read_json_rows(file.source, log.add):
        try:
            _read_object(row, rows, line)
        except BadRowError as error:
            log.add(line, str(error), json.dumps(row, ensure_ascii=False), error.kind)
    return FactFile(log.file, None, log.count, properties=rows)


def _read_object(row: object, nodes: PropertyRows, line: int) -> None:
    if not isinstance(row, dict):
        raise BadRowError("not a JSON object")
    ends = _find_end_keys(row)
    if row.get("type") == "relationship" and ends:
        _add_edge(row, (ends[0], ends[1], "label"), nodes, line)
    elif row.get("type") == "node" and "id" in row:
        _add_node({key: value for key, value in row.items() if key != TYPE}, nodes, line)
    elif ends:
        _add_edge(row, ends, nodes, line)
    elif row.keys() & {*IDS, *NAMES}:
        _add_node(row, nodes, line)
    else:
        raise BadRowError("neither a node (id or name) nor an edge (source, relation, target)")


def _find_end_keys(row: Mapping[str, object]) -> tuple[str, str, str] | None:
    """The keys of source, target and relation of an edge."""
    by_lower = {key.lower(): key for key in row}
    keys = [next((by_lower[w] for w in words if w in by_lower), "") for words in (SOURCES, TARGETS, RELATIONS)]
    return (keys[0], keys[1], keys[2]) if keys[0] and keys[1] else None


def _format_id(value: object) -> str:
    return format_value(value.get("id", value.get("name")) if isinstance(value, dict) else value)


def _add_edge(row: dict[str, object], keys: tuple[str, str, str], nodes: PropertyRows, line: int) -> None:
    source, target, relation = keys
    values = _extract_properties(
        row, {source, target, relation, TYPE if row.get(TYPE) == "relationship" else relation, "id"}
    )
    ends = _format_id(row[source]), _format_id(row[target])
    nodes.add_edge(ends, format_value(row.get(relation)), line, list(extract_attributes(values)))


def _add_node(row: dict[str, object], nodes: PropertyRows, line: int) -> None:
    id_key = next((key for key in IDS if row.get(key) is not None), None)
    values = expand_names(_extract_properties(row, {id_key} if id_key else set()))
    label = find_name_key(
        {key: value for key, value in values.items() if key.lower() != "label" or "name" not in values}
    )
    name = format_value(values[label]) if label else ""
    key = _format_id(row[id_key]) if id_key else name
    if id_key and name:
        nodes.named = False
    if label != "label" and "label" in values and TYPE not in values:
        values[TYPE] = values.pop("label")
    labels = values.pop("labels", None) or []
    kinds = [format_value(kind) for kind in (labels if isinstance(labels, list) else [labels])]
    nodes.add_node(key, name, extract_node_attributes(kinds, values), line)


def _extract_properties(row: Mapping[str, object], without: set[str]) -> dict[str, object]:
    """Everything else of an object, with what stands under ``properties`` or ``attributes`` beside it."""
    values: dict[str, object] = {}
    for key, value in row.items():
        if key in BAGS and isinstance(value, dict):
            values.update(value)
        elif key not in without and value is not None:
            values[key] = value
    return values
