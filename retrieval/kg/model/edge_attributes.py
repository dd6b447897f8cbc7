"""Which attributes of edges can be asked for, and which of them measure the edge itself. Needs polars."""

from __future__ import annotations

import polars as pl

from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.lexicon import get_words

#: Keys whose values nobody asks for, or that are found by other ways.
UNASKED_KEYS = get_words("unasked_keys")
#: What is said of edges that nobody asks for.
_OF_EDGES = frozenset({"weight", "confidence", "probability", "similarity", "strength", "source", "provenance"})
#: Characters of a value, and the share of a key's values that are as short.
LONGEST, SHORT = 60, 0.9
NO_VALUE = r"^[\[{]|://"
#: The share of edges that share their head with edges of other values, from which they have a measure.
_APART_EDGES = 0.5
_YEARS = (1000, 2100)


def select_asked(attributes: pl.DataFrame) -> pl.DataFrame:
    """The rows (``relation``, ``key``, ``value`` and others) whose values can be asked for: short ones, no links."""
    keys = [
        key for key in attributes["key"].unique().sort() if format_relation_name(key) not in UNASKED_KEYS | _OF_EDGES
    ]
    short = pl.col("value").str.len_chars() <= LONGEST
    rows = attributes.filter(
        pl.col("key").is_in(keys) & (pl.col("value") != "") & ~pl.col("value").str.contains(NO_VALUE)
    )
    return rows.filter(short.mean().over("relation", "key") >= SHORT).filter(short)


def find_measures(attributes: pl.DataFrame) -> pl.Series:
    """Whether the relation of each row (``fact``, ``head``, ``relation``, ``key``, ``value``) has a measure, bool.

    A measure, such as a distance, is of two ends. A relation has one if most of its edges share their head with edges
    of other values, and the values are numbers but not years.
    """
    number = pl.col("value").cast(pl.Float64, strict=False)
    apart = (pl.col("fact").n_unique() > 1) & (pl.col("value").n_unique() > 1)
    years = number.is_between(*_YEARS).mean() >= SHORT
    stats = attributes.with_columns(apart=apart.over("relation", "key", "head")).group_by("relation", "key")
    measures = stats.agg(
        is_measure=(number.is_not_null().mean() >= SHORT) & ~years & (pl.col("apart").mean() >= _APART_EDGES)
    )
    by_relation = measures.group_by("relation").agg(pl.col("is_measure").any())
    joined = attributes.select("relation").join(by_relation, on="relation", how="left", maintain_order="left")
    return joined["is_measure"].fill_null(value=False)
