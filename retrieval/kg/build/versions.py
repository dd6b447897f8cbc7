"""Versions of a graph: the next one out of a snapshot and of more facts, or fewer.

A snapshot never changes. :func:`merge` and :func:`remove_facts` make a table of what the next one holds, to be built
like any other. Needs polars: import it where it is used.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from retrieval.kg.analysis.comparison import find_missing
from retrieval.kg.build.attribute_facts import extract_attribute_facts
from retrieval.kg.build.columns import find_positions, load_series
from retrieval.kg.build.from_table import assume_source
from retrieval.kg.build.naming import NAME_RELATIONS, NODE_ID
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.model.data_model import DataModel
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.snapshot.storage import StringTable
from retrieval.kg.snapshot.vocabulary import Vocabulary
from retrieval.kg.table import ROW_BITS, TripleTable


def merge(base: Snapshot, adding: TripleTable) -> TripleTable:
    """What ``base`` holds and what ``adding`` does, as one table.

    Nodes meet by IRI where both have one, else by label; of two nodes that share a label and not the IRI, the added
    one gets its IRI behind its label. A passage whose name ``base`` has too is the one of ``adding``, and keeps the
    facts of both.
    """
    old = convert_to_table(base)
    new = _rename_nodes(assume_source(adding), base)
    shift = len(old)
    passages, links = _merge_passages(old, new, shift)
    attributes = new.fact_attributes
    if attributes is not None:
        attributes = attributes.with_columns(pl.col("fact").cast(pl.Int64) + shift)
    nodes = _merge_frames(new.nodes, old.nodes)
    return TripleTable(
        facts=new.facts,
        nodes=None if nodes is None else nodes.unique("label", keep="first", maintain_order=True),
        relation_labels=(old.relation_labels or {}) | (new.relation_labels or {}),
        sources=(*old.sources, *new.sources),
        problems=old.problems + new.problems,
        node_attributes=_merge_frames(old.node_attributes, new.node_attributes),
        fact_attributes=_merge_frames(old.fact_attributes, attributes),
        passages=passages,
        fact_passages=links,
        reports=new.reports,
        kept=old.kept,
        model=new.model if old.model is None else old.model.add_tables(new.model or DataModel()),
        vocabulary=Vocabulary((*old.vocabulary.terms, *new.vocabulary.terms)),
        fact_origins=_map_origins(new.fact_origins, len(old.sources)),
        attribute_origins=_merge_origins(old, new),
        names=_merge_frames(old.names, new.names),
    )


def remove_facts(base: Snapshot, removing: TripleTable) -> TripleTable:
    """What is left of ``base`` when the facts and passages of ``removing`` are taken out.

    Entities that have no fact any more go with their attributes; what ``base`` does not hold is passed over.
    """
    gone = _apply_names(_rename_nodes(removing, base), base)
    valued = extract_attribute_facts(gone)
    if valued is not None:  # of the nodes that are described there
        both = [gone.facts, valued.select(gone.facts.columns)]
        gone = replace(gone, facts=pl.concat(both, how="vertical_relaxed"))
    labels, names = load_series(base.entity_labels), load_series(base.relation_names)
    ids = (
        find_positions(gone.facts["head"], labels),
        find_positions(gone.facts["relation"], names),
        find_positions(gone.facts["tail"], labels),
    )
    left = convert_to_table(base, find_missing(_find_facts(base, ids), base.num_triples))
    if left.passages is None or gone.passages is None:
        return left
    kept = left.passages.with_row_index("passage").join(gone.passages.select("name"), on="name", how="anti")
    kept = kept.sort("passage").with_columns(pl.col("passage").cast(pl.Int64))
    links = left.fact_passages
    if links is not None:
        numbered = kept.select("passage").with_row_index("now")
        links = links.join(numbered, on="passage", how="inner", maintain_order="left")
        links = links.select("fact", pl.col("now").cast(pl.Int64).alias("passage"))
    return replace(left, passages=kept.drop("passage"), fact_passages=links)


def _merge_origins(old: TripleTable, new: TripleTable) -> pl.Series | None:
    """The origins of the attributes of both: those of ``old`` are facts already, with origins of their own."""
    known = _map_origins(new.attribute_origins, len(old.sources))
    if known is None or old.node_attributes is None:
        return known
    return pl.concat([pl.repeat(0, old.node_attributes.height, dtype=pl.Int64, eager=True), known])


def _map_origins(origins: pl.Series | None, count: int) -> pl.Series | None:
    """Origins that count ``count`` other sources first."""
    return None if origins is None else origins + (origins > 0).cast(pl.Int64) * (count << ROW_BITS)


def _apply_names(table: TripleTable, base: Snapshot) -> TripleTable:
    """``table`` with the names that ``base`` has for ids, see :mod:`retrieval.kg.build.naming`."""
    relation = base.find_relation(NODE_ID)
    if relation is None:
        return table
    id_facts = np.flatnonzero(base.relations == relation)
    labels = load_series(base.entity_labels)
    names = dict(
        zip(
            labels.gather(base.tails[id_facts]).to_list(),
            labels.gather(base.heads[id_facts]).to_list(),
            strict=True,
        )
    )
    called = {end: pl.col(end).replace(names) for end in ("head", "tail")}
    spelt = [name for name in table.facts["relation"].unique() if format_relation_name(name) in NAME_RELATIONS]
    says = pl.col("relation").is_in(spelt) & (called["head"] == pl.col("tail")) & pl.col("head").is_in(list(names))
    facts = table.facts.select(
        head=called["head"],
        relation=pl.when(says).then(pl.lit(NODE_ID)).otherwise(pl.col("relation")),
        tail=pl.when(says).then(pl.col("head")).otherwise(called["tail"]),
    )
    return replace(table, facts=facts)


def _find_facts(graph: Snapshot, triples: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """The ids of facts by head, relation and tail, int64; what the graph does not hold is left out."""
    known = np.logical_and.reduce([column >= 0 for column in triples])
    heads, relations, tails = (column[known] for column in triples)
    low, lengths = graph.out_groups.find_bounds(heads, relations)
    high = end = low + lengths
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high) // 2, 0)
        less = graph.tails[middle] < tails
        low, high = np.where(open_ & less, middle + 1, low), np.where(open_ & ~less, middle, high)
    within = low < end
    fact_ids: np.ndarray = low[within][graph.tails[low[within]] == tails[within]]
    return fact_ids


def _merge_frames(first: pl.DataFrame | None, second: pl.DataFrame | None) -> pl.DataFrame | None:
    frames = [frame for frame in (first, second) if frame is not None]
    return pl.concat([frame.select(frames[0].columns) for frame in frames], how="vertical_relaxed") if frames else None


def _merge_passages(old: TripleTable, new: TripleTable, shift: int) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Passages of both, one of each name, and their links with the facts of ``new`` numbered after those of ``old``."""
    both = _merge_frames(old.passages, new.passages)
    if both is None:
        return None, None
    first = 0 if old.passages is None else old.passages.height
    rows = both.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    kept = rows.unique("name", keep="last", maintain_order=True)
    place = rows.select("name", "row").join(kept.select("name").with_row_index("place"), on="name", how="left")
    links = []
    for table, facts, passages in ((old, 0, 0), (new, shift, first)):
        if table.fact_passages is not None:
            links.append(
                table.fact_passages.select(
                    pl.col("fact").cast(pl.Int64) + facts, row=pl.col("passage").cast(pl.Int64) + passages
                )
            )
    if not links:
        return kept.drop("row"), None
    moved = pl.concat(links).join(place, on="row", how="left", maintain_order="left")
    return kept.drop("row"), moved.select("fact", pl.col("place").cast(pl.Int64).alias("passage"))


