"""Nodes and edges as CSV; which column is what follows from the header, see :mod:`.property_layout`.

Attributes are columns of their own, or a cell of JSON or of a Python dictionary.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import RELATIONS, Layout, find_layout
from retrieval.kg.readers.property_rows import (
    UNNAMED,
    BadRowError,
    PropertyRows,
    extract_attributes,
    extract_node_attributes,
    find_name_key,
)
from retrieval.kg.readers.rows_layout import parse_delimiter
from retrieval.kg.readers.sources import Source

#: Values of a column of types that say which way an edge goes.
_BOTH_WAYS = frozenset({"undirected", "mutual"})
_DIRECTIONS = _BOTH_WAYS | {"", "directed", "mixed"}


def read_property_csv(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one file of nodes, of edges, or of both; its header may stand in a file of its own."""
    source, header, delimiter = file.source, file.header_line, file.options.delimiter
    detected = find_layout(source.find_first_line() if header is None else header)
    if detected is None:
        log.add(
            1,
            "the first line does not say which columns are ids, names, sources and targets",
            source.find_first_line(),
        )
        return FactFile(log.file, None, log.count, properties=PropertyRows(log))
    mark, layout = detected
    rows = PropertyRows(log, named=layout.named)
    reader = csv.reader(decode_lines(source, log), delimiter=parse_delimiter(delimiter) if delimiter else mark)
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


def decode_lines(source: Source, log: ProblemLog) -> Iterator[str]:
    """The text of a file in blocks, for a CSV reader."""
    for _, block in source.read_blocks(log.add):
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
    by_role = {role: cells[i].strip() for role, i in layout.columns.items()}
    if layout.relations:
        rows.relations += 1
        return
    values: dict[str, object] = {key: cells[i].split(";") if array else cells[i] for i, key, array in layout.attributes}
    values.update(read_bag(by_role.get("bag", "")))
    if by_role.get("source") or by_role.get("target") or "id" not in by_role:
        ends = tuple(_make_key(layout, role, by_role.get(role, "")) for role in ("source", "target"))
        relation, directed = by_role.get("relation", ""), True
        if layout.directions and relation.casefold() in _DIRECTIONS:
            directed = relation.casefold() not in _BOTH_WAYS
            relation = _take_relation(values)
        edge_attributes = list(extract_attributes(values))
        rows.add_edge((ends[0], ends[1]), relation, line, edge_attributes, directed=directed)
        return
    types = [kind for kind in re.split(r"[;:]", by_role.get("types", "")) if kind]
    key = find_name_key(values)
    name = by_role.get("name", "") or (by_role["id"] if layout.named else str(values[key]).strip() if key else "")
    rows.add_node(_make_key(layout, "id", by_role["id"]), name, extract_node_attributes(types, values), line)


def _make_key(layout: Layout, role: str, text: str) -> str:
    space = layout.spaces.get(role, "")
    return f"{text} of {space}" if space and text else text


def _take_relation(values: dict[str, object]) -> str:
    """What an edge is called whose column of types says no more than which way it goes."""
    by_lower = {key.lower(): key for key in values}
    key = next((by_lower[word] for word in RELATIONS if str(values.get(by_lower.get(word, ""), "")).strip()), None)
    return str(values.pop(key)).strip() if key else UNNAMED


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
