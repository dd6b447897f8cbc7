"""Values as people write them, in the unit of the relation that they came from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.kg.values import compute_month_day
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.columns import Columns, ValueType, get_difference_type
from retrieval.programs.algebra.numbers import DAYS_OF_A_YEAR, IN_YEARS
from retrieval.programs.algebra.operations import Arithmetic, Constant, Fold, KeyOf, Operation, Program, Walk

if TYPE_CHECKING:
    pass

_BASE_UNITS = {
    "length": "m", "area": "m²", "duration": "min", "mass": "kg", "data": "bytes", "speed": "m/s", "power": "W",
    "energy": "J", "volume": "l", "frequency": "Hz", "temperature": "°C",
}  # fmt: skip
_SIGNS = frozenset("$€£")
_DECIMALS, _OF_SHARES = 4, 1
#: How far a birthday may be off, as leap years are longer than others; decimals of days that are a mean.
_BIRTHDAY, _OF_DAYS = 1e-4, 2


def format_result(columns: Columns, program: Program, value: float | bool) -> str:
    """A number or truth that a program denotes, for people; empty where there is none (NaN).

    Numbers have the unit of the relation and thousands separators, no decimals where they are whole and else at most
    four, of small ones four significant; dates are ISO, times ``HH:MM``. A difference of dates is in years, or in
    days where it is less than two of them, one of times in minutes; a share is in percent.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(program, Arithmetic) and program.operation is Operation.SHARE and not math.isnan(value):
        return f"{format_share(value)}%"
    return format_value(infer_value_type(columns, program), value)


def infer_value_type(columns: Columns, program: Program) -> ValueType | None:
    """What kind of value a number is; None where it is a mere count."""
    match program:
        case Fold(Folding.AVERAGE, _, key) if key.less is not None:
            mean = columns.get_key_type(key)
            return mean and replace(mean, age=False)
        case KeyOf(_, key) | Fold(_, _, key):
            return columns.get_key_type(key)
        case Walk(_, relation):
            return columns.get_value_type(relation)
        case Constant(_, kind, dimension):
            return ValueType(kind, dimension, _BASE_UNITS.get(dimension, ""))
        case Arithmetic(Operation.DIFFERENCE, left, right):
            known = infer_value_type(columns, left) or infer_value_type(columns, right)
            return get_difference_type(known) if known else None
        case Arithmetic(Operation.DAYS):
            return ValueType(ValueKind.NUMBER, "", "days")
        case Arithmetic(Operation.SUM | Operation.PRODUCT, left, right):
            return infer_value_type(columns, left) or infer_value_type(columns, right)
        case Arithmetic(Operation.RATIO, left, right) if infer_value_type(columns, right) is None:
            return infer_value_type(columns, left)  # so much for each of what was counted
    return None


def format_value(kind: ValueType | None, value: float) -> str:
    """A value of a kind, as :func:`format_result` writes it."""
    if math.isnan(value):
        return ""
    if kind is None:
        return _format_number(value)
    mean = kind.unit == "years" and kind.factor == 1.0 and kind.dimension and abs(value) < IN_YEARS
    if kind.age or mean:
        return _format_age(value, 0 if kind.age else _OF_DAYS)
    match kind.kind:
        case ValueKind.DATE:
            month, day = compute_month_day(value)
            return f"{math.floor(value + 1e-9):04}-{month:02}-{day:02}"
        case ValueKind.TIME:
            minutes = round(value)
            return f"{minutes // 60:02}:{minutes % 60:02}"
        case ValueKind.MONTH_DAY:
            return f"--{int(value) // 100:02}-{int(value) % 100:02}"
    if kind.year:
        return _format_number(value, "")
    text = _format_number(abs(value / kind.factor))
    sign = "-" if value < 0 else ""
    if kind.unit in _SIGNS:
        return f"{sign}{kind.unit}{text}"
    return f"{sign}{text}{kind.unit if kind.unit == '%' else f' {kind.unit}'}".rstrip()


def _format_age(years: float, decimals: int) -> str:
    """Whole years, as the age of somebody; days of what was shorter than two."""
    if abs(years) < IN_YEARS:
        return f"{_format_number(round(years * DAYS_OF_A_YEAR, decimals))} days"
    return f"{_format_number(math.floor(years + _BIRTHDAY))} years"


def format_share(share: float) -> str:
    """A share as percent, without the sign: 0.125 is ``12.5``."""
    return _format_number(round(100 * share, _OF_SHARES))


def _format_number(value: float, separator: str = ",") -> str:
    if not math.isfinite(value):
        return str(value)
    if abs(value - round(value)) <= 1e-9 * abs(value):
        text = f"{round(value):,}"
    else:
        small = max(0, -math.floor(math.log10(abs(value))) - 1)
        text = f"{value:,.{_DECIMALS + small}f}".rstrip("0").rstrip(".")
    return text.replace(",", separator)
