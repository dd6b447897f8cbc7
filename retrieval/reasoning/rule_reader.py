"""Short answers read from passages by rules: spans of the kind that the question asks for.

A span is worth what its passage and its sentence say to the question, and whether it is such a thing as was asked
for. What the question names itself is no answer. The weights were chosen on half of 100 MuSiQue questions
(docs/text.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.language.question import Question
from retrieval.language.tokens import tokenize_text
from retrieval.linking.stems import extract_stems
from retrieval.reasoning.likeliest import AnswerSpan, ReadPassage
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.spans import (
    COUNTED,
    SpanKind,
    detect_kind,
    find_noun,
    find_spans,
    is_person_name,
    is_place_context,
)

Weigher = Callable[[Sequence[str]], Mapping[str, float]]
"""How much each of some words tells, as shares."""

_WORD = re.compile(r"\w+")
_NEAR = 40.0
"""Characters over which closeness to the question's words fades by a factor of e."""


@dataclass(frozen=True, slots=True)
class Worth:
    """How much each thing counts.

    Attributes:
        passage: its score, as a share of the best passage's.
        sentence: its cosine with the question.
        words: of the question in the sentence or its title, by how rare they are.
        near: the same words close to a number or a date.
        noun: the name ends in what is asked for ("county").
        fact: a fact of the passage begins or ends in it.
        person: it is written as a person's name is, where one is asked for.
        place: "in" and its like stand before it, where a place is asked for.
        end: a chain of facts that was found ends in it.
    """

    passage: float = 0.3
    sentence: float = 0.5
    words: float = 2.5
    near: float = 1.0
    noun: float = 0.6
    fact: float = 0.15
    person: float = 0.3
    place: float = 0.2
    end: float = 0.3


WORTH = Worth()


@dataclass(frozen=True, slots=True)
class RuleReader:
    """What is asked: kind, noun, all words, and how much those with a meaning tell."""

    kind: SpanKind
    noun: str | None
    asked: frozenset[str]
    weights: Mapping[str, float]
    ends: frozenset[str]

    def rank_spans(self, read: Sequence[ReadPassage]) -> list[AnswerSpan]:
        """The spans of the kind that is asked for, each once, the best first."""
        most = max((each.found.score for each in read), default=0.0)
        best: dict[str, AnswerSpan] = {}
        for each in read:
            share = WORTH.passage * each.found.score / most if most > 0 else 0.0
            for sentence in each.sentences:
                for span in self.score_sentence_spans(sentence, each, share):
                    if span.label not in best or span.worth > best[span.label].worth:
                        best[span.label] = span
        return sorted(best.values(), key=lambda span: -span.worth)

    def score_sentence_spans(self, sentence: Sentence, passage: ReadPassage, share: float) -> list[AnswerSpan]:
        """The spans of one sentence; ``share`` is what its passage is worth."""
        stems = set(extract_stems(sentence.text)) | set(extract_stems(passage.found.passage.title))
        held = sum(weight for word, weight in self.weights.items() if word in stems)
        base = share + WORTH.sentence * sentence.score + WORTH.words * held
        return [
            AnswerSpan(label, sentence, base + self._fit(label, start, sentence.text, passage.entities))
            for start, label in find_spans(self.kind, sentence.text, self.asked)
            if not self.is_in_question(label)
        ]

    def is_in_question(self, label: str) -> bool:
        """Whether the question says it itself: of a name, most of its words."""
        if self.kind in COUNTED:
            return self.asked.issuperset(tokenize_text(label))
        stems = extract_stems(label)
        return 2 * sum(word in self.weights for word in stems) > len(stems) or not stems

    def _fit(self, label: str, start: int, text: str, entities: frozenset[str]) -> float:
        """What speaks for a span itself."""
        if self.kind in COUNTED:
            worth = WORTH.near * self._compute_proximity(start, text)
        elif self.kind is SpanKind.PERSON:
            worth = WORTH.person * is_person_name(label)
        elif self.kind is SpanKind.PLACE:
            worth = WORTH.place * is_place_context(text[max(0, start - 9) : start])
        else:
            last, noun = label.casefold().split()[-1], self.noun or ""
            alike = last == noun or (noun.endswith("s") and last.rstrip("s") == noun.rstrip("s"))
            worth = WORTH.noun * alike
        return worth + WORTH.fact * (label.casefold() in entities) + WORTH.end * (label in self.ends)

    def _compute_proximity(self, start: int, text: str) -> float:
        """The question's words in the sentence, by how rare they are and how close they stand."""
        total = 0.0
        for match in _WORD.finditer(text):
            for word in extract_stems(match[0]):
                total += self.weights.get(word, 0.0) * math.exp(-abs(match.start() - start) / _NEAR)
        return total


def make_rule_reader(question: Question, weigh: Weigher, ends: frozenset[str]) -> RuleReader | None:
    """Make what rules look for; None where it is not clear what is asked for."""
    kind = detect_kind(question)
    if kind is None:
        return None
    stems = extract_stems(question.text)
    return RuleReader(kind, find_noun(question), frozenset(tokenize_text(question.text)), weigh(stems), ends)
