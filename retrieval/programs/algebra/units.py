"""Constants in the unit of a relation's values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.kg import values
from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.operations import Constant

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import Columns

#: A positive number below this share of a column's earliest year is not a year: the 40 of "over 40".
_EARLY = 0.5


def convert_constant(columns: Columns, constant: Constant, relation: int) -> Constant | None:
    """The constant in the unit of a relation's values; None where they do not compare."""
    kind = columns.get_value_type(relation)
    if kind is None:
        return None
    if constant.kind is ValueKind.NUMBER:
        if kind.kind is ValueKind.TIME:
            return None
        timely = kind.year or kind.kind is ValueKind.DATE
        if timely and 0 < constant.value < _EARLY * columns.find_least(relation):
            return None
        if kind.kind is ValueKind.DATE:
            return constant if not constant.dimension and constant.value == int(constant.value) else None
        unit = None if kind.dimension else columns.parse_named_unit(relation)
        if constant.dimension and constant.dimension != kind.dimension:
            same = unit is not None and unit.dimension == constant.dimension
            factor = unit.value if unit is not None and same else constant.factor
            plain = replace(constant, value=constant.value / factor, dimension="", factor=1.0)
            return plain if not kind.dimension else None
        scale = unit.value / unit.factor if unit is not None else 1.0  # of "price ($ million)" a million
        if not constant.dimension and scale > 1.0 and constant.value >= scale:
            return replace(constant, value=constant.value / scale)
        if not constant.dimension and kind.factor != 1.0:
            return replace(constant, value=constant.value * kind.factor, dimension=kind.dimension)
        return constant
    if constant.kind is ValueKind.MONTH_DAY:
        return constant if kind.kind is ValueKind.DATE else None
    if constant.kind is ValueKind.DATE and "/" in constant.text and columns.days_first:
        value = values.parse(constant.text.strip(" ,.?!"), day_first=True)  # 04/06/2024, as the graph's dates are
        constant = constant if value is None else replace(constant, value=value.value)
    if constant.kind is ValueKind.DATE and kind.year:
        return replace(constant, value=float(int(constant.value)), kind=ValueKind.NUMBER)
    return constant if constant.kind is kind.kind else None
