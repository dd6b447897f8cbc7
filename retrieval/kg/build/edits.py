"""The next version of a graph out of a snapshot and edits. Needs polars: import it where it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.errors import EmptySourceError
from retrieval.kg.analysis.comparison import find_missing
from retrieval.kg.build.from_table import build_snapshot
from retrieval.kg.build.row_origins import pack_origin
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.edits.edited_graph import EditedGraph
from retrieval.kg.edits.effects import EditOutcome, FactRecord, NodeRecord
from retrieval.kg.edits.operations import Operation, Triple
from retrieval.kg.model.storage import load_model
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.fact_sources import format_edit_source
from retrieval.kg.table import TripleTable, build_frame
from retrieval.types import Progress


def apply_edits(
    base: Snapshot, operations: Sequence[Operation], numbers: Sequence[int] = ()
) -> tuple[TripleTable, list[EditOutcome]]:
    """Apply operations to a snapshot, in order.

    Entities that lose their last fact stay where they have attributes or an IRI. ``numbers`` are those of the edits, if
    they have any: facts that an edit states come from it.

    Returns:
        A table that builds the next version, and what became of each operation. One that cannot be applied changes
        nothing, and its outcome says why.
    """
    graph = EditedGraph(base)
    outcomes = graph.apply_all(operations)
    table = convert_to_table(base, find_missing(np.array(sorted(graph.removed), np.int64), base.num_triples))
    kept = 0 if table.kept is None else len(table.kept)
    added = list(graph.added.values())
    attributes = [(kept + i, key, value) for i, fact in enumerate(added) for key, value in fact.attributes]
    touched, nodes = _collect_nodes(graph)
    rows = [(node.label, key, value) for node in nodes for key, value in node.attributes]
    names = [(node.label, *name) for node in nodes for name in node.names]
    edited = replace(
        table,
        sources=(*table.sources, *(format_edit_source(number) for number in numbers)),
        fact_origins=_find_origins(added, outcomes, numbers, len(table.sources)),
        facts=build_frame((fact.triple for fact in added), head=str, relation=str, tail=str),
        nodes=_replace_rows(
            table.nodes,
            build_frame(((node.label, node.kind, node.iri or None) for node in nodes), label=str, kind=str, iri=str),
            touched,
        ),
        node_attributes=_replace_rows(table.node_attributes, build_frame(rows, label=str, key=str, value=str), touched),
        fact_attributes=_append_rows(table.fact_attributes, build_frame(attributes, fact=int, key=str, value=str)),
        fact_passages=_append_rows(table.fact_passages, _link_passages(table, graph, kept)),
        names=_replace_rows(table.names, build_frame(names, label=str, language=str, name=str, rank=int), touched),
        has_attribute_facts=True,
        model=load_model(base.path),
    )
    return edited, outcomes


def write_edited_version(
    base: Path,
    out: Path,
    operations: Sequence[Operation],
    numbers: Sequence[int] = (),
    *,
    progress: Callable[[Progress], None],
) -> list[EditOutcome]:
    """Write the version that operations make of ``base`` to ``out``, as one piece of work that a process can do.

    ``out`` may be ``base``: it is replaced when the new version stands. Nothing is written where no operation applies.
    For ``numbers`` see :func:`apply_edits`.

    Raises:
        EmptySourceError: nothing would be left of the graph.
    """
    table, outcomes = apply_edits(Snapshot(base), operations, numbers)
    if base == out and all(outcome.effect is None for outcome in outcomes):
        return outcomes
    if not len(table) and (table.passages is None or not table.passages.height):
        raise EmptySourceError("Nothing would be left of the graph.", hint="Delete the graph, or remove less of it.")
    build_snapshot(table, out, progress=progress)
    return outcomes


def _find_origins(
    added: Sequence[FactRecord], outcomes: Sequence[EditOutcome], numbers: Sequence[int], sources: int
) -> pl.Series | None:
    """The origins of added facts: the last edit that states each, counted behind the sources of the base."""
    if not numbers:
        return None
    edits: dict[Triple, int] = {}
    for position, outcome in enumerate(outcomes, sources + 1):
        if outcome.effect is not None:
            edits.update((fact.triple, position) for fact in outcome.effect.added)
    return pl.Series([pack_origin(edits[fact.triple]) for fact in added], dtype=pl.Int64)


def _collect_nodes(graph: EditedGraph) -> tuple[set[str], list[NodeRecord]]:
    """Labels of entities that were changed or lost a fact, and those of them that the next version has."""
    ids = list(graph.removed)
    ends = {*graph.base.heads[ids].tolist(), *graph.base.tails[ids].tolist()}
    touched = {*graph.base.entity_labels.get_many(np.array(sorted(ends), np.int64)), *graph.nodes}
    nodes = []
    for label in sorted(touched):
        node = graph.get_node(label)
        if node is not None and (node.attributes or node.iri or node.names or node.is_lonely or graph.has_facts(label)):
            nodes.append(node)
    return touched, nodes


def _link_passages(table: TripleTable, graph: EditedGraph, kept: int) -> pl.DataFrame:
    """The passages of added facts: columns fact, passage."""
    places = {} if table.passages is None else {name: i for i, name in enumerate(table.passages["name"].to_list())}
    links = [
        (kept + i, places[name])
        for i, fact in enumerate(graph.added.values())
        for name in fact.passages
        if name in places
    ]
    return build_frame(links, fact=int, passage=int)


def _replace_rows(frame: pl.DataFrame | None, rows: pl.DataFrame, touched: set[str]) -> pl.DataFrame | None:
    """``frame`` without the rows of some labels, and ``rows``."""
    if frame is None:
        return rows if rows.height else None
    left = frame.filter(~pl.col("label").is_in(list(touched)))
    return pl.concat([rows, left.select(rows.columns)], how="vertical_relaxed")


def _append_rows(frame: pl.DataFrame | None, rows: pl.DataFrame) -> pl.DataFrame | None:
    if frame is None:
        return rows if rows.height else None
    return pl.concat([frame.select(rows.columns), rows], how="vertical_relaxed")
