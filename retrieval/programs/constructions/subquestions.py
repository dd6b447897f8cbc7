"""A piece of a question composed as a question, and its parts put back into the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrieval.language.words import QuestionWords, Word
from retrieval.programs.grammar.constituents import Part, iter_leaves


def extract_subquestion(question: QuestionWords, first: int, last: int) -> QuestionWords:
    """Some of a question's words as a question of their own."""
    start, end = question.words[first].start, question.words[last - 1].end
    text = question.text[start:end]
    words = [
        Word(word.text, word.stem, word.start - start, word.end - start, word.capital)
        for word in question.words[first:last]
    ]
    quantities = [
        replace(quantity, first=quantity.first - first, last=quantity.last - first)
        for quantity in question.quantities if quantity.first >= first and quantity.last <= last
    ]  # fmt: skip
    quoted = [(a - first, b - first) for a, b in question.quoted if a >= first and b <= last]
    return QuestionWords(text, tuple(words), tuple(quantities), tuple(quoted))


def move_part(part: Part, by: int) -> Part:
    """A part of a piece of a question as one of the whole."""
    anchored = (part.anchored[0] + by, part.anchored[1] + by) if part.anchored else None
    return replace(part, anchored=anchored, parts=tuple(move_part(inner, by) for inner in part.parts))


def make_surrounding_cues(question: QuestionWords, first: int, last: int) -> tuple[Part, Part]:
    """Parts for the words before and after a subquestion, which say what is asked about it."""
    before = Part("L", 0, 1, None, None, 0.0, (), (), (0, first))
    return before, Part("C", 0, 1, None, None, 0.0, (), (), (last, len(question.words)))


def list_unread(question: QuestionWords, part: Part) -> list[Word]:
    """The words of a question that stand for nothing in a part."""
    read = {n for leaf in iter_leaves(part) for n in range(*(leaf.anchored or (0, 0)))}
    return [word for n, word in enumerate(question.words) if n not in read]


def keep_words(question: QuestionWords, kept: Sequence[int]) -> QuestionWords:
    """A question of some of its words; the others are blanks in its text."""
    positions = {n: place for place, n in enumerate(kept)}
    gone = [word for n, word in enumerate(question.words) if n not in positions]
    text = question.text
    for word in gone:
        text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    quantities = [
        replace(quantity, first=positions[quantity.first], last=positions[quantity.last - 1] + 1)
        for quantity in question.quantities if all(n in positions for n in range(quantity.first, quantity.last))
    ]  # fmt: skip
    quoted = [
        (positions[a], positions[b - 1] + 1) for a, b in question.quoted if all(n in positions for n in range(a, b))
    ]
    return QuestionWords(text, tuple(question.words[n] for n in kept), tuple(quantities), tuple(quoted))


def restore_positions(part: Part, kept: Sequence[int]) -> Part:
    """A part of a question of some words as one of the whole."""
    anchored = (kept[part.anchored[0]], kept[part.anchored[1] - 1] + 1) if part.anchored else None
    return replace(part, anchored=anchored, parts=tuple(restore_positions(inner, kept) for inner in part.parts))
