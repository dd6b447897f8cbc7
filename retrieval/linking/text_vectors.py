"""Vectors of many texts of which a question needs few: an index's, else encoded as they are asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol

import numpy as np

#: So few texts are encoded together when the first is asked for: under two seconds of one core.
AT_ONCE = 1024
#: An index that is missing is looked for at most so often, in seconds.
RECHECK = 2.0


class Encodes(Protocol):
    """What is needed of ``features.TextEncoder``."""

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [n, dim], unit length."""
        ...


class TextVectors:
    """Vectors of texts, by their numbers. Thread-safe.

    A graph of thousands of relations is asked at once: what its index lacks yet is encoded for the relations that a
    question comes by, which takes less than a second where all of them take minutes.

    Args:
        texts: n of them.
        find: the vectors of all of them, [n, d], of an index; None where it does not stand.
    """

    def __init__(
        self, texts: Sequence[str], encoder: Encodes, find: Callable[[], np.ndarray | None] = lambda: None
    ) -> None:
        self._texts = texts
        self._encoder = encoder
        self._find = find
        self._lock = threading.Lock()
        self._checked = monotonic()
        self._all = find()
        empty = self._all is not None
        # Pages that nothing was written to take no memory.
        self._some = np.zeros((0 if empty else len(texts), encoder.dim), np.float32)
        self._known = np.zeros(0 if empty else len(texts), bool)

    def __getitem__(self, rows: np.ndarray | Sequence[int]) -> np.ndarray:
        """Vectors of some texts, float32 [rows, d]."""
        wanted = np.asarray(rows, np.int64)
        vectors = self._all
        if vectors is None:
            vectors = self._ensure_rows(wanted)
        some: np.ndarray = vectors[wanted]
        return some

    def _ensure_rows(self, wanted: np.ndarray) -> np.ndarray:
        """An array that has these rows."""
        with self._lock:
            if self._all is not None:
                return self._all
            if self._known[wanted].all():
                return self._some
            if monotonic() - self._checked >= RECHECK:
                self._checked = monotonic()
                self._all = self._find()
                if self._all is not None:
                    return self._all
            few = len(self._texts) <= AT_ONCE
            missing = np.flatnonzero(~self._known) if few else np.unique(wanted[~self._known[wanted]])
            self._some[missing] = self._encoder.encode([self._texts[i] for i in missing.tolist()])
            self._known[missing] = True
            return self._some
