"""Graphs in one JSON object as web programs write them (D3, networkx, Cytoscape, vis.js, graphology, Neo4j)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from retrieval.kg.readers.json_shapes import Row
from retrieval.kg.readers.property_layout import IDS
from retrieval.kg.readers.property_rows import UNNAMED
from retrieval.lexicon import get_sequence

#: Where an edge has its ends, and what it is called, beside the words that lines of edges use.
_FROM = get_sequence("edge_source_headings")
_TO = get_sequence("edge_target_headings")
_CALLED = ("relation", "relationship", "type", "label", "predicate", "name")


def is_edge(value: Any) -> bool:
    """Whether an element says where it begins."""
    return isinstance(value, dict) and _find_end(value, _FROM) is not None


def extract_elements(value: Row) -> Row:
    """Nodes and edges of Cytoscape, which has them in one list or in two."""
    inner = value.get("elements")
    if isinstance(inner, list):
        known = [item for item in inner if isinstance(item, dict)]
        edges = [item for item in known if is_edge(item)]
        return {"nodes": [item for item in known if item not in edges], "edges": edges}
    return inner if isinstance(inner, dict) else value


def build_graph(nodes: Sequence[Any], edges: Sequence[Row]) -> list[Row]:
    """Nodes and edges as lines of them are read: an id and what is known of it, two ends and a relation."""
    rows = [_unpack_bags(node) if isinstance(node, dict) else {"id": node} for node in nodes]
    for node in rows:
        if "key" in node and not node.keys() & set(IDS):
            node["id"] = node.pop("key")  # graphology
    node_ids, count = {json.dumps(node.get("id", node.get("name"))) for node in rows}, len(rows)
    for edge in map(_unpack_bags, edges):
        called = next((key for key in _CALLED if isinstance(edge.get(key), str) and edge[key]), "")
        source, target = (_resolve_end(_find_end(edge, keys), rows[:count], node_ids) for keys in (_FROM, _TO))
        left = {key: value for key, value in edge.items() if key not in (*_FROM, *_TO, called, "id", "key")}
        rows.append({"source": source, "relation": edge[called] if called else UNNAMED, "target": target, **left})
    return rows


def _unpack_bags(value: Row) -> Row:
    """What is said of a node or an edge, with what Cytoscape and graphology put in a bag."""
    known = dict(value)
    for bag in ("data", "attributes"):
        inner = known.get(bag)
        known |= known.pop(bag) if isinstance(inner, dict) else {}
    return known


def _find_end(edge: Row, keys: Sequence[str]) -> Any:
    """What an edge has under one of the keys."""
    known = _unpack_bags(edge)
    return next((known[key] for key in keys if known.get(key) is not None), None)


def _resolve_end(end: Any, nodes: Sequence[Row], node_ids: set[str]) -> Any:
    """The id of an end: D3 may name a node by its place in the list, or give the node itself."""
    if isinstance(end, dict):
        return end.get("id", end.get("name"))
    if isinstance(end, int) and json.dumps(end) not in node_ids and 0 <= end < len(nodes):
        return nodes[end].get("id", nodes[end].get("name"))
    return end
