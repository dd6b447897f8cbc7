"""Rows of facts that are written to disk where they do not fit in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.kg.build.row_origins import RowOrigins

#: Bytes of rows or keys that are held at a time when nobody says otherwise.
MEMORY = 2 * 1024**3


_ROW, KEY = 12, 8


class FactRows:
    """Rows of codes as they are read: in memory, and beyond ``memory`` bytes in a file of ``directory``.

    The file goes when they are drained.

    Attributes:
        origins: of all rows, also when they are drained.
    """

    def __init__(self, directory: Path, memory: int = MEMORY, name: str = "rows") -> None:
        self.count = 0
        self.origins = RowOrigins()
        self._memory = memory
        self._held: list[np.ndarray] = []
        self._held_rows = 0
        self._file = directory / f"{name}.spill"
        self._spilt: list[int] = []

    def add(self, heads: np.ndarray, relations: np.ndarray, tails: np.ndarray, origins: int | np.ndarray = 0) -> None:
        """Take some rows, uint32 [n] each; see :meth:`RowOrigins.add` for their origins."""
        self.origins.add(len(heads), origins)
        block = np.stack([heads, relations, tails]).astype(np.uint32, copy=False)
        self._held.append(block)
        self.count += block.shape[1]
        self._held_rows += block.shape[1]
        if self._held_rows * _ROW > self._memory:
            self._write_held()

    def keep_first(self, count: int) -> None:
        """Forget all but the first ``count``, which ends a block."""
        while self.count > count:
            self.origins.drop_last()
            if self._held:
                size = self._held.pop().shape[1]
                self._held_rows -= size
            else:
                size = self._spilt.pop()
                os.truncate(self._file, sum(self._spilt) * _ROW)
            self.count -= size

    def __iter__(self) -> Iterator[np.ndarray]:
        """Blocks of rows in the order they came, uint32 [3, n]."""
        if self._spilt:
            with self._file.open("rb") as file:
                for size in self._spilt:
                    yield np.frombuffer(file.read(size * _ROW), np.uint32).reshape(3, size)
        yield from self._held

    def take_blocks(self) -> Iterator[np.ndarray]:
        """The same, each forgotten once it is given."""
        held, self._held = self._held, []
        yield from self
        self.clear()
        held.reverse()
        while held:
            yield held.pop()

    def clear(self) -> None:
        """Forget all rows."""
        self._held.clear()
        self._spilt.clear()
        self._file.unlink(missing_ok=True)

    def _write_held(self) -> None:
        with self._file.open("ab") as file:
            for block in self._held:
                file.write(block.reshape(-1).view(np.uint8).data)
                self._spilt.append(block.shape[1])
        self._held.clear()
        self._held_rows = 0


@dataclass(frozen=True)
class Sizes:
    """How many entities and relations there are, and in how many bits their ids fit."""

    entities: int
    relations: int

    @property
    def entity_bits(self) -> int:
        """Bits of an entity's id."""
        return max(self.entities - 1, 1).bit_length()

    @property
    def relation_bits(self) -> int:
        """Bits of a relation's id."""
        return max(self.relations - 1, 1).bit_length()
