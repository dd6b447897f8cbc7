"""Where each fact of a snapshot comes from: the file and row that first state it, or a person's edit.

Not part of the content hash: the same facts from another file are the same graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import load_array, read_json, save_json

#: Names of the arrays, and their types. Sources are counted from 1; 0 is unknown.
ORIGIN_ARRAYS = (("fact_sources", "uint16"), ("fact_source_rows", "uint32"))
_NAMES = "source_names.json"
_EDIT = re.compile(r"edit:(\d+)")


@dataclass(frozen=True, slots=True)
class FactSource:
    """Where a fact comes from.

    Attributes:
        name: of the file as its owner calls it, or ``edit:`` and the number of a person's edit.
        row: the row of the file, from 1; None where only the file is known.
    """

    name: str
    row: int | None

    @property
    def edit(self) -> int | None:
        """The number of the edit that stated the fact; None of a fact of a file."""
        match = _EDIT.fullmatch(self.name)
        return int(match[1]) if match else None

    def __str__(self) -> str:
        if self.edit is not None:
            return f"edit {self.edit}"
        return self.name if self.row is None else f"{self.name}, row {self.row:,}"


def format_edit_source(number: int) -> str:
    """The name of the source of facts that an edit states."""
    return f"edit:{number}"


class FactSources:
    """The sources of all facts of a snapshot; memory-mapped.

    Attributes:
        sources: uint16 [T], positions in ``names`` from 1; 0 is unknown.
        rows: uint32 [T], from 1; 0 is unknown.
    """

    def __init__(self, names: list[str], sources: np.ndarray, rows: np.ndarray) -> None:
        self.names = names
        self.sources = sources
        self.rows = rows

    @classmethod
    def load(cls, directory: Path, facts: int) -> FactSources | None:
        """Open the sources of so many facts; None where the snapshot has none.

        Raises:
            DamagedError: a file is missing or of another size.
        """
        if not (directory / _NAMES).is_file():
            return None
        sources, rows = (load_array(directory, name, dtype) for name, dtype in ORIGIN_ARRAYS)
        if len(sources) != facts or len(rows) != facts:
            raise integrity.make_damaged_error(directory, ["fact_sources.npy"])
        return cls(list(read_json(directory / _NAMES).get("names", [])), sources, rows)

    def get_source(self, fact: int) -> FactSource | None:
        """Where a fact comes from; None where nobody knows."""
        source = int(self.sources[fact])
        if not 1 <= source <= len(self.names):
            return None
        return FactSource(self.names[source - 1], int(self.rows[fact]) or None)


def save_source_names(directory: Path, names: list[str]) -> None:
    """Write the names of sources, whose positions the arrays hold."""
    save_json(directory / _NAMES, {"names": names})
