"""Nodes of property graphs as tables, one for each type, so that a name can be found for those that have none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from retrieval.kg.model.inference import InferredTable
from retrieval.kg.model.source_table import Cell, SourceTable
from retrieval.kg.readers.property_rows import PropertyRows
from retrieval.kg.snapshot.relation_names import TYPE

#: The column of names that the file itself gives.
GIVEN_NAME = "name"


def build_node_tables(rows: PropertyRows, file: str) -> list[SourceTable]:
    """A table of the nodes of each type; ``name`` is the first column of those that have names."""
    types: dict[str, str] = {}
    values: dict[str, dict[str, list[str]]] = {node: {} for node in rows.nodes}
    for node, key, value in rows.node_attributes:
        if key == TYPE:
            types.setdefault(node, value)
        else:
            values[node].setdefault(key, []).append(value)
    by_type: dict[str, list[str]] = defaultdict(list)
    for node in rows.nodes:
        by_type[types.get(node, "")].append(node)
    return [_build_table(file, kind, nodes, rows.nodes, values) for kind, nodes in by_type.items()]


def _build_table(
    file: str, kind: str, nodes: Sequence[str], names: Mapping[str, str], values: Mapping[str, dict[str, list[str]]]
) -> SourceTable:
    keys = dict.fromkeys(key for node in nodes for key in values[node])
    is_named = any(names[node] for node in nodes)
    header = tuple(dict.fromkeys([*([GIVEN_NAME] if is_named else []), *keys]))
    table = SourceTable(f"{file}: {kind}" if kind else file, kind, header, ids=list(nodes), is_named=is_named)
    for number, node in enumerate(nodes, 1):
        cells_by_key: dict[str, Cell] = {
            key: texts[0] if len(texts) == 1 else texts for key, texts in values[node].items()
        }
        if is_named:
            cells_by_key[GIVEN_NAME] = names[node] or None
        table.rows.append([cells_by_key.get(key) for key in header])
        table.lines.append(number)
    return table


def name_nodes(rows: PropertyRows, inferred: Sequence[InferredTable]) -> None:
    """Name the nodes of each table as was inferred; those that have no such value keep their ids."""
    for inferred_table in inferred:
        if inferred_table.table.is_named and inferred_table.schema.names == (0,):
            continue
        for node, cells in zip(inferred_table.table.ids or (), inferred_table.table.rows, strict=True):
            parts = [
                cell if isinstance(cell, str) else cell[0]
                for position in inferred_table.schema.names
                if (cell := cells[position])
            ]
            rows.nodes[node] = " ".join(parts)
