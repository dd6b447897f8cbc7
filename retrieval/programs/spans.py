"""How long something was, of its beginning and its end: how old somebody became, who lived longest."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from retrieval.programs.algebra import Fold, Folding, Having, Key, KeyOf, Top
from retrieval.programs.listing import moved, piece
from retrieval.programs.parts import Part
from retrieval.programs.words import Question, folded

if TYPE_CHECKING:
    from retrieval.programs.anchors.anchor import Features
    from retrieval.programs.execution import Executor
    from retrieval.programs.schema import Schema

_OF_DEATH = (
    r"(?:when (?:he|she|they|it|that person) died"
    r"|(?:at|upon) (?:his |her |their |the time of (?:his |her )?)?death)"
)
_ASKED = re.compile(
    rf"how old (?:was|were) (?P<a>.+?) {_OF_DEATH}"
    r"|(?:at|to) (?:what|which) age did (?P<b>.+?) (?:die|live|pass away)"
    r"|(?:what|which) age (?:was|did) (?P<c>.+?) (?:when (?:he|she|they) died|die|live to|reach)"
    r"|how (?:long|old|many years) did (?P<d>.+?) (?:live|get|become)"
    r"|how old did (?P<e>.+?) (?:live to be|live|get|become|grow)"
    r"|(?:the )?age (?:of (?P<f>.+?) at death|at (?:the )?death of (?P<g>.+?))"
)
_MOST = re.compile(
    r"(?P<ask>who|which .+?|what .+?|.*?)(?: (?:of|among) .+?)?(?: has| had)? "
    r"(?:lived(?: the)? (?:(?P<most>longest)|(?P<least>shortest)(?: life)?)"
    r"|(?:died|was)(?: at)?(?: the)? (?:(?P<young>youngest)|(?P<old>oldest))(?: age)?(?: when (?:he|she|they) died)?"
    r"|(?:reached|lived to)(?: the)? (?P<great>greatest|oldest|highest) age)"
)
_MEAN = re.compile(
    r".*?\b(?:average|mean) (?:age (?:at|of) death|life ?span|lifetime|length of life|life expectancy)(?: of .+)?"
)


class Spans:
    """Composes programs of how long lives were.

    Args:
        schema: of the graph.
        executor: runs them.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def parts(self, question: Question, compose: Callable[[Question], list[Part]]) -> Iterator[Part]:
        """What a question asks for of lives, composed; nothing where it asks for none or the graph tells none.

        Args:
            question: in words.
            compose: the parts that a question's chart has, best first.
        """
        lives = self.schema.measures.computed.lives
        if not lives:
            return
        key = lives[0].key
        text, starts = folded(question)
        match = _ASKED.fullmatch(text)
        if match is not None:
            name = next(own for own, found in match.groupdict().items() if found)
            yield from self._age(question, self._words(match, name, starts, question), key, compose)
            return
        match = _MOST.fullmatch(text)
        if match is not None and not match["ask"].startswith("how"):
            largest = bool(match["most"] or match["old"] or match["great"])
            yield self._whole(question, "S", Top(Having(key.path[0]), key, largest))
            return
        match = _MEAN.fullmatch(text)
        if match is not None:
            yield self._whole(question, "F", Fold(Folding.AVERAGE, Having(key.path[0]), key))

    def _words(
        self, match: re.Match[str], name: str, starts: list[int], question: Question
    ) -> tuple[int, int]:
        low, high = match.span(name)
        return starts.index(low), sum(start < high for start in starts[: len(question.words)])

    def _age(
        self, question: Question, named: tuple[int, int], key: Key, compose: Callable[[Question], list[Part]]
    ) -> Iterator[Part]:
        first, last = named
        cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, first))
        rest = Part("C", 0, 1, None, None, 0.0, (), (), (last, len(question.words)))
        for part in compose(piece(question, first, last))[:3]:
            if part.category != "S" or part.program is None:
                continue
            program = KeyOf(part.program, key)
            if len(self.executor.nodes(part.program)) == 1 and not math.isnan(self.executor.number(program)):
                yield Part("F", 0, 1, program, None, 0.0, _SPAN, (cue, moved(part, first), rest))

    def _whole(self, question: Question, category: str, program: Top | Fold) -> Part:
        cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, len(question.words)))
        extra = "top" if category == "S" else None
        return Part(category, 0, 1, program, extra, 0.0, _SPAN, (cue,))


_SPAN: Features = (("difference", 1.0), ("difference.quality", 1.0), ("difference.asked", 1.0), ("span", 1.0))
