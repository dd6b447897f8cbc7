"""Kinds inside a table: ``Customer ID`` and ``Customer Name`` on each order are a customer, met on many rows.

Two columns are a kind of their own where their headings share the word for it, values of the first are met again, and
each of them (95 %) always stands beside the same value of the second.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS, find_person_columns, make_singular
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import SourceTable

#: The share of rows in which a key stands beside its usual name, and the most different keys for each row.
_CONSISTENT, _REPEATED = 0.95, 0.9
#: How far the columns of a person's name may stand from the person's key.
_NEAR = 2


@dataclass(frozen=True)
class EmbeddedKind:
    """A kind whose things are parts of the rows of a table.

    Attributes:
        table: name of the table.
        noun: what such a thing is called.
        key: position of the column that tells things apart.
        names: positions of the columns that name them.
        others: positions of further columns that say something of them.
        label: what a person calls such a thing; empty where nobody said.
    """

    table: str
    noun: str
    key: int
    names: tuple[int, ...]
    others: tuple[int, ...] = ()
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


def find_embedded_kinds(table: SourceTable, taken: Collection[int]) -> list[EmbeddedKind]:
    """The kinds inside a table.

    Args:
        table: all its rows.
        taken: positions of columns that name its rows or refer to other tables.
    """
    free = [profile for profile in table.profiles if profile.position not in taken]
    kinds: list[EmbeddedKind] = []
    for key in free:
        words = key.heading_words
        if len(words) < 2 or words[-1] not in ID_WORDS or not 1 < key.distinct <= _REPEATED * key.filled:
            continue
        stem = words[:-1]
        names = next(((p.position,) for p in free if _names_stem(p, stem)), ()) or _find_near_person(table, key, taken)
        if not names or not _determines(table, key.position, names):
            continue
        others = tuple(
            p.position for p in free
            if p.position not in (key.position, *names) and p.heading_words[: len(stem)] == stem
            and len(p.heading_words) > len(stem) and _determines(table, key.position, (p.position,))
        )  # fmt: skip
        kinds.append(EmbeddedKind(table.name, make_singular(stem), key.position, names, others))
    return kinds


def _names_stem(profile: ColumnProfile, stem: Sequence[str]) -> bool:
    words = profile.heading_words
    is_headed = words == stem or (words[:-1] == stem and words[-1] in NAME_WORDS)
    return is_headed and profile.words >= _CONSISTENT


def _find_near_person(table: SourceTable, key: ColumnProfile, taken: Collection[int]) -> tuple[int, ...]:
    """The columns of given and family names beside a key."""
    pair = find_person_columns(table)
    if pair is None or set(pair) & set(taken):
        return ()
    return pair if min(abs(position - key.position) for position in pair) <= _NEAR else ()


def _determines(table: SourceTable, key: int, columns: tuple[int, ...]) -> bool:
    """Whether values of a key stand beside the same values nearly always."""
    counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for row in table.rows:
        if row[key]:
            counts[str(row[key])][tuple(str(row[position] or "") for position in columns)] += 1
    usual = sum(values.most_common(1)[0][1] for values in counts.values())
    return usual >= _CONSISTENT * sum(sum(values.values()) for values in counts.values())


def name_embedded(table: SourceTable, kind: EmbeddedKind) -> Mapping[str, str]:
    """What each key's thing is called: its usual name, with the key where two share it."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in table.rows:
        name = " ".join(str(row[position]) for position in kind.names if row[position])
        if row[kind.key] and name:
            counts[str(row[kind.key])][name] += 1
    usual = {key: names.most_common(1)[0][0] for key, names in counts.items()}
    shared = Counter(usual.values())
    return {key: name if shared[name] == 1 else f"{name} ({key})" for key, name in usual.items()}
