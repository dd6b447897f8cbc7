"""Tables of observations: a row without a name for each day, or for each stock and month.

What is asked for is never a row: it is the day, or the stock, whose key column this module finds.
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

#: Things at each time, on average, and days or years, at least, of which rows are.
_THINGS, _PERIODS = 2, 4
#: The share of all times at which each thing of a panel was observed, on average and at least.
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
    """Of kinds of rows without names that are a panel, the relation to what each is an observation of."""
    (mask, naming), observed = schema.surrogates, dict[int, int]()
    for kind in schema.kinds.keys() - naming.keys():
        rows = schema.list_members(kind)
        relation = _find_observed(schema, rows) if mask[rows].all() else None
        if relation is not None:
            observed[kind] = relation
    return observed


def _find_observed(schema: Tables, rows: np.ndarray) -> int | None:
    """The only relation to things of a panel, each of which was observed at most of the times that any was."""
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
    """Stems of nouns for rows without names of which each is of a day or year of its own: the relation to it."""
    nouns = dict[tuple[str, ...], int]()
    for info, stems in _list_periods(schema):
        for stem in stems:
            nouns.setdefault((stem,), info.id)
    return nouns


def _list_periods(schema: Tables) -> Iterator[tuple[RelationInfo, set[str]]]:
    """Relations from rows without names to a day or year of its own for each; and stems of nouns for it."""
    mask = schema.surrogates[0]
    for info in schema.relations:
        kind, rows = schema.columns.get_value_type(info.id), schema.columns.list_sources(info.id)
        if kind is not None and len(rows) >= _PERIODS and info.facts == info.heads == info.tails and mask[rows].all():
            yield info, list_type_stems(kind)


def list_type_stems(kind: ValueType) -> set[str]:
    """The stems of nouns for values of a type; none for numbers, which have many."""
    if kind.year:
        return {get_stem("year")}
    match kind.kind:
        case ValueKind.DATE:
            return {get_stem("date"), get_stem("day")}
        case ValueKind.NUMBER:
            return set()
    return {get_stem(kind.kind.value)}
