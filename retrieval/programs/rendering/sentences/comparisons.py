"""What a filter says of things, as a clause: "with a price over £3", "made in April 2024"."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.operations import Constant, Filter
from retrieval.programs.rendering.program_wording import MANY
from retrieval.programs.rendering.sentences.clauses import Clause, make_owning_clause, make_plain_clause
from retrieval.programs.rendering.sentences.grammar import add_indefinite_article, is_participle, is_plural
from retrieval.programs.rendering.sentences.values import format_in_unit, format_label, split_measure

if TYPE_CHECKING:
    from retrieval.programs.rendering.set_wording import SetDescriber

_TIME = re.compile(
    r"\b(year|date|day|since|until|born|founded|published|built|began|started?|ends?|opened|opening|made|on|in)\b"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}")
_YEAR = re.compile(r"[12]\d{3}")
_OVER = {
    Comparison.MORE: "over", Comparison.AT_LEAST: "of at least", Comparison.LESS: "under",
    Comparison.AT_MOST: "of at most", Comparison.EQUAL: "of", Comparison.NOT_EQUAL: "other than",
}  # fmt: skip
_AFTER = {
    Comparison.MORE: "after", Comparison.AT_LEAST: "{} or after", Comparison.LESS: "before",
    Comparison.AT_MOST: "{} or before", Comparison.EQUAL: "{}", Comparison.NOT_EQUAL: "not {}",
}  # fmt: skip
_MONTHS_OF_A_YEAR = 12


def make_filter_clause(describer: SetDescriber, program: Filter) -> Clause:
    """Write what a filter keeps."""
    key, value = program.key, program.value
    if key.counted and isinstance(value, Constant):
        counted = describer.words.describe_counted(key, describer.describe_things(key))
        if value.value == 0 and program.comparison is Comparison.EQUAL:
            return make_owning_clause(f"no {counted}")
        return make_owning_clause(f"{MANY[program.comparison]}{describer.describe_value(value)} {counted}")
    if key.less and not key.folding and value == Constant(0.0):
        path, other = describer.words.describe_path(key.path), describer.words.describe_path(key.less)
        return _make_comparison_clause(path, program.comparison, f"the {other}")
    compared = describer.describe_compared_value(program)
    return _make_comparison_clause(describer.describe_key(key), program.comparison, compared)


def make_period_clause(describer: SetDescriber, later: Filter, earlier: Filter) -> Clause | None:
    """Write two filters of one key as the time between them: "made in April 2024"; None of other filters."""
    if earlier.key != later.key or earlier.comparison is not Comparison.AT_LEAST:
        return None
    start, end = describer.describe_compared_value(earlier), describer.describe_compared_value(later)
    if later.comparison is Comparison.LESS:
        period = _describe_years(start, end) or _describe_month(start, end)
    elif later.comparison is Comparison.AT_MOST:
        unit = split_measure(describer.describe_key(later.key)).unit
        period = f"from {format_in_unit(start, unit)} to {format_in_unit(end, unit)}"
    else:
        return None
    if period is None:
        return None
    key = _remove_time_words(split_measure(describer.describe_key(later.key)).noun)
    participle = is_participle(key.lower().rpartition(" ")[2])
    return make_plain_clause(f"{key if participle else f'with {add_indefinite_article(key)}'} {period}")


def _describe_years(start: str, end: str) -> str | None:
    """The years from one to before another; None of other values."""
    if not _YEAR.fullmatch(start) or not _YEAR.fullmatch(end):
        return None
    last = int(end) - 1
    return f"in {start}" if last == int(start) else f"from {start} to {last}"


def _describe_month(start: str, end: str) -> str | None:
    """The month or year from one day to before another; None of other periods."""
    try:
        first, last = date.fromisoformat(start), date.fromisoformat(end)
    except ValueError:
        return None
    months = _MONTHS_OF_A_YEAR * (last.year - first.year) + last.month - first.month
    is_year = months == _MONTHS_OF_A_YEAR and first.month == 1
    if first.day != 1 or last.day != 1 or (months != 1 and not is_year):
        return None
    return f"in {first.year}" if is_year else f"in {first:%B} {first.year}"


def _make_comparison_clause(key: str, comparison: Comparison, value: str) -> Clause:
    """``with a price over £3``, ``with a birth year before 1500``, ``made on or after 1 April 2024``."""
    measure, is_day = split_measure(key), bool(_DAY.fullmatch(value))
    noun = measure.noun
    is_year = _YEAR.fullmatch(value) and (_TIME.search(key.lower()) or is_participle(noun.lower()))
    if not is_day and not is_year:
        if is_plural(noun) and not measure.unit:  # with at least 25 seats
            counted = noun.removeprefix("number of ")
            return make_owning_clause(f"{MANY[comparison]}{format_label(value)} {counted}")
        amount = format_in_unit(value, measure.unit)
        return make_owning_clause(f"{add_indefinite_article(noun)} {_OVER[comparison]} {amount}")
    when = f"{_AFTER[comparison].format('on' if is_day else 'in')} {format_label(value)}"
    noun = _remove_time_words(noun)
    if is_participle(noun.rpartition(" ")[2]):
        text = f"{noun} {when}"
        return Clause((text, text), (f"were {text}", f"was {text}"))
    return make_owning_clause(f"{add_indefinite_article(noun)} {when}")


def _remove_time_words(key: str) -> str:
    """What happened at a time, without words for time: ``made`` of ``made on`` and ``year made``."""
    text = re.sub(r"^(year|date) (?=\S+$)", "", re.sub(" (on|in|since)$", "", key), flags=re.IGNORECASE)
    return text.lower() if is_participle(text.lower()) else text
