"""What is known of a table when references are looked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS, find_number
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import SourceTable
from retrieval.lexicon.nouns import to_singular

#: The share of different values of a key, where its heading says that it is one, and of rows that have a code.
_KEYED, _NUMBERED, _STRICT = 0.99, 0.7, 0.9
#: Letters of what is short for a kind.
_SHORT = 3


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
        other_nouns: what rows of other tables are called.
    """

    table: SourceTable
    nouns: Sequence[str]
    names: tuple[int, ...]
    number: int | None
    key: int | None = None
    targets: dict[int, dict[str, int]] = field(default_factory=dict)
    inferred_nouns: Sequence[str] = ()
    other_nouns: Collection[str] = ()

    def __post_init__(self) -> None:
        if self.table.ids is not None:
            return  # edges lead to nodes
        for profile in self.table.profiles:
            is_id = self.is_id(profile)
            is_different = profile.uniqueness >= (_NUMBERED if is_id else _KEYED) and (is_id or profile.filled > 1)
            if is_different and profile.type in ("text", "number"):
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
        unique = [
            profiles[position]
            for position in self.targets
            if profiles[position].coverage >= _STRICT and not self._is_foreign(profiles[position])
        ]
        repeated = [p for p in unique if p.uniqueness < _KEYED and self.is_id(p)]
        unique = [p for p in unique if p.uniqueness >= _KEYED]
        ids = [p for p in unique if {*self._split(p)[-1:]} & ID_WORDS]
        own_ids = [p for p in ids if self.is_id(p)]
        codes = [p for p in unique if p.codes + p.hashes >= _STRICT]
        numbering = find_number(self.table, self.other_nouns)
        numbers = [p for p in unique if p.position == self.number or p.position == numbering == 0]
        references = own_ids or ids or codes or numbers or repeated
        return references[0].position if references else None

    def _split(self, profile: ColumnProfile) -> tuple[str, ...]:
        return split_id_word(profile.heading_words, self.inferred_nouns)

    def is_id(self, profile: ColumnProfile) -> bool:
        """Whether a heading says that the column numbers the rows: ``id``, or ``trip id`` of trips."""
        words = self._split(profile)
        return bool({*words[-1:]} & ID_WORDS) and (len(words) == 1 or is_kind_name(words[:-1], self.inferred_nouns))

    def _is_foreign(self, profile: ColumnProfile) -> bool:
        """Whether a heading numbers rows of another table: ``from stop id`` of transfers."""
        return not self.is_id(profile) and is_kind_name(self._split(profile)[:-1], [*self.other_nouns])

    def is_identity(self, position: int) -> bool:
        """Whether a column of different values names the rows, is their key, or has a code or a name for each."""
        profile = self.table.profiles[position]
        is_name = {" ".join(profile.heading_words)} <= NAME_WORDS
        return is_name or position in (self.key, *self.names) or min(profile.codes, profile.coverage) >= _STRICT


def split_id_word(words: tuple[str, ...], nouns: Sequence[str]) -> tuple[str, ...]:
    """The words of a heading with a word for numbers parted from the kind that it is written with: ``custkey``."""
    for ending in sorted(ID_WORDS, key=len, reverse=True) if words else ():
        stem = words[-1].removesuffix(ending)
        if stem != words[-1] and is_short_for(stem, nouns):
            return (*words[:-1], stem, ending)
    return words


def is_short_for(word: str, nouns: Sequence[str]) -> bool:
    """Whether a word is the last word of one of the nouns, or its beginning: ``cust`` of a customer."""
    return len(word) >= _SHORT and any(noun.rsplit(" ", 1)[-1].startswith(word) for noun in nouns)


def is_kind_name(role: Sequence[str], nouns: Sequence[str]) -> bool:
    """Whether words are one of the nouns, or end in one: ``home team`` of a team."""
    text = " ".join([*role[:-1], to_singular(role[-1])]) if role else ""
    return any(noun and (text == noun or text.endswith(f" {noun}")) for noun in nouns)
