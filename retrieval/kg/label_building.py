"""Builds the lexical index of a snapshot: normalised names, words and trigrams. Needs polars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.kg.columns import positions, save_series
from retrieval.kg.labels import NAME_LIMIT, TRIGRAM_BUCKETS, trigram_buckets
from retrieval.kg.naming import humanise_relation
from retrieval.kg.storage import save_array, sorted_unique

if TYPE_CHECKING:
    from retrieval.kg.building import Coded

#: Relations whose tail is another name of their head.
ALIAS_RELATIONS = frozenset(
    {
        "alias",
        "aliases",
        "also known as",
        "aka",
        "alternative name",
        "alternate name",
        "alternate names",
        "alt label",
        "other name",
        "other names",
        "nickname",
        "synonym",
        "official name",
        "short name",
        "common name",
        "pref label",
        "stage name",
    }
)
#: The same, but only where the tail is a literal: a record label is no alias of its artist.
NAME_RELATIONS = frozenset({"label", "name", "title"})
_CVT, _LITERAL = 1, 2
#: Beyond so many names, misspelt ones are not looked up: the trigram table would not fit in memory.
TRIGRAM_ROWS = 4_000_000


def normalised(column: str) -> pl.Expr:
    """:func:`retrieval.kg.labels.normalise` as a polars expression."""
    lowered = pl.col(column).str.to_lowercase()
    plain = lowered.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    words = plain.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()
    return pl.when(words == "").then(lowered.str.strip_chars()).otherwise(words)


def write_label_index(
    directory: Path, coded: Coded, kinds: np.ndarray, attributes: pl.DataFrame | None = None
) -> None:
    """Write the index files (``names*``, ``words*``, ``trigram*``) next to the snapshot's arrays.

    Other names are taken from facts and from ``attributes`` (columns label, key, value) by ``ALIAS_RELATIONS``.
    """
    degrees = np.bincount(coded.heads, minlength=len(kinds)) + np.bincount(coded.tails, minlength=len(kinds))
    names = _names(coded, kinds, _attribute_aliases(coded, attributes))
    offsets = save_series(directory, "names", names["name"]).offsets
    save_array(directory, "names_entity", names["entity"].to_numpy().astype(np.int32))
    save_array(directory, "names_alias", names["alias"].to_numpy().astype(np.uint8))
    save_array(directory, "names_degree", degrees[names["entity"].to_numpy()].astype(np.int32))
    _write_words(directory, names["name"])
    _write_trigrams(directory, names["name"], offsets)


def _names(coded: Coded, kinds: np.ndarray, aliases: pl.DataFrame) -> pl.DataFrame:
    """One row per name of an entity: ``name`` (normalised), ``entity``, ``alias``; sorted by name."""
    size = len(coded.entity_labels)
    labels = pl.DataFrame({"text": coded.entity_labels, "entity": np.arange(size, dtype=np.int32)})
    named = labels.filter(pl.Series(kinds != _CVT)).with_columns(alias=pl.lit(0, pl.UInt8))
    shorter = named.filter(pl.col("text").str.contains(r"\S\s*\([^()]*\)$")).with_columns(
        pl.col("text").str.replace(r"\s*\([^()]*\)$", ""), alias=pl.lit(1, pl.UInt8)
    )
    alias_facts = _is_alias_fact(coded, kinds)
    # What is mentioned only as another name of something is that thing's name, not a thing of its own.
    mentions = np.bincount(coded.heads, minlength=size) + np.bincount(coded.tails, minlength=size)
    only_name = (mentions > 0) & (np.bincount(coded.tails[alias_facts], minlength=size) == mentions)
    things = [frame.filter(~only_name[frame["entity"].to_numpy()]) for frame in (named, shorter)]
    rows = pl.concat([*things, _alias_rows(coded, alias_facts), aliases])
    rows = rows.with_columns(name=normalised("text")).filter(
        (pl.col("name") != "") & (pl.col("name").str.len_bytes() <= NAME_LIMIT)
    )
    best = rows.group_by("name", "entity").agg(pl.col("alias").min())
    return best.sort("name", "alias", "entity")


def _attribute_aliases(coded: Coded, attributes: pl.DataFrame | None) -> pl.DataFrame:
    """Names that attributes give: ``text``, ``entity``, ``alias``."""
    rows = pl.DataFrame(schema={"label": pl.String, "key": pl.String, "value": pl.String})
    if attributes is not None and attributes.height:
        keys = attributes["key"].unique().to_list()
        naming = [key for key in keys if humanise_relation(key) in ALIAS_RELATIONS]
        rows = attributes.filter(pl.col("key").is_in(naming))
    entities = positions(rows["label"], coded.entity_labels).astype(np.int32)
    frame = pl.DataFrame({"text": rows["value"], "entity": entities})
    return frame.with_columns(alias=pl.lit(1, pl.UInt8))


def _is_alias_fact(coded: Coded, kinds: np.ndarray) -> np.ndarray:
    """Which facts say that their tail is another name of their head, bool [T]."""
    labels = [humanise_relation(name) for name in coded.relation_names]
    sure = np.array([label in ALIAS_RELATIONS for label in labels], bool)
    unsure = np.array([label in NAME_RELATIONS for label in labels], bool)
    leads_on = np.zeros(len(kinds), bool)
    leads_on[coded.heads] = True
    tail_kinds = kinds[coded.tails]
    is_alias = sure[coded.relations] & ~leads_on[coded.tails] & (tail_kinds != _CVT)
    is_alias |= unsure[coded.relations] & (tail_kinds == _LITERAL)
    return np.asarray(is_alias)


def _alias_rows(coded: Coded, alias_facts: np.ndarray) -> pl.DataFrame:
    # A name with a quotation mark around it was told apart from an entity of the same label.
    texts = coded.entity_labels.gather(coded.tails[alias_facts].astype(np.uint32)).str.strip_chars('"')
    frame = pl.DataFrame({"text": texts, "entity": coded.heads[alias_facts].astype(np.int32)})
    return frame.with_columns(alias=pl.lit(1, pl.UInt8))


def _write_words(directory: Path, names: pl.Series) -> None:
    """Distinct words, sorted, and for each the names that hold it."""
    pairs = (
        pl.DataFrame({"word": names.str.split(" ")})
        .with_row_index("row")
        .explode("word")
        .unique()
        .sort("word", "row")
    )
    words = pairs["word"].unique(maintain_order=True)
    counts = pairs["word"].rle().struct.field("len").to_numpy() if pairs.height else np.zeros(0, np.int64)
    save_series(directory, "words", words)
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    save_array(directory, "words_starts", starts)
    save_array(directory, "words_rows", pairs["row"].to_numpy().astype(np.int32))


def _write_trigrams(directory: Path, names: pl.Series, offsets: np.ndarray) -> None:
    """For each bucket of trigrams, the names that hold one of them."""
    if len(names) > TRIGRAM_ROWS:
        names = names.head(0)
        offsets = offsets[:1]
    # One space before each name and one after the last: every trigram of " name " within one buffer.
    text = np.frombuffer(("".join(f" {name}" for name in names) + " ").encode(), np.uint8)
    buckets = trigram_buckets(text)
    lengths = np.diff(offsets) + 1
    rows = np.repeat(np.arange(len(lengths)), lengths)[: len(buckets)]
    # The last byte of a name starts a trigram that reaches into the next name; drop it.
    ends = np.cumsum(lengths) - 1
    keep = np.ones(len(buckets), bool)
    keep[ends[ends < len(buckets)]] = False
    keys = sorted_unique(buckets[keep].astype(np.int64) * max(len(names), 1) + rows[keep])
    bucket, row = np.divmod(keys, max(len(names), 1))
    starts = np.searchsorted(bucket, np.arange(TRIGRAM_BUCKETS + 1)).astype(np.int64)
    save_array(directory, "trigram_starts", starts)
    save_array(directory, "trigram_rows", row.astype(np.int32))
