"""Candidates: the stretches of a question that are exactly the name of something, and how much each looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.kg.snapshot.labels import LabelIndex, Match
from retrieval.language.mention_words import MentionWord, has_case
from retrieval.language.question import Question
from retrieval.lexicon import get_words
from retrieval.linking.mentions import STOP_WORDS, Guard, MentionSpan, has_whole_words, is_written
from retrieval.linking.unspaced_scripts import find_unspaced_names
from retrieval.linking.variants import TITLES, generate_variants, match_initial

#: Longest name looked for, in words.
NAME_WORDS = 20
_ARTICLES = get_words("words_before_names")
#: Longest name that is looked up as it may be written otherwise, and how sure it is then, and by an initial.
_OTHERWISE_WORDS = 8
_OTHERWISE, _BY_INITIAL = 0.9, 0.75
#: What stands between names and in none.
_APART = re.compile(r"[;:?!()\"]|,(?! )|, .*, ")
_JOINS = re.compile(r"\b(and|or|than|vs|versus)\b|,")


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """A stretch of the question that names entities.

    Attributes:
        span: where.
        weight: ranks stretches.
        strong: it is a name for sure, whatever it means.
        sure: how sure the matches are at most: less where the name is written otherwise.
    """

    span: MentionSpan
    matches: list[Match]
    weight: float
    strong: bool
    sure: float = 1.0


def find_candidates(
    question: Question, words: Sequence[MentionWord], cased: bool, labels: LabelIndex, guard: Guard
) -> Iterator[SpanCandidate]:
    """Every stretch of whole words that is the name of something, function words alone left out."""
    for span, matches in find_unspaced_names(question, labels):
        yield SpanCandidate(span, matches, 3.0 * len(span.text), strong=True)
    for i, first in enumerate(words):
        name = ""
        if _is_title(question, words, i):
            continue
        yield from _find_variants(question, words, i, labels, guard)
        for j in range(i, min(i + NAME_WORDS, len(words))):
            name = f"{name} {words[j].text}" if name else first.text
            start, end = first.start, words[j].end
            initial = j == i and _is_initial(question, words, i)
            if not initial and has_whole_words(question, start, end) and (matches := labels.find_exact(name)):
                span = MentionSpan(start, end, question.text[start:end])
                if candidate := _score_span(span, words[i : j + 1], matches, guard, cased=cased, at_start=i == 0):
                    yield candidate
            if first.text == "st" and (matches := labels.find_exact(f"saint{name[2:]}")):
                span = MentionSpan(start, end, question.text[start:end])
                yield SpanCandidate(span, matches, 1.6 * len(span.text), strong=j > i)
            if not labels.has_continuation(name) and first.text != "st":
                break


def _is_title(question: Question, words: Sequence[MentionWord], i: int) -> bool:
    """Whether a word is "Mr." before a name, and so names nothing itself."""
    titled = words[i].text in TITLES and words[i].capital and i + 1 < len(words) and words[i + 1].capital
    return titled and question.text[words[i].end : words[i + 1].start] in (" ", ". ")


def _is_initial(question: Question, words: Sequence[MentionWord], i: int) -> bool:
    """Whether a letter stands for a given name: "J." of "J. Maguire" names nothing itself."""
    following = words[i + 1 : i + 2]
    return len(words[i].text) == 1 and any(
        word.capital and question.text[words[i].end : word.start] in (". ", ".") for word in following
    )


def _find_variants(
    question: Question, words: Sequence[MentionWord], i: int, labels: LabelIndex, guard: Guard
) -> Iterator[SpanCandidate]:
    """Names that begin with word ``i`` and that the graph writes otherwise; shorter ones inside them give way."""
    cased = has_case(words)
    if words[i].text in STOP_WORDS and words[i].text != "the" and not words[i].capital:
        return
    for j in range(i, min(i + _OTHERWISE_WORDS, len(words))):
        inside = words[i : j + 1]
        telling = [word for word in inside if not guard.is_common(word.text)]
        start, end = words[i].start, words[j].end
        marked = any(word.capital for word in inside[1 if i == 0 else 0 :]) if cased else len(telling) > 1
        apart = _APART.search(question.text[start:end]) is not None
        if not telling or not marked or not has_whole_words(question, start, end) or apart:
            continue
        if words[j].text in STOP_WORDS and not words[j].capital:
            continue
        if labels.find_exact(" ".join(word.text for word in inside)) or (i == j and labels.count_names(words[i].text)):
            continue  # "Cowboys" are rather those of Dallas than a cowboy
        span = MentionSpan(start, end, question.text[start:end])
        matches = next(
            (
                lookup_matches
                for name in generate_variants(question, inside)
                if (lookup_matches := labels.find_exact(name))
            ),
            [],
        )
        sure = _OTHERWISE
        if not matches and cased:
            matches, sure = match_initial(inside, labels), _BY_INITIAL
        if matches and (cased or len(matches[0].name.split(" ")) > 1):
            weight = 0.9 * (sum(len(word.text) for word in telling) + 0.8 * len(span.text))
            yield SpanCandidate(span, matches, weight * (1.5 if cased else 1.0), strong=True, sure=sure)


def _score_span(
    span: MentionSpan, words: Sequence[MentionWord], matches: list[Match], guard: Guard, *, cased: bool, at_start: bool
) -> SpanCandidate | None:
    telling = [word for word in words if not guard.is_common(word.text)]
    # The capital of a sentence's first word says nothing.
    capitals = sum(word.capital for word in words[1 if at_start else 0 :])
    has_capitals = span.text != span.text.lower()
    # How an alias is written is not known; capitals in the question speak for it.
    as_written = any(
        is_written(match.node.label, span.text) or (match.source == "alias" and has_capitals) for match in matches
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


def find_coordinated(
    question: Question, chosen: list[SpanCandidate], candidates: Iterable[SpanCandidate]
) -> list[SpanCandidate]:
    """Further lower-case candidates that ``and``, ``or`` and the like join to one that was chosen."""
    more: list[SpanCandidate] = []
    for other in select_disjoint(candidates):
        if any(other.span.is_overlapping(c.span) for c in chosen):
            continue
        for c in chosen:
            first, second = sorted((c.span, other.span), key=lambda span: span.start)
            if _JOINS.search(question.text[first.end : second.start]):
                more.append(other)
                break
    return more


def select_disjoint(candidates: Iterable[SpanCandidate]) -> list[SpanCandidate]:
    """Heaviest first, none overlapping one already taken."""
    chosen: list[SpanCandidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.weight, c.span.start)):
        if not any(candidate.span.is_overlapping(other.span) for other in chosen):
            chosen.append(candidate)
    return chosen
