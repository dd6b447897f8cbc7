"""Attributes that questions ask for, as facts: years, ratings, genres and kinds of a property graph.

A property graph says of a film its year, where triples have a fact. Only facts are searched, compared and counted, so
short values and names of things become facts too, called by their key; what describes in sentences, links and ids stay
attributes alone ("varnish coamings" is no sentence).
What an edge says beside its ends is said of where it begins: who works at Acme since 2010 has "works at since" 2010.
Where edges have measures, each becomes a row with both ends: route 1 is from Austin, to Boston, distance 1690.
Roles that several have, Ann is CEO at Acme, are relations too: the CEO of Acme is Ann.
Needs polars.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.kg.build.columns import find_fact_positions, find_positions, load_series
from retrieval.kg.build.labels import ALIAS_RELATIONS
from retrieval.kg.build.naming import NAME_RELATIONS
from retrieval.kg.model.edge_attributes import LONGEST, NO_VALUE, SHORT, UNASKED_KEYS, find_measures, select_asked
from retrieval.kg.readers.property_rows import UNNAMED
from retrieval.kg.snapshot.relation_names import TYPE, format_relation_name
from retrieval.kg.table import ORIGIN
from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular

if TYPE_CHECKING:
    from retrieval.kg.table import KeptFacts, TripleTable

_FACT = ("head", "relation", "tail")
#: Keys of sentences, or of what was done or asked for where things have numbers for names: their values are short on
#: average, in characters.
_DESCRIBING, _BRIEF = frozenset({"description", "comment", "summary"}), 32
_UNNAMED = r"^(?:[\p{L} ]+ )?\S*\d\S*$"
#: The share of the values of a ``title`` that differ, where it is a second name and not what somebody is.
_APART = 0.9
#: Keys of what somebody is to somebody or something, what such words look like, and how many there may be: of all
#: values, the share that differ at most.
_ROLES = get_words("role_keys")
_ROLE, _SEVERAL, _DIFFER = r"^\p{L}[\p{L} &/-]{1,29}$", 50, 0.8
#: What an edge without a name is called.
_UNNAMED_EDGE = "connection"


def extract_attribute_facts(table: TripleTable) -> pl.DataFrame | None:
    """Columns ``head``, ``relation``, ``tail``, ``origin``, each fact once; None where there are none, or where texts
    are read with the graph: what was extracted from them describes nodes in words of its own.
    """
    if table.has_attribute_facts or (table.passages is not None and table.passages.height):
        return None
    frames = [rows for rows in (_extract_node_facts(table), _extract_edge_facts(table)) if rows is not None]
    if not frames:
        return None
    facts = pl.concat(frames).unique(_FACT, keep="first", maintain_order=True)
    if table.kept is not None:
        facts = facts.filter(_find_missing(table.kept, facts))
    return facts if facts.height else None


def _extract_edge_facts(table: TripleTable) -> pl.DataFrame | None:
    """What edges say beside their ends, but for those of a version before, which has it."""
    rows, kept = table.fact_attributes, 0 if table.kept is None else len(table.kept)
    if rows is None or not rows.height:
        return None
    edges = table.locate_facts().with_row_index("fact", offset=kept).with_columns(pl.col("fact").cast(pl.Int64))
    attributes = rows.with_columns(pl.col("fact").cast(pl.Int64), pl.col("value").cast(pl.String).str.strip_chars())
    attributes = attributes.join(edges, on="fact", how="inner", maintain_order="left")
    attributes = select_asked(attributes)
    keys = attributes["key"].unique().sort()
    roles = [key for key in keys if format_relation_name(key) in _ROLES]
    role_rows = attributes.filter(pl.col("key").is_in(roles) & pl.col("value").str.contains(_ROLE))
    kinds = pl.col("value").n_unique().over("relation")
    role_rows = role_rows.filter((kinds <= _SEVERAL) & (kinds <= _DIFFER * pl.len().over("relation")))
    shown = {name: format_relation_name(name) for name in {*attributes["relation"], *attributes["key"]}}
    called = pl.format("{} {}", pl.col("relation").replace(shown), pl.col("key").replace(shown))
    is_measure = find_measures(attributes)
    values = attributes.filter(~is_measure).select("head", relation=called, tail="value", origin=ORIGIN)
    measured = _drop_known_rows(attributes.filter(is_measure), table.facts)
    rows_of_edges = _build_edge_rows(measured, {*table.facts["head"], *table.facts["tail"]})
    return pl.concat(
        [values, role_rows.select(head="tail", relation="value", tail="head", origin=ORIGIN), rows_of_edges]
    )


def _drop_known_rows(attributes: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """The attributes of edges that are not rows among the facts already, as they are in a graph that was exported."""
    facts = facts.select(pl.col(_FACT).cast(pl.String))
    starts, ends = (
        facts.filter(pl.col("relation") == relation).select(row="head", **{end: "tail"})
        for relation, end in (("from", "head"), ("to", "tail"))
    )
    values = facts.select(row="head", key="relation", value="tail")
    rows = starts.join(ends, on="row").join(values, on="row")
    return attributes.join(rows, on=["head", "tail", "key", "value"], how="anti", maintain_order="left")


def _build_edge_rows(attributes: pl.DataFrame, labels: Collection[str]) -> pl.DataFrame:
    """Edges as rows of a table, ``route 1``: the kind, both ends and the attributes of each."""
    nouns = {}
    for relation in attributes["relation"].unique().sort():
        noun = _UNNAMED_EDGE if relation == UNNAMED else to_singular(format_relation_name(relation))
        numbers = attributes.filter(pl.col("relation") == relation)["fact"].unique()
        while any(f"{noun} {number + 1}" in labels for number in numbers):
            noun = f"{noun} {_UNNAMED_EDGE}"
        nouns[relation] = noun
    called = pl.col("relation").replace(nouns)
    numbered = pl.format("{} {}", called, pl.col("fact") + 1)
    edges = attributes.select("head", "tail", "key", "value", ORIGIN, noun=called, row=numbered)
    ends = edges.unique(subset="row", maintain_order=True)
    return pl.concat([
        ends.select(head="row", relation=pl.lit(TYPE), tail="noun", origin=ORIGIN),
        ends.select(head="row", relation=pl.lit("from"), tail="head", origin=ORIGIN),
        ends.select(head="row", relation=pl.lit("to"), tail="tail", origin=ORIGIN),
        edges.select(head="row", relation="key", tail="value", origin=ORIGIN),
    ])  # fmt: skip


def _extract_node_facts(table: TripleTable) -> pl.DataFrame | None:
    rows = table.find_attributes()
    if rows is None or not rows.height:
        return None
    left_out = (UNASKED_KEYS - _DESCRIBING) | ALIAS_RELATIONS
    keys = [key for key in rows["key"].unique().sort() if format_relation_name(key) not in left_out]
    describing = [key for key in keys if format_relation_name(key) in _DESCRIBING]
    value_stats = (
        rows.filter(pl.col("key").is_in(describing))
        .group_by("key")
        .agg(
            length=pl.col("value").cast(pl.String).str.len_chars().mean(),
            unnamed=pl.col("label").cast(pl.String).str.contains(_UNNAMED).mean(),
        )
    )
    brief = set(value_stats.filter((pl.col("length") <= _BRIEF) & (pl.col("unnamed") >= SHORT))["key"])
    keys = [key for key in keys if key not in describing or key in brief]
    names = [key for key in keys if format_relation_name(key) in NAME_RELATIONS]
    name_stats = (
        rows.filter(pl.col("key").is_in(names)).group_by("key").agg(apart=pl.col("value").n_unique() / pl.len())
    )
    apart = set(name_stats.filter(pl.col("apart") > _APART)["key"])
    keys = [key for key in keys if key not in apart]
    value = pl.col("value").cast(pl.String).str.strip_chars()
    facts = (
        rows.filter(pl.col("key").is_in(keys)).select("label", "key", ORIGIN, value=value).filter(pl.col("value") != "")
    )
    things = rows["label"].cast(pl.String).unique()  # what refers to one says so, however long its name is
    short = (pl.col("value").str.len_chars() <= LONGEST) | pl.col("value").is_in(things.implode())
    facts = facts.filter(short.mean().over("key") >= SHORT)
    facts = facts.filter(short & ~pl.col("value").str.contains(NO_VALUE) & (pl.col("value") != pl.col("label")))
    return facts.select(head="label", relation="key", tail="value", origin=ORIGIN)


def _find_missing(kept: KeptFacts, facts: pl.DataFrame) -> pl.Series:
    """Which facts a version does not have yet."""
    graph = kept.snapshot
    labels, names = load_series(graph.entity_labels), load_series(graph.relation_names)
    known = (labels, names, labels)
    ids = [find_positions(facts[column], of) for column, of in zip(("head", "relation", "tail"), known, strict=True)]
    there = [graph.heads, graph.relations, graph.tails]
    if kept.facts is not None:
        there = [column[kept.facts] for column in there]
    return pl.Series(find_fact_positions(ids, [np.asarray(column) for column in there]) < 0)
