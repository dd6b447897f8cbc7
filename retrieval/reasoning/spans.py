"""What a question asks for, and the spans of a sentence that are of that kind: dates, numbers and names, as English
writes them. No model, and no word lists of a domain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from retrieval.kg.values import find_unit
from retrieval.language.question import Question
from retrieval.lexicon import get_words

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_DATE = re.compile(
    rf"\b(?:{_MONTHS}) \d{{1,2}},? \d{{4}}\b|\b\d{{1,2}} (?:{_MONTHS})(?:,? \d{{3,4}})?\b"
    rf"|\b(?:{_MONTHS}) (?:\d{{3,4}}|\d{{1,2}})\b|{_YEAR.pattern}"
)
_FIGURE = r"[$€£]?\d+(?:[.,]\d+)*(?:\s?%| (?:percent|hundred|thousand|million|billion|trillion))*"
_NUMBER = re.compile(rf"(?<![\w.]){_FIGURE}(?:(?: to |\s?[-–]\s?){_FIGURE})?(?!\w)")
_UNIT = re.compile(r"\s?([^\W\d_][^\W\d]*[²³]?(?:/[^\W\d_]+[²³]?)?|°\s?[A-Z])")
"""A word or symbol behind a number that may be its unit."""
_CAPITAL = "".join(letter for letter in map(chr, range(0x530)) if letter.isupper())
_PARTICLE = "|".join(sorted(get_words("words_within_names"), key=lambda word: (-len(word), word)))
_NAME_WORD = rf"(?:[{_CAPITAL}]\.(?=[ {_CAPITAL}])|[{_CAPITAL}](?:[\w’'.–-]*\w)?)"
_NAME = re.compile(
    rf"(?<![\w°]){_NAME_WORD}(?:(?:[ ](?:(?:{_PARTICLE}) ){{0,2}}){_NAME_WORD}| \d{{1,3}}[A-Z]?(?![\w.,]*\d)(?!\w))*"
)
_QUOTED = re.compile(r"[“\"„«]([^“”\"„«»]{2,80})[”\"“»]")
_POSSESSIVE = re.compile(r"['’]s$")
#: Words that follow a number and are no unit.
_UNITLESS = get_words("passage_stop_words")
#: Words that begin a sentence and no name.
_BEGINS = frozenset(map(str.capitalize, get_words("sentence_openings")))

_AUXILIARY = "am|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|might|may|must|to|come"
_HOW_MANY = rf"how (?!(?:{_AUXILIARY})\b)[a-z]+"
_ASKS = rf"{_HOW_MANY}|when|who|whom|whose|where|which|what"
_BEFORE = "and|at|but|by|during|for|from|in|of|on|to|under|with"
_UNASKED = re.compile(rf"^\W*(?:why|{_AUXILIARY})\b|^\W*how (?:{_AUXILIARY})\b", re.IGNORECASE)
#: Where a question begins to ask: at the start of it or of a clause, before a word in the middle of one.
_QUESTION_WORDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:^|[,.;?] )\W*(?:(?:{_BEFORE}) )*({_ASKS})\b",
        rf"\b({_HOW_MANY})\b",
        rf"\b({_ASKS})\b",
    )
)
_OF_YEARS = re.compile(r"(?:(?:is|was) (?:the )?)?(?:\w+ )?year\b", re.IGNORECASE)
_OF_TIME = re.compile(r"(?:\w+ ){0,2}?(?:date|day)\b", re.IGNORECASE)
_OF_AMOUNT = re.compile(
    r"(?:\w+ ){0,4}?(?:percentage|amount|number|population|code|total|average|time|age)\b", re.IGNORECASE
)
_MEASURED = "|".join(sorted(get_words("measured_nouns")))
_OF_MEASURE = re.compile(rf"(?:(?:is|was|are|were) (?:the |its |their )?)?(?:\w+ )?(?:{_MEASURED})\b", re.IGNORECASE)
_NOUN = re.compile(
    r"\b(?:what|which) (?:(?:is|was|are|were) (?:the )?)?((?:[a-z-]+ ){0,2}?[a-z-]+)"
    r"(?= (?:is|was|are|were|did|does|do|of|in|that|has|have|shares?|flows?|can|where|by|from|comes|stars?|part|with"
    r"|the)\b|\?)",
    re.IGNORECASE,
)
_OF_PLACE = re.compile(r"\b(?:in|at|near|of|from|to|into|on) (?:the )?$")
_OTHERWISE = frozenset(map(str.capitalize, get_words("organisation_words")))


class SpanKind(StrEnum):
    """What a question asks for."""

    YEAR = "year"
    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    NAME = "name"


#: Kinds whose spans are digits: they may share words with the question.
COUNTED = frozenset({SpanKind.YEAR, SpanKind.DATE, SpanKind.NUMBER})


def detect_kind(question: Question) -> SpanKind | None:
    """What the question asks for; None where it is neither a name, a date nor a number, or not clear."""
    if _UNASKED.search(question.text):
        return None
    question_word = next((match for each in _QUESTION_WORDS if (match := each.search(question.text))), None)
    if question_word is None:
        return None
    word, rest = question_word[1].lower(), question.text[question_word.end() :].strip()
    if word in ("what", "which"):
        if _OF_YEARS.match(rest):
            return SpanKind.YEAR
        if _OF_TIME.match(rest):
            return SpanKind.DATE
        return SpanKind.NUMBER if _OF_AMOUNT.match(rest) or _OF_MEASURE.match(rest) else SpanKind.NAME
    if word.startswith("how"):
        return SpanKind.NUMBER
    return {"when": SpanKind.DATE, "where": SpanKind.PLACE}.get(word, SpanKind.PERSON)


def find_noun(question: Question) -> str | None:
    """What kind of thing is asked for, where the question says it: "county" of "Which county ..."."""
    match = _NOUN.search(question.text)
    return match[1].lower().split()[-1] if match else None


def find_spans(kind: SpanKind, sentence: str, question_words: frozenset[str] = frozenset()) -> list[tuple[int, str]]:
    """Find the spans of a kind, each with where it begins.

    Args:
        sentence: any text.
        question_words: a quantity does not repeat them as its unit.
    """
    if kind is SpanKind.YEAR:
        return [(match.start(), match[0]) for match in _YEAR.finditer(sentence)]
    if kind is SpanKind.DATE:
        return [(match.start(), match[0]) for match in _DATE.finditer(sentence)]
    if kind is SpanKind.NUMBER:
        return list(_find_quantities(sentence, question_words))
    names = [name for match in _NAME.finditer(sentence) if (name := _clean_name(match.start(), match[0]))[1]]
    return names if kind is not SpanKind.NAME else _merge_quoted(sentence, names)


def find_phrases(kind: SpanKind, question_words: frozenset[str], text: str) -> list[tuple[int, int]]:
    """Where the phrases stand that an answer of a kind must not be cut out of.

    A year may stand within a date, a day within a name: only phrases of the kind itself are given, and quantities
    where any name is asked for.
    """
    spans = find_spans(kind, text, question_words)
    if kind is SpanKind.NAME:
        spans = [*spans, *_find_quantities(text, question_words)]
    return sorted((start, start + len(label)) for start, label in spans)


def expand_to_phrases(phrases: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The span with the rest of the phrases that it begins or ends in."""
    for first, last in phrases:
        if first < end and start < last:
            start, end = min(start, first), max(end, last)
    return start, end