def _rename_nodes(table: TripleTable, base: Snapshot) -> TripleTable:
    """``table`` with the labels that ``base`` has for its nodes' IRIs, see :func:`merge`."""
    iris = StringTable.load(base.path, "entity_iris")
    if table.nodes is None or not len(iris):
        return table
    labels = load_series(base.entity_labels)
    known = pl.DataFrame({"label": labels, "iri": load_series(iris)}).filter(pl.col("iri") != "")
    nodes = table.nodes.filter(pl.col("iri").fill_null("") != "").select("label", "iri").unique("label")
    there = nodes.join(known.select("iri", theirs="label"), on="iri", how="left")
    clash = there["theirs"].is_null() & there["label"].is_in(known["label"])
    there = there.with_columns(
        pl.when(clash).then(pl.format("{} [{}]", "label", "iri")).otherwise(pl.coalesce("theirs", "label")).alias("now")
    ).filter(pl.col("now") != pl.col("label"))
    if not there.height:
        return table

    def rename(frame: pl.DataFrame | None, *columns: str) -> pl.DataFrame | None:
        if frame is None:
            return None
        return frame.with_columns(pl.col(c).replace(there["label"], there["now"]) for c in columns)

    facts = rename(table.facts, "head", "tail")
    assert facts is not None, "a table has facts, if none"
    return replace(
        table,
        facts=facts,
        nodes=rename(table.nodes, "label"),
        node_attributes=rename(table.node_attributes, "label"),
        names=rename(table.names, "label"),
    )
