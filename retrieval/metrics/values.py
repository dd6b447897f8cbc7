"""When two answers that are values are the same: numbers, dates, times and truths, however they are spelt.

Names are compared elsewhere, as names; nothing here makes two different names the same. Whole numbers must be equal:
they count, or are years. Measured ones may differ by ``TOLERANCE``: they were rounded, or converted to another unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from retrieval.kg.values import Value, counted, parse
from retrieval.metrics.scores import Scored

#: Share of the larger number that measured ones may differ by.
TOLERANCE = 1e-3
#: Dates are years with a fraction; a minute is more than this.
_MOMENT = 1e-6
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def is_value(text: str) -> bool:
    """Whether a text is a number, date, time or truth, not a name."""
    return _truth(text) is not None or parse(text) is not None


def same(one: str, other: str) -> bool:
    """Whether two texts say the same value; False where either is a name.

    A number with a unit is compared with one without by what is written: ``357,022 km²`` is ``357022``.
    """
    truth = _truth(one)
    if truth is not None:
        return truth is _truth(other)
    left, right = parse(one), parse(other)
    return left is not None and right is not None and _equal(left, right)


def aligned(
    predicted: Sequence[Scored[str]], right: Collection[str], name: Callable[[str], str]
) -> list[Scored[str]]:
    """Predicted answers as names, those that have the value of a right answer by the name of that.

    Args:
        predicted: as they were given.
        right: the right answers. ``yes`` and ``no`` are truths only where one of them is the whole answer.
        name: as names are compared.
    """
    known = {name(label) for label in right}
    values = [(value, label) for label in right if (value := parse(label)) is not None]
    truth = next((label for label in right if _truth(label) is not None), None) if len(right) == 1 else None
    return [replace(item, answer=_name(item.answer, known, values, truth, name)) for item in predicted]


def _name(
    label: str,
    known: Collection[str],
    values: Sequence[tuple[Value, str]],
    truth: str | None,
    name: Callable[[str], str],
) -> str:
    plain = name(label)
    if plain in known or not (values or truth):
        return plain
    if truth is not None and same(label, truth):
        return name(truth)
    value = parse(label) or _of_unit(label) if values else None
    if value is None:
        return plain
    return next((name(other) for found, other in values if _equal(value, found)), plain)


def _of_unit(text: str) -> Value | None:
    """A number with a word behind it that is no unit known here: ``757 animals``."""
    made = counted(text)
    return None if made is None else Value(made[0], "number")


def _truth(text: str) -> bool | None:
    return _TRUTHS.get(text.strip().rstrip(".!").casefold())


def _equal(one: Value, other: Value) -> bool:
    if one.kind != other.kind or one.month_day != other.month_day:
        return False
    if one.month_day is not None:
        return True
    if one.kind != "number":
        return abs(one.value - other.value) <= _MOMENT
    if one.unit and other.unit:
        if one.dimension != other.dimension:
            return False
        if one.factor != other.factor:
            return math.isclose(one.value, other.value, rel_tol=TOLERANCE)
    left, right = one.value / one.factor, other.value / other.factor
    return math.isclose(left, right, rel_tol=1e-9 if _whole(left) and _whole(right) else TOLERANCE)


def _whole(number: float) -> bool:
    return math.isclose(number, round(number), rel_tol=1e-9)
