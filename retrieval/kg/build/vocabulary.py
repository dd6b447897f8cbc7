"""Numbering strings as they come, at millions a second. Needs polars; only builders import it."""

from __future__ import annotations

import numpy as np
import polars as pl


class StringVocabulary:
    """Distinct strings, numbered from 0 in the order in which they first come.

    A categorical type of its own does the work: each value is hashed once, columns are looked up in parallel, and what
    they were read from may be forgotten.
    """

    def __init__(self) -> None:
        self.dtype = pl.Categorical(pl.Categories.random())
        self._size = 0
        # The strings are forgotten when the last column of the type is; this one stays.
        self._keeps = pl.Series([], dtype=self.dtype)

    def __len__(self) -> int:
        return self._size

    def encode_values(self, column: pl.Series) -> np.ndarray:
        """The numbers of the values of ``column``, strings or already of ``dtype``; uint32 [n]."""
        numbers = column.cast(self.dtype).to_physical().to_numpy()
        if len(numbers):
            self._size = max(self._size, int(numbers.max()) + 1)
        return numbers

    def get_texts(self, first: int = 0) -> pl.Series:
        """The strings numbered ``first`` and up, in order."""
        numbers = pl.Series(np.arange(first, self._size, dtype=np.uint32))
        return numbers.cat.to(self.dtype).cast(pl.String)


def sort_texts(vocabulary: StringVocabulary, used: np.ndarray | None = None) -> tuple[pl.Series, np.ndarray]:
    """The strings in byte order, and for each number its place among them, int64.

    Args:
        used: bool [len]; the others are left out and have no place that means anything. None takes all.
    """
    texts = vocabulary.get_texts()
    numbers = np.arange(len(texts)) if used is None else np.flatnonzero(used)
    if used is not None:
        texts = texts.gather(numbers)
    order = texts.arg_sort().to_numpy()
    places = np.zeros(len(vocabulary), np.int64)
    places[numbers[order]] = np.arange(len(order))
    return texts.gather(order), places
