"""The short answer within a sentence, where its kind is certain from the question. No model and no word lists of a
domain: dates, numbers and names, as English writes them. Where it is not certain there is none."""

from __future__ import annotations

import re

from retrieval.text.lexical import words

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_YEAR = r"\b(?:1[0-9]|20)\d\d\b"
_DATE = re.compile(
    rf"\b\d{{1,2}} (?:{_MONTHS})(?:,? \d{{4}})?\b|\b(?:{_MONTHS}) (?:\d{{1,2}}, )?\d{{4}}\b|{_YEAR}"
)
_ONLY_YEAR = re.compile(_YEAR)
_NUMBER = re.compile(
    r"(?<![\w.])[$€£]?\d+(?:[.,]\d+)*(?:\s?%| (?:percent|hundred|thousand|million|billion|trillion))*(?![\w])"
)
_NAME_WORD = r"(?:[A-ZÀ-ÖØ-Þ][\w’'.-]*[\w]|[A-Z]\.)"
_NAME = re.compile(rf"{_NAME_WORD}(?: (?:(?:of|the|de|von|van|der|la|and|&) ){{0,2}}{_NAME_WORD})*")
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which)\b[\w ]{0,20}\b(?:year|date|day)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|high|large|big|deep)\b|\b(?:number|population) of\b", re.IGNORECASE
)
_NAMED = re.compile(
    r"^\W*(?:(?:in|to|of|by|from|for|at|on|with) )?(?:who|whom|whose|where|which|what)\b", re.IGNORECASE
)


def short_answer(question: str, sentence: str) -> str | None:
    """The one span of the sentence of the kind that the question asks for and does not name itself.

    A question that asks when gets the date, how many the number, who, where or which the name. None where the
    kind is not clear, or where the sentence has several such spans or none.
    """
    asked = set(words(question))
    if _WHEN.search(question):
        dates = _ONLY_YEAR if re.search(r"\byear\b", question, re.IGNORECASE) else _DATE
        return _only(dates.findall(sentence), asked)
    if _AMOUNT.search(question):
        return _only(_NUMBER.findall(_DATE.sub(" ", sentence)), asked)
    if _NAMED.search(question):
        return _only(_names(sentence), asked)
    return None


def _names(sentence: str) -> list[str]:
    """Capitalised phrases; the first word of the sentence only as part of a longer one."""
    found = []
    for match in _NAME.finditer(sentence):
        name = match[0]
        if match.start() == 0 and " " not in name:
            continue
        found.append(name.removeprefix("The "))
    return found


def _only(spans: list[str], asked: set[str]) -> str | None:
    """The span that says something new, if there is exactly one."""
    new = {span.strip(): None for span in spans if not asked.issuperset(words(span)) and words(span)}
    fresh = [span for span in new if not asked.intersection(words(span))]
    if len(fresh) == 1:
        return fresh[0]
    return next(iter(new)) if len(new) == 1 else None
