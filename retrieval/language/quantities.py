"""Numbers, dates and ranges in a question."""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from retrieval.kg import values
from retrieval.language.amounts import Amount, Comparison, ValueKind
from retrieval.language.comparisons import POSTFIXES
from retrieval.lexicon import get_weights

_NUMBER_WORDS = get_weights("number_words")

_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|mio|bn|k)\b)?"
_PLAIN = re.compile(rf"(?:[$€£]\s?)?(?:{values.NUMBER}){_SCALE}", re.IGNORECASE)
_NUMBER = re.compile(
    rf"(?<![\w.])(?:[$€£]\s?)?(?:{values.NUMBER})(?:st|nd|rd|th)?{_SCALE}"
    r"(?:\s?(?:%|[$€£]|[a-zA-Z°][a-zA-Z²³/]*(?:\s(?:feet|foot|ft|meters?|metres?|kilomet(?:er|re)s?|miles?|km|mi|m)\b)?))?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(\d[\d.,]*)\s*(?:to|-|–)\s*(\d[\d.,]*)\b")
_DECADE = re.compile(r"\b(?:the\s+)?(?:(early|mid|late)[\s-])?((?:1\d|20)?\d0)[’']?s\b", re.IGNORECASE)
_MONTH_OF_YEAR = re.compile(rf"(?<!\d )(?<!\d)\b({values.MONTH})\.?,?\s+(?:of\s+)?(\d{{4}})\b", re.IGNORECASE)
_MONTH_ALONE = re.compile(
    rf"\b(?:in|during|since|before|after|until|of)\s+({values.MONTH})\b(?!\.?,?\s*\d)", re.IGNORECASE
)
_CENTURY = re.compile(r"\b(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)[\s-]century\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:between|from)\s+(.{1,40}?)\s+(?:and|to|through|until)\s+(.{1,40}?)(?=$|[\s,.?!])", re.IGNORECASE
)
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DATES = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?|\d{1,2}[/.]\d{1,2}[/.]\d{4}|"
    r"\d{1,2}(?::\d{2})?\s?[ap]\.?m\b\.?|\d{1,2}:\d{2}|"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b{_MONTHS}\.?\s+\d{{1,4}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?",
    re.IGNORECASE,
)
_ONE_END = (
    r"(?:the\s+)?(?:(?P<{0}at>start|beginning|end)\s+of\s+)?(?:(?P<{0}day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?(?=\s|$))?\s*"
    rf"(?P<{{0}}month>{_MONTHS})?\.?(?:\s+(?P<{{0}}after>\d{{{{1,2}}}})(?:st|nd|rd|th)?(?!\d))?,?\s*(?P<{{0}}year>\d{{{{4}}}})?"
)
_DATES_BETWEEN = re.compile(
    rf"\b(?:between|from)\s+{_ONE_END.format('a')}\s+(?:and|to|through|until|till)\s+{_ONE_END.format('b')}(?!\w)"
    r"(?:\s+inclusive\b)?",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[ ,]*((?:or|and)\s+\w+|onwards?)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(half\s+)?an?\s+([a-z]+)\b", re.IGNORECASE)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}
_NOON = re.compile(r"\b(?:noon|midday|midnight)\b", re.IGNORECASE)
_LEAP_YEAR = 2000
_PARTS_OF_DECADES = {"early": (0, 4), "mid": (3, 7), "late": (6, 10)}


@dataclass(frozen=True, slots=True)
class Spelt:
    """A number, date or range, characters [start, end) of a text.

    ``upper`` is the other end of a range, its end included or not; ``comparison`` stands beside it ("10 or more").
    """

    start: int
    end: int
    amount: Amount
    upper: Amount | None = None
    upper_included: bool = True
    comparison: Comparison | None = None


def find(text: str) -> list[Spelt]:
    """What a text says of numbers, dates and ranges; of those that overlap the first that is found, ranges first."""
    matches: list[Spelt] = []
    for ways in (
        _find_date_ranges,
        _find_ranges,
        _find_periods,
        _find_dates,
        _find_times,
        _find_numbers,
        _find_number_words,
    ):
        for spelt in ways(text):
            if all(spelt.end <= other.start or spelt.start >= other.end for other in matches):
                matches.append(spelt)
    return matches


def parse_amount(text: str) -> Amount | None:
    """A number, date or time or None."""
    spelt = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", text.strip(" ,.?!"), flags=re.IGNORECASE)
    spelt = re.sub(r"^(?:the\s+)?(?:year|around|about)\s+", "", spelt, flags=re.IGNORECASE)
    if spelt.casefold() in _NUMBER_WORDS:
        return Amount(float(_NUMBER_WORDS[spelt.casefold()]), text=text.strip())
    value = values.parse(spelt)
    if value is None:
        return None
    if value.month_day is not None:
        month, day = value.month_day
        return Amount(month * 100.0 + day, ValueKind.MONTH_DAY, "", text.strip())
    return Amount(value.value, ValueKind(value.kind), value.dimension, text.strip(), value.factor)


def _find_date_ranges(text: str) -> Iterator[Spelt]:
    """ "Between 1 October and 30 November 2023": what the one end leaves out the other says."""
    for match in _DATES_BETWEEN.finditer(text):
        ends = [{name: match[f"{side}{name}"] for name in ("at", "day", "month", "after", "year")} for side in "ab"]
        first, last = (_Day.from_groups(groups) for groups in ends)
        if first.month is None and first.day is not None:
            first = replace(first, month=last.month)
        if first.year is None:
            first = replace(first, year=last.year)
        if first.month is None and last.month is None and not (ends[0]["at"] or ends[1]["at"]):
            continue  # two numbers, or two years
        if not (first.is_there and last.is_there) or (first.year is None) != (last.year is None):
            continue
        if first.year is None:
            if first.month is None or last.month is None:
                continue
            low = Amount(100.0 * first.month + (first.day or 1), ValueKind.MONTH_DAY)
            high = Amount(100.0 * last.month + (last.day or _count_days(last.month)), ValueKind.MONTH_DAY)
            if low.value <= high.value:
                yield Spelt(*match.span(), low, high)
            continue
        begin, end = first.compute_span(ends[0]["at"])[0], last.compute_span(ends[1]["at"])[1]
        if begin < end:
            low, high = (Amount(value, ValueKind.DATE) for value in (begin, end))
            yield Spelt(*match.span(), low, high, upper_included=False)


@dataclass(frozen=True, slots=True)
class _Day:
    """A day, a month, or a year, as far as it is said."""

    day: int | None
    month: int | None
    year: int | None

    @classmethod
    def from_groups(cls, groups: dict[str, str | None]) -> _Day:
        day, month, year = groups["day"] or groups["after"], groups["month"], groups["year"]
        return cls(
            int(day) if day else None,
            values.MONTHS[month.casefold()] if month else None,
            int(year) if year else None,
        )

    @property
    def is_there(self) -> bool:
        """Whether a calendar has it: no day without a month, and no 31 February."""
        if self.day is None:
            return True
        days = _count_days(self.month, self.year or _LEAP_YEAR) if self.month else 0
        return 0 < self.day <= days

    def compute_span(self, boundary: str | None) -> tuple[float, float]:
        """When it begins and when the time behind it does, as years; of its start or end where ``boundary`` says so."""
        year, month = self.year or _LEAP_YEAR, self.month or 1
        begin = values.compute_year_fraction(year, month, self.day or 1)
        last = 12 if self.month is None else month
        end_day = self.day or _count_days(last, year)
        day_length = 1 / (366 if calendar.isleap(year) else 365)
        end = values.compute_year_fraction(year, last, end_day) + day_length
        if boundary is None or self.day:
            return begin, end
        return (end - day_length, end) if boundary.casefold() == "end" else (begin, begin + day_length)


def _count_days(month: int, year: int = _LEAP_YEAR) -> int:
    return calendar.monthrange(year, month)[1]


def _find_ranges(text: str) -> Iterator[Spelt]:
    for match in (*_BETWEEN.finditer(text), *_RANGE.finditer(text)):
        low, high = parse_amount(match[1]), parse_amount(match[2])
        if low is None or high is None or math.isnan(low.value + high.value) or low.value > high.value:
            continue
        yield Spelt(*match.span(), low, high)


def _find_periods(text: str) -> Iterator[Spelt]:
    """Decades, months and centuries; their ends have no spelling of their own and are said as what they are."""
    for match in _DECADE.finditer(text):
        year = int(match[2]) + (1900 if int(match[2]) < 100 else 0)
        first, last = _PARTS_OF_DECADES.get((match[1] or "").casefold(), (0, 10))
        yield Spelt(*match.span(), Amount(float(year + first)), Amount(float(year + last)), upper_included=False)
    for match in _MONTH_OF_YEAR.finditer(text):
        month, year = values.MONTHS[match[1].casefold()], int(match[2])
        ends = ((year, month), (year, month + 1) if month < 12 else (year + 1, 1))
        low, high = (Amount(values.compute_year_fraction(*end), ValueKind.DATE) for end in ends)
        yield Spelt(*match.span(), low, high, upper_included=False)
    for match in _MONTH_ALONE.finditer(text):
        month = values.MONTHS[match[1].casefold()]
        days = (1, calendar.monthrange(_LEAP_YEAR, month)[1])
        low, high = (Amount(100.0 * month + day, ValueKind.MONTH_DAY) for day in days)
        yield Spelt(*match.span(1), low, high)
    for match in _CENTURY.finditer(text):
        year = (int(match[1]) - 1) * 100 + 1
        yield Spelt(*match.span(), Amount(float(year)), Amount(float(year + 99)))


def _find_dates(text: str) -> Iterator[Spelt]:
    for match in _DATES.finditer(text):
        value = parse_amount(match[0])
        if value is not None:
            yield _add_postfix(text, match.start(), match.end(), value)


def _find_times(text: str) -> Iterator[Spelt]:
    """Noon and midnight."""
    for match in _NOON.finditer(text):
        minutes = 0.0 if match[0].casefold() == "midnight" else 720.0
        yield Spelt(*match.span(), Amount(minutes, ValueKind.TIME, text=match[0]))


def _find_numbers(text: str) -> Iterator[Spelt]:
    for match in _NUMBER.finditer(text):
        spelt = match[0]
        value = parse_amount(spelt)
        if value is None:  # what follows is no unit
            plain = _PLAIN.match(spelt)
            if plain is None or spelt[plain.end() :][:1].isalpha():
                continue
            spelt, value = plain[0], parse_amount(plain[0])
        if value is not None:
            yield _add_postfix(text, match.start(), match.start() + len(spelt), value)


def _find_number_words(text: str) -> Iterator[Spelt]:
    words = list(re.finditer(r"[^\W\d_]+", text))
    yield from _find_single_units(text)
    for word, after in zip_longest(words, words[1:]):
        number = _NUMBER_WORDS.get(word[0].casefold())
        if number is None:
            continue
        value, end, dimension, factor = float(number), word.end(), "", 1.0
        if after is not None and not text[word.end() : after.start()].strip():
            scale = _SCALES.get(after[0].casefold())
            unit = values.find_unit(after[0])
            if scale is not None:
                value, end = value * scale, after.end()
            elif unit is not None and unit[0]:
                dimension, factor = unit
                value, end = value * factor, after.end()
        spelt = Amount(value, ValueKind.NUMBER, dimension, text[word.start() : end], factor)
        yield _add_postfix(text, word.start(), end, spelt)


def _find_single_units(text: str) -> Iterator[Spelt]:
    """Of "an hour", "half a million", "a dozen": the article counts one, or half of it."""
    for match in _ONE_OF.finditer(text):
        scale, unit = _SCALES.get(match[2].casefold()), values.find_unit(match[2])
        if scale is None and (unit is None or not unit[0]):
            continue
        if text[: match.start()].rstrip()[-1:].isdigit():
            continue  # £22 a kilo, 280 a day
        dimension, factor = ("", 1.0) if scale is not None or unit is None else unit
        value = (0.5 if match[1] else 1.0) * (scale or factor)
        spelt = Amount(value, ValueKind.NUMBER, dimension, match[0], factor)
        yield _add_postfix(text, *match.span(), spelt)


def _add_postfix(text: str, start: int, end: int, value: Amount) -> Spelt:
    match = _AFTER.match(text, end)
    comparison = POSTFIXES.get(" ".join(match[1].casefold().split())) if match else None
    if match is not None and comparison is not None:
        return Spelt(start, match.end(), value, comparison=comparison)
    return Spelt(start, end, value)
