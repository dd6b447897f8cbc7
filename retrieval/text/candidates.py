"""Candidates: the stretches of a question that are exactly the name of something, and how much each looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from retrieval.kg.snapshot.labels import LabelIndex, Match
from retrieval.text.mentions import STOP_WORDS, Guard, Span, Word, is_written, whole_words

#: Longest name looked for, in words.
NAME_WORDS = 20
_ARTICLES = frozenset(
    {"the", "a", "an", "what", "who", "which", "how", "when", "where", "is", "are", "in", "of"}
)
_JOINS = re.compile(r"\b(and|or|than|vs|versus)\b|,")


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """A stretch of the question that names entities. ``weight`` ranks stretches; ``strong`` ones are names."""

    span: Span
    matches: list[Match]
    weight: float
    strong: bool


def candidates_in(
    question: str, words: list[Word], cased: bool, labels: LabelIndex, guard: Guard
) -> Iterator[SpanCandidate]:
    """Every stretch of whole words that is the name of something, function words alone left out."""
    for i, first in enumerate(words):
        name = ""
        for j in range(i, min(i + NAME_WORDS, len(words))):
            name = f"{name} {words[j].text}" if name else first.text
            start, end = first.start, words[j].end
            if whole_words(question, start, end) and (matches := labels.lookup(name)):
                span = Span(start, end, question[start:end])
                if candidate := _weigh(span, words[i : j + 1], matches, guard, cased=cased, at_start=i == 0):
                    yield candidate
            if first.text == "st" and (matches := labels.lookup(f"saint{name[2:]}")):
                span = Span(start, end, question[start:end])
                yield SpanCandidate(span, matches, 1.6 * len(span.text), strong=j > i)
            if not labels.begins(name) and first.text != "st":
                break


def _weigh(
    span: Span, words: list[Word], matches: list[Match], guard: Guard, *, cased: bool, at_start: bool
) -> SpanCandidate | None:
    telling = [word for word in words if not guard.is_common(word.text)]
    # The capital of a sentence's first word says nothing.
    capitals = sum(word.capital for word in words[1 if at_start else 0 :])
    has_capitals = span.text != span.text.lower()
    # How an alias is written is not known; capitals in the question speak for it.
    as_written = any(
        is_written(match.node.label, span.text) or (match.source == "alias" and has_capitals)
        for match in matches
    )
    joined = "_" in span.text
    if not telling:
        # "The Director" or "One on One" in the middle of a cased question is a title.
        titled = cased and not at_start and words[0].capital and words[-1].capital
        if as_written and (titled or joined):
            return SpanCandidate(span, matches, 0.5 * len(span.text), strong=True)
        # "please give" may be a film when nothing else can be meant.
        if cased or len(words) < 2 or words[0].text in _ARTICLES:
            return None
        return SpanCandidate(span, matches, 0.1 * len(span.text), strong=False)
    weight = sum(len(word.text) for word in telling) + 0.3 * len(span.text)
    if sum(word.text not in STOP_WORDS for word in words) >= 2:
        # "newton" measures force, and still "isaac newton" is a name.
        weight += 0.5 * len(span.text)
    if as_written and (has_capitals or joined):
        weight *= 1.5
    elif cased and not as_written:
        weight *= 0.6
    several = len(telling) >= 2 or (len(words) >= 3 and len(telling) >= 1 and as_written)
    strong = joined or several or (cased and capitals > 0) or (cased and as_written and has_capitals)
    if cased and not capitals and not as_written and not joined:
        # Written small where the name is written large, in a question that has capitals.
        strong = len(telling) >= 2
    return SpanCandidate(span, matches, weight, strong)


def coordinated(
    question: str, chosen: list[SpanCandidate], candidates: Iterable[SpanCandidate]
) -> list[SpanCandidate]:
    """Further lower-case candidates that ``and``, ``or`` and the like join to one that was chosen."""
    more: list[SpanCandidate] = []
    for other in best_apart(candidates):
        if any(other.span.overlaps(c.span) for c in chosen):
            continue
        for c in chosen:
            first, second = sorted((c.span, other.span), key=lambda span: span.start)
            if _JOINS.search(question[first.end : second.start]):
                more.append(other)
                break
    return more


def best_apart(candidates: Iterable[SpanCandidate]) -> list[SpanCandidate]:
    """Heaviest first, none overlapping one already taken."""
    chosen: list[SpanCandidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.weight, c.span.start)):
        if not any(candidate.span.overlaps(other.span) for other in chosen):
            chosen.append(candidate)
    return chosen
