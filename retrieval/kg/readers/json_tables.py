"""JSON that is neither rows of one table nor a graph a line: one object with everything, or rows that hold rows.

Web services and programs write such: ``{"nodes": [...], "links": [...]}`` (D3, networkx, Cytoscape, vis.js, graphology,
Neo4j), ``{"books": [...], "authors": [...]}``, ``{"Oslo": {...}, "Rome": {...}}``, features of GeoJSON, orders with
their items inside. Each table, and the graph, becomes a file of JSON lines.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.errors import SourceError
from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.readers.compression import get_plain_name, open_bytes
from retrieval.kg.readers.json_graphs import build_graph, extract_elements, is_edge
from retrieval.kg.readers.json_layout import is_plain_row, is_row, is_thing, parse_first_objects
from retrieval.kg.readers.json_shapes import (
    Row,
    convert_feature,
    convert_maps,
    find_name_key,
    find_shared_lists,
    split_records,
)
from retrieval.kg.readers.nesting import is_deep, make_depth_error
from retrieval.kg.readers.property_layout import IDS
from retrieval.lexicon import get_words

#: The largest file that is taken apart, in bytes: it is held as a whole.
SIZE = 256 << 20
#: Files of one object a line.
_LINES = (".jsonl", ".ndjson")
_NODES = ("nodes", "vertices", "entities")
_EDGES = ("edges", "links", "relationships", "relations", "rels", "arcs", "connections")
#: Keys that say of what is below them only that it is there.
_WRAPPERS = get_words("json_wrapper_keys")


@dataclass
class _Tables:
    """What was read of a file.

    Attributes:
        rows: by the name of their table, in the order in which they were met.
        graph: nodes and edges.
        facts: head, relation and tail of each.
        shared: keys whose lists hold things that several rows share.
        mentioned: things that rows mention, as JSON, with their table.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    graph: list[Row] = field(default_factory=list)
    facts: list[list[str]] = field(default_factory=list)
    shared: Set[str] = frozenset()
    mentioned: set[tuple[str, str]] = field(default_factory=set)

    def add(self, table: str, values: Sequence[Row]) -> None:
        """Add rows, and to tables of their own what they hold: rows, and things that have a name; records of several
        kinds to a table for each kind.
        """
        for kind, rows in (split_records(values) or {table: list(values)}).items():
            for row in convert_maps(rows):
                self._add(kind, row)

    def _add(self, table: str, value: Row) -> None:
        row, inside = self._split_row(value)
        rows = self.rows.setdefault(table, [])
        rows.append(row)
        key, name = _make_reference(row, infer_noun(f"{table}.json") or table, len(rows))
        for title, values in inside:
            self.add(title, [{**child, key: name} for child in values])

    def _add_things(self, table: str, things: Sequence[Row]) -> None:
        """Add things that rows mention, each once."""
        for thing in things:
            mention = (table, json.dumps(thing))
            if mention not in self.mentioned:
                self.mentioned.add(mention)
                self.add(table, [thing])

    def _split_row(self, value: Row, before: str = "") -> tuple[Row, list[tuple[str, list[Row]]]]:
        """A row with what objects in it say beside it (``address city``), and the rows in it by their table.

        Things that it shares with other rows, and those of a map, become their names.
        """
        row: Row = {}
        inside: list[tuple[str, list[Row]]] = []
        for key, item in value.items():
            title = f"{before} {key}".strip()
            if isinstance(item, dict) and len(item) > 1 and (name := find_name_key(item)):
                row[title] = item[name]
                self._add_things(key, [item])
            elif isinstance(item, dict):
                inner_row, more = self._split_row(item, title)
                row |= inner_row
                inside += more
            elif _has_rows(item) and (key in self.shared or all(map(_has_code_and_name, item))):
                row[title] = [child[find_name_key(child)] for child in item]
                self._add_things(key, item)
            elif _has_rows(item):
                inside.append((key, item))
            else:
                row[title] = item
        return row, inside


def extract_parts(path: Path, name: str, folder: Path) -> list[tuple[str, Path, str]]:
    """The tables, or the graph, in a file of JSON: name, path and format of each; none where it is something else.

    Args:
        path: where it lies.
        name: what its owner calls it.
        folder: where the files are put; it exists.

    Raises:
        SourceError: it is nested too deep.
    """
    value, stem = _load_json(path, name), Path(get_plain_name(name)).stem
    collected = _Tables(shared=find_shared_lists(value))
    if isinstance(value, list):
        _collect_from_list(value, stem, collected)
    elif isinstance(value, dict):
        _collect_from_object(value, stem, collected)
    return list(_write_tables(collected, folder))


def _load_json(path: Path, name: str) -> Any:
    """What a file of JSON holds; None of RDF, of questions and passages, and of rows that hold no rows."""
    try:
        with open_bytes(path, name) as file:
            head = file.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()
            json_ld = b'"@context"' in head or b'"@id"' in head or b'"@graph"' in head
            if not head.startswith((b"{", b"[")) or json_ld or _has_row_reader(head.decode(errors="replace")):
                return None
            text = head + file.read(SIZE + 1)
    except (OSError, SourceError):
        return None  # opening it again says why
    if is_deep(text):
        if get_plain_name(name).lower().endswith(_LINES):
            return None  # its reader says which line
        raise make_depth_error(name)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None  # broken, or too large: its reader says where


