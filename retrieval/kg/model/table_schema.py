"""What is known of a table when references are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.kg.model.naming import ID_WORDS
from retrieval.kg.model.source_table import SourceTable
from retrieval.lexicon.nouns import to_singular

#: The share of different values of a key, and of rows that have a code.
_KEYED, _STRICT = 0.99, 0.9


@dataclass
class TableSchema:
    """A table with what is known of it when references are looked for.

    Attributes:
        nouns: what its rows are called.
        names: positions of the columns that name them.
        number: the column that numbers them, if any.
        key: the column by which others refer to them, if any.
        targets: by position of each column of different values, the row of each.
        inferred_nouns: what headings may call them, whatever a person calls them.
    """

    table: SourceTable
    nouns: Sequence[str]
    names: tuple[int, ...]
    number: int | None
    key: int | None = None
    targets: dict[int, dict[str, int]] = field(default_factory=dict)
    inferred_nouns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.table.ids is not None:
            return  # edges lead to nodes
        for profile in self.table.profiles:
            if profile.filled > 1 and profile.uniqueness >= _KEYED and profile.type in ("text", "number"):
                self.targets[profile.position] = self.map_rows(profile.position)
        if len(self.names) == 1 and self.names[0] not in self.targets:
            self.targets[self.names[0]] = self.map_rows(self.names[0])
        if self.key is None:
            self.key = self._find_key()

    def map_rows(self, position: int) -> dict[str, int]:
        """The first row of each value of a column."""
        rows: dict[str, int] = {}
        for row, value in self.table.iterate_values(position, whole=True):
            rows.setdefault(value, row)
        return rows

    def _find_key(self) -> int | None:
        """The column by which others refer to a row: what its heading says, else codes, or what numbers the rows."""
        profiles = self.table.profiles
        unique = [profiles[position] for position in self.targets if profiles[position].coverage >= _STRICT]
        ids = [p for p in unique if p.heading_words[-1:] and p.heading_words[-1] in ID_WORDS]
        own_ids = [
            p for p in ids if len(p.heading_words) == 1 or is_kind_name(p.heading_words[:-1], self.inferred_nouns)
        ]
        codes = [p for p in unique if p.codes >= _STRICT]
        references = own_ids or ids or codes or [p for p in unique if p.position == self.number]
        return references[0].position if references else None

    def is_identity(self, position: int) -> bool:
        """Whether a column of different values names the rows, is their key, or has a code for each."""
        profile = self.table.profiles[position]
        return position in (self.key, *self.names) or min(profile.codes, profile.coverage) >= _STRICT


def is_kind_name(role: Sequence[str], nouns: Sequence[str]) -> bool:
    """Whether words are one of the nouns, or end in one: ``home team`` of a team."""
    text = " ".join([*role[:-1], to_singular(role[-1])]) if role else ""
    return any(noun and (text == noun or text.endswith(f" {noun}")) for noun in nouns)
