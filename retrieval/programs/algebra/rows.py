"""Rows that a table comes to. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class NodeLists:
    """A list of nodes for each row: row i has ``nodes[starts[i] : starts[i + 1]]``; int64 [n + 1] and [m]."""

    starts: np.ndarray
    nodes: np.ndarray

    @classmethod
    def from_pairs(cls, rows: np.ndarray, nodes: np.ndarray, size: int) -> NodeLists:
        """The lists of pairs of a row's number and a node, rows ascending; ``size`` rows in all."""
        return cls(np.searchsorted(rows, np.arange(size + 1)), nodes)

    def get_nodes(self, row: int) -> np.ndarray:
        """The nodes of a row, int64."""
        nodes: np.ndarray = self.nodes[self.starts[row] : self.starts[row + 1]]
        return nodes

    def list_rows(self) -> np.ndarray:
        """The row of each node, int64 [m]."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def select(self, rows: np.ndarray) -> NodeLists:
        """The lists of some rows, by their numbers, in that order."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return NodeLists(starts, self.nodes[np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A column of rows.

    Attributes:
        numbers: float64 [n], NaN where a cell has none: the number, date or value to compute and order with.
        nodes: what the cells show, where they show nodes.
    """

    numbers: np.ndarray
    nodes: NodeLists | None = None

    def select(self, rows: np.ndarray) -> Cells:
        """The cells of some rows, by their numbers, in that order."""
        return Cells(self.numbers[rows], self.nodes and self.nodes.select(rows))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a table, in order.

    Attributes:
        columns: the groups, then the columns.
        members: the nodes of the table's source that are in each row.
        total: how many rows there are in all; ``columns`` have the first ones.
    """

    columns: tuple[Cells, ...]
    members: NodeLists
    total: int

    def __len__(self) -> int:
        return len(self.members.starts) - 1

    def list_row_nodes(self) -> np.ndarray:
        """The node that each row is of: of the first column that shows nodes; -1 where it shows none. int64 [n]"""
        shown = next((cells.nodes for cells in self.columns if cells.nodes is not None), None)
        if shown is None or not len(shown.nodes):
            return np.full(len(self), -1, np.int64)
        first = shown.nodes[np.minimum(shown.starts[:-1], len(shown.nodes) - 1)]
        nodes: np.ndarray = np.where(np.diff(shown.starts) > 0, first, -1)
        return nodes

    @property
    def content(self) -> bytes:
        """What tells these rows from others."""
        parts = [self.members.starts, self.members.nodes]
        for cells in self.columns:
            parts += [cells.numbers, *([cells.nodes.starts, cells.nodes.nodes] if cells.nodes is not None else [])]
        return b"|".join(part.tobytes() for part in parts)
