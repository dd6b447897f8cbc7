"""A snapshot back into the table that it could be built from. Needs polars; only builders import it."""

from __future__ import annotations

import numpy as np
import polars as pl

from retrieval.kg.build.columns import load_series
from retrieval.kg.build.from_table import infer_kinds
from retrieval.kg.model.storage import load_model
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.annotations import Annotations
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.kg.snapshot.attributes import AttributeTable
from retrieval.kg.snapshot.names import EntityNames
from retrieval.kg.snapshot.passages import PassageTable
from retrieval.kg.snapshot.storage import StringTable
from retrieval.kg.snapshot.vocabulary import load_vocabulary
from retrieval.kg.table import KeptFacts, TripleTable


def convert_to_table(snapshot: Snapshot, facts: np.ndarray | None = None) -> TripleTable:
    """A snapshot as a table that builds it again: the same labels, facts, passages and attributes, so the same hash.

    Args:
        facts: ids of the facts to take, int64, ascending; None takes all. An entity that only facts left out name is
            left out too, with its attributes; passages stay.
    """
    labels, names = load_series(snapshot.entity_labels), load_series(snapshot.relation_names)
    lonely = snapshot.get_degrees(np.arange(snapshot.num_entities)) == 0
    stays = lonely.copy()
    for ends in (snapshot.heads, snapshot.tails):
        stays[ends if facts is None else ends[facts]] = True
    annotations = Annotations.load(snapshot.path, snapshot.manifest)
    of_nodes = _extract_attributes(annotations.entities, np.flatnonzero(stays), "node")
    if of_nodes is not None:
        owners = np.flatnonzero(stays)[of_nodes["node"].to_numpy()]
        of_nodes = of_nodes.select(labels.gather(owners).alias("label"), "key", "value")
    passages, links = _extract_passages(annotations.passages, facts)
    return TripleTable(
        facts=pl.DataFrame(schema=dict.fromkeys(("head", "relation", "tail"), pl.String)),
        nodes=_extract_nodes(snapshot, labels, lonely, stays),
        relation_labels={name: snapshot.get_relation_label(i) for i, name in enumerate(names)},
        sources=snapshot.manifest.sources,
        problems=snapshot.manifest.problems,
        node_attributes=of_nodes,
        fact_attributes=_extract_attributes(annotations.facts, facts, "fact"),
        passages=passages,
        fact_passages=links,
        kept=KeptFacts(snapshot, facts),
        model=load_model(snapshot.path),
        vocabulary=load_vocabulary(snapshot.path),
        names=_extract_names(annotations.names, labels, stays),
    )


def _extract_names(names: EntityNames | None, labels: pl.Series, stays: np.ndarray) -> pl.DataFrame | None:
    """The names in languages of the entities that stay, those shown before the others."""
    if names is None:
        return None
    ids = np.flatnonzero(stays)
    frames = []
    for rank, table in enumerate((names.main, names.others)):
        rows = _extract_attributes(table, ids, "node")
        assert rows is not None, "there is a table"
        owners = labels.gather(ids[rows["node"].to_numpy()])
        frames.append(rows.select(owners.alias("label"), language="key", name="value", rank=pl.lit(rank, pl.Int64)))
    return pl.concat(frames)


def _extract_nodes(snapshot: Snapshot, labels: pl.Series, lonely: np.ndarray, stays: np.ndarray) -> pl.DataFrame:
    """Nodes whose facts and label do not tell all: those of another kind, with an IRI, or without facts."""
    iris = StringTable.load(snapshot.path, "entity_iris")
    special = (infer_kinds(labels, snapshot.heads) != snapshot.kinds) | lonely
    if len(iris):
        special |= np.diff(iris.offsets) > 0
    ids = np.flatnonzero(special & stays)
    known = iris.get_many(ids) if len(iris) else [""] * len(ids)
    return pl.DataFrame(
        {
            "label": labels.gather(ids),
            "kind": pl.Series([KINDS[kind] for kind in snapshot.kinds[ids].tolist()], dtype=pl.String),
            "iri": pl.Series([iri or None for iri in known], dtype=pl.String),
        }
    )


def _extract_attributes(table: AttributeTable | None, owners: np.ndarray | None, name: str) -> pl.DataFrame | None:
    """The attributes of ``owners`` (None: all), each by its position there: columns ``name``, key, value."""
    if table is None:
        return None
    if owners is None:
        owners = np.arange(len(table.offsets) - 1)
    starts = table.offsets[owners]
    rows, owner = expand_spans(starts, table.offsets[owners + 1] - starts)
    keys, values = load_series(table.keys), load_series(table.texts)
    return pl.DataFrame(
        {name: owner, "key": keys.gather(table.row_keys[rows]), "value": values.gather(table.row_texts[rows])}
    )


def _extract_passages(
    table: PassageTable | None, facts: np.ndarray | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """All passages, and which of them the facts come from, each fact by its position in ``facts``."""
    if table is None:
        return None, None
    if facts is None:
        facts = np.arange(len(table.fact_offsets) - 1)
    starts = table.fact_offsets[facts]
    rows, owner = expand_spans(starts, table.fact_offsets[facts + 1] - starts)
    columns = {name: load_series(strings) for name, strings in table.columns.items()}
    return pl.DataFrame(columns), pl.DataFrame({"fact": owner, "passage": table.fact_passages[rows].astype(np.int64)})
