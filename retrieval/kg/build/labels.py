"""Builds the lexical index of a snapshot: normalised names, words and trigrams. Needs polars."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.kg.build.columns import find_positions, save_series
from retrieval.kg.build.index_reuse import copy_index
from retrieval.kg.build.naming import NAME_RELATIONS
from retrieval.kg.build.vocabulary import StringVocabulary, sort_texts
from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.kg.snapshot.labels import (
    NAME_LIMIT,
    TRIGRAM_BUCKETS,
    compute_trigram_buckets,
    drop_signs,
    normalize_name,
    to_latin_letters,
)
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.snapshot.storage import load_array, save_array
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.kg.build.id_encoding import EncodedFacts

#: Relations whose tail is another name of their head.
ALIAS_RELATIONS = get_words("alias_relations")
#: Ids that people use as names: short, with a letter.
_CODE = r"^[\w.+-]{0,12}\p{L}[\w.+-]{0,12}$"
_CVT, _LITERAL = 1, 2
#: Files of the words and trigrams of names, and those of tables of strings.
_NAME_INDEX = ("words.utf8", "words.offsets", "words_starts", "words_rows", "trigram_starts", "trigram_rows")
#: Names of several words without spaces, "RedBullRacing", and where their words meet.
_JOINED, _SEAM = r"^\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+\d*$", r"(\p{Ll})([\p{Lu}\d])"
#: What may be a sign that makes a word another name, see ``NAME_SIGNS``: rough, for those are looked at one by one.
_SIGNED = r"[\p{L}\p{N}\p{M}][+#♯♭＋＃]|(?:^|[^\p{L}\p{N}])\p{L}\p{M}*(?:\p{L}\p{M}*)?[-−–－](?:$|[^\p{L}\p{N}])"
#: Letters that are folded, and signs that are left out, in names of which people may write less.
_FOLDED = r"[ßæœøłđðħıŋþŧ+#♭-]"
#: Beyond so many names, misspelt ones are not looked up: their table takes some 80 bytes a name.
TRIGRAM_ROWS = 16_000_000
#: Names whose trigrams are sorted together, so that a bucket and a name fit 32 bits; and whose words are cut together.
_ROW_BITS = 14
_WORDS_AT_ONCE = 500_000

Check = Callable[[], None]


def normalize_series(texts: pl.Series) -> pl.Series:
    """Normalise each text of a column as :func:`retrieval.kg.snapshot.labels.normalize_name` does.

    Texts that are plain but for capitals, as most names are, are only lowered.
    """
    lowered = texts.str.to_lowercase()
    hard = lowered.str.contains("[^a-z0-9 ]|  |^ | $").to_numpy()
    if not hard.any():
        return lowered
    signed = hard & texts.str.contains(_SIGNED).to_numpy()
    hard = hard & ~signed
    where = np.concatenate([np.flatnonzero(~hard & ~signed), np.flatnonzero(hard), np.flatnonzero(signed)])
    back = np.empty(len(where), np.int64)
    back[where] = np.arange(len(where))
    slow = texts.filter(hard).to_frame("text").select(_normalize_plain("text"))["text"]
    by_hand = pl.Series([normalize_name(text) for text in texts.filter(signed)], dtype=pl.String)
    parts = [lowered.filter(~hard & ~signed), slow.rename(lowered.name), by_hand.rename(lowered.name)]
    return pl.concat(parts).gather(back)


def _normalize_plain(column: str) -> pl.Expr:
    """Normalise texts that have no sign behind a word."""
    lowered = pl.col(column).str.to_lowercase()
    plain = lowered.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    words = plain.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()
    return pl.when(words == "").then(lowered.str.strip_chars()).otherwise(words)


def write_label_index(
    directory: Path,
    encoded: EncodedFacts,
    kinds: np.ndarray,
    attributes: pl.DataFrame | None = None,
    language_names: pl.DataFrame | None = None,
    *,
    base: Path | None = None,
    check: Check = lambda: None,
) -> None:
    """Write the index files (``names*``, ``words*``, ``trigram*``) next to the snapshot's arrays.

    Other names are taken from facts and from ``attributes`` (columns label, key, value) by ``ALIAS_RELATIONS``, and
    from ``language_names`` (columns label, name), which are names in languages. What ``base``, a version of the graph,
    has of the same names is copied. ``check`` is called between pieces of work, and raises to stop.
    """
    leaving = np.diff(load_array(directory, "out_offsets"))
    entering = np.bincount(encoded.tails, minlength=len(kinds))
    aliases = _extract_attribute_aliases(encoded, attributes)
    if language_names is not None:
        aliases = pl.concat([aliases, _find_aliases(language_names["label"], language_names["name"], encoded)])
    names = _collect_names(encoded, kinds, aliases, leaving, leaving + entering)
    offsets = save_series(directory, "names", names["name"]).offsets
    entities = names["entity"].to_numpy()
    save_array(directory, "names_entity", entities)
    save_array(directory, "names_alias", names["alias"].to_numpy())
    save_array(directory, "names_degree", (leaving + entering)[entities].astype(np.int32))
    check()
    if copy_index(base, directory, "names", *_NAME_INDEX):
        return
    _write_words(directory, names["name"], check)
    _write_trigrams(directory, names["name"], offsets, check)


def _collect_names(
    encoded: EncodedFacts, kinds: np.ndarray, aliases: pl.DataFrame, leaving: np.ndarray, degrees: np.ndarray
) -> pl.DataFrame:
    """One row per name of an entity: ``name`` (normalised), ``entity``, ``alias``; sorted by name, alias, entity."""
    size = len(encoded.entity_labels)
    alias_facts = _find_alias_facts(encoded, kinds, leaving > 0)
    # What is mentioned only as another name of something is that thing's name, not a thing of its own.
    only_name = (degrees > 0) & (np.bincount(encoded.tails[alias_facts], minlength=size) == degrees)
    things = (kinds != _CVT) & ~only_name
    label_names = normalize_series(encoded.entity_labels).alias("name")
    entities = pl.Series("entity", np.arange(size, dtype=np.int32))
    label_rows = pl.DataFrame([label_names, entities]).with_columns(alias=pl.lit(0, pl.UInt8))
    bracketed = encoded.entity_labels.str.ends_with(")").to_numpy() & things
    shorter = pl.DataFrame({"text": encoded.entity_labels.filter(bracketed), "entity": entities.filter(bracketed)})
    shorter = shorter.filter(pl.col("text").str.contains(r"\S\s*\([^()]*\)$")).with_columns(
        pl.col("text").str.replace(r"\s*\([^()]*\)$", "")
    )
    joined = encoded.entity_labels.str.contains(_JOINED).to_numpy() & things
    apart = pl.DataFrame(
        {
            "text": encoded.entity_labels.filter(joined).str.replace_all(_SEAM, "$1 $2"),
            "entity": entities.filter(joined),
        }
    )
    others = pl.concat([shorter, apart, _build_alias_rows(encoded, alias_facts), aliases])
    others = others.select(normalize_series(others["text"]).alias("name"), "entity", alias=pl.lit(1, pl.UInt8))
    of = others["entity"].to_numpy()
    others = others.filter((others["name"] != label_names.gather(of)).to_numpy() | ~things[of])
    rows = pl.concat([label_rows.filter(things), others.unique().sort("entity")])
    rows = rows.filter((pl.col("name") != "") & (pl.col("name").str.len_bytes() <= NAME_LIMIT))
    return pl.concat([rows, _build_folded_rows(rows)]).sort("name", maintain_order=True)


def _build_folded_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Names in plain letters as aliases; those without their signs only where nothing else has that name, and where the
    signs are the lesser part of it: ``canal`` of Canal+, and no ``c`` of C++.
    """
    folded = []
    marked = rows.filter(pl.col("name").str.contains(_FOLDED)).select("name", "entity")
    for name, entity in marked.iter_rows():
        plain = to_latin_letters(name)
        if plain != name:
            folded.append((plain, entity, False))
        short = drop_signs(plain)
        if short != plain and 2 * len(short.replace(" ", "")) > len(plain.replace(" ", "")) + 1:
            folded.append((short, entity, True))
    schema = {"name": pl.String, "entity": pl.Int32, "short": pl.Boolean}
    aliases = pl.DataFrame(folded, schema=schema, orient="row").unique(maintain_order=True)
    lone = pl.col("entity").n_unique().over("name") == 1
    known = aliases.join(rows.select("name").unique(), on="name", how="semi")["name"].implode()
    aliases = aliases.filter(~pl.col("short") | (lone & ~pl.col("name").is_in(known)))
    return aliases.select("name", "entity", alias=pl.lit(1, pl.UInt8)).unique(maintain_order=True)