def _find_quantities(text: str, question_words: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Numbers that are no part of a date, with their ranges and units."""
    undated = _DATE.sub(lambda match: " " * len(match[0]), text)
    for match in _NUMBER.finditer(undated):
        end = _find_unit_end(undated, match.end(), question_words)
        yield match.start(), text[match.start() : end]


def _find_unit_end(text: str, end: int, question_words: frozenset[str]) -> int:
    """Where the unit behind a number ends: a known one, or a plural, of up to three words; the number's end if none."""
    place = end
    for _ in range(3):
        match = _UNIT.match(text, place)
        if match is None or match[1].casefold() in _UNITLESS | question_words:
            break
        place = match.end()
        is_plural = match[1].islower() and len(match[1]) > 3 and match[1].endswith("s")
        if is_plural or find_unit(match[1]) or find_unit(text[end:place]):
            return place
    return end


def _merge_quoted(text: str, names: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Names and what stands in quotation marks, which no name is cut out of."""
    quoted = [(match.start(1), match[1].rstrip(".,")) for match in _QUOTED.finditer(text)]
    kept = [
        (start, name)
        for start, name in names
        if not any(begin <= start and start + len(name) <= begin + len(title) for begin, title in quoted)
    ]
    return sorted([*kept, *quoted])


def _clean_name(start: int, name: str) -> tuple[int, str]:
    """A capitalised phrase without words that only begin a sentence; empty where nothing is left but a month."""
    words = name.split(" ")
    while words and (words[0] in _BEGINS or not words[0][0].isupper()):
        start += len(words[0]) + 1
        words = words[1:]
    if not words or (len(words) == 1 and words[0] in _MONTHS.split("|")):
        return start, ""
    return start, _POSSESSIVE.sub("", " ".join(words).rstrip(".,"))


def is_person_name(name: str) -> bool:
    """Whether a name is written as people's are: two to four capitalised words, none of them an institution's."""
    words = name.split(" ")
    return 2 <= len(words) <= 4 and all(w[:1].isupper() for w in words) and not _OTHERWISE.intersection(words)


def is_place_context(before: str) -> bool:
    """Whether the words before a name say that it is where something is."""
    return _OF_PLACE.search(before) is not None
