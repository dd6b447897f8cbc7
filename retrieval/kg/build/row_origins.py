"""Where rows of facts come from: the number of a source and a row of it, packed into one number.

The source is counted from 1, and so is the row, in the lower ``ROW_BITS``; row 0 says that only the source is known,
and origin 0 that nothing is.
"""

from __future__ import annotations

import numpy as np

from retrieval.kg.table import ROW_BITS

#: Sources and rows beyond these are not recorded.
SOURCE_LIMIT, ROW_LIMIT = (1 << 16) - 1, (1 << ROW_BITS) - 1


def pack_origin(source: int, row: int = 0) -> int:
    """The origin of a row, or of a whole source."""
    return source << ROW_BITS | (row if row <= ROW_LIMIT else 0)


def unpack_origins(origins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sources, uint16, and rows, uint32."""
    sources = origins >> ROW_BITS
    recorded = np.where(sources <= SOURCE_LIMIT, origins, 0)
    return (recorded >> ROW_BITS).astype(np.uint16), (recorded & ROW_LIMIT).astype(np.uint32)


class RowOrigins:
    """The origins of rows in the order in which they come. Rows that follow each other in a file take no memory."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._blocks: list[int | np.ndarray] = []

    def add(self, count: int, origins: int | np.ndarray) -> None:
        """Take the origins of a block of rows: of each, int64, or of the first of rows that follow each other.

        All rows have one origin that names no row.
        """
        self._sizes.append(count)
        self._blocks.append(origins)

    def drop_last(self) -> None:
        """Forget the last block."""
        self._sizes.pop()
        self._blocks.pop()

    @property
    def is_known(self) -> bool:
        """Whether any row has an origin."""
        return any(np.any(block) for block in self._blocks)

    def find(self, rows: np.ndarray) -> np.ndarray:
        """The origins of rows by their positions, int64."""
        starts = np.zeros(len(self._sizes) + 1, np.int64)
        np.cumsum(self._sizes, out=starts[1:])
        lists = [block if isinstance(block, np.ndarray) else np.zeros(0, np.int64) for block in self._blocks]
        places = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(block) for block in lists], out=places[1:])
        listed = np.concatenate([*lists, np.zeros(1, np.int64)])
        firsts = np.array([0 if isinstance(block, np.ndarray) else block for block in self._blocks], np.int64)
        blocks = np.searchsorted(starts, rows, "right") - 1
        within = rows - starts[blocks]
        is_listed = (np.diff(places) > 0)[blocks]
        origins: np.ndarray = firsts[blocks] + np.where((firsts & ROW_LIMIT)[blocks] > 0, within, 0)
        origins[is_listed] = listed[(places[blocks] + within)[is_listed]]
        return origins
