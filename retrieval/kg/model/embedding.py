"""Kinds inside a table: ``Customer ID`` and ``Customer Name`` on each order are a customer, met on many rows.

A column is the key of a kind where its heading says that it tells things apart, its values are met again, and other
columns depend on it: rows that repeat a value have the same values there, but for 5 %. One of these columns names the
things, by the word that it shares with the key. Without a name, at least two must depend on it that would differ by
chance, and the key must number what the table is called by, or share its word with one of these: ``Order ID`` with
order date and ship mode. Any other number only points to what is not there. A column that depends on several keys
belongs to the one of fewest values: a segment to customers, not to orders.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.kg.model.kind_nouns import make_singular
from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS, find_person_columns
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import Cell, SourceTable

#: The share of rows that may differ from the first of the same key; of names that are words; and the most different
#: keys for each row.
_EXCEPTIONS, _WORDED, _REPEATED = 0.05, 0.95, 0.9
#: How many rows of the same key would differ in a column by chance, and the columns that make a kind without a name.
_BY_CHANCE, _SEVERAL = 3, 2
#: How far the columns of a person's name may stand from the person's key.
_NEAR = 2


@dataclass(frozen=True)
class EmbeddedKind:
    """A kind whose things are parts of the rows of a table.

    Attributes:
        table: name of the table.
        noun: what such a thing is called.
        key: position of the column that tells things apart.
        names: positions of the columns that name them; none where their key does.
        others: positions of further columns that say something of them.
        shared: positions of columns that depend on the key, and are read with the rows too.
        label: what a person calls such a thing; empty where nobody said.
    """

    table: str
    noun: str
    key: int
    names: tuple[int, ...]
    others: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    label: str = ""

    @property
    def called(self) -> str:
        """What a person calls such a thing, else its noun."""
        return self.label or self.noun

    @property
    def name(self) -> str:
        """The name of the kind within a model."""
        return f"{self.table}: {self.noun}"

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that are no longer columns of the rows."""
        return (self.key, *self.names, *self.others)

    def get_key_name(self, key: str) -> str:
        """What a thing without a name is called: by its key, behind the noun where that is a number."""
        return f"{self.called} {key}" if key.isdecimal() else key


def find_embedded_kinds(table: SourceTable, taken: Collection[int]) -> list[EmbeddedKind]:
    """The kinds inside a table.

    Args:
        table: all its rows.
        taken: positions of columns that name its rows or refer to other tables.
    """
    free = [profile for profile in table.profiles if profile.position not in taken]
    kinds = [kind for key in free if (kind := _find_kind(table, key, free, taken)) is not None]
    # A kind of all columns is the table's own, met twice in some rows.
    kinds = [kind for kind in kinds if len({*kind.columns, *kind.shared}) < len(table.header)]
    by_size = sorted(kinds, key=lambda kind: table.profiles[kind.key].distinct)
    assigned = {column for kind in kinds for column in (*kind.names, *kind.others)}
    shared: dict[int, tuple[int, ...]] = {}
    for kind in by_size:
        shared[kind.key] = tuple(column for column in kind.shared if column not in assigned)
        assigned |= {*shared[kind.key]}
    return [replace(kind, shared=shared[kind.key]) for kind in kinds]


def _find_kind(
    table: SourceTable, key: ColumnProfile, free: Sequence[ColumnProfile], taken: Collection[int]
) -> EmbeddedKind | None:
    """The kind that a column tells apart, with all columns that depend on it."""
    words = key.heading_words
    if len(words) < 2 or words[-1] not in ID_WORDS or not 1 < key.distinct <= _REPEATED * key.filled:
        return None
    stem = words[:-1]
    names = next(((p.position,) for p in free if _names_stem(p, stem)), ()) or _find_near_person(table, key, taken)
    if names and not _determines(table, key.position, names):
        return None
    others = tuple(
        p.position for p in free
        if p.position not in (key.position, *names) and p.heading_words[: len(stem)] == stem
        and len(p.heading_words) > len(stem) and names and _determines(table, key.position, (p.position,))
    )  # fmt: skip
    shared = tuple(
        p.position for p in table.profiles
        if p.position not in (key.position, *names, *others) and _is_determined_beyond_chance(table, key.position, p)
    )  # fmt: skip
    noun = make_singular(stem)
    is_own = noun == table.noun or any(table.profiles[column].heading_words[: len(stem)] == stem for column in shared)
    if not names and (len(shared) < _SEVERAL or not is_own):
        return None
    return EmbeddedKind(table.name, noun, key.position, names, others, shared)


def _names_stem(profile: ColumnProfile, stem: Sequence[str]) -> bool:
    words = profile.heading_words
    is_headed = words == stem or (words[:-1] == stem and words[-1] in NAME_WORDS)
    return is_headed and profile.words >= _WORDED


def _find_near_person(table: SourceTable, key: ColumnProfile, taken: Collection[int]) -> tuple[int, ...]:
    """The columns of given and family names beside a key."""
    pair = find_person_columns(table)
    if pair is None or set(pair) & set(taken):
        return ()
    return pair if min(abs(position - key.position) for position in pair) <= _NEAR else ()


def _determines(table: SourceTable, key: int, columns: tuple[int, ...]) -> bool:
    """Whether rows that repeat a key have the values of its first row, but for a few."""
    repeats, differing = _count_repeats(table, key, columns)
    return differing <= _EXCEPTIONS * repeats


def _is_determined_beyond_chance(table: SourceTable, key: int, column: ColumnProfile) -> bool:
    """Whether a column depends on a key, and would differ by chance."""
    counts = Counter(str(row[column.position] or "") for row in table.rows)
    chance = 1 - sum(count * count for count in counts.values()) / len(table.rows) ** 2
    repeats, differing = _count_repeats(table, key, (column.position,))
    return differing <= _EXCEPTIONS * chance * repeats and chance * repeats >= _BY_CHANCE


def _count_repeats(table: SourceTable, key: int, columns: tuple[int, ...]) -> tuple[int, int]:
    """Rows that repeat a key, and those of them with other values than its first row."""
    first: dict[str, list[Cell]] = {}
    repeats = differing = 0
    for row in table.rows:
        if not (value := row[key]):
            continue
        cells = [row[column] for column in columns]
        before = first.setdefault(str(value), cells)
        repeats += before is not cells
        differing += before != cells
    return repeats, differing


def name_embedded(table: SourceTable, kind: EmbeddedKind) -> Mapping[str, str]:
    """What each key's thing is called: its usual name, with the key where two share it, or by the key."""
    if not kind.names:
        return {key: kind.get_key_name(key) for row in table.rows if (key := str(row[kind.key] or ""))}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in table.rows:
        name = " ".join(str(row[position]) for position in kind.names if row[position])
        if row[kind.key] and name:
            counts[str(row[kind.key])][name] += 1
    usual = {key: names.most_common(1)[0][0] for key, names in counts.items()}
    shared = Counter(usual.values())
    return {key: name if shared[name] == 1 else f"{name} ({key})" for key, name in usual.items()}
