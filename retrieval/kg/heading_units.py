"""Units in the headings of columns."""

from __future__ import annotations

import re

from retrieval.kg.values import Value, parse

#: A unit in the heading of a column, maybe of a currency, in thousands or more.
_HEADING_UNIT = re.compile(
    r"(?:in )?(?:[a-z]{1,3}(?=[$€£]))?(?P<sign>[$€£])?\s*"
    r"(?:(?P<scale>thousand|million|billion|trillion|mio|mn|bn)s?\b\.?\s*(?:of\b\s*)?)?(?P<unit>[^\d\s$€£].*)?",
    re.IGNORECASE,
)


def parse_unit(text: str) -> Value | None:
    """One of a unit as headings name it: ``kg``, ``€ million``, ``US$ millions``, ``in thousands``."""
    match = _HEADING_UNIT.fullmatch(text.strip())
    if match is None:
        return None
    return parse(f"{match['sign'] or ''}1 {match['scale'] or ''} {match['unit'] or ''}".strip())
