"""Columns of strings as the snapshot's files want them. Needs polars; only builders import it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from retrieval.kg.storage import StringTable, save_strings


def codes(column: pl.Series, labels: pl.Series) -> np.ndarray:
    """The position of each value in the sorted ``labels``, int64."""
    lookup = pl.DataFrame({"label": labels}).with_row_index("code")
    joined = pl.DataFrame({"label": column}).join(lookup, on="label", how="left", maintain_order="left")
    return joined["code"].to_numpy().astype(np.int64)


def save_series(directory: Path, name: str, strings: pl.Series) -> StringTable:
    """Write a column of strings as a string table."""
    lengths = strings.str.len_bytes().to_numpy()
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    blob = "".join(strings.to_list()).encode()
    save_strings(directory, name, blob, offsets)
    return StringTable(np.frombuffer(blob, np.uint8), offsets)
