"""What of a question are columns of a table, and which words say of which things or periods its rows are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.language.english import PERIODICAL, STOP
from retrieval.language.words import QuestionWords, join_words
from retrieval.lexicon import get_words
from retrieval.programs.algebra.table_operations import DatePart
from retrieval.programs.constructions.projections import NAMES

if TYPE_CHECKING:
    from retrieval.programs.grounding.anchors.anchor import Anchor

_DETERMINERS = get_words("articles") | get_words("third_person_possessives")
"""Words before a column that say nothing of it."""
_MOST_ITEMS = 6
_PARTS = {"year": DatePart.YEAR, "annum": DatePart.YEAR, "month": DatePart.MONTH}
_PERIOD = re.compile(
    r"\b(?:(?:in|of|for|during) )?(?:per|each|every|by|grouped by) (?:calendar )?(?P<period>years?|months?|annum)\b"
    r"(?P<any> of the year)?|(?<=\w) and (?:by |per |each )?(?P<also>year|month)$"
)
_THEIRS = re.compile(
    r"(?:,?\s+(?:and|with|along with|together with|as well as)\s+(?:their|its|his|her)"
    r"|,\s+(?:with|along with|together with|including))\s+(?:the\s+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PeriodRequest:
    """Words [first, last) that ask for a number of each period of time; ``part`` of a date tells them apart."""

    first: int
    last: int
    part: DatePart


def parse_period(question: QuestionWords) -> PeriodRequest | None:
    """The periods that a question asks for, as "per month" or "monthly"; None where it asks for none."""
    text, starts = join_words(question)
    match = _PERIOD.search(text)
    if match is not None:
        first = sum(start <= match.start() for start in starts[: len(question.words)]) - (match["also"] is None)
        last = sum(start < match.end() for start in starts[: len(question.words)])
        part = DatePart.MONTH_OF_YEAR if match["any"] else _PARTS[(match["period"] or match["also"]).removesuffix("s")]
        return PeriodRequest(first, last, part)
    adverbs = {adverb: period for period, adverb in PERIODICAL.items() if period in _PARTS}
    for n, word in enumerate(question.words):
        if word.text in adverbs:
            return PeriodRequest(n, n + 1, _PARTS[adverbs[word.text]])
    return None


def find_distributive(anchors: Sequence[Anchor]) -> tuple[int, int] | None:
    """The words [first, last) that ask for something of each of some things, the first and longest such."""
    spans = [(anchor.first, anchor.last) for anchor in anchors if anchor.category == "E"]
    return min(spans, key=lambda span: (span[0], -span[1]), default=None)


def split_columns(question: QuestionWords, anchors: Sequence[Anchor]) -> list[list[int]]:
    """The positions of the words that ask for each column of a table; nothing where a question asks for one.

    "The lowest and the highest price per category" asks for the lowest price per category, and for the highest.
    """
    each = find_distributive(anchors)
    if each is None or any(anchor.category == "L" for anchor in anchors):
        return []  # a difference is of two, and no column of either
    count = len(question.words)
    region = range(each[0])
    if all(question.words[n].text in STOP for n in region):
        region = range(_find_columns_behind(question, anchors, each[1]), count)
    items = _split_items(question, region)
    if not 1 < len(items) <= _MOST_ITEMS:
        return []
    rest = [n for n in range(count) if n not in region]
    operators = {(anchor.first, anchor.last) for anchor in anchors if anchor.category in "UA"}
    shared = _expand_items(question, items, operators)
    return [sorted([*item, *rest]) for item in shared]


def _find_columns_behind(question: QuestionWords, anchors: Sequence[Anchor], behind: int) -> int:
    """Where the columns begin behind "for each category": behind a comma, with an article or an operator."""
    operators = {anchor.first for anchor in anchors if anchor.category in "UAQ"}
    for n in range(behind + 1, len(question.words)):
        between = question.text[question.words[n - 1].end : question.words[n].start]
        if "," in between or n in operators or question.words[n].text in _DETERMINERS:
            return n
    return len(question.words)


def _split_items(question: QuestionWords, region: range) -> list[list[int]]:
    """The words of a region between its commas and the words that join."""
    items: list[list[int]] = [[]]
    for n in region:
        word = question.words[n]
        if n and n - 1 in region and "," in question.text[question.words[n - 1].end : word.start]:
            items.append([])
        if word.text == "and":
            items.append([])
        else:
            items[-1].append(n)
    return [item for item in items if any(question.words[n].text not in _DETERMINERS | NAMES for n in item)]


def _expand_items(question: QuestionWords, items: list[list[int]], operators: set[tuple[int, int]]) -> list[list[int]]:
    """The items, each with the words before and behind operators that are joined: lowest, highest and average price."""

    def get_operator(item: list[int], *, ends: bool) -> list[int] | None:
        kept = [n for n in item if question.words[n].text not in _DETERMINERS]
        spans = [span for span in operators if kept and (span[1] - 1 == kept[-1] if ends else span[0] == kept[0])]
        best = max(spans, key=lambda span: span[1] - span[0], default=None)
        return None if best is None else list(range(*best))

    first, last = get_operator(items[0], ends=True), get_operator(items[-1], ends=False)
    middle = [get_operator(item, ends=False) for item in items[1:-1]]
    bare = all(
        operator is not None and operator[-1] == item[-1] for operator, item in zip(middle, items[1:-1], strict=True)
    )
    if first is None or last is None or not bare:
        return items
    before = [n for n in items[0] if n < first[0]]
    behind = [n for n in items[-1] if n > last[-1]]
    if not behind and not before:
        return items
    return [[*before, *(operator or ()), *behind] for operator in (first, *middle, last)]


def find_their_columns(question: QuestionWords) -> tuple[int, list[list[int]]] | None:
    """Where "and their average price" begins, and the words of each column that it asks for; None without any."""
    tail = _THEIRS.search(question.text)
    if tail is None:
        return None
    end = sum(word.start < tail.start() + 1 for word in question.words)
    first = next((n for n, word in enumerate(question.words) if word.start >= tail.end()), len(question.words))
    items = _split_items(question, range(first, len(question.words)))
    return (end, items) if items and len(items) <= _MOST_ITEMS else None
