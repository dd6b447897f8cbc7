"""What a property graph says of its nodes and of its facts beside the facts: keys with texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import StringTable, load_array

#: Between the values of a key that has several.
SEPARATOR = "; "


class AttributeTable:
    """The attributes of all entities, or of all facts, of a snapshot; memory-mapped.

    Attributes:
        keys, texts: the distinct keys and values, each sorted.
        offsets: int64 [N+1], bounds of each owner's rows.
        row_keys, row_texts: int32 [A], positions in ``keys`` and ``texts``, sorted within an owner.
    """

    def __init__(
        self,
        keys: StringTable,
        texts: StringTable,
        offsets: np.ndarray,
        row_keys: np.ndarray,
        row_texts: np.ndarray,
    ) -> None:
        self.keys = keys
        self.texts = texts
        self.offsets = offsets
        self.row_keys = row_keys
        self.row_texts = row_texts

    @classmethod
    def load(cls, directory: Path, owner: str, owners: int, rows: int, noun: str = "attribute") -> AttributeTable:
        """Open the attributes of ``entity`` or ``fact``, of so many owners and with so many rows.

        ``noun`` names the files: attributes, or what is kept in the same form.

        Raises:
            DamagedError: a file is missing or of another size.
        """
        table = cls(
            StringTable.load(directory, f"{noun}_keys"),
            StringTable.load(directory, f"{noun}_texts"),
            load_array(directory, f"{owner}_{noun}_offsets", "int64"),
            load_array(directory, f"{owner}_{noun}_keys", "int32"),
            load_array(directory, f"{owner}_{noun}_texts", "int32"),
        )
        if (len(table.offsets), len(table.row_keys), len(table.row_texts)) != (owners + 1, rows, rows):
            raise integrity.make_damaged_error(directory, [f"{noun}s of {owner}"])
        return table

    def get_attributes(self, owner: int) -> dict[str, str]:
        """One owner's attributes by key, in the order of the keys; several values of a key are joined."""
        attributes: dict[str, str] = {}
        for name, value in self.list_pairs(owner):
            attributes[name] = f"{attributes[name]}{SEPARATOR}{value}" if name in attributes else value
        return attributes

    def list_pairs(self, owner: int) -> list[tuple[str, str]]:
        """Return one owner's attributes as keys and values, sorted."""
        rows = slice(int(self.offsets[owner]), int(self.offsets[owner + 1]))
        pairs = zip(self.row_keys[rows].tolist(), self.row_texts[rows].tolist(), strict=True)
        return [(self.keys[key], self.texts[text]) for key, text in pairs]

    def list_arrays(self) -> list[np.ndarray]:
        """Everything it holds, for the snapshot's hash."""
        strings = [a for table in (self.keys, self.texts) for a in (table.offsets, table.blob)]
        return [*strings, self.offsets, self.row_keys, self.row_texts]
