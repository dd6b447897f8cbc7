"""What rules and the trained reader find in passages, put together: each span once, the likeliest first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.span_reader import SpanReader
from retrieval.types import RetrievedPassage

_AROUND = " .,;:'\"()[]“”‘’"


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage that was found, its sentences, and the names of the entities that its facts join."""

    found: RetrievedPassage
    sentences: Sequence[Sentence]
    entities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SpanReading:
    """A span that may be the answer, the sentence it was read in, and its worth.

    Attributes:
        through: sentences that answered what the question describes, before this could be asked.
    """

    label: str
    sentence: Sentence
    worth: float
    through: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """How much two things count beside the trained reader's scores.

    Attributes:
        passage: a passage's score, as a share of the best one's.
        rules: what rules find a span worth.
    """

    passage: float = 10.0
    rules: float = 2.0


def weighed(
    question: str,
    read: Sequence[ReadPassage],
    rules: Sequence[SpanReading],
    reader: SpanReader,
    *,
    named: Callable[[str], bool],
    counts: Counts | None = None,
) -> list[SpanReading]:
    """The spans that the reader finds, weighed with their passages and with what rules find them worth.

    Of spans that share words in one passage the likeliest alone is kept.

    Args:
        question: as asked.
        read: passages.
        rules: what rules find in them.
        reader: trained.
        named: whether the question says a label itself.
        counts: see :class:`Counts`.

    Returns:
        The best first; their worth is a log-odds, alike for all questions.
    """
    counts = counts or Counts()
    most = max((each.found.score for each in read), default=0.0)
    worth = {found.label.casefold(): found.worth for found in rules}
    spans = reader.read(question, [(each.found.passage.title, each.found.passage.text) for each in read])
    found = []
    for span in spans:
        passage = read[span.passage]
        text = passage.found.passage.text[span.start : span.end]
        label = text.strip(_AROUND)
        start = span.start + len(text) - len(text.lstrip(_AROUND))
        if not label or named(label):
            continue
        share = counts.passage * passage.found.score / most if most > 0 else 0.0
        value = span.score + share + counts.rules * worth.get(label.casefold(), 0.0)
        found.append((value, label, span.passage, start))
    found.sort(key=lambda each: -each[0])
    kept: list[SpanReading] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    said: set[str] = set()
    for value, label, at, start in found:
        sentence = next((s for s in read[at].sentences if s.at.start <= start < s.at.end), None)
        end = start + len(label)
        beside = any(start < other_end and begin < end for begin, other_end in taken.get(at, ()))
        if sentence is None or beside or label.casefold() in said:
            continue
        taken.setdefault(at, []).append((start, end))
        said.add(label.casefold())
        kept.append(SpanReading(label, sentence, value))
    return kept


def shares(found: Sequence[SpanReading]) -> list[SpanReading]:
    """Weighed spans, the best first, with how likely they are beside the best one, which is worth 1."""
    return [replace(each, worth=math.exp(each.worth - found[0].worth)) for each in found]
