"""Reads a follow-up: the question that it comes to, with what its words denote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from retrieval import thresholds
from retrieval.language.question import Question
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.numbers import is_nothing
from retrieval.programs.constructions.table_requests import find_their_columns
from retrieval.programs.dialogue.ellipsis import (
    Ellipses,
    extract_fragment,
    find_spans,
    is_correction,
    replace_question_word,
)
from retrieval.programs.dialogue.references import resolve_references
from retrieval.programs.dialogue.referents import Referents, find_referents
from retrieval.programs.dialogue.rewriting import Rewriting
from retrieval.types import Turn

if TYPE_CHECKING:
    from retrieval.programs.parser import Parser
    from retrieval.programs.reader import ProgramReader
    from retrieval.programs.understanding import Understanding

#: Rewritings that are tried.
_TRIED = 6


def resolve_follow_up(
    reader: ProgramReader, question: Question, turn: Turn, cancelled: Callable[[], bool] = lambda: False
) -> Rewriting | None:
    """The question that stands on its own which a follow-up comes to; None where it does so already.

    What its words may mean is tried in turn: the first that the graph surely answers is taken, else the likeliest.

    Args:
        turn: the question before.
    """
    rewritings = list(dict.fromkeys(_propose_rewritings(reader.parser, question, turn)))[:_TRIED]
    if len(rewritings) < 2:
        return rewritings[0] if rewritings else None
    likely: list[tuple[float, Rewriting]] = []
    for rewriting in rewritings:
        sure = _compute_confidence(reader.read(rewriting.question, cancelled=cancelled, denoted=rewriting.denoted))
        if sure >= thresholds.FOLLOW_UP:
            return rewriting
        likely.append((sure, rewriting))
    return next(
        (rewriting for sure, rewriting in likely if sure >= thresholds.LIKELY_FOLLOW_UP),
        max(likely, key=lambda each: each[0])[1],
    )


def _propose_rewritings(parser: Parser, question: Question, turn: Turn) -> Iterator[Rewriting]:
    schema = parser.schema
    before = Question(turn.question).words
    anchors = parser.anchors.find_anchors(before, denoted=turn.denoted)
    about = find_referents(turn, before, schema, Executor(parser.snapshot, parser.columns), anchors)
    part = extract_fragment(question)
    if part is not None:
        ellipses = Ellipses(schema, turn, find_spans(before, anchors, turn.denoted), about)
        if is_correction(question):
            yield from ellipses.propose_other_readings(part)
        pointing = list(resolve_references(question, about, schema))
        words = Question(part).words
        parts = find_spans(words, parser.anchors.find_anchors(words))
        # "The second longest" is a place in the same ranking where there is one.
        ranked = all(piece.sort == "ranking" for piece in parts) and any(
            piece.sort == "ranking" for piece in ellipses.before
        )
        if pointing and not ranked:
            yield from pointing
        elif parts:
            yield from ellipses.propose_rewritings(part, parts)
        return
    rewriting = replace_question_word(question, turn)
    if rewriting is not None:
        yield rewriting
    if not _has_antecedent(parser, question, about):
        yield from resolve_references(question, about, schema)


def _has_antecedent(parser: Parser, question: Question, about: Referents) -> bool:
    """Whether only "their" points back, and to what the question names: "countries and their populations"."""
    request = find_their_columns(question.words)
    if request is None or not request[0]:
        return False
    end = question.words.words[request[0] - 1].end
    if any(resolve_references(Question(question.text[:end]), about, parser.schema)):
        return False
    anchors = parser.anchors.find_anchors(question.words)
    return any(anchor.last <= request[0] and anchor.extra in ("kind", "node") for anchor in anchors)


def _compute_confidence(understanding: Understanding | None) -> float:
    """How likely a question is read rightly; 0 where what was read gives nothing."""
    if understanding is None:
        return 0.0
    return 0.0 if is_nothing(understanding.best.result) else understanding.confidence
