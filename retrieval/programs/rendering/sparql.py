"""Programs as SPARQL 1.1, over the RDF of :mod:`~retrieval.programs.rendering.rdf` or another that a vocabulary tells.

A set is ``SELECT DISTINCT ?node``; a number ``SELECT ?number``, without a row where there is none; a truth ``ASK``; a
table selects ``?column0`` and so on: nodes and numbers of what rows are grouped by, names, and numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.operations import Program
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.sparql_tables import SparqlTableWriter
from retrieval.programs.rendering.sparql_writer import SparqlWriter
from retrieval.programs.rendering.vocabulary import RdfVocabulary, Typed, add_prefixes

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def write_sparql(
    snapshot: Snapshot, program: Program, columns: Columns | None = None, vocabulary: RdfVocabulary | None = None
) -> str:
    """The query that gives what a program denotes, over the export of the same snapshot.

    Args:
        columns: the graph's values, where they are known already.
        vocabulary: of the RDF that is asked; None for the export's.

    Raises:
        ProgramError: the program does not fit the graph, or compares the days of sums.
    """
    columns = columns or Columns(snapshot)
    parts = snapshot, columns, vocabulary or Typed(snapshot, columns)
    if isinstance(program, Table):
        return add_prefixes(SparqlTableWriter(*parts).write_table(program))
    return add_prefixes(SparqlWriter(*parts).write_query(program))
