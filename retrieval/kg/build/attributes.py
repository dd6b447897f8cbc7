"""Writes the attributes of nodes and facts into a snapshot's directory. Needs polars."""

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
    keys = pl.concat([frame["key"] for frame in frames.values()]).unique().sort()
    texts = pl.concat([frame["value"] for frame in frames.values()]).unique().sort()
    save_series(directory, "attribute_keys", keys)
    save_series(directory, "attribute_texts", texts)
    sizes = {"entity": len(encoded.entity_labels), "fact": len(encoded.heads)}
    return {name: _write(directory, name, frame, (keys, texts), sizes[name]) for name, frame in frames.items()}


def _write(directory: Path, name: str, frame: pl.DataFrame, strings: tuple[pl.Series, pl.Series], owners: int) -> int:
    key, text = (find_positions(frame[c], s) for c, s in zip(("key", "value"), strings, strict=True))
    rows = pl.DataFrame({"owner": frame["owner"], "key": key, "text": text}).unique()
    rows = rows.sort("owner", "key", "text")
    bounds = np.searchsorted(rows["owner"].to_numpy(), np.arange(owners + 1))
    save_array(directory, f"{name}_attribute_offsets", bounds.astype(np.int64))
    save_array(directory, f"{name}_attribute_keys", rows["key"].to_numpy().astype(np.int32))
    save_array(directory, f"{name}_attribute_texts", rows["text"].to_numpy().astype(np.int32))
    return rows.height
