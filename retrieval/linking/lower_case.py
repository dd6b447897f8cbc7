"""Linking without capitals: what a lower-case question is about when no name of several telling words stands in it.

Every reading gets a weighted sum of the signs that speak for it; their softmax says how sure the best one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retrieval.language.mention_words import MentionWord
from retrieval.language.question import Question
from retrieval.linking.candidates import SpanCandidate, find_coordinated
from retrieval.linking.mentions import Guard, MentionSpan
from retrieval.linking.names import ALTERNATIVES, FUZZY_WORD, NameLinker, Source
from retrieval.linking.readings import SIGNS, Interpretation, Readings
from retrieval.types import LinkedEntity

#: A name found, but only as a common-looking lower-case word: no surer than this.
_WEAK_SCORE = 0.6
#: A topic less likely than this is not named: none of the five such was right on the questions of the weights.
_LEAST_CHANCE = 0.4
_WEIGHTS = np.array(list(SIGNS.values()))


class LowerCase:
    """Finds the topic of questions that have neither capitals nor a name of several telling words. Thread-safe.

    Args:
        names: looks names up.
    """

    def __init__(self, names: NameLinker, guard: Guard) -> None:
        self._names = names
        self._guard = guard
        self._readings = Readings(names.snapshot, guard)

    def link_topics(
        self, question: Question, words: Sequence[MentionWord], candidates: list[SpanCandidate]
    ) -> list[LinkedEntity]:
        """The most likely reading, with what ``and`` and the like join to it; else a misspelt name.

        Args:
            candidates: its stretches that are names.
        """
        readings = self._readings.find_readings(words)
        if not readings:
            return self._link_misspelt(question, words)
        chances = self._compute_chances(words, readings)
        best = readings[int(np.argmax(chances))]
        topic = self._make_link(question, words, readings, chances, best)
        if topic.score < _LEAST_CHANCE:
            return []
        span = MentionSpan(topic.start, topic.end, topic.mention)
        others = find_coordinated(question, [SpanCandidate(span, [best.match], 0.0, strong=False)], candidates)
        linked = [self._names.select_entity(other.span, other.matches, question) for other in others]
        return [topic, *(replace(link, score=min(link.score, _WEAK_SCORE)) for link in linked)]

    def _compute_chances(self, words: Sequence[MentionWord], readings: list[Interpretation]) -> np.ndarray:
        """How likely each reading is, summing to 1, float [readings]."""
        sums = self._readings.compute_signs(words, readings) @ _WEIGHTS
        odds = np.exp(sums - sums.max())
        chances: np.ndarray = odds / odds.sum()
        return chances

    @staticmethod
    def _make_link(
        question: Question,
        words: Sequence[MentionWord],
        readings: list[Interpretation],
        chances: np.ndarray,
        best: Interpretation,
    ) -> LinkedEntity:
        """The best reading, with the other entities of overlapping words as alternatives."""
        rivals = {
            readings[i].match.entity: readings[i].match.node
            for i in np.argsort(-chances, kind="stable").tolist()
            if readings[i].first <= best.last and best.first <= readings[i].last
        }
        rivals.pop(best.match.entity)
        same = [i for i, reading in enumerate(readings) if reading.match.entity == best.match.entity]
        start, end = words[best.first].start, words[best.last].end
        score = round(float(chances[same].sum()), 4)
        source: Source = "fuzzy" if best.how != "whole" else "alias" if best.match.source == "alias" else "exact"
        others = tuple(rivals.values())[:ALTERNATIVES]
        return LinkedEntity(best.match.node, question.text[start:end], start, end, score, source, others)

    def _link_misspelt(self, question: Question, words: Sequence[MentionWord]) -> list[LinkedEntity]:
        stretches = find_odd_spans(question, words, self._guard)
        links = [link for span in stretches if (link := self._names.link_misspelt(span, FUZZY_WORD)) is not None]
        return [max(links, key=lambda e: (e.score * (e.end - e.start), -e.start))] if links else []


def find_odd_spans(question: Question, words: Sequence[MentionWord], guard: Guard) -> list[MentionSpan]:
    """Stretches of up to four words that hold a telling word, few enough to try them all."""
    spans = []
    for i, first in enumerate(words):
        for j in range(i, min(i + 4, len(words))):
            inner = words[i : j + 1]
            if guard.is_common(first.text) or guard.is_common(inner[-1].text):
                continue
            text = question.text[first.start : inner[-1].end]
            if len(text) >= 4:
                spans.append(MentionSpan(first.start, inner[-1].end, text))
    return sorted(spans, key=lambda span: len(span.text), reverse=True)[:24]
