"""When two answers that are values are the same: numbers, dates, times and truths, however they are spelt.

Names are compared elsewhere, as names; nothing here makes two different names the same. Whole numbers must be equal:
they count, or are years. Measured ones may differ by ``TOLERANCE``: they were rounded, or converted to another unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from retrieval.kg.values import Value, parse, parse_counted
from retrieval.metrics.scores import Scored

#: Share of the larger number that measured ones may differ by.
TOLERANCE = 1e-3
#: Dates are years with a fraction; a minute is more than this.
_MOMENT = 1e-6
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def is_value(text: str) -> bool:
    """Whether a text is a number, date, time or truth, not a name."""
    return _parse_truth(text) is not None or parse(text) is not None


def is_same_value(first: str, second: str) -> bool:
    """Whether two texts say the same value; False where either is a name.

    A number with a unit is compared with one without by what is written: ``357,022 km²`` is ``357022``.
    """
    truth = _parse_truth(first)
    if truth is not None:
        return truth is _parse_truth(second)
    left, right = parse(first), parse(second)
    return left is not None and right is not None and _is_equal(left, right)


def match_answers(
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
    truth = next((label for label in right if _parse_truth(label) is not None), None) if len(right) == 1 else None
    return [replace(item, answer=_match_name(item.answer, known, values, truth, name)) for item in predicted]


def _match_name(
    label: str,
    known: Collection[str],
    values: Sequence[tuple[Value, str]],
    truth: str | None,
    name: Callable[[str], str],
) -> str:
    plain = name(label)
    if plain in known or not (values or truth):
        return plain
    if truth is not None and is_same_value(label, truth):
        return name(truth)
    value = parse(label) or _parse_counted(label) if values else None
    if value is None:
        return plain
    return next((name(other) for candidate, other in values if _is_equal(value, candidate)), plain)


def _parse_counted(text: str) -> Value | None:
    """A number with a word behind it that is no unit known here: ``757 animals``."""
    made = parse_counted(text)
    return None if made is None else Value(made[0], "number")


def _parse_truth(text: str) -> bool | None:
    return _TRUTHS.get(text.strip().rstrip(".!").casefold())


def _is_equal(first: Value, second: Value) -> bool:
    if first.kind != second.kind or first.month_day != second.month_day:
        return False
    if first.month_day is not None:
        return True
    if first.kind != "number":
        return abs(first.value - second.value) <= _MOMENT
    if first.unit and second.unit:
        if first.dimension != second.dimension:
            return False
        if first.factor != second.factor:
            return math.isclose(first.value, second.value, rel_tol=TOLERANCE)
    left, right = first.value / first.factor, second.value / second.factor
    return math.isclose(left, right, rel_tol=1e-9 if _is_whole(left) and _is_whole(right) else TOLERANCE)


def _is_whole(number: float) -> bool:
    return math.isclose(number, round(number), rel_tol=1e-9)
