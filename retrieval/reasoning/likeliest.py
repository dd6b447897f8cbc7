"""What rules and the trained reader find in passages, put together: each span once, the likeliest first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.language.question import Question
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
class AnswerSpan:
    """A span that may be the answer, the sentence it was read in, and its worth.

    Attributes:
        through: sentences that answered what the question describes, before this could be asked.
        reader: the trained reader's score; 0 where rules alone read.
        is_typed: whether it is a phrase of the kind that the question asks for.
    """

    label: str
    sentence: Sentence
    worth: float
    through: tuple[Sentence, ...] = ()
    reader: float = 0.0
    is_typed: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """How much two things count beside the trained reader's scores.

    Attributes:
        passage: a passage's score, as a share of the best one's.
        rules: what rules find a span worth.
    """

    passage: float = 10.0
    rules: float = 2.0


def score_spans(
    question: Question,
    read: Sequence[ReadPassage],
    rules: Sequence[AnswerSpan],
    reader: SpanReader,
    *,
    is_named: Callable[[str], bool],
    find_phrases: Callable[[str], Sequence[tuple[int, int]]],
    counts: Counts | None = None,
) -> list[AnswerSpan]:
    """The spans that the reader finds, weighed with their passages and with what rules find them worth.

    Of spans that share words in one passage the likeliest alone is kept.

    Args:
        read: passages.
        rules: what rules find in them.
        reader: trained.
        is_named: whether the question says a label itself.
        find_phrases: where phrases stand in a text that no span may be cut out of.
        counts: see :class:`Counts`.

    Returns:
        The best first; their worth is a log-odds, alike for all questions.
    """
    counts = counts or Counts()
    most = max((each.found.score for each in read), default=0.0)
    worth = {rule_span.label.casefold(): rule_span.worth for rule_span in rules}
    texts = [(each.found.passage.title, each.found.passage.text) for each in read]
    spans = reader.read(question, texts, find_phrases)
    weighed_spans = []
    for span in spans:
        passage = read[span.passage]
        text = passage.found.passage.text[span.start : span.end]
        label = text.strip(_AROUND)
        start = span.start + len(text) - len(text.lstrip(_AROUND))
        if not label or is_named(label):
            continue
        share = counts.passage * passage.found.score / most if most > 0 else 0.0
        value = span.score + share + counts.rules * worth.get(label.casefold(), 0.0)
        weighed_spans.append((value, label, span.passage, start, span.score))
    weighed_spans.sort(key=lambda each: -each[0])
    kept: list[AnswerSpan] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    labels: set[str] = set()
    for value, label, passage_index, start, score in weighed_spans:
        sentence = next((s for s in read[passage_index].sentences if s.at.start <= start < s.at.end), None)
        end = start + len(label)
        is_overlapping = any(start < other_end and begin < end for begin, other_end in taken.get(passage_index, ()))
        if sentence is None or is_overlapping or label.casefold() in labels:
            continue
        taken.setdefault(passage_index, []).append((start, end))
        labels.add(label.casefold())
        kept.append(AnswerSpan(label, sentence, value, reader=score, is_typed=label.casefold() in worth))
    return kept


def compute_shares(weighed_spans: Sequence[AnswerSpan]) -> list[AnswerSpan]:
    """Weighed spans, the best first, with how likely they are beside the best one, which is worth 1."""
    return [replace(each, worth=math.exp(each.worth - weighed_spans[0].worth)) for each in weighed_spans]
