"""Columns of strings as the snapshot's files want them. Needs polars; only builders import it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from retrieval.kg.snapshot.storage import StringTable, save_strings

#: Strings that are Python's at a time: a column may be hundreds of megabytes.
ROWS = 50_000


def find_positions(column: pl.Series, labels: pl.Series) -> np.ndarray:
    """The position of each value in ``labels``, which are distinct, int64; -1 where it is none of them."""
    lookup = pl.DataFrame({"label": labels}).with_row_index("code")
    joined = pl.DataFrame({"label": column}).join(lookup, on="label", how="left", maintain_order="left")
    return joined["code"].cast(pl.Int64).fill_null(-1).to_numpy()


def find_fact_positions(targets: Sequence[np.ndarray], facts: Sequence[np.ndarray]) -> np.ndarray:
    """Where facts, by the ids of head, relation and tail, are among others that are distinct, int64; -1 for nowhere."""
    names = ("head", "relation", "tail")
    wanted, there = (
        pl.DataFrame({name: column.astype(np.int32) for name, column in zip(names, columns, strict=True)})
        for columns in (targets, facts)
    )
    matches = wanted.join(there.with_row_index("place"), on=names, how="left", maintain_order="left")
    return matches["place"].cast(pl.Int64).fill_null(-1).to_numpy()


def load_series(strings: StringTable) -> pl.Series:
    """A string table as a column. Strings without a NUL are split by polars, many times faster than one by one."""
    parts = [pl.Series([], dtype=pl.String)]
    for start in range(0, len(strings), ROWS):
        bounds = strings.offsets[start : start + ROWS + 1]
        data = strings.blob[bounds[0] : bounds[-1]]
        if data.all():
            joined = np.insert(data, bounds[1:-1] - bounds[0], 0).tobytes().decode()
            parts.append(pl.Series([joined]).str.split("\0").explode())
        else:
            parts.append(pl.Series([strings[row] for row in range(start, start + len(bounds) - 1)], dtype=pl.String))
    return pl.concat(parts)


def save_series(directory: Path, name: str, strings: pl.Series) -> StringTable:
    """Write a column of strings as a string table."""
    lengths = strings.str.len_bytes().to_numpy()
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    blob = np.empty(int(offsets[-1]), np.uint8)
    for start in range(0, len(strings), ROWS):
        part = strings.slice(start, ROWS).str.join("")[0].encode()
        blob[offsets[start] : offsets[start] + len(part)] = np.frombuffer(part, np.uint8)
    save_strings(directory, name, blob, offsets)
    return StringTable(blob, offsets)
