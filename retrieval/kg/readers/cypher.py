"""Cypher scripts, as ``CREATE (a:Person {name: "Ann"})-[:KNOWS]->(b)``: what they make, read and not run."""

from __future__ import annotations

from pathlib import Path

from retrieval.errors import EmptySourceError
from retrieval.kg.readers.cypher_graph import CypherGraph, CypherNode
from retrieval.kg.readers.cypher_parser import CypherError, StatementParser
from retrieval.kg.readers.cypher_tokens import split_statements
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.other_formats import NEO4J_EXPORT
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import (
    BadRowError,
    PropertyRows,
    extract_attributes,
    extract_node_attributes,
    find_name_key,
)

#: Labels and properties by which apoc finds nodes again while a script runs.
_MARKS = ("UNIQUE IMPORT LABEL", "UNIQUE IMPORT ID")


def read_cypher(file: InputFile, log: ProblemLog) -> FactFile:
    """Read the statements that make nodes and relationships; others are problems.

    Raises:
        EmptySourceError: none does.
    """
    script = b"".join(block for _, block in file.source.read_blocks(log.add)).decode(errors="replace")
    graph = CypherGraph()
    for statement in split_statements(script):
        try:
            StatementParser(statement, graph).read()
        except CypherError as error:
            shown = " ".join(token.text for token in statement[:40])
            log.add(error.line, f"the statement is not read from here on: {error}", shown)
    rows = PropertyRows(log, named=False)
    keys = {node.number: _add_node(node, rows, Path(file.name).stem) for node in graph.nodes}
    for edge in graph.relationships:
        ends = keys[edge.source.number], keys[edge.target.number]
        try:
            rows.add_edge(ends, edge.name, edge.line, list(extract_attributes(edge.properties)))
        except BadRowError as error:
            log.add(edge.line, str(error), edge.name, error.kind)
    if not rows.rows:
        reasons = "; ".join(f"line {problem.line}: {problem.message}" for problem in log.kept[:3])
        raise EmptySourceError(
            f"{file.name} is a Cypher script without a statement that is read{f' ({reasons})' if reasons else ''}.",
            hint=f"Statements of CREATE and MERGE with values are read. Run others in Neo4j, then {NEO4J_EXPORT}.",
        )
    return FactFile(log.file, None, log.count, properties=rows)


def _add_node(node: CypherNode, rows: PropertyRows, stem: str) -> str:
    """Take a node and return its key, which is shown where it has no name or shares it."""
    labels = [label for label in node.labels if label not in _MARKS]
    properties = {key: value for key, value in node.properties.items() if key not in _MARKS}
    key = f"{labels[0] if labels else 'node'} {node.number} of {stem}"
    name = find_name_key(properties)
    try:
        attributes = extract_node_attributes(labels, properties)
        rows.add_node(key, str(properties[name]).strip() if name else "", attributes, node.line)
    except BadRowError as error:
        rows.log.add(node.line, str(error), key, error.kind)
    return key