def _extract_attribute_aliases(encoded: EncodedFacts, attributes: pl.DataFrame | None) -> pl.DataFrame:
    """Names that attributes give: ``text``, ``entity``. Ids are names where they are codes: ``Apache-2.0``."""
    rows = pl.DataFrame(schema={"label": pl.String, "key": pl.String, "value": pl.String})
    if attributes is not None and attributes.height:
        keys = attributes["key"].unique().to_list()
        naming = [key for key in keys if format_relation_name(key) in ALIAS_RELATIONS]
        is_code = (pl.col("key").str.to_lowercase() == "id") & pl.col("value").str.contains(_CODE)
        rows = attributes.filter(pl.col("key").is_in(naming) | is_code)
    return _find_aliases(rows["label"], rows["value"], encoded)


def _find_aliases(labels: pl.Series, texts: pl.Series, encoded: EncodedFacts) -> pl.DataFrame:
    entities = find_positions(labels, encoded.entity_labels).astype(np.int32)
    return pl.DataFrame({"text": texts, "entity": entities}).filter(pl.col("entity") >= 0)


def _find_alias_facts(encoded: EncodedFacts, kinds: np.ndarray, leads_on: np.ndarray) -> np.ndarray:
    """The facts that say that their tail is another name of their head, int64, ascending."""
    labels = [format_relation_name(name) for name in encoded.relation_names]
    sure = np.array([label in ALIAS_RELATIONS for label in labels], bool)
    unsure = np.array([label in NAME_RELATIONS for label in labels], bool)
    if not (sure | unsure).any():
        return np.zeros(0, np.int64)
    facts = np.flatnonzero((sure | unsure)[encoded.relations])
    relations, tails = encoded.relations[facts], encoded.tails[facts]
    is_alias = sure[relations] & ~leads_on[tails] & (kinds[tails] != _CVT)
    is_alias |= unsure[relations] & (kinds[tails] == _LITERAL)
    return np.asarray(facts[is_alias])


