"""What a span that may answer a question is worth: a sum of what speaks for it, with weights that were fitted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import astuple, dataclass, field

import numpy as np

from retrieval.reasoning.clauses import asking_clause
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.spans import COUNTED, Kind, kind_of, like_person, noun_of, of_place, spans
from retrieval.text.lexical import words
from retrieval.text.stems import words_in
from retrieval.types import RetrievedPassage

_WORD = re.compile(r"\w+")
_NEAR = 40.0
"""Characters over which closeness to the question's words fades by a factor of e."""
_COMMON = 4
"""A name that so many passages share joins none of them."""
_SHORT = 3
"""A name of so few letters joins nothing."""
Weigh = Callable[[Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Worth:
    """How much each thing counts. Fitted (``python -m tests.benchmarks reading_weights``; docs/text.md).

    *The clause* is the part of the question that asks (``asking_clause``).

    Attributes:
        sentence: its cosine with the question.
        words: of the question in the sentence or its title, by how rare they are.
        near: the same words close to a number or a date.
        noun: the name ends in what is asked for ("county").
        fact: a fact of the passage begins or ends in it.
        person: it is written as a person's name is, where one is asked for.
        place: "in" and its like stand before it, where a place is asked for.
        end: a chain of facts that was found ends in it.
        other: what words the sentence left open that a passage joined to its own holds, by how rare they are.
        joined: there is such a passage: one names the other, or both a thing that few passages name.
        clause: the sentence's cosine with the clause.
        clause_words: the clause's words in the sentence or its title, as a share.
        clause_near: the same words close to the span.
        title: a passage is called so: it is spoken of, and seldom asked for.
        elsewhere: it stands in others of the passages, too (1 for two or more).
        whole_date: it is a date of more than a year, where one is asked for.
    """

    sentence: float = 0.0
    words: float = 2.4
    near: float = 1.3
    noun: float = 0.7
    fact: float = 0.8
    person: float = 1.55
    place: float = 0.15
    end: float = 0.6
    other: float = 2.4
    joined: float = 0.0
    clause: float = 0.25
    clause_words: float = 0.75
    clause_near: float = 0.75
    title: float = -0.75
    elsewhere: float = 0.05
    whole_date: float = -0.4


WORTH = Worth()


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage that was found, its sentences, the names (case folded) of the entities that its facts join, and the
    cosine of each sentence with the clause that asks; without these, those with the question stand in."""

    found: RetrievedPassage
    sentences: Sequence[Sentence]
    entities: frozenset[str] = frozenset()
    clause: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class SpanReading:
    """A span that may be the answer, the sentence it was read in, what speaks for it, and its worth."""

    label: str
    sentence: Sentence
    features: Worth
    worth: float


def read_spans(
    question: str, read: Sequence[ReadPassage], weigh: Weigh, ends: AbstractSet[str], worth: Worth = WORTH
) -> Iterator[SpanReading]:
    """Every span of the kind that the question asks for, where it stands; none where the kind is not clear.

    What the question names itself is left out.
    """
    kind = kind_of(question)
    if kind is not None and read:
        reader = _Reader(question, kind, weigh, ends, _Passages(read, frozenset(words_in(question))), worth)
        for place in range(len(read)):
            yield from reader.of(place)


class _Passages:
    """The passages together: their words, and which are joined."""

    def __init__(self, read: Sequence[ReadPassage], asked: frozenset[str]) -> None:
        self.read = read
        self.titles = [each.found.passage.title.casefold() for each in read]
        self.texts = [
            f"{title} {each.found.passage.text}".casefold()
            for title, each in zip(self.titles, read, strict=True)
        ]
        self.stems = [frozenset(words_in(text)) for text in self.texts]
        held = Counter(name for each in read for name in each.entities)
        rare = {
            name
            for name, count in held.items()
            if 1 < count < _COMMON and len(name) > _SHORT and not asked.issuperset(words_in(name))
        }
        self._rare = [each.entities & rare for each in read]

    def joined(self, place: int) -> list[int]:
        """The passages that one is joined to."""
        return [other for other in range(len(self.read)) if other != place and self._are(place, other)]

    def _are(self, a: int, b: int) -> bool:
        named = any(
            self.titles[one] and self.titles[one] in self.texts[other] for one, other in ((a, b), (b, a))
        )
        return named or bool(self._rare[a] & self._rare[b])

    def elsewhere(self, name: str, place: int) -> float:
        """In how many of the others a name stands: 0, half for one, 1 for more."""
        return min(2, sum(name in text for other, text in enumerate(self.texts) if other != place)) / 2


@dataclass(slots=True)
class _Reader:
    """What is asked, and what speaks for a span as its answer."""

    question: str
    kind: Kind
    weigh: Weigh
    ends: AbstractSet[str]
    passages: _Passages
    worth: Worth
    noun: str | None = field(init=False)
    asked: frozenset[str] = field(init=False)
    weights: Mapping[str, float] = field(init=False)
    clause: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self.noun = noun_of(self.question)
        self.asked = frozenset(words(self.question))
        self.weights = self.weigh(words_in(self.question))
        own = set(words_in(asking_clause(self.question)))
        total = sum(weight for word, weight in self.weights.items() if word in own) or 1.0
        self.clause = {word: weight / total for word, weight in self.weights.items() if word in own}

    def of(self, place: int) -> Iterator[SpanReading]:
        """The spans of one passage."""
        passage = self.passages.read[place]
        joined = self.passages.joined(place)
        title = words_in(passage.found.passage.title)
        likeness = passage.clause or [sentence.score for sentence in passage.sentences]
        for sentence, clause in zip(passage.sentences, likeness, strict=True):
            said = frozenset(words_in(sentence.text)).union(title)
            others = [_held(self.weights, self.passages.stems[other] - said) for other in joined]
            other = max(others, default=0.0)
            for start, label in spans(self.kind, sentence.text):
                if self._named(label):
                    continue
                features = Worth(
                    sentence=sentence.score,
                    words=_held(self.weights, said),
                    other=other,
                    joined=float(other > 0),
                    clause=clause,
                    clause_words=_held(self.clause, said),
                    clause_near=_close(self.clause, start, sentence.text),
                    **self._own(label, start, sentence.text, place),
                )
                value = float(np.dot(astuple(features), astuple(self.worth)))
                yield SpanReading(label, sentence, features, value)

    def _named(self, label: str) -> bool:
        """Whether the question says it itself: of a name, most of its words."""
        if self.kind in COUNTED:
            return self.asked.issuperset(words(label))
        own = words_in(label)
        return 2 * sum(word in self.weights for word in own) > len(own) or not own

    def _own(self, label: str, start: int, text: str, place: int) -> dict[str, float]:
        """What speaks for a span itself."""
        name, kind = label.casefold(), self.kind
        last = name.split()[-1].rstrip("s")
        return {
            "near": _close(self.weights, start, text) if kind in COUNTED else 0.0,
            "noun": float(kind is Kind.NAME and self.noun is not None and last == self.noun.rstrip("s")),
            "fact": float(name in self.passages.read[place].entities),
            "person": float(kind is Kind.PERSON and like_person(label)),
            "place": float(kind is Kind.PLACE and of_place(text[max(0, start - 9) : start])),
            "end": float(label in self.ends),
            "title": float(name in self.passages.titles),
            "elsewhere": self.passages.elsewhere(name, place),
            "whole_date": float(kind is Kind.DATE and len(label) > len("1999")),
        }


def _held(weights: Mapping[str, float], said: AbstractSet[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in said)


def _close(weights: Mapping[str, float], start: int, text: str) -> float:
    """The words in the sentence, by how much they tell and how close they stand."""
    total = 0.0
    for found in _WORD.finditer(text):
        for word in words_in(found[0]):
            if word in weights:
                total += weights[word] * math.exp(-abs(found.start() - start) / _NEAR)
    return total
