"""Attributes of nodes that questions ask for, as facts: years, ratings, genres and kinds of a property graph.

A property graph says of a film its year, where triples have a fact. Only facts are searched, compared and counted, so
short values become facts too, called by their key; what describes in sentences, links and ids stay attributes alone.
Needs polars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.kg.build.columns import fact_places, load_series, positions
from retrieval.kg.build.labels import ALIAS_RELATIONS
from retrieval.kg.build.naming import NAME_RELATIONS
from retrieval.kg.snapshot.relation_names import humanise_relation

if TYPE_CHECKING:
    from retrieval.kg.table import KeptFacts, TripleTable

#: Keys whose values nobody asks for, or that are found by other ways.
_OTHER = frozenset({
    "id", "uuid", "guid", "iri", "uri", "url", "link", "image", "embedding", "caption", "description", "comment",
    "abstract", "definition", "summary", "text", "content",
})  # fmt: skip
#: Characters of a value, and the share of a key's values that are as short.
_LONGEST, _SHORT = 60, 0.9
_NO_VALUE = r"^[\[{]|://"


def attribute_facts(table: TripleTable) -> pl.DataFrame | None:
    """Columns ``head``, ``relation``, ``tail``, each row once; None where there are none, or where texts are read with
    the graph: what was extracted from them describes nodes in words of its own.
    """
    rows = table.node_attributes
    if rows is None or not rows.height or (table.passages is not None and table.passages.height):
        return None
    left_out = _OTHER | ALIAS_RELATIONS | NAME_RELATIONS
    keys = [key for key in rows["key"].unique().sort() if humanise_relation(key) not in left_out]
    value = pl.col("value").cast(pl.String).str.strip_chars()
    asked = (
        rows.filter(pl.col("key").is_in(keys))
        .select("label", "key", value=value)
        .filter(pl.col("value") != "")
    )
    short = pl.col("value").str.len_chars() <= _LONGEST
    asked = asked.filter(short.mean().over("key") >= _SHORT)
    asked = asked.filter(
        short & ~pl.col("value").str.contains(_NO_VALUE) & (pl.col("value") != pl.col("label"))
    )
    facts = asked.select(head="label", relation="key", tail="value").unique(maintain_order=True)
    if table.kept is not None:
        facts = facts.filter(_missing(table.kept, facts))
    return facts if facts.height else None


def _missing(kept: KeptFacts, facts: pl.DataFrame) -> pl.Series:
    """Which facts a version does not have yet."""
    graph = kept.snapshot
    labels, names = load_series(graph.entity_labels), load_series(graph.relation_names)
    known = (labels, names, labels)
    ids = [
        positions(facts[column], of) for column, of in zip(("head", "relation", "tail"), known, strict=True)
    ]
    there = [graph.heads, graph.relations, graph.tails]
    if kept.facts is not None:
        there = [column[kept.facts] for column in there]
    return pl.Series(fact_places(ids, [np.asarray(column) for column in there]) < 0)
