"""What the columns of nodes and edges are, told by their names.

- GFM-RAG: ``name,type,attributes`` (nodes), ``source,relation,target,attributes`` (edges), ``name,attributes``
  (relations, of which nothing is kept).
- ``neo4j-admin import``: ``:ID``, ``:LABEL``, ``:START_ID``, ``:END_ID``, ``:TYPE``, ``:IGNORE``, with id spaces,
  types and arrays.
- ``apoc.export.csv``: ``_id,_labels,...,_start,_end,_type,...`` in one file; Clew's own exports beside that have
  attributes in ``_properties``.
- others: a node file begins with ``id`` and has a name or a type; an edge file has source, target and relation.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.kg.readers.property_rows import NAMES
from retrieval.kg.readers.rows_layout import WIDTH, is_header
from retrieval.kg.snapshot.relation_names import TYPE
from retrieval.lexicon import get_sequence

SOURCES = get_sequence("edge_source_headings")
TARGETS = get_sequence("edge_target_headings")
RELATIONS = get_sequence("edge_relation_headings")
IDS = ("id", "uid", "node_id", "nodeid")
BAGS = ("attributes", "properties", "props")
_MARKS = (",", "\t", ";", "|")
_NEO4J = re.compile(r"^([^:]*):(ID|LABEL|START_ID|END_ID|TYPE|IGNORE)(?:\((.*)\))?(?:\{.*\})?$")
_TYPED = re.compile(
    r"^(.+):(?:int|long|float|double|boolean|byte|short|char|string|point|date|time|datetime|localtime"
    r"|localdatetime|duration)(?:\{.*\})?(\[\])?$"
)
_APOC = {
    "_id": "id",
    "_labels": "types",
    "_start": "source",
    "_end": "target",
    "_type": "relation",
    "_properties": "bag",
}


@dataclass
class Layout:
    """Which column is what; ``columns`` has ``id``, ``name``, ``types``, ``source``, ``relation``, ``target``, ``bag``.

    Attributes:
        attributes: (column, key, whether it is an array).
        spaces: id spaces by role.
        named: whether ids are names.
        directions: whether the column of relations may say which way edges go instead, as Gephi's ``Type`` does.
    """

    width: int
    columns: dict[str, int] = field(default_factory=dict)
    attributes: list[tuple[int, str, bool]] = field(default_factory=list)
    spaces: dict[str, str] = field(default_factory=dict)
    named: bool = False
    relations: bool = False
    directions: bool = False


def find_layout(header: str) -> tuple[str, Layout] | None:
    """The delimiter and layout of a header line, or None where it is not one of nodes or edges."""
    for mark in _MARKS:
        try:
            cells = [cell.strip() for cell in next(csv.reader([header], delimiter=mark))]
        except (csv.Error, StopIteration):
            continue
        if not 2 <= len(cells) <= WIDTH or len(set(cells)) < len([c for c in cells if c]):
            continue
        layout = _parse_neo4j(cells) or _parse_apoc(cells)
        if layout is None and not is_header(header, mark):
            layout = _parse_edges(cells) or _parse_nodes(cells)
        if layout is not None:
            return mark, layout
    return None


def layout_of(cells: Sequence[str]) -> Layout | None:
    """The layout of columns by their names, or None where they are not those of nodes or edges."""
    return _parse_neo4j(cells) or _parse_apoc(cells) or _parse_edges(cells) or _parse_nodes(cells) if cells else None


def _parse_neo4j(cells: Sequence[str]) -> Layout | None:
    layout = Layout(len(cells))
    roles = {"ID": "id", "LABEL": "types", "START_ID": "source", "END_ID": "target", "TYPE": "relation"}
    ignored = set()
    for i, cell in enumerate(cells):
        if match := _NEO4J.match(cell):
            name, role, space = match[1], roles.get(match[2], ""), match[3] or ""
            if not role:
                ignored.add(i)
            elif role == "id" and role in layout.columns:
                return None
            else:
                layout.columns[role], layout.spaces[role] = i, space
            if role == "id" and name:
                layout.attributes.append((i, name, False))
    if not ({"id"} <= layout.columns.keys() or {"source", "target"} <= layout.columns.keys()):
        return None
    taken = {i for role, i in layout.columns.items()} | ignored
    for i, cell in enumerate(cells):
        if i not in taken and cell:
            typed = _TYPED.match(cell)
            layout.attributes.append((i, typed[1], bool(typed[2])) if typed else (i, cell, False))
    return layout


def _parse_apoc(cells: Sequence[str]) -> Layout | None:
    columns = {_APOC[cell]: i for i, cell in enumerate(cells) if cell in _APOC}
    if not ({"id", "types"} <= columns.keys() or {"source", "target", "relation"} <= columns.keys()):
        return None
    return Layout(len(cells), columns, _list_others(cells, columns))


def _parse_edges(cells: Sequence[str]) -> Layout | None:
    lower = [cell.lower().strip("_") for cell in cells]
    columns = {}
    for role, words in (("source", SOURCES), ("target", TARGETS), ("relation", RELATIONS), ("bag", BAGS)):
        column = next((lower.index(word) for word in words if word in lower), None)
        if column is not None:
            columns[role] = column
    # A list of edges needs no relation where these words say that it is one.
    if not {"source", "target"} <= columns.keys() or (
        "relation" not in columns and not {"source", "target"} <= {*lower}
    ):
        return None
    own_id = next((i for i, cell in enumerate(lower) if cell in IDS), None)
    taken = {**columns, **({} if own_id is None else {"own": own_id})}
    by_name = not any(lower[columns[role]].endswith("id") for role in ("source", "target"))
    directions = "relation" not in columns or lower[columns["relation"]] == TYPE
    return Layout(len(cells), columns, _list_others(cells, taken), named=by_name, directions=directions)


def _parse_nodes(cells: Sequence[str]) -> Layout | None:
    lower = [cell.lower() for cell in cells]
    if lower == ["name", "attributes"]:
        return Layout(2, {"id": 0}, relations=True, named=True)
    columns = {}
    if lower[0] in IDS:
        columns["id"] = 0
    for role, words in (("name", NAMES), ("bag", BAGS)):
        column = next((lower.index(word) for word in words if word in lower), None)
        if column is not None:
            columns[role] = column
    types = [word for word in (TYPE, "types", "labels", "category", "label") if word in lower]
    if types and lower.index(types[0]) != columns.get("name"):
        columns["types"] = lower.index(types[0])
    if "id" in columns and columns.keys() & {"name", "types"}:
        return Layout(len(cells), columns, _list_others(cells, columns))
    if lower[0] == "name" and lower[1] == TYPE and (len(cells) == 2 or "bag" in columns):
        columns["id"] = columns.pop("name")
        return Layout(len(cells), columns, _list_others(cells, columns), named=True)
    return None


def _list_others(cells: Sequence[str], columns: dict[str, int]) -> list[tuple[int, str, bool]]:
    return [(i, cell, False) for i, cell in enumerate(cells) if cell and i not in columns.values()]
