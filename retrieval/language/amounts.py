"""Numbers, dates and times of a question, and what its words ask to be done with values. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Comparison(StrEnum):
    """How a value is compared with another."""

    LESS = "<"
    AT_MOST = "<="
    EQUAL = "="
    NOT_EQUAL = "!="
    AT_LEAST = ">="
    MORE = ">"

    @property
    def negated(self) -> Comparison:
        """What holds where this one does not."""
        return _NEGATED[self]

    @property
    def mirrored(self) -> Comparison:
        """What holds of the sides exchanged."""
        return _MIRRORED.get(self, self)


_NEGATED = {
    Comparison.LESS: Comparison.AT_LEAST,
    Comparison.AT_MOST: Comparison.MORE,
    Comparison.EQUAL: Comparison.NOT_EQUAL,
    Comparison.NOT_EQUAL: Comparison.EQUAL,
    Comparison.AT_LEAST: Comparison.LESS,
    Comparison.MORE: Comparison.AT_MOST,
}
_MIRRORED = {
    Comparison.LESS: Comparison.MORE,
    Comparison.AT_MOST: Comparison.AT_LEAST,
    Comparison.AT_LEAST: Comparison.AT_MOST,
    Comparison.MORE: Comparison.LESS,
}


class Folding(StrEnum):
    """What becomes of several values."""

    SUM = "sum"
    AVERAGE = "average"
    LEAST = "min"
    MOST = "max"


class ValueKind(StrEnum):
    """What a literal is."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    MONTH_DAY = "month-day"


class TextMatch(StrEnum):
    """How a text is compared with words of the question."""

    CONTAINS = "contains"
    STARTS = "starts with"
    ENDS = "ends with"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, date or time of the question.

    Attributes:
        value: in the base unit of its dimension (:mod:`retrieval.kg.values`).
        dimension: of its unit, empty where it has none.
        factor: of its unit to the base unit.
    """

    value: float
    kind: ValueKind = ValueKind.NUMBER
    dimension: str = ""
    text: str = ""
    factor: float = 1.0
