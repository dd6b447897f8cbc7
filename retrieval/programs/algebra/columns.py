"""The values of a graph's nodes, typed, and those of a relation as a column. Numpy only."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg import typed_values
from retrieval.kg.heading_units import parse_unit
from retrieval.kg.snapshot.arrays import sort_unique
from retrieval.kg.values import Value, has_days_first, parse, parse_counted
from retrieval.language.amounts import ValueKind
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Key

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

#: Codes of ``Columns.kinds``: no value, then these.
VALUE_KINDS = tuple(ValueKind(kind) for kind in typed_values.VALUE_KINDS)
#: A relation is one of values when so many of its ends are.
_MOSTLY = 0.8
#: What stands in brackets behind a relation's name, or its last word.
_DATED = get_words("year_relation_words")
"""Words of relations that lead to years, of whatever century."""
_NAMED_UNIT = re.compile(r"\S[ _]*(?:[(\[]\s*([^()\[\]]{1,20})[)\]]|[ _]([^\s()\[\]_]{1,12}))$")


@dataclass(frozen=True, slots=True)
class ValueType:
    """What the values of a relation are.

    Attributes:
        kind: number, date or time.
        dimension: of their unit, empty where they have none.
        unit: the commonest spelling of it.
        factor: of that unit to the base unit.
        year: numbers that are years.
        age: numbers of years of which people say the whole ones.
    """

    kind: ValueKind
    dimension: str = ""
    unit: str = ""
    factor: float = 1.0
    year: bool = False
    age: bool = False


def get_difference_type(kind: ValueType) -> ValueType:
    """What two values of a kind are apart: dates in years, or days where they are few, times in minutes."""
    match kind.kind:
        case ValueKind.DATE:
            return ValueType(ValueKind.NUMBER, "duration", "years")
        case ValueKind.TIME:
            return ValueType(ValueKind.NUMBER, "duration", "min")
    return replace(kind, year=False, unit="years" if kind.year else kind.unit)


@dataclass(frozen=True, slots=True)
class Column:
    """The values that a directed relation leads to: ``owners`` int64 ascending, ``values`` float64, ``nodes`` int64."""

    owners: np.ndarray
    values: np.ndarray
    nodes: np.ndarray


class Columns:
    """Typed values of one snapshot, and columns of its relations, computed on first use.

    Attributes:
        values: float64 [E], NaN where a node is no value.
        kinds: uint8 [E], 0 or 1 + position in ``VALUE_KINDS``.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._columns: dict[int, Column] = {}
        self._types: dict[int, ValueType | None] = {}
        self._sides: dict[int, np.ndarray] = {}

    @cached_property
    def _typed(self) -> tuple[np.ndarray, np.ndarray]:
        known = self.snapshot.typed_values
        values = np.full(self.snapshot.num_entities, math.nan)
        kinds = np.zeros(self.snapshot.num_entities, np.uint8)
        values[known.nodes], kinds[known.nodes] = known.values, known.kinds + 1
        return values, kinds

    @property
    def values(self) -> np.ndarray:
        """See the class."""
        return self._typed[0]

    def are_values(self, nodes: np.ndarray) -> bool:
        """Whether nodes are values, all of them: among films one may be called 1941."""
        return bool(len(nodes)) and bool(self.kinds[nodes].all())

    @property
    def kinds(self) -> np.ndarray:
        """See the class."""
        return self._typed[1]

    @cached_property
    def _by_relation(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.snapshot.relations, kind="stable")
        bounds = np.searchsorted(self.snapshot.relations[order], np.arange(self.snapshot.num_relations + 1))
        return order, bounds

    @cached_property
    def days_first(self) -> bool:
        """Whether the graph's dates with slashes name their days before their months."""
        dates = np.flatnonzero(self.kinds == 1 + VALUE_KINDS.index(ValueKind.DATE))
        return has_days_first(map(self.snapshot.get_entity_label, dates.tolist()))

    def list_arcs(self, relation: int) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets of all arcs of a directed relation, int64 [n] each, by fact."""
        inverse, forward = divmod(relation, self.snapshot.num_relations)
        order, bounds = self._by_relation
        facts = order[bounds[forward] : bounds[forward + 1]]
        heads = self.snapshot.heads[facts].astype(np.int64)
        tails = self.snapshot.tails[facts].astype(np.int64)
        return (tails, heads) if inverse else (heads, tails)

    def list_sources(self, relation: int) -> np.ndarray:
        """Nodes from which a directed relation leads on, int64 ascending."""
        if relation not in self._sides:
            self._sides[relation] = sort_unique(self.list_arcs(relation)[0])
        return self._sides[relation]

    def list_targets(self, relation: int) -> np.ndarray:
        """Nodes to which it leads, int64 ascending."""
        return self.list_sources((relation + self.snapshot.num_relations) % (2 * self.snapshot.num_relations))

    def get_column(self, relation: int) -> Column:
        """The values that a directed relation leads to; nodes that are none are left out."""
        if relation not in self._columns:
            owners, nodes = self.list_arcs(relation)
            values = self.values[nodes]
            wanted = self.get_value_type(relation)
            known = ~np.isnan(values)
            if wanted is not None:
                known &= self.kinds[nodes] == 1 + VALUE_KINDS.index(wanted.kind)
            owners, nodes, values = owners[known], nodes[known], values[known]
            order = np.argsort(owners, kind="stable")
            self._columns[relation] = Column(owners[order], values[order], nodes[order])
        return self._columns[relation]

    def find_least(self, relation: int) -> float:
        """The smallest value of a directed relation, infinity if it has none."""
        return float(self.get_column(relation).values.min(initial=np.inf))

    def get_value_type(self, relation: int) -> ValueType | None:
        """What the values are that a directed relation leads to; None where most of its ends are no values."""
        if relation not in self._types:
            self._types[relation] = self._infer_value_type(relation)
        return self._types[relation]

    def get_key_type(self, key: Key) -> ValueType | None:
        """What the values of a key are; None of counts, and where most are no values.

        A product is of the kind of what has a unit, of the second where both have: hours at a rate come to money.
        """
        kind = None if key.counted else self.get_value_type(key.path[-1])
        if kind is None or key.less is not None:
            return kind and replace(get_difference_type(kind), age=kind.kind is ValueKind.DATE)
        factor_type = self.get_value_type(key.times[-1]) if key.times else None
        return factor_type if factor_type is not None and (factor_type.unit or not kind.unit) else kind

    def compute_divisor(self, key: Key) -> float:
        """What a product of values in base units is divided by, to be in the base unit of its kind."""
        kinds = [self.get_value_type(key.path[-1]), self.get_value_type((key.times or key.path)[-1])]
        factors = [1.0 if kind is None else kind.factor for kind in kinds]
        return factors[0] if self.get_key_type(key) is kinds[1] else factors[1]

    def _infer_value_type(self, relation: int) -> ValueType | None:
        nodes = self.list_arcs(relation)[1]
        if not len(nodes) or relation >= self.snapshot.num_relations:
            return None
        kinds = self.kinds[nodes]
        counts = np.bincount(kinds, minlength=1 + len(VALUE_KINDS))
        best = int(counts[1:].argmax())
        if counts[1 + best] < _MOSTLY * len(nodes):
            return None
        kind = VALUE_KINDS[best]
        if kind is not ValueKind.NUMBER:
            return ValueType(kind)
        value_nodes = nodes[kinds == 1 + best]
        sample = value_nodes[:: max(1, len(value_nodes) // 200)]
        units = Counter(
            (v.dimension, v.unit, v.factor) for v in map(self.parse_value, sample.tolist()) if v is not None
        )
        (dimension, unit, factor), _ = units.most_common(1)[0]
        values = self.values[value_nodes]
        is_integral = bool(np.all(values == np.floor(values)))
        year = is_integral and not unit and bool(np.mean((values >= 1000) & (values <= 2100)) > 0.9)
        label = self.snapshot.get_relation_label(relation).casefold().split()
        year &= (
            bool(set(label) & _DATED)
            or label[-1:] == ["in"]
            or (bool(np.mean((values >= 1700) & (values <= 2035)) > 0.98))
        )
        return ValueType(kind, dimension, unit, factor, year)

    def parse_named_unit(self, relation: int) -> Value | None:
        """One of the unit that a relation is named with, where its values have none: ``heightCm``, ``weight (kg)``,
        ``price ($ million)``, ``copies (thousands)``.
        """
        match = _NAMED_UNIT.search(self.snapshot.get_relation_label(relation))
        value = parse_unit(match[1] or match[2]) if match else None
        return value if value is not None and (value.dimension or value.value > 1.0) else None

    def parse_value(self, node: int) -> Value | None:
        """A node's label as a value."""
        label = self.snapshot.get_entity_label(node)
        value = parse(label)
        if value is None and self.kinds[node] and (made := parse_counted(label)):
            return Value(made[0], "number", unit=made[1])
        return value
