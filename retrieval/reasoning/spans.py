"""What a question asks for, and the spans of a sentence that are of that kind: dates, numbers and names, as English
writes them. No model, and no word lists of a domain."""

from __future__ import annotations

import re
from enum import StrEnum

from retrieval.language.question import Question
from retrieval.lexicon import get_words

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_DATE = re.compile(
    rf"\b(?:{_MONTHS}) \d{{1,2}},? \d{{4}}\b|\b\d{{1,2}} (?:{_MONTHS})(?:,? \d{{4}})?\b"
    rf"|\b(?:{_MONTHS}) (?:\d{{4}}|\d{{1,2}})\b|{_YEAR.pattern}"
)
_NUMBER = re.compile(
    r"(?<![\w.])[$€£]?\d+(?:[.,]\d+)*(?:\s?%| (?:percent|hundred|thousand|million|billion|trillion))*(?![\w])"
)
_NAME_WORD = r"(?:[A-ZÀ-ÖØ-Þ][\w’'.-]*[\w]|[A-Z]\.)"
_NAME = re.compile(rf"{_NAME_WORD}(?: (?:(?:of|the|de|von|van|der|la|&) ){{0,2}}{_NAME_WORD})*")
_POSSESSIVE = re.compile(r"['’]s$")
#: Words that begin a sentence and no name.
_BEGINS = frozenset(map(str.capitalize, get_words("sentence_openings")))

_HOW_MANY = r"how (?:many|much|old|long|far|tall|high|large|big|deep)"
_ASKS = rf"{_HOW_MANY}|when|who|whom|whose|where|which|what"
_BEFORE = "and|at|but|by|during|for|from|in|of|on|to|under|with"
_UNASKED = re.compile(
    rf"^\W*(?:why|is|are|was|were|do|does|did|can|has|have)\b|^\W*how (?!{_HOW_MANY[4:]})", re.IGNORECASE
)
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
        return SpanKind.NUMBER if _OF_AMOUNT.match(rest) else SpanKind.NAME
    if word.startswith("how"):
        return SpanKind.NUMBER
    return {"when": SpanKind.DATE, "where": SpanKind.PLACE}.get(word, SpanKind.PERSON)


def find_noun(question: Question) -> str | None:
    """What kind of thing is asked for, where the question says it: "county" of "Which county ..."."""
    match = _NOUN.search(question.text)
    return match[1].lower().split()[-1] if match else None


def find_spans(kind: SpanKind, sentence: str) -> list[tuple[int, str]]:
    """The spans of that kind, each with where it begins."""
    if kind is SpanKind.YEAR:
        return [(match.start(), match[0]) for match in _YEAR.finditer(sentence)]
    if kind is SpanKind.DATE:
        return [(match.start(), match[0]) for match in _DATE.finditer(sentence)]
    if kind is SpanKind.NUMBER:
        undated = _DATE.sub(lambda match: " " * len(match[0]), sentence)
        return [(match.start(), match[0]) for match in _NUMBER.finditer(undated)]
    return [name for match in _NAME.finditer(sentence) if (name := _clean_name(match.start(), match[0]))[1]]


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
