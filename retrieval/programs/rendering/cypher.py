"""Programs as Cypher, for a graph that is loaded into a property graph.

Its nodes are ``(:Entity {name, value, kind, year, monthDay})``: values and dates have what
:mod:`~retrieval.programs.rendering.rdf` says of them, other nodes the name only. Relationships are typed by the
relation's name. Every arc is matched by its own ``MATCH``, since within one no relationship is matched twice. What has
to be known beforehand is a subquery (``CALL``, Neo4j 4.1 and later) that gives one row.

A set is a column ``node`` of names; a number a column ``number``, null where there is none; a truth a column
``truth``; a table columns ``column0`` and so on, in which several names are a list.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Program
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.cypher_tables import CypherTableWriter
from retrieval.programs.rendering.cypher_writer import CypherWriter

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def write_cypher(snapshot: Snapshot, program: Program, columns: Columns | None = None) -> str:
    """The query that gives what a program denotes.

    Args:
        columns: the graph's values, where they are known already.

    Raises:
        ProgramError: the program does not fit the graph, or compares the days of sums.
    """
    parts = snapshot, columns or Columns(snapshot), Counter[str]()
    if isinstance(program, Table):
        return "\n".join([*CypherTableWriter(*parts).write_table(program), ""])
    return "\n".join([*CypherWriter(*parts).write_query(program), ""])
