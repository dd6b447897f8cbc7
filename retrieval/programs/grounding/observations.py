"""Tables of observations: one unnamed row for each day, or for each stock and month.

Questions ask for the day or the stock, never for the row. This module finds the column that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.language.amounts import ValueKind
from retrieval.language.words import get_stem

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import Columns, ValueType
    from retrieval.programs.grounding.relation_types import RelationInfo

#: A panel has at least so many things at each time, on average, and so many different times.
_THINGS, _PERIODS = 2, 4
#: The least share of all pairs of a thing and a time that a panel has a row for.
_FILLED = 0.5


class Tables(Protocol):
    """Kinds, relations and rows without names, as :class:`~retrieval.programs.grounding.schema.Schema` tells them."""

    columns: Columns
    relations: list[RelationInfo]
    kinds: dict[int, int]

    @property
    def surrogates(self) -> tuple[np.ndarray, dict[int, int]]:
        """Rows without names, bool [E]; and of some kinds the relation that says what they are called."""

    def list_members(self, kind: int) -> np.ndarray:
        """Nodes of a kind."""


def find_observed(schema: Tables) -> dict[int, int]:
    """Kinds whose unnamed rows form a panel, each with the relation from a row to the thing that was observed."""
    (mask, naming), observed = schema.surrogates, dict[int, int]()
    for kind in schema.kinds.keys() - naming.keys():
        rows = schema.list_members(kind)
        relation = _find_observed(schema, rows) if mask[rows].all() else None
        if relation is not None:
            observed[kind] = relation
    return observed


def _find_observed(schema: Tables, rows: np.ndarray) -> int | None:
    """The relation from rows to the things of a panel; None if there is no such relation, or more than one.

    Together with a date or year it tells all rows apart, and most things have a row for most of these times.
    """
    mask, columns = schema.surrogates[0], schema.columns
    complete = [info for info in schema.relations if info.facts == info.heads == len(rows)]
    complete = [info for info in complete if np.array_equal(columns.list_sources(info.id), rows)]
    kinds = {info.id: columns.get_value_type(info.id) for info in complete}
    times = [info for info in complete if (kind := kinds[info.id]) is not None and list_type_stems(kind)]
    things = set[int]()
    for info in complete:
        targets = columns.list_arcs(info.id)[1]
        if kinds[info.id] is not None or mask[targets].any() or columns.kinds[targets].any():
            continue
        for time in times:
            pairs = np.stack([targets, columns.list_arcs(time.id)[1]])
            repeated = time.tails >= _PERIODS and len(rows) >= max(_THINGS, _FILLED * info.tails) * time.tails
            if repeated and len(np.unique(pairs, axis=1)[0]) == len(rows):
                things.add(info.id)
    return things.pop() if len(things) == 1 else None


def find_period_nouns(schema: Tables) -> dict[tuple[str, ...], int]:
    """Noun stems such as ("day",), each with the relation to a date that is different for every unnamed row."""
    nouns = dict[tuple[str, ...], int]()
    for info, stems in _list_periods(schema):
        for stem in stems:
            nouns.setdefault((stem,), info.id)
    return nouns


def _list_periods(schema: Tables) -> Iterator[tuple[RelationInfo, set[str]]]:
    """Relations to a date or year that is different for every unnamed row, with noun stems for such values."""
    mask = schema.surrogates[0]
    for info in schema.relations:
        kind, rows = schema.columns.get_value_type(info.id), schema.columns.list_sources(info.id)
        if kind is not None and len(rows) >= _PERIODS and info.facts == info.heads == info.tails and mask[rows].all():
            yield info, list_type_stems(kind)


def list_type_stems(kind: ValueType) -> set[str]:
    """Stems of nouns for values of a type: "day" for dates; none for plain numbers."""
    if kind.year:
        return {get_stem("year")}
    match kind.kind:
        case ValueKind.DATE:
            return {get_stem("date"), get_stem("day")}
        case ValueKind.NUMBER:
            return set()
    return {get_stem(kind.kind.value)}
