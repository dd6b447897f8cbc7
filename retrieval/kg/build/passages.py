"""Writes passages and their links to facts into a snapshot's directory. Needs polars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from retrieval.errors import SourceError
from retrieval.kg.build.columns import save_series
from retrieval.kg.snapshot.passages import COLUMNS, group_by_passage
from retrieval.kg.snapshot.storage import save_array

if TYPE_CHECKING:
    from retrieval.kg.build.id_encoding import EncodedFacts
    from retrieval.kg.table import TripleTable


def write_passages(directory: Path, table: TripleTable, encoded: EncodedFacts) -> int:
    """Write the passages of ``table``, if it has any; a fact given twice has the passages of both.

    Returns:
        How many passages there are.

    Raises:
        SourceError: two passages have one name.
    """
    if table.passages is None or not table.passages.height:
        return 0
    names = table.passages["name"]
    if names.n_unique() < len(names):
        raise SourceError(
            f"Two passages are named {names.filter(names.is_duplicated())[0]}.",
            hint="Give each passage an id of its own.",
        )
    for column in COLUMNS:
        save_series(directory, f"passage_{column}s", table.passages[column])
    save_array(directory, "passages_by_name", names.arg_sort().to_numpy().astype(np.int32))
    facts, passages = _collect_links(table, encoded)
    offsets = np.zeros(len(encoded.heads) + 1, np.int64)
    np.cumsum(np.bincount(facts, minlength=len(encoded.heads)), out=offsets[1:])
    save_array(directory, "fact_passage_offsets", offsets)
    save_array(directory, "fact_passages", passages.astype(np.int32))
    passage_offsets, passage_facts = group_by_passage(facts, passages, len(names))
    save_array(directory, "passage_fact_offsets", passage_offsets)
    save_array(directory, "passage_facts", passage_facts)
    return len(names)


def _collect_links(table: TripleTable, encoded: EncodedFacts) -> tuple[np.ndarray, np.ndarray]:
    """Fact ids and passages, int64 [L] each, sorted by fact and passage and without repeats."""
    if table.fact_passages is None or not table.fact_passages.height:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    facts = encoded.fact_of_row[table.fact_passages["fact"].to_numpy()]
    links = pl.DataFrame({"fact": facts, "passage": table.fact_passages["passage"].cast(pl.Int64)})
    links = links.unique().sort("fact", "passage")
    return links["fact"].to_numpy(), links["passage"].to_numpy()
