"""Linking without capitals: what a lower-case question is about when no name of several telling words stands in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrieval.kg.labels import Match, normalise
from retrieval.kg.walks import all_arcs
from retrieval.text.candidates import Candidate, best_apart, coordinated
from retrieval.text.mentions import STOP_WORDS, Guard, Span, Word, context_stem
from retrieval.text.names import FUZZY_WORD, PART_SCORE, Names, linked_to
from retrieval.text.well_known import WellKnown
from retrieval.types import LinkedEntity

#: A name found, but only as a common-looking lower-case word.
_WEAK_SCORE = 0.6
_VOWELS = frozenset("aeiouy")
#: How a people is called after its country: "malaysian", "egyptian", "vietnamese", "peruvian".
_PEOPLES = (("n", ""), ("ian", ""), ("ese", ""), ("ese", "a"), ("ian", "y"), ("vian", ""))
#: A country has at least so many facts; an entity of fewer is some other thing of that name.
_PLACE_FACTS = 5


class LowerCase:
    """Finds the topic of questions that have neither capitals nor a name of several telling words. Thread-safe.

    Args:
        names: looks names up.
        guard: tells words that ask.
    """

    def __init__(self, names: Names, guard: Guard) -> None:
        self._names = names
        self._labels = names.snapshot.labels
        self._snapshot = names.snapshot
        self._guard = guard
        self._well_known = WellKnown(names.snapshot)

    def topics(self, question: str, words: list[Word], candidates: list[Candidate]) -> list[LinkedEntity]:
        """No name stands out: the best lower-case candidate, else a misspelt word."""
        best = self._before_its_place(question, best_apart(candidates))[:1]
        longer = self._longer(question, words, best[0]) if best else None
        known = longer or self._known_better(question, words, best)
        if known is not None:
            return [known]
        if best:
            best += coordinated(question, best, candidates)
            linked = [self._names.decide(c.span, c.matches, question) for c in best]
            return [replace(link, score=min(link.score, _WEAK_SCORE)) for link in linked]
        people = [link for word in words if (link := self._people(question, word)) is not None]
        if people:
            return people[:1]
        stretches = odd_stretches(question, words, self._guard)
        parts = [link for span in stretches if (link := self._names.part(span)) is not None]
        if parts:
            return [max(parts, key=lambda e: (self._snapshot.degree(e.entity.id), -e.start))]
        found = [link for span in stretches if (link := self._names.misspelt(span, FUZZY_WORD)) is not None]
        return [max(found, key=lambda e: (e.score * (e.end - e.start), -e.start))] if found else []

    def _known_better(self, question: str, words: list[Word], best: list[Candidate]) -> LinkedEntity | None:
        """A far better known entity by its initials or by how its name begins: "the uk", "united states"."""
        facts = max((match.degree for match in best[0].matches), default=0) if best else 0
        found: list[tuple[Span, list[Match]]] = []
        asked = frozenset(stem for word in words if (stem := context_stem(word.text)))
        for i, first in enumerate(words):
            if first.text not in STOP_WORDS:
                found.append(
                    (_span(question, first, first), self._well_known.completed_by(first.text, asked))
                )
            # "us" is a word of its own; "jfk" is none.
            if (i and words[i - 1].text == "the") or (len(first.text) >= 3 and not _VOWELS & set(first.text)):
                found.append((_span(question, first, first), self._well_known.by_initials(first.text)))
            for last in words[i + 1 : i + 3]:
                span = _span(question, first, last)
                within = bool(best) and span.overlaps(best[0].span)
                if not within and first.text not in STOP_WORDS and len(last.text) >= 4:
                    found.append((span, self._well_known.completing(normalise(span.text), facts)))
        if best:
            found.append((best[0].span, self._well_known.completing(normalise(best[0].span.text), facts)))
        usable = [(span, matches) for span, matches in found if matches and matches[0].degree > facts]
        if not usable:
            return None
        span, matches = max(usable, key=lambda item: (item[1][0].degree, -item[0].start))
        return linked_to(span, matches, PART_SCORE, "fuzzy")

    def _before_its_place(self, question: str, best: list[Candidate]) -> list[Candidate]:
        """Of "greeley colorado" Greeley is meant: the second says which one, if a fact joins the two."""
        for first in best[1:]:
            between = question[first.span.end : best[0].span.start]
            if first.span.end <= best[0].span.start and between in (" ", ", "):
                entities = [
                    self._names.decide(c.span, c.matches, question).entity.id for c in (first, best[0])
                ]
                small, other = sorted(entities, key=self._snapshot.degree)
                if other in all_arcs(self._snapshot, np.array([small]))[2]:
                    return [first, *(c for c in best if c is not first)]
        return best

    def _longer(self, question: str, words: list[Word], candidate: Candidate) -> LinkedEntity | None:
        """Part of a better known name that holds a word that is one by itself: "henry viii", and no Henry."""
        found, known = candidate.span, max(match.degree for match in candidate.matches)
        if " " in found.text:
            return None
        for span in odd_stretches(question, words, self._guard):
            if span.overlaps(found) and span.text != found.text and " " in span.text:
                matches = self._labels.containing(normalise(span.text), 2)
                if (
                    matches
                    and matches[0].degree > known
                    and (len(matches) == 1 or matches[0].degree >= 3 * matches[1].degree)
                ):
                    return linked_to(span, matches, PART_SCORE, "fuzzy")
        return None

    def _people(self, question: str, word: Word) -> LinkedEntity | None:
        """The country of a people or of its language ("egyptian"), where that word itself names nothing."""
        plain = word.text.removesuffix("s")
        for ending, instead in _PEOPLES:
            if plain.endswith(ending) and len(plain) - len(ending) >= 3:
                matches = self._labels.lookup(plain.removesuffix(ending) + instead)
                matches = [match for match in matches if match.degree >= _PLACE_FACTS]
                if matches:
                    span = Span(word.start, word.end, question[word.start : word.end])
                    return linked_to(span, matches, PART_SCORE, "fuzzy")
        return None


def odd_stretches(question: str, words: list[Word], guard: Guard) -> list[Span]:
    """Stretches of up to four words that hold a telling word, few enough to try them all."""
    spans = []
    for i, first in enumerate(words):
        for j in range(i, min(i + 4, len(words))):
            inner = words[i : j + 1]
            if guard.is_common(first.text) or guard.is_common(inner[-1].text):
                continue
            text = question[first.start : inner[-1].end]
            if len(text) >= 4:
                spans.append(Span(first.start, inner[-1].end, text))
    return sorted(spans, key=lambda span: len(span.text), reverse=True)[:24]


def _span(question: str, first: Word, last: Word) -> Span:
    return Span(first.start, last.end, question[first.start : last.end])