def _has_row_reader(head: str) -> bool:
    """Whether a reader takes a file row by row: rows of one kind without rows inside, or what is no table."""
    rows = parse_first_objects(head)
    if not rows or isinstance(rows[0], list) or (len(rows) == 1 and not head.startswith("[")):
        return False  # cut off, rows of cells, one object
    if all(map(is_row, rows)):
        return all(map(is_plain_row, rows)) and not split_records([row for row in rows if isinstance(row, dict)])
    return not all(map(is_thing, rows))


def _collect_from_list(values: list[Any], stem: str, collected: _Tables) -> None:
    """Rows with rows inside, or rows of cells: under a header, or facts."""
    if all(map(is_thing, values)):
        collected.add(stem, values)
        return
    rows = [value for value in values if isinstance(value, list)]
    words = [all(isinstance(cell, str) for cell in row) for row in rows]
    is_rectangular = len(rows) == len(values) > 1 and all(len(row) == len(rows[0]) for row in rows)
    if not is_rectangular or not words[0]:
        return
    if len(rows[0]) == 3 and all(words):
        collected.facts = rows
    else:
        collected.add(stem, [dict(zip(rows[0], row, strict=True)) for row in rows[1:]])


def _collect_from_object(value: Row, stem: str, collected: _Tables) -> None:
    """The tables, or the graph, of one object."""
    value = extract_elements(value)
    nodes: list[Any] = next((value[key] for key in _NODES if isinstance(value.get(key), list)), [])
    edges: list[Any] = next((value[key] for key in _EDGES if isinstance(value.get(key), list)), [])
    if edges and all(map(is_edge, edges)):
        collected.graph = build_graph(nodes, edges)
        return
    if value.get("type") == "FeatureCollection" and isinstance(value.get("features"), list):
        collected.add(stem, [convert_feature(feature) for feature in value["features"] if isinstance(feature, dict)])
        return
    columns = list(value.values())
    keyed = len(columns) > 1 and all(map(_is_keyed_row, columns)) and any(columns) and _has_common_keys(columns)
    if not keyed and (tables := list(_find_tables(value, stem))):
        for name, rows in tables:
            collected.add(name, rows)
    elif len(columns) < 2:
        if isinstance(columns[0] if columns else None, dict):
            _collect_from_object(columns[0], stem, collected)
    elif keyed:
        taken = {key.casefold() for row in columns for key in row}
        words = ("id", "key", "code") if "name" in taken or all(name.isdecimal() for name in value) else ("name",)
        key = next((word for word in words if word not in taken), f"{stem} key")
        collected.add(stem, [{key: name, **row} for name, row in value.items()])
    elif all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        collected.add(stem, [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)])


def _find_tables(value: Row, name: str) -> Iterator[tuple[str, list[Row]]]:
    """The tables that an object holds, however deep in objects that only wrap them: their names, and their rows."""
    for key, inner in value.items():
        table_name = name if key.casefold() in _WRAPPERS or not infer_noun(f"{key}.json") else key
        if _has_rows(inner):
            yield table_name, inner
        elif isinstance(inner, dict):
            yield from _find_tables(inner, table_name)


def _is_keyed_row(value: object) -> bool:
    """Whether what stands under a key may be a row; nothing may be known of some."""
    return value == {} or is_thing(value)


def _has_common_keys(rows: Sequence[Row]) -> bool:
    """Whether objects say the same of different things: most keys of each are keys of others too."""
    counts = Counter(key for row in rows for key in row)
    return all(2 * sum(counts[key] > 1 for key in row) >= len(row) for row in rows)


def _has_code_and_name(row: Row) -> bool:
    """Whether a row is a thing of a map, which has its key as ``code``, see :func:`convert_maps`."""
    return "code" in row and bool(find_name_key(row))


def _has_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_thing, value))


def _make_reference(row: Row, kind: str, number: int) -> tuple[str, Any]:
    """How rows inside a row refer to it: heading and value."""
    numbering = {f"{kind}{mark}{end}" for mark in ("", "_", " ") for end in ("id", "no", "nr", "number", "ref")}
    headings = {*IDS, "_id", "no", "number", "ref", *numbering}
    headings |= {kind} if isinstance(row.get(kind), int) else set()
    id_key = next(
        (key for key, value in row.items() if key.casefold() in headings and isinstance(value, (int, str))),
        "",
    )
    if id_key:
        return f"{kind}_id", row[id_key]
    name = find_name_key(row)
    return kind, row[name] if name else f"{kind} {number}"


def _write_tables(collected: _Tables, folder: Path) -> Iterator[tuple[str, Path, str]]:
    for number, (table, rows) in enumerate(collected.rows.items()):
        yield f"{table.replace('/', ' ')}.json", _write_lines(rows, folder / f"{number}.jsonl"), "json-table"
    if collected.graph:
        yield "graph.json", _write_lines(collected.graph, folder / "graph.jsonl"), "property-jsonl"
    if collected.facts:
        out = folder / "facts.csv"
        with out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(collected.facts)
        yield "facts.csv", out, "csv"


def _write_lines(rows: Sequence[Mapping[str, Any]], out: Path) -> Path:
    with out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return out
