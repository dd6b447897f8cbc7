"""The data model of files that were read, and their nodes and edges by it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.kg.model.code_values import find_code_names
from retrieval.kg.model.data_model import NO_CHOICES, DataModel, EdgeKind, ModelChoices
from retrieval.kg.model.describing import TableProblem, describe_model
from retrieval.kg.model.edges import Edge, describe_edges
from retrieval.kg.model.examples import NamedThing
from retrieval.kg.model.inference import InferredTable, infer_tables
from retrieval.kg.model.source_table import SourceTable
from retrieval.kg.readers.file_contents import FactFile, number_sources
from retrieval.kg.readers.model_nodes import build_node_tables, name_nodes
from retrieval.kg.readers.model_rows import build_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_facts import PropertyFacts, resolve
from retrieval.kg.readers.property_rows import PropertyRows
from retrieval.kg.snapshot.relation_names import TYPE

#: The attribute that another name of a thing or value has.
ALIAS = "alias"
#: Things of each kind that examples are written about.
_LOOKED_AT = 12
#: Rows of a table that become nodes where nothing but the data model is wanted: many times what examples show.
EXAMPLE_ROWS = 1000


def resolve_properties(
    files: Sequence[FactFile],
    choices: ModelChoices = NO_CHOICES,
    *,
    is_sampled: bool = False,
    limit: int | None = None,
) -> tuple[PropertyFacts, DataModel]:
    """The nodes and edges of property graphs and tables together, and the data model by which they are named.

    Args:
        files: what was read of each.
        is_sampled: whether only the beginning of a file was read.
        limit: rows of each table that become nodes, for a model alone, where no edges are read with them; None for all.

    Raises:
        ConfigError: a choice names a column that does not exist.
    """
    tables, logs = _collect_tables(files)
    graphs = [(file.properties, build_node_tables(file.properties, file.name))
              for file in files if file.properties is not None]  # fmt: skip
    inferred = infer_tables([*tables, *(table for _, nodes in graphs for table in nodes)], choices)
    by_name = {inferred_table.table.name: inferred_table for inferred_table in inferred}
    for rows, nodes in graphs:
        name_nodes(rows, [by_name[table.name] for table in nodes])
    before = sum(log.count for log in logs.values())
    table_rows, numbers = build_rows(
        [by_name[table.name] for table in tables], choices, logs, None if graphs else limit
    )
    problems = sum(log.count for log in logs.values()) - before
    facts = resolve([*(rows for rows, _ in graphs), *table_rows], numbers, number_sources(files))
    facts = _add_code_names(facts, inferred)
    things = _collect_things(inferred, table_rows, [rows for rows, _ in graphs])
    bad_rows = {name: [TableProblem(p.line, p.message, p.text) for p in log.kept] for name, log in logs.items()}
    model = describe_model(inferred, choices, things, bad_rows, is_sampled=is_sampled)
    languages = Counter(language for _, language in {(label, language) for label, language, _, _ in facts.names})
    ranked = tuple(sorted(languages.items(), key=lambda item: (-item[1], item[0])))
    model = replace(model, edges=_describe_edges(graphs), languages=ranked)
    return replace(facts, problems=facts.problems + problems), model


def _describe_edges(graphs: Sequence[tuple[PropertyRows, Sequence[SourceTable]]]) -> tuple[EdgeKind, ...]:
    """The edges of property graphs, without values that are given as edges."""
    kinds = {node: table.name for _, tables in graphs for table in tables for node in table.ids or ()}
    edges: list[Edge] = []
    attributes: list[tuple[int, str, str]] = []
    for rows, _ in graphs:
        first = len(edges)
        edges += [(source, relation, target) for source, relation, target, _ in rows.edges]
        attributes += [(first + place, key, value) for place, key, value in rows.edge_attributes]
    return describe_edges(edges, attributes, kinds)


def _add_code_names(facts: PropertyFacts, inferred: Sequence[InferredTable]) -> PropertyFacts:
    """Facts with the names of international codes as other names of these values: California of US-CA."""
    names = dict.fromkeys(
        (value, ALIAS, name)
        for inferred_table in inferred
        for position, code_type in inferred_table.code_types.items()
        for value, code_names in find_code_names(
            code_type, {value for _, value in inferred_table.table.iterate_values(position)}
        ).items()
        for name in code_names
    )
    origins = np.concatenate([facts.attribute_origins, np.zeros(len(names), np.int64)])
    return replace(facts, node_attributes=[*facts.node_attributes, *names], attribute_origins=origins)


def _collect_tables(files: Sequence[FactFile]) -> tuple[list[SourceTable], dict[str, ProblemLog]]:
    """The tables, each of another name, and what takes the problems of each."""
    tables: list[SourceTable] = []
    logs: dict[str, ProblemLog] = {}
    for file in files:
        if file.table is not None and file.log is not None:
            count = sum(table.name == file.table.name for table in tables)
            if count:
                file.table.name = f"{file.table.name} ({count + 1})"
            tables.append(file.table)
            logs[file.table.name] = file.log
    return tables, logs


def _collect_things(
    inferred: Sequence[InferredTable], table_rows: Sequence[PropertyRows], graphs: Sequence[PropertyRows]
) -> Mapping[str, Sequence[NamedThing]]:
    """The first things of each kind as they are in the graph."""
    things: dict[str, list[NamedThing]] = {}
    for inferred_table in inferred:
        if inferred_table.table.ids is None:
            for kind, names in inferred_table.embedded:
                things[kind.name] = _name_first(list(names.values()), table_rows)
        else:
            labels = {node: name or node for rows in graphs for node in inferred_table.table.ids[:_LOOKED_AT]
                      if (name := rows.nodes.get(node)) is not None}  # fmt: skip
            things[inferred_table.table.name] = [
                replace(thing, label=labels[thing.label]) for thing in _name_first(list(labels), graphs)
            ]
    rows_of = [inferred_table for inferred_table in inferred if inferred_table.table.ids is None]
    for inferred_table, rows in zip(rows_of, table_rows, strict=True):
        things[inferred_table.table.name] = _name_first(list(rows.nodes), [rows])
    return things


def _name_first(nodes: Sequence[str], rows: Sequence[PropertyRows]) -> list[NamedThing]:
    """The first of some nodes with what is said of them beside their kind."""
    first = dict.fromkeys(nodes[:_LOOKED_AT])
    attributes: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for inferred_table in rows:
        for node, key, value in inferred_table.node_attributes:
            if node in first and key != TYPE:
                attributes[node].append((key, value))
    return [NamedThing(node, attributes[node]) for node in first]
