"""Values, lists of names and units as people write them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

_MEASURE = re.compile(
    r"(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?: (k?m[23]?|[cm]m|ha|mi|ft|k?g|t|lb|s|min|h|years|%))?", re.ASCII
)
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b", re.ASCII)
_NUMBER = re.compile(r"-?[\d,]+(\.\d+)?", re.ASCII)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
#: Four digits alone may be a year; more than fifteen are an identifier.
_MIN_DIGITS, _MAX_DIGITS = 5, 15
_MAX_LISTED = 4

_UNITS = (
    r"km2|km²|km|cm|mm|m2|m²|m|miles|mi|feet|ft|kg|g|tonnes|t|lb|ml|l|litres|ha|seconds|s|minutes|min|hours|hrs|h|"
    r"days|weeks|months|years|km/h|kmh|mph|knots|kw|mw|tbps|gb|tb|%|°c|°f"
)
_CURRENCIES = r"usd|eur|gbp|chf|sek|nok|dkk|jpy|inr|aud|cad|nzd|cny|pln|czk|brl|zar"
_IN_BRACKETS = re.compile(rf"(.+?) [(\[]({_UNITS}|{_CURRENCIES}|[£€$])[)\]]", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"(.+?) in (\w*met(?:re|er)s|miles|feet|\w*gram(?:me)?s|tonnes|litres|seconds|minutes|hours|days)", re.IGNORECASE
)
#: A letter at the end may be anything: "vitamin c".
_AT_END = re.compile(rf"(.+?) (?:in )?(km2|m2|km|cm|mm|m|kg|min|kmh|mph|tbps|{_CURRENCIES})", re.IGNORECASE)
_SIGN_OF_CURRENCY = {
    **{"usd": "$", "aud": "$", "cad": "$", "nzd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "cny": "¥", "inr": "₹"},
    **{"sek": "kr", "nok": "kr", "dkk": "kr", "pln": "zł", "czk": "Kč", "brl": "R$", "zar": "R", "chf": "CHF"},
    **{"£": "£", "€": "€", "$": "$"},
}


@dataclass(frozen=True, slots=True)
class Measure:
    """What the head of a column says: its noun, and the unit of its values, empty where it names none."""

    noun: str
    unit: str = ""


def format_label(text: str) -> str:
    """Write a value as people do: ``505990 km2`` is ``505,990 km²``, ``2003-11-20`` a day; names stay."""
    if _DATE.fullmatch(text):
        return format_dates(text)
    match = _MEASURE.fullmatch(text)
    if match is None:
        return text
    sign, digits, fraction, unit = match.groups()
    if (len(digits) < _MIN_DIGITS and unit is None) or len(digits) > _MAX_DIGITS:
        return text
    number = f"{sign}{int(digits.replace(',', '')):,}{fraction or ''}"
    return number if unit is None else f"{number} {_raise_powers(unit)}"


def format_dates(text: str) -> str:
    """Write the ISO dates within a text in words: ``20 November 2003``."""
    return _DATE.sub(_format_date, text)


def _format_date(match: re.Match[str]) -> str:
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return match[0]
    return f"{day.day} {day:%B} {day.year}"


def _raise_powers(unit: str) -> str:
    return unit.replace("2", "²").replace("3", "³")


def write_list(names: list[str]) -> str:
    """Write names in a row: of more than four the first three, and how many others.

    A name of a script that runs from right to left is isolated from its neighbours.
    """
    names = [f"\u2068{name}\u2069" if _RIGHT_TO_LEFT.search(name) else name for name in names]
    if len(names) > _MAX_LISTED:
        names = [*names[: _MAX_LISTED - 1], f"{len(names) - _MAX_LISTED + 1:,} others"]
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def lower_capitals(head: str) -> str:
    """Read the head of a column in capitals as words: ``DOWNTIME MIN``; short ones are abbreviations."""
    return head.lower() if head == head.upper() and re.search("[A-Z] [A-Z]|[A-Z]{5}", head) else head


def split_measure(head: str) -> Measure:
    """Split the head of a column into its noun and unit: ``price (gbp)``, ``rent eur``, ``height m``."""
    match = _IN_BRACKETS.fullmatch(head) or _IN_WORDS.fullmatch(head) or _AT_END.fullmatch(head)
    noun, unit = match.groups() if match else (head, "")
    return Measure(lower_capitals(noun).removesuffix(" (year)"), unit)


def is_money(unit: str) -> bool:
    """Tell whether a unit is a currency."""
    return unit.lower() in _SIGN_OF_CURRENCY


def format_in_unit(value: str, unit: str) -> str:
    """Write a plain number with the unit of its column: ``4.5`` in ``gbp`` is ``£4.50``; other values as they are."""
    if not unit or not _NUMBER.fullmatch(value) or not value.strip("-,"):
        return format_label(value)
    if not is_money(unit):
        return f"{format_label(value)} {unit.lower().removesuffix('2')}{'²' if unit.endswith('2') else ''}"
    number, sign = Decimal(value.replace(",", "")), _SIGN_OF_CURRENCY[unit.lower()]
    decimals = Decimal(1) if number == number.to_integral_value() else Decimal("0.01")
    amount = f"{abs(number).quantize(decimals, ROUND_HALF_UP):,}"
    space = "\u00a0" if sign[-1].isalpha() else ""
    return f"{'-' if number < 0 else ''}{sign}{space}{amount}"


def parse_number(text: str) -> float:
    """Read the number of a formatted value: ``£1,250`` is 1250; NaN where there is none."""
    digits = re.search(r"-?\d[\d,]*(\.\d+)?", text)
    return float(digits[0].replace(",", "")) if digits else math.nan


def round_decimals(text: str) -> str:
    """Round the number that a formatted value begins with to two decimals."""
    match = re.match(r"-?\d[\d,]*\.\d\d\d+", text)
    if match is None:
        return text
    number = Decimal(match[0].replace(",", "")).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{number:,}".rstrip("0").rstrip(".") + text[match.end() :]
