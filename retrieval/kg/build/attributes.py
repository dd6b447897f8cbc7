"""Writes the attributes of nodes and facts, and names by language, into a snapshot's directory. Needs polars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.kg.build.columns import find_positions, save_series
from retrieval.kg.snapshot.storage import save_array

if TYPE_CHECKING:
    from retrieval.kg.build.id_encoding import EncodedFacts
    from retrieval.kg.table import TripleTable


def write_attributes(directory: Path, table: TripleTable, encoded: EncodedFacts) -> dict[str, int]:
    """Write what ``table`` has of attributes; a value that repeats is kept once for each node and fact.

    Returns:
        How many rows were written, by owner (``entity``, ``fact``). Nothing is written where there are none.
    """
    frames: dict[str, pl.DataFrame] = {}
    if table.node_attributes is not None and table.node_attributes.height:
        owners = find_positions(table.node_attributes["label"], encoded.entity_labels)
        frames["entity"] = table.node_attributes.select("key", "value", owner=pl.Series(owners))
    if table.fact_attributes is not None and table.fact_attributes.height:
        owners = encoded.fact_of_row[table.fact_attributes["fact"].to_numpy()]
        frames["fact"] = table.fact_attributes.select("key", "value", owner=pl.Series(owners))
    if not frames:
        return {}
    strings = _write_strings(directory, "attribute", list(frames.values()))
    sizes = {"entity": len(encoded.entity_labels), "fact": len(encoded.heads)}
    return {name: _write(directory, f"{name}_attribute", frame, strings, sizes[name]) for name, frame in frames.items()}


def write_names(directory: Path, table: TripleTable, encoded: EncodedFacts) -> tuple[int, int]:
    """Write what ``table`` calls entities in languages: of several names in one language the best is shown.

    Returns:
        How many names are shown, and how many are further ones. Nothing is written where there are none.
    """
    rows = table.names
    if rows is None or not rows.height:
        return 0, 0
    labels = encoded.entity_labels
    owned = rows.with_columns(owner=pl.Series(find_positions(rows["label"], labels))).filter(pl.col("owner") >= 0)
    # Of two that are as good, the one that the entity is called by without a language, else the first of the alphabet.
    ordered = owned.sort("owner", "language", "rank", pl.col("name") != pl.col("label"), "name")
    spelt = ordered.select("owner", key="language", value="name").unique(maintain_order=True)
    main = spelt.unique(["owner", "key"], keep="first", maintain_order=True)
    others = spelt.join(main, on=["owner", "key", "value"], how="anti")
    counts = []
    for noun, frame in (("name", main), ("other_name", others)):
        strings = _write_strings(directory, noun, [frame])
        counts.append(_write(directory, f"entity_{noun}", frame, strings, len(labels)))
    return counts[0], counts[1]


def _write_strings(directory: Path, noun: str, frames: list[pl.DataFrame]) -> tuple[pl.Series, pl.Series]:
    """Write the distinct keys and values of frames, sorted."""
    keys = pl.concat([frame["key"] for frame in frames]).unique().sort()
    texts = pl.concat([frame["value"] for frame in frames]).unique().sort()
    save_series(directory, f"{noun}_keys", keys)
    save_series(directory, f"{noun}_texts", texts)
    return keys, texts


def _write(directory: Path, name: str, frame: pl.DataFrame, strings: tuple[pl.Series, pl.Series], owners: int) -> int:
    key, text = (find_positions(frame[c], s) for c, s in zip(("key", "value"), strings, strict=True))
    rows = pl.DataFrame({"owner": frame["owner"], "key": key, "text": text}).unique()
    rows = rows.sort("owner", "key", "text")
    bounds = np.searchsorted(rows["owner"].to_numpy(), np.arange(owners + 1))
    save_array(directory, f"{name}_offsets", bounds.astype(np.int64))
    save_array(directory, f"{name}_keys", rows["key"].to_numpy().astype(np.int32))
    save_array(directory, f"{name}_texts", rows["text"].to_numpy().astype(np.int32))
    return rows.height
