"""Reads a follow-up: the question that it comes to, with what its words denote."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.conversation.ellipsis import Ellipses, asked_otherwise, fragment, is_correction, spans
from retrieval.programs.conversation.references import references
from retrieval.programs.conversation.referents import referents
from retrieval.programs.conversation.rewriting import Rewriting
from retrieval.programs.execution import Executor
from retrieval.programs.words import read
from retrieval.types import Turn

if TYPE_CHECKING:
    from retrieval.programs.parser import Parser
    from retrieval.programs.reader import ProgramReader, Understanding

#: A reading that is as likely is taken without looking at the next; so many are looked at.
_SURE, _LIKELY, _TRIED = 0.5, 0.15, 6


def follow(
    reader: ProgramReader, question: str, turn: Turn, cancelled: Callable[[], bool] = lambda: False
) -> Rewriting | None:
    """The question that stands on its own which a follow-up comes to; None where it does so already.

    What its words may mean is tried in turn: the first that the graph surely answers is taken, else the likeliest.

    Args:
        reader: of the graph.
        question: as asked.
        turn: the question before.
        cancelled: asked between pieces of work.

    Raises:
        Cancelled: ``cancelled`` said so.
    """
    found = list(dict.fromkeys(_candidates(reader.parser, question, turn)))[:_TRIED]
    if len(found) < 2:
        return found[0] if found else None
    likely: list[tuple[float, Rewriting]] = []
    for own in found:
        sure = _confidence(reader.read(own.question, cancelled=cancelled, denoted=own.denoted))
        if sure >= _SURE:
            return own
        likely.append((sure, own))
    return next((own for sure, own in likely if sure >= _LIKELY), max(likely, key=lambda each: each[0])[1])


def _candidates(parser: Parser, question: str, turn: Turn) -> Iterator[Rewriting]:
    schema = parser.schema
    before = read(turn.question)
    anchors = parser.anchors.of(before, denoted=turn.denoted)
    about = referents(turn, schema, Executor(parser.snapshot, parser.columns), anchors)
    part = fragment(question)
    if part is not None:
        ellipses = Ellipses(schema, turn, spans(before, anchors, turn.denoted), about)
        if is_correction(question):
            yield from ellipses.other_readings(part)
        pointing = list(references(question, about, schema))
        words = read(part)
        parts = spans(words, parser.anchors.of(words))
        # "The second longest" is a place in the same ranking where there is one.
        ranked = all(own.sort == "ranking" for own in parts) and any(
            own.sort == "ranking" for own in ellipses.before
        )
        if pointing and not ranked:
            yield from pointing
        elif parts:
            yield from ellipses.rewritten(part, parts)
        return
    asked = asked_otherwise(question, turn)
    if asked is not None:
        yield asked
    yield from references(question, about, schema)


def _confidence(found: Understanding | None) -> float:
    """How likely a question is read rightly; 0 where what was read gives nothing."""
    if found is None:
        return 0.0
    result = found.best.result
    nothing = not len(result) if isinstance(result, np.ndarray) else math.isnan(result)
    return 0.0 if nothing else found.confidence
