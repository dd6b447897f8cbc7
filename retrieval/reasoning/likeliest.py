"""What rules and the trained reader find in passages, put together: each span once, the likeliest first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.span_reader import SpanReader
from retrieval.types import RetrievedPassage

PASSAGE = 10.0
"""How much a passage's score, as a share of the best one's, counts beside the reader's scores."""

RULES = 2.0
"""How much what rules find a span worth counts beside them."""

_AROUND = " .,;:'\"()[]“”‘’"


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage that was found, its sentences, and the names of the entities that its facts join."""

    found: RetrievedPassage
    sentences: Sequence[Sentence]
    entities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SpanReading:
    """A span that may be the answer, the sentence it was read in, and its worth."""

    label: str
    sentence: Sentence
    worth: float


def likeliest(
    question: str,
    read: Sequence[ReadPassage],
    rules: Sequence[SpanReading],
    reader: SpanReader,
    named: Callable[[str], bool],
) -> list[SpanReading]:
    """The spans that the reader finds, weighed with their passages and with what rules find them worth.

    Of spans that share words in one passage the likeliest alone is kept.

    Args:
        question: as asked.
        read: passages.
        rules: what rules find in them.
        reader: trained.
        named: whether the question says a label itself.

    Returns:
        The best first; its worth is 1, that of the others how likely they are beside it.
    """
    most = max((each.found.score for each in read), default=0.0)
    worth = {found.label.casefold(): found.worth for found in rules}
    spans = reader.read(question, [(each.found.passage.title, each.found.passage.text) for each in read])
    weighed = []
    for span in spans:
        passage = read[span.passage]
        text = passage.found.passage.text[span.start : span.end]
        label = text.strip(_AROUND)
        start = span.start + len(text) - len(text.lstrip(_AROUND))
        if not label or named(label):
            continue
        share = PASSAGE * passage.found.score / most if most > 0 else 0.0
        weighed.append(
            (span.score + share + RULES * worth.get(label.casefold(), 0.0), label, span.passage, start)
        )
    weighed.sort(key=lambda found: -found[0])
    kept: list[SpanReading] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    said: set[str] = set()
    for value, label, at, start in weighed:
        sentence = next((s for s in read[at].sentences if s.at.start <= start < s.at.end), None)
        end = start + len(label)
        beside = any(start < other_end and begin < end for begin, other_end in taken.get(at, ()))
        if sentence is None or beside or label.casefold() in said:
            continue
        taken.setdefault(at, []).append((start, end))
        said.add(label.casefold())
        kept.append(SpanReading(label, sentence, math.exp(value - weighed[0][0])))
    return kept
