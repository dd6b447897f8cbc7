"""Nodes and edges with attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.format import Certainty, Format
from retrieval.kg.readers.json_layout import is_row, parse_first_objects
from retrieval.kg.readers.property_layout import find_layout

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

#: The place of a column of types from which on it is one among others.
_FAR = 3
#: The beginning of a Cypher script, behind comments and commands of the shell.
_CYPHER = re.compile(
    r"\ufeff?\s*+(?>(?://[^\n]*|/\*.*?\*/|:\w+[^\n]*)\s*)*+"
    r"(?:(?:CREATE|MERGE|(?:OPTIONAL\s+)?MATCH|DROP)\s+(?:\(\s*[\w`:)]"
    r"|(?:CONSTRAINT|(?:\w+\s+)?INDEX)\b(?=[^;]*\bFOR\s*\(|[^;]*\bON\s*(?:\(\s*\w+\s*:|:)))|UNWIND\s.{1,2000}?\sAS\s"
    r"|LOAD\s+CSV\s|CALL\s+(?:apoc|db|gds)\.)",
    re.IGNORECASE | re.DOTALL,
)


def has_property_header(file: InputFile) -> bool:
    """Whether what would be read as rows of facts begins with a header of nodes or edges.

    A table of things with numbers, ``id,name,price`` in ``products.csv``, is a table: its numbers are its own. So is
    one with a column ``type`` among others; nodes have it next to their ids.
    """
    if file.options.header is False or file.options.columns is not None:
        return False
    detected = find_layout(file.source.find_first_line())
    if detected is None:
        return False
    columns = detected[1].columns if not detected[1].spaces else {}
    is_near = columns.get("types", _FAR) < _FAR
    is_table = {"id"} < columns.keys() <= {"id", "name", "types"} and not is_near
    return not (is_table and infer_noun(get_plain_name(file.name)))


def _detect_csv(file: InputFile) -> Certainty:
    return Certainty.LIKELY if has_property_header(file) else Certainty.NO


def _detect_jsonl(file: InputFile) -> Certainty:
    """The first object, as far as it was read, is a node or an edge, and not all are rows of a table."""
    from retrieval.kg.readers.property_jsonl import is_graph_object  # noqa: PLC0415 - loads polars

    rows = parse_first_objects(file.head) if file.begins_json else []
    return Certainty.LIKELY if rows and is_graph_object(rows[0]) and not all(map(is_row, rows)) else Certainty.NO


def _detect_graphml(file: InputFile) -> Certainty:
    is_graphml = "<graphml" in file.head and file.head.lstrip("\ufeff \t\r\n").startswith("<")
    return Certainty.CERTAIN if is_graphml else Certainty.NO


def _detect_gexf(file: InputFile) -> Certainty:
    is_gexf = "<gexf" in file.head and file.head.lstrip("\ufeff \t\r\n").startswith("<")
    return Certainty.CERTAIN if is_gexf else Certainty.NO


def is_cypher(text: str) -> bool:
    """Whether a text begins as a Cypher script."""
    return _CYPHER.match(text) is not None


def _detect_cypher(file: InputFile) -> Certainty:
    return Certainty.CERTAIN if is_cypher(file.head) else Certainty.NO


FORMATS = (
    Format(
        name="property-csv",
        label="Nodes and edges (CSV)",
        holds="nodes and edges with attributes",
        family="properties",
        read="retrieval.kg.readers.property_csv:read_property_csv",
        detect=_detect_csv,
        options=("delimiter", "header", "encoding"),
        alternatives=("delimited", "tsv", "csv", "psv"),
    ),
    Format(
        name="property-jsonl",
        label="Nodes and edges (JSON lines)",
        holds="nodes and edges with attributes",
        family="properties",
        read="retrieval.kg.readers.property_jsonl:read_property_jsonl",
        detect=_detect_jsonl,
        alternatives=("passages", "hotpotqa", "2wiki", "musique", "jsonld"),
    ),
    Format(
        name="graphml",
        label="GraphML",
        holds="nodes and edges with attributes",
        family="properties",
        read="retrieval.kg.readers.graphml:read_graphml",
        suffixes=(".graphml",),
        detect=_detect_graphml,
        one_piece=True,
    ),
    Format(
        name="gexf",
        label="GEXF",
        holds="nodes and edges with attributes",
        family="properties",
        read="retrieval.kg.readers.gexf:read_gexf",
        suffixes=(".gexf",),
        detect=_detect_gexf,
        one_piece=True,
    ),
    Format(
        name="cypher",
        label="Cypher script",
        holds="nodes and edges with attributes",
        family="properties",
        read="retrieval.kg.readers.cypher:read_cypher",
        suffixes=(".cypher", ".cql"),
        detect=_detect_cypher,
        one_piece=True,
    ),
)