def _build_alias_rows(encoded: EncodedFacts, alias_facts: np.ndarray) -> pl.DataFrame:
    # A name with a quotation mark around it was told apart from an entity of the same label.
    texts = encoded.entity_labels.gather(encoded.tails[alias_facts].astype(np.uint32)).str.strip_chars('"')
    return pl.DataFrame({"text": texts, "entity": encoded.heads[alias_facts].astype(np.int32)})


def _write_words(directory: Path, names: pl.Series, check: Check) -> None:
    """Distinct words, sorted, and for each the names that hold it."""
    vocabulary = StringVocabulary()
    parts = [np.zeros(0, np.uint64)]
    for start in range(0, len(names), _WORDS_AT_ONCE):
        check()
        words = names.slice(start, _WORDS_AT_ONCE).str.split(" ")
        rows = np.arange(start, start + len(words), dtype=np.uint64)
        codes = vocabulary.encode_values(words.explode()).astype(np.uint64)
        parts.append(codes << np.uint64(32) | np.repeat(rows, words.list.len().to_numpy()))
    unique_words, places = sort_texts(vocabulary)
    keys = np.concatenate(parts)
    parts.clear()
    row = keys & np.uint64(0xFFFFFFFF)
    keys = sort_unique(places.astype(np.uint64)[keys >> np.uint64(32)] << np.uint64(32) | row)
    starts = np.searchsorted(keys, np.arange(len(unique_words) + 1, dtype=np.uint64) << np.uint64(32))
    save_series(directory, "words", unique_words)
    save_array(directory, "words_starts", starts.astype(np.int64))
    save_array(directory, "words_rows", (keys & np.uint64(0xFFFFFFFF)).astype(np.int32))


def _write_trigrams(directory: Path, names: pl.Series, offsets: np.ndarray, check: Check) -> None:
    """For each bucket of trigrams, the names that hold one of them.

    The trigrams of some thousand names at a time are sorted where the processor's cache holds them; then each bucket
    takes its rows from all of these, which come in their order.
    """
    if len(names) > TRIGRAM_ROWS:
        names = names.head(0)
    pieces = []
    sizes = np.zeros(TRIGRAM_BUCKETS, np.int64)
    for start in range(0, len(names), 1 << _ROW_BITS):
        check()
        piece = _compute_trigrams(names.slice(start, 1 << _ROW_BITS), offsets[start:])
        sizes += np.bincount(piece >> np.uint32(_ROW_BITS), minlength=TRIGRAM_BUCKETS)
        pieces.append(piece)
    starts = np.zeros(TRIGRAM_BUCKETS + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    rows = np.empty(starts[-1], np.int32)
    filled = starts[:-1].copy()
    for i, piece in enumerate(pieces):
        bucket = (piece >> np.uint32(_ROW_BITS)).astype(np.int32)
        here = np.bincount(bucket, minlength=TRIGRAM_BUCKETS)
        shift = filled - (np.cumsum(here) - here)
        row = (piece & np.uint32((1 << _ROW_BITS) - 1)).astype(np.int32) + np.int32(i << _ROW_BITS)
        rows[shift[bucket] + np.arange(len(piece))] = row
        filled += here
    save_array(directory, "trigram_starts", starts)
    save_array(directory, "trigram_rows", rows)


def _compute_trigrams(names: pl.Series, offsets: np.ndarray) -> np.ndarray:
    """Bucket and place of each trigram of some names, sorted, uint32: the place in the low ``_ROW_BITS``."""
    # One space before each name and one after the last: every trigram of " name " within one buffer.
    text = np.frombuffer(f" {names.str.join(' ')[0]} ".encode(), np.uint8)
    lengths = np.diff(offsets[: len(names) + 1]) + 1
    keys = compute_trigram_buckets(text).astype(np.uint32) << np.uint32(_ROW_BITS)
    keys |= np.repeat(np.arange(len(names), dtype=np.uint32), lengths)[: len(keys)]
    # The last byte of a name starts a trigram that reaches into the next name; drop it.
    keep = np.ones(len(keys), bool)
    keep[np.cumsum(lengths)[:-1] - 1] = False
    return sort_unique(keys[keep])
