"""Literals as typed values: numbers with units and separators, dates, years, times of day. No torch.

Every value is one float in the base unit of its dimension (metres, square metres, minutes, kilograms ...), so that
``30 min`` and ``0.5 h`` are the same. A date is a year with a fraction, a time of day minutes after midnight.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "date", "time"]

_LENGTH = {
    "mm": 1e-3, "cm": 1e-2, "m": 1.0, "metre": 1.0, "meter": 1.0, "km": 1e3, "kilometre": 1e3, "kilometer": 1e3,
    "mi": 1609.344, "mile": 1609.344, "ft": 0.3048, "feet": 0.3048, "foot": 0.3048, "inch": 0.0254,
    "yd": 0.9144, "yard": 0.9144,
}  # fmt: skip
_AREA = {
    "m2": 1.0, "m²": 1.0, "sq m": 1.0, "sqm": 1.0, "square metre": 1.0, "square meter": 1.0,
    "km2": 1e6, "km²": 1e6, "sq km": 1e6, "square kilometre": 1e6, "square kilometer": 1e6,
    "sq mi": 2589988.110336, "square mile": 2589988.110336, "mi2": 2589988.110336, "mi²": 2589988.110336,
    "sq ft": 0.09290304, "square foot": 0.09290304, "square feet": 0.09290304, "ft2": 0.09290304,
    "ha": 1e4, "hectare": 1e4, "acre": 4046.8564224,
}  # fmt: skip
_DURATION = {
    "s": 1 / 60, "sec": 1 / 60, "second": 1 / 60, "min": 1.0, "minute": 1.0, "h": 60.0, "hr": 60.0, "hour": 60.0,
    "day": 1440.0, "week": 10080.0, "month": 43830.0, "year": 525960.0, "yr": 525960.0,
}  # fmt: skip
_MASS = {"mg": 1e-6, "g": 1e-3, "gram": 1e-3, "kg": 1.0, "kilogram": 1.0, "kilo": 1.0, "t": 1e3, "ton": 1e3,
         "tonne": 1e3, "lb": 0.45359237, "pound": 0.45359237, "oz": 0.028349523125}  # fmt: skip
_MONEY = {
    "$": 1.0,
    "usd": 1.0,
    "dollar": 1.0,
    "€": 1.0,
    "eur": 1.0,
    "euro": 1.0,
    "£": 1.0,
    "gbp": 1.0,
    "quid": 1.0,
}
_DATA = {
    "byte": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "kib": 2.0**10, "mib": 2.0**20,
    "gib": 2.0**30, "tib": 2.0**40, "kilobyte": 1e3, "megabyte": 1e6, "gigabyte": 1e9, "terabyte": 1e12,
}  # fmt: skip
_SPEED = {
    "m/s": 1.0,
    "km/h": 1 / 3.6,
    "kph": 1 / 3.6,
    "kmh": 1 / 3.6,
    "km/s": 1e3,
    "mph": 0.44704,
    "knot": 0.514444,
}
_POWER = {"w": 1.0, "watt": 1.0, "kw": 1e3, "kilowatt": 1e3, "mw": 1e6, "megawatt": 1e6, "gw": 1e9, "gigawatt": 1e9,
          "hp": 745.69987, "horsepower": 745.69987}  # fmt: skip
_ENERGY = {"joule": 1.0, "kj": 1e3, "mj": 1e6, "cal": 4.184, "kcal": 4184.0, "calorie": 4184.0, "wh": 3600.0,
           "kwh": 3.6e6, "mwh": 3.6e9, "gwh": 3.6e12}  # fmt: skip
_VOLUME = {"ml": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "litre": 1.0, "liter": 1.0, "m3": 1e3, "m³": 1e3,
           "gal": 3.785411784, "gallon": 3.785411784, "km3": 1e12, "km³": 1e12}  # fmt: skip
_FREQUENCY = {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}
_TEMPERATURE = {"°c": 1.0, "degree celsius": 1.0, "degrees celsius": 1.0, "celsius": 1.0, "°": 1.0}
_PLAIN = {
    "%": 1.0,
    "percent": 1.0,
    "people": 1.0,
    "inhabitant": 1.0,
    "person": 1.0,
    "star": 1.0,
    "point": 1.0,
}
UNITS: dict[str, tuple[str, float]] = {
    unit: (dimension, factor)
    for dimension, units in (
        ("length", _LENGTH), ("area", _AREA), ("duration", _DURATION), ("mass", _MASS), ("money", _MONEY),
        ("data", _DATA), ("speed", _SPEED), ("power", _POWER), ("energy", _ENERGY), ("volume", _VOLUME),
        ("frequency", _FREQUENCY), ("temperature", _TEMPERATURE), ("", _PLAIN),
    )
    for unit, factor in units.items()
}  # fmt: skip
"""Dimension and factor to the base unit, by name."""

_SCALES = {
    "k": 1e3, "thousand": 1e3, "mio": 1e6, "million": 1e6, "mn": 1e6, "bn": 1e9, "billion": 1e9, "trillion": 1e12,
}  # fmt: skip
#: What a price is one of: £28.50 per kg, £12/h, £4 each.
_EACH = re.compile(r"^(?:(?:/|per |an? |each )\s?[^\W\d_]{1,12}|each|pp|pcm|p\.?a\.?|p\.?w\.?)$", re.IGNORECASE)
#: What stands for millions and more behind an amount of money: £3.2m.
_MILLIONS = {"m": 1e6, "b": 1e9}
MONTHS = {name.casefold(): i for names in (calendar.month_name, calendar.month_abbr) for i, name in enumerate(names)}
MONTHS["sept"] = 9
del MONTHS[""]
MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
NUMBER = r"[-+−]?(?:\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?|[-+−]?\.\d+"
_NUMBER = re.compile(
    rf"(?P<minus>[-−](?=[$€£]))?(?P<sign>[$€£])?\s?(?P<number>{NUMBER})\s*(?:(?P<scale>thousand|million|billion|trillion|mio|mn|bn|k)\b)?\.?\s*(?P<unit>.*)",
    re.IGNORECASE | re.DOTALL,
)
_COUNTED = re.compile(rf"(?P<number>{NUMBER})\s?(?P<unit>[^\W\d_]+(?:[/ ][^\W\d_]+)?)")
_ISO = re.compile(
    r"(?P<y>-?\d{4})-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2})(?:[T ](?P<h>\d{1,2}):(?P<n>\d{2})(?::(?P<s>\d{2}(?:\.\d+)?))?"
    r"(?:Z|[+-]\d\d:?\d\d)?)?)?"
)
_DAY_FIRST = re.compile(
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?\s*(?:of\s+)?(?P<m>{MONTH})\.?,?\s*(?P<y>-?\d{{3,4}})?", re.I
)
_MONTH_FIRST = re.compile(
    rf"(?P<m>{MONTH})\.?(?:\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,?\s*(?P<y>-?\d{{3,4}}))?",
    re.I,
)
#: As spreadsheets write them: 02-Oct-23, 2-Oct-2023, Oct-23, Oct '23.
_DASHED = re.compile(rf"(?:(?P<d>\d{{1,2}})[-/ ])?(?P<m>{MONTH})(?:[-/]|\s?['’])(?P<y>\d{{4}}|\d\d)", re.I)
_SLASHED = re.compile(
    r"(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})(?P=mark)(?P<y>\d{4}|\d\d)"
    r"(?:,?[ T](?P<h>\d{1,2}):(?P<n>\d{2})(?::\d{2})?)?"
)
_WEEKDAY = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+(?=\w)", re.IGNORECASE)
#: Years of two digits below this are of this century.
_CENTURY_TURNS = 50
_TIME = re.compile(r"(?P<h>\d{1,2}):(?P<n>\d{2})(?::(?P<s>\d{2}(?:\.\d+)?))?\s*(?P<half>[ap]\.?m\.?)?", re.IGNORECASE)
_LAP = re.compile(r"(?P<n>\d{1,3}):(?P<s>\d{2}\.\d+)")
_HOUR = re.compile(r"(?P<h>\d{1,2})\s*(?P<half>[ap]\.?m\.?)", re.IGNORECASE)
_LASTING = re.compile(
    r"(?:(?P<d>\d+)\s?(?:days?|d)[ ,]*)?(?:(?P<h>\d+)\s?(?:hours?|hrs?|h)[ ,]*)?"
    r"(?:(?P<m>\d+)\s?(?:minutes?|mins?|m|(?<=h\d\d)|(?<=h \d\d))[ ,]*)?(?:(?P<s>\d+)\s?(?:seconds?|secs?|s))?",
    re.IGNORECASE,
)
_LASTS = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}
_FEET = re.compile(r"(?P<ft>\d+)\s?(?:ft\.?|feet|foot|['’])\s?(?P<in>\d+(?:\.\d+)?)\s?(?:in\.?|inch(?:es)?|[\"”])?")
#: A decimal comma with its whole part, or points between thousands, which one alone does not tell: 1.857 may be either.
_COMMA = re.compile(
    r"(?<![\w.,])(?:(?P<whole>\d{1,3}(?:[.\u00a0\u202f' ]\d{3})+|\d+),(?P<part>\d{1,2})|"
    r"(?P<points>\d{1,3}(?:\.\d{3}){2,}))(?![\d,.])"
)
#: How sure somebody is of a date or number.
_ABOUT = re.compile(
    r"(?:(?:abt|about|aft|after|around|bef|before|c|ca|circa)\.?\s?(?=.*(?<!\d)\d{4}$)|(?:approx|est)\.?\s|[~≈<>≤≥]=?\s?)(?=\S)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?:\s*\[[^\[\]]{1,12}\]|\s*[*†‡§]|(?<=\d)\+)+$")
#: What stands behind a value in brackets and says it again in another unit, or where it is from; no year of a title.
_AGAIN = re.compile(r"\s*\((?!(?:1[5-9]|20)\d\d\))(?=[^()]*[\d=])(?![^()]*[^\W\d_]{4})[^()]{1,30}\)$")
_ORDINAL = re.compile(r"(?P<n>\d{1,3})(?:st|nd|rd|th)(?:\s*\([^()]{1,20}\)|,\s.{1,40})?", re.IGNORECASE)
_MONTHS_IN_YEAR = 12
_SEASON = re.compile(r"(?P<y>(?:1[5-9]|20)\d\d)\s?[-–/]\s?(?P<next>\d{4}|\d\d)")


@dataclass(frozen=True, slots=True)
class Value:
    """A literal read.

    Attributes:
        value: in the base unit; a date in years with a fraction, a time in minutes.
        dimension: of its unit: length, area, duration, mass, money, data and the like, or empty.
        unit: as it is spelt, empty where it has none.
        factor: of the unit to the base unit.
        month_day: month and day of a date that names no year; its value is NaN then.
    """

    value: float
    kind: Kind
    dimension: str = ""
    unit: str = ""
    factor: float = 1.0
    month_day: tuple[int, int] | None = None


def is_day_first(text: str) -> bool | None:
    """Whether a date with slashes names its day before its month; None where it may be either, and of other texts."""
    match = _match_slashed(text.strip().strip('"'))
    if match is None or match["mark"] == "." or max(int(match["a"]), int(match["b"])) <= _MONTHS_IN_YEAR:
        return None
    return int(match["a"]) > _MONTHS_IN_YEAR


def has_days_first(labels: Iterable[str]) -> bool:
    """Whether dates with slashes name their days before their months: some can only be read so, and none otherwise."""
    return {order for label in labels if (order := is_day_first(label)) is not None} == {True}


def parse(text: str, *, day_first: bool = False) -> Value | None:
    """What a whole text says as a value, or None: a name that has digits in it is none.

    Dates are read as ISO 8601, ``2 January 2015``, ``January 2, 2015``, ``02-Oct-23`` and ``31/12/2015`` (a day above
    12 tells which is the month; else the month is first, or with ``day_first`` the day), seasons (``1998-99``) as the
    year that they begin in. A number may have separators, a decimal comma (``1.857,12``; ``1,857`` has thousands), a
    scale (million) and a unit; ``7th`` and ``7th, Western`` are 7, ``3h 20m`` and ``5 ft 10 in`` one value. Footnotes
    (``12[3]``, ``12*``), what repeats a value in brackets (``947 (289)``) and how sure it is (``abt 1874``, ``~40``)
    change nothing.
    """
    text = text.strip().strip('"').strip()
    if not text or len(text) > 60 or not any(c.isdigit() for c in text):
        return None
    if not text[0].isdigit():
        day = _WEEKDAY.match(text)
        if day is not None:
            return _parse_date(text[day.end() :], day_first) or _parse_time(text[day.end() :])
        text = _ABOUT.sub("", text, count=1) if _ABOUT.match(text) else text
    plain = _parse_plain(text, day_first) or _parse_ordinal(text) or _parse_season(text)
    if plain is not None:
        return plain
    bare = _AGAIN.sub("", _FOOTNOTE.sub("", text))
    return None if bare == text else _parse_plain(bare, day_first) or _parse_ordinal(bare) or _parse_season(bare)


def _parse_plain(text: str, day_first: bool) -> Value | None:
    return (
        _parse_time(text)
        or _parse_date(text, day_first)
        or _parse_number(_normalize_number(text))
        or _parse_parts(text)
    )


def _normalize_number(text: str) -> str:
    """A number with a decimal comma, or with points between its thousands, as others write it."""
    match = _COMMA.search(text)
    if match is None:
        return text
    spelt = re.sub(r"[.\u00a0\u202f' ]", "", match["whole"] or match["points"])
    return f"{text[: match.start()]}{spelt}{'.' + match['part'] if match['part'] else ''}{text[match.end() :]}"


def _parse_parts(text: str) -> Value | None:
    """A value in two units or three, the larger first: ``3h 20m``, ``5 ft 10 in``, ``1 day 4 hours``."""
    match = _LASTING.fullmatch(text)
    if match is not None:
        parts = [(int(match[unit]), factor) for unit, factor in _LASTS.items() if match[unit]]
        return Value(sum(n * factor for n, factor in parts), "number", "duration", "min") if len(parts) > 1 else None
    match = _FEET.fullmatch(text)
    if match is None:
        return None
    feet = int(match["ft"]) + float(match["in"]) / 12
    return Value(feet * _LENGTH["ft"], "number", "length", "ft", _LENGTH["ft"])


def _parse_ordinal(text: str) -> Value | None:
    match = _ORDINAL.fullmatch(text)
    return Value(float(match["n"]), "number") if match else None


def _parse_season(text: str) -> Value | None:
    """Two years in a row, as the date that the first begins on."""
    match = _SEASON.fullmatch(text)
    if match is None or (int(match["y"]) + 1) % 10 ** len(match["next"]) != int(match["next"]):
        return None
    return _make_date(int(match["y"]), 1, 1)


def parse_counted(text: str) -> tuple[float, str] | None:
    """A number and the word behind it that is no unit known here: ``320 pages``; None of any other text."""
    match = _COUNTED.fullmatch(text.strip())
    if match is None or not (match["unit"].islower() or match["unit"].isupper()):
        return None  # "12 Main Street" is an address
    if find_unit(match["unit"]) is not None or match["unit"].casefold() in MONTHS:
        return None
    return float(re.sub(r"[,\u00a0\u202f' ]", "", match["number"]).replace("−", "-")), match["unit"]


def find_unit(text: str) -> tuple[str, float] | None:
    """Dimension and factor of a unit as people spell it, or None."""
    name = re.sub(r"\s+", " ", text.strip().casefold().rstrip("."))
    name = re.sub(r"\bsq\.\s*", "sq ", name)
    for spelt in (name, name.removesuffix("s"), name.removesuffix("es")):
        if spelt in UNITS:
            return UNITS[spelt]
    return None


def compute_year_fraction(year: int, month: int = 1, day: int = 1, minutes: float = 0.0) -> float:
    """A date as years with a fraction; every day of a year takes the same share of it."""
    days = 366 if calendar.isleap(abs(year)) else 365
    before = sum(_count_days(abs(year), m) for m in range(1, month)) + day - 1
    return year + (before + minutes / 1440) / days


def compute_day_number(value: float) -> int:
    """Days from a fixed one to a date given as :func:`compute_year_fraction` gives it: two dates differ by their
    days.
    """
    year = math.floor(value + 1e-9)
    leaps = (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
    days = 365 + year // 4 - year // 100 + year // 400 - leaps
    return 365 * year + leaps + math.floor((value - year) * days + 1e-4)


def compute_month_day(value: float) -> tuple[int, int]:
    """Month and day of a date given as :func:`compute_year_fraction` gives it."""
    year = math.floor(value + 1e-9)
    days = 366 if calendar.isleap(abs(year)) else 365
    left, month = math.floor((value - year) * days + 1e-4), 1
    while month < 12 and left >= _count_days(abs(year), month):
        left -= _count_days(abs(year), month)
        month += 1
    return month, left + 1


def _count_days(year: int, month: int) -> int:
    return 29 if month == 2 and calendar.isleap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _parse_number(text: str) -> Value | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    spelt = re.sub(r"[,\u00a0\u202f' ]", "", match["number"]).replace("−", "-")
    value = float(spelt) * _SCALES.get((match["scale"] or "").casefold(), 1.0) * (-1 if match["minus"] else 1)
    unit = match["unit"].strip()
    if match["sign"]:
        unit = _EACH.sub("", unit)
        if unit:
            value *= _MILLIONS.get(unit.casefold(), math.nan)
        unit = match["sign"]
    if len(text) == match.end("number") + 1 and unit.isupper():
        return None  # "3M" is a name
    known = find_unit(unit) if unit else ("", 1.0)
    if known is None or not math.isfinite(value):
        return None
    dimension, factor = known
    return Value(value * factor, "number", dimension, unit, factor)


def _parse_date(text: str, day_first: bool) -> Value | None:
    match = _ISO.fullmatch(text)
    if match:
        minutes = int(match["h"] or 0) * 60 + int(match["n"] or 0) + float(match["s"] or 0) / 60
        return _make_date(int(match["y"]), int(match["m"]), int(match["d"] or 1), minutes)
    match = _match_slashed(text)
    if match:
        first, second = int(match["a"]), int(match["b"])
        turned = first > _MONTHS_IN_YEAR or match["mark"] == "." or (day_first and second <= _MONTHS_IN_YEAR)
        month, day = (second, first) if turned else (first, second)
        return _make_date(_parse_year(match["y"]), month, day, int(match["h"] or 0) * 60 + int(match["n"] or 0))
    match = _DASHED.fullmatch(text)
    if match:
        return _make_date(_parse_year(match["y"]), MONTHS[match["m"].casefold()], int(match["d"] or 1))
    match = _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text)
    if match is None:
        return None
    month = MONTHS[match["m"].casefold()]
    if match["y"] is None:
        day = int(match["d"] or 0)
        return Value(math.nan, "date", month_day=(month, day)) if 0 < day <= 31 else None
    return _make_date(int(match["y"]), month, int(match["d"] or 1))


def _match_slashed(text: str) -> re.Match[str] | None:
    """The parts of a date in numbers; a year of two digits is one behind slashes, and in ``31.12.23``."""
    match = _SLASHED.fullmatch(text)
    if match is None or len(match["y"]) > 2 or match["mark"] == "/":
        return match
    return match if match["mark"] == "." and len(match["a"]) == len(match["b"]) == 2 else None


def _parse_year(digits: str) -> int:
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (2000 if year < _CENTURY_TURNS else 1900)


def _make_date(year: int, month: int, day: int, minutes: float = 0.0) -> Value | None:
    if not (1 <= month <= 12 and 1 <= day <= _count_days(abs(year), month) and 0 <= minutes < 1441):
        return None
    return Value(compute_year_fraction(year, month, day, minutes), "date")


def _parse_time(text: str) -> Value | None:
    lap = _LAP.fullmatch(text)
    if lap is not None:
        return Value(int(lap["n"]) + float(lap["s"]) / 60, "time")
    match = _TIME.fullmatch(text) or _HOUR.fullmatch(text)
    if match is None:
        return None
    hour, minute = int(match["h"]), int(match.groupdict().get("n") or 0)
    seconds = float(match.groupdict().get("s") or 0)
    half = (match["half"] or "").casefold()[:1]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return Value(hour * 60.0 + minute + seconds / 60, "time") if hour <= 24 and minute < 60 else None
