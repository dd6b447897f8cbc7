"""The words of a question that its answer does not use: they are shown with the answer and lower its confidence."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from retrieval import thresholds
from retrieval.events import AnswerFinal, ChainsBuilt, Event, PassagesRetrieved, ProgramExecuted, QuestionLinked
from retrieval.language.english import STOP
from retrieval.language.words import read
from retrieval.lexicon import get_words
from retrieval.programs.rendering.steps import describe_program
from retrieval.results import Span

if TYPE_CHECKING:
    from retrieval.answering.run import AskRequest
    from retrieval.language.question import Question
    from retrieval.language.words import Word
    from retrieval.programs.understanding import Understanding

_PREPOSITIONS = get_words("relation_prepositions")


def find_unread(question: Question, understanding: Understanding) -> tuple[tuple[int, int], ...]:
    """Characters [start, end) of the unread words that the program, put in words, does not contain."""
    known, unread = _extract_stems([_describe(understanding)]), set(understanding.unread)
    numbers = {
        word
        for group, number in _list_details(question)
        if number and _extract_stems([number]) & known
        for word in group
    }
    return tuple(
        (word.start, word.end)
        for word in question.words.words
        if (word.start, word.end) in unread and word.stem not in known and word not in numbers
    )


def _describe(understanding: Understanding) -> str:
    schema = understanding.schema
    return describe_program(understanding.executor, schema.type_relation, understanding.best.program, schema.nouns)


def reduce_confidence(sure: float, question: Question, unused: Iterable[tuple[int, int]]) -> float:
    """How sure an answer is, in [0, 1], that leaves out some characters [start, end) of the question."""
    left = set(unused)
    for group, number in [*_list_details(question), *_list_conditions(question, left)]:
        if all((word.start, word.end) in left for word in group):
            sure = min(sure, thresholds.UNREAD_AMOUNT if number else thresholds.UNUSED_DETAIL)
    return sure


def _list_conditions(question: Question, unused: Container[tuple[int, int]]) -> list[tuple[tuple[Word, ...], str]]:
    """What a question says of the things that it asks for: unused words before their noun ("how many famous shops") and
    all content words behind it ("which shops are famous", "how many shops failed").
    """
    words = question.words.words
    first = 2 if question.words.kind == "how many" else 1 if question.words.kind == "which" else len(words)
    before = tuple(takewhile(lambda word: (word.start, word.end) in unused, words[first:]))
    behind = tuple(word for word in words[first + len(before) + 1 :] if word.text not in STOP)
    return [(group, "") for group in (before, behind) if group]


def join_spans(question: Question, unused: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Join words, as characters [start, end), into phrases to show: neighbours, with the preposition before them."""
    wanted = set(unused)
    marks = [(word.start, word.end) in wanted for word in question.words.words]
    spans: list[Span] = []
    for n, word in enumerate(question.words.words):
        if not marks[n]:
            continue
        before = question.words.words[n - 1] if n else word
        if n and marks[n - 1]:
            spans[-1] = Span(spans[-1].start, word.end)
        else:
            spans.append(Span(before.start if before.text in _PREPOSITIONS else word.start, word.end))
    return tuple(spans)


class UsedWords:
    """Tracks which words of a question the events of a run use, when no program read from the question answers it."""

    def __init__(self, request: AskRequest) -> None:
        self._question = request.question
        self._spans = [(span.start, span.end) for span in request.denoted]
        self._texts: list[str] = []
        self._is_read = request.program is not None

    def add(self, event: Event) -> None:
        """Collect the names and texts of an event."""
        match event:
            case QuestionLinked(entities):
                self._spans += [(linked.start, linked.end) for linked in entities]
                self._texts += [name for linked in entities for name in (linked.entity.label, linked.mention)]
            case ChainsBuilt(chains):
                self._texts += [step.label for chain in chains for step in chain.steps]
                self._texts += [node.label for chain in chains for level in chain.levels for node in level]
            case PassagesRetrieved(passages):
                self._texts += [f"{retrieved.passage.title} {retrieved.passage.text}" for retrieved in passages]
            case ProgramExecuted(read_as):
                self._is_read = event.by != "model"
                self._texts += [read_as.text, *(step.text for step in event.steps)]

    def mark_unused(self, final: AnswerFinal) -> AnswerFinal:
        """Add to the end of the run the names, numbers and dates that it does not use, and lower its confidence."""
        if self._is_read or not final.answers:
            return final
        spans = self._find_unused()
        if not spans:
            return final
        answers = tuple(
            replace(answer, score=reduce_confidence(answer.score, self._question, spans)) for answer in final.answers
        )
        return replace(final, answers=answers, unused=join_spans(self._question, spans))

    def _find_unused(self) -> list[tuple[int, int]]:
        left = [
            (group, number)
            for group, number in _list_details(self._question)
            if not any(start <= word.start and word.end <= end for start, end in self._spans for word in group)
        ]
        known = _extract_stems(self._texts) if left else set()
        return [
            (word.start, word.end)
            for group, number in left
            if not known & {word.stem for word in group} and not known & _extract_stems([number])
            for word in group
        ]


def _extract_stems(texts: Iterable[str]) -> set[str]:
    return {word.stem for text in texts for word in read(text).words}


def _list_details(question: Question) -> list[tuple[tuple[Word, ...], str]]:
    """The words of each name, quote, number and date of a question, and a number in digits."""
    words = question.words
    details = [
        (words.words[quantity.first : quantity.last], f"{quantity.amount.value:g}") for quantity in words.quantities
    ]
    details += [((word,), "") for first, last in words.quoted for word in words.words[first:last]]
    if question.has_case:
        details += [
            ((word,), "")
            for n, word in enumerate(words.words)
            if n and word.capital and word.text not in STOP and not word.text.startswith("'")
        ]
    return [(tuple(group), number) for group, number in details]
