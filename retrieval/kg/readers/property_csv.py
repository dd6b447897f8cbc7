"""Nodes and edges as CSV: GFM-RAG's three files, Neo4j's import and export headers, and plain ids and names.

What a column is follows from the header:

- GFM-RAG: ``name,type,attributes`` (nodes), ``source,relation,target,attributes`` (edges), ``name,attributes``
  (relations, of which nothing is kept); attributes are JSON or a Python dictionary.
- ``neo4j-admin import``: ``:ID``, ``:LABEL``, ``:START_ID``, ``:END_ID``, ``:TYPE``, ``:IGNORE``, with id spaces,
  types and arrays.
- ``apoc.export.csv``: ``_id,_labels,...,_start,_end,_type,...`` in one file.
- others: a node file begins with ``id`` and has a name or a type; an edge file has source, target and relation.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from retrieval.kg.readers.delimited import WIDTH, looks_like_header, parse_delimiter
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import NAMES, TYPE, BadRowError, PropertyRows, attribute_rows
from retrieval.kg.readers.sources import Source

SOURCES = ("source", "source_id", "start", "start_id", "from", "src", "head", "subject")
TARGETS = ("target", "target_id", "end", "end_id", "to", "dst", "tail", "object")
RELATIONS = (
    "relation",
    "relationship",
    "predicate",
    "rel_type",
    "relation_type",
    "type",
    "rel",
    "edge",
    "label",
)
IDS = ("id", "uid", "node_id", "nodeid")
BAGS = ("attributes", "properties", "props")
_MARKS = (",", "\t", ";", "|")
_NEO4J = re.compile(r"^([^:]*):(ID|LABEL|START_ID|END_ID|TYPE|IGNORE)(?:\((.*)\))?(?:\{.*\})?$")
_TYPED = re.compile(
    r"^(.+):(?:int|long|float|double|boolean|byte|short|char|string|point|date|time|datetime|localtime"
    r"|localdatetime|duration)(?:\{.*\})?(\[\])?$"
)
_APOC = {"_id": "id", "_labels": "types", "_start": "source", "_end": "target", "_type": "relation"}


@dataclass
class Layout:
    """Which column is what; ``columns`` has ``id``, ``name``, ``types``, ``source``, ``relation``, ``target``, ``bag``.

    Attributes:
        attributes: (column, key, whether it is an array).
        spaces: id spaces by role.
        named: whether ids are names.
        relations: a file that names relations.
    """

    width: int
    columns: dict[str, int] = field(default_factory=dict)
    attributes: list[tuple[int, str, bool]] = field(default_factory=list)
    spaces: dict[str, str] = field(default_factory=dict)
    named: bool = False
    relations: bool = False


def find_layout(header: str) -> tuple[str, Layout] | None:
    """The delimiter and layout of a header line, or None where it is not one of nodes or edges."""
    for mark in _MARKS:
        try:
            cells = [cell.strip() for cell in next(csv.reader([header], delimiter=mark))]
        except (csv.Error, StopIteration):
            continue
        if not 2 <= len(cells) <= WIDTH or len(set(cells)) < len([c for c in cells if c]):
            continue
        layout = _neo4j(cells) or _apoc(cells)
        if layout is None and not looks_like_header(header, mark):
            layout = _edges(cells) or _nodes(cells)
        if layout is not None:
            return mark, layout
    return None


def layout_of(cells: Sequence[str]) -> Layout | None:
    """The layout of columns by their names, or None where they are not those of nodes or edges."""
    return _neo4j(cells) or _apoc(cells) or _edges(cells) or _nodes(cells) if cells else None


def _neo4j(cells: Sequence[str]) -> Layout | None:
    layout = Layout(len(cells))
    roles = {"ID": "id", "LABEL": "types", "START_ID": "source", "END_ID": "target", "TYPE": "relation"}
    ignored = set()
    for i, cell in enumerate(cells):
        if found := _NEO4J.match(cell):
            name, role, space = found[1], roles.get(found[2], ""), found[3] or ""
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


def _apoc(cells: Sequence[str]) -> Layout | None:
    columns = {_APOC[cell]: i for i, cell in enumerate(cells) if cell in _APOC}
    if not ({"id", "types"} <= columns.keys() or {"source", "target", "relation"} <= columns.keys()):
        return None
    return Layout(len(cells), columns, _others(cells, columns))


def _edges(cells: Sequence[str]) -> Layout | None:
    lower = [cell.lower().strip("_") for cell in cells]
    columns = {}
    for role, words in (("source", SOURCES), ("target", TARGETS), ("relation", RELATIONS), ("bag", BAGS)):
        column = next((lower.index(word) for word in words if word in lower), None)
        if column is not None:
            columns[role] = column
    if not {"source", "target", "relation"} <= columns.keys():
        return None
    own_id = next((i for i, cell in enumerate(lower) if cell in IDS), None)
    taken = {**columns, **({} if own_id is None else {"own": own_id})}
    named = not any(lower[columns[role]].endswith("id") for role in ("source", "target"))
    return Layout(len(cells), columns, _others(cells, taken), named=named)


def _nodes(cells: Sequence[str]) -> Layout | None:
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
        return Layout(len(cells), columns, _others(cells, columns))
    if lower[0] == "name" and lower[1] == TYPE:
        columns["id"] = columns.pop("name")
        return Layout(len(cells), columns, _others(cells, columns), named=True)
    return None


def _others(cells: Sequence[str], columns: dict[str, int]) -> list[tuple[int, str, bool]]:
    return [(i, cell, False) for i, cell in enumerate(cells) if cell and i not in columns.values()]


def read_property_csv(
    source: Source, log: ProblemLog, *, delimiter: str | None = None, header: str | None = None
) -> FactFile:
    """Read one file of nodes, of edges, or of both.

    Args:
        source: the opened file.
        log: takes the bad rows.
        delimiter: one character or its name; None guesses.
        header: the header, where it stands in a file of its own; None takes the first line.
    """
    found = find_layout(first_line(source) if header is None else header)
    if found is None:
        log.add(
            1,
            "the first line does not say which columns are ids, names, sources and targets",
            first_line(source),
        )
        return FactFile(log.file, None, log.count, properties=PropertyRows(log))
    mark, layout = found
    rows = PropertyRows(log, named=layout.named)
    reader = csv.reader(_lines(source, log), delimiter=parse_delimiter(delimiter) if delimiter else mark)
    first = header is None
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return FactFile(log.file, None, log.count, properties=rows)
        except csv.Error as error:
            log.add(reader.line_num, f"broken quoting ({error})", "")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if first:
            first = False
            continue
        try:
            read_cells(layout, cells, rows, reader.line_num)
        except BadRowError as error:
            shown = mark.join(cells).encode(errors="replace").decode()
            log.add(reader.line_num, str(error), shown, error.kind)


def first_line(source: Source) -> str:
    """The first line that is not blank."""
    return next((line for line in source.text_head().splitlines() if line.strip()), "")


def _lines(source: Source, log: ProblemLog) -> Iterator[str]:
    for _, block in source.blocks(log.add):
        # A quoted cell may hold line ends, so the reader joins lines itself; bad bytes come back in its cells.
        yield from io.StringIO(block.decode(errors="surrogateescape"), newline="\n")


def read_cells(layout: Layout, cells: Sequence[str], rows: PropertyRows, line: int) -> None:
    """Take one row.

    Raises:
        BadRowError: it cannot be used.
    """
    if len(cells) != layout.width:
        raise BadRowError(f"{len(cells)} columns found, the header has {layout.width}")
    if any("\udc80" <= c <= "\udcff" for cell in cells if not cell.isascii() for c in cell):
        raise BadRowError("not UTF-8 text", "encoding")
    at = {role: cells[i].strip() for role, i in layout.columns.items()}
    if layout.relations:
        rows.relations += 1
        return
    values: dict[str, object] = {
        key: cells[i].split(";") if array else cells[i] for i, key, array in layout.attributes
    }
    values.update(read_bag(at.get("bag", "")))
    if at.get("source") or at.get("target") or "id" not in at:
        ends = tuple(_key(layout, role, at.get(role, "")) for role in ("source", "target"))
        rows.add_edge((ends[0], ends[1]), at.get("relation", ""), line, list(attribute_rows(values)))
        return
    types = [kind for kind in re.split(r"[;:]", at.get("types", "")) if kind]
    name = at.get("name", "") or ("" if layout.named else _take_name(values)) or at["id"]
    attributes = [*attribute_rows({TYPE: [*types]}), *attribute_rows(values)]
    rows.add_node(_key(layout, "id", at["id"]), name, attributes)


def _key(layout: Layout, role: str, text: str) -> str:
    space = layout.spaces.get(role, "")
    return f"{text} of {space}" if space and text else text


def _take_name(values: dict[str, object]) -> str:
    by_lower = {key.lower(): key for key in values}
    for name in NAMES:
        value = values.get(by_lower.get(name, ""))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def read_bag(text: str) -> dict[str, object]:
    """A cell of attributes: JSON or a Python dictionary, as GFM-RAG writes them.

    Raises:
        BadRowError: it is neither.
    """
    if text in ("", "{}"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise BadRowError("the attributes are neither JSON nor a Python dictionary") from None
    if not isinstance(value, dict):
        raise BadRowError("the attributes are not a dictionary")
    return {str(key): item for key, item in value.items()}
