"""How long people lived: how old somebody became, who lived longest, how old kings became on average."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from retrieval.language.amounts import Folding
from retrieval.language.words import QuestionWords, join_words
from retrieval.programs.algebra.operations import Fold, Having, Key, KeyOf, Program, Top
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import extract_subquestion, make_surrounding_cues, move_part
from retrieval.programs.grammar.constituents import Part

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.schema import Schema

#: Readings of whom it is asked of that are looked at.
_READ = 3
_OF_DEATH = (
    r"(?:when (?:he|she|they|it|that person) died"
    r"|(?:at|upon) (?:his |her |their |the time of (?:his |her )?)?death)"
)
_ASKED = re.compile(
    rf"how old (?:was|were) (?P<a>.+?) {_OF_DEATH}"
    r"|(?:at|to) (?:what|which) age did (?P<b>.+?) (?:die|live|pass away)"
    r"|(?:what|which) age (?:was|did) (?P<c>.+?) (?:when (?:he|she|they) died|die|live to|reach)"
    r"|how (?:long|old|many years) did (?P<d>.+?) live"
    r"|how old did (?P<e>.+?) (?:live to be|live|get|become|grow)"
    r"|(?:the )?age (?:of (?P<f>.+?) at death|at (?:the )?death of (?P<g>.+?))"
)
_DIED = r"(?: when (?:he|she|they) died)"
_MOST = re.compile(
    r"(?:who|(?:which|what) (?P<of>.+?))(?: of (?:them|us) all| among them)?(?: has| had)? "
    r"(?:lived(?: the)? (?:(?P<most>longest)|shortest(?: life)?)"
    rf"|died(?: at)?(?: the)? (?:youngest|(?P<old>oldest))(?: age)?{_DIED}?"
    rf"|was(?: the)? (?:youngest|(?P<older>oldest)){_DIED}"
    r"|(?:reached|lived to)(?: the)? (?P<great>greatest|oldest|highest) age)"
)
_MEAN = re.compile(
    r"(?:what (?:'s |is |was )?)?(?:the )?(?:average|mean) "
    r"(?:age (?:at|of) death|life ?span|lifetime|length of life|life expectancy)(?: of (?P<of>.+))?"
)


class Lifespans:
    """Composes programs of how long lives were."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose = composed.question, composed.compose
        lives = self.schema.measures.computed.lives
        if not lives:
            return
        key = lives[0].key
        text, starts = join_words(question)
        match = _ASKED.fullmatch(text)
        if match is not None:
            name = next(group for group, value in match.groupdict().items() if value)
            yield from self._build_ages(question, self._get_word_range(match, name, starts, question), key, compose)
            return
        match = _MOST.fullmatch(text)
        if match is not None:
            largest = bool(match["most"] or match["old"] or match["older"] or match["great"])
            for source, parts in self._find_people(question, match, starts, key, compose):
                yield _build_whole_part("S", Top(source, key, largest), parts)
            return
        match = _MEAN.fullmatch(text)
        if match is not None:
            for source, parts in self._find_people(question, match, starts, key, compose):
                yield _build_whole_part("F", Fold(Folding.AVERAGE, source, key), parts)

    def _find_people(
        self,
        question: QuestionWords,
        match: re.Match[str],
        starts: list[int],
        key: Key,
        compose: Callable[[QuestionWords], list[Part]],
    ) -> Iterator[tuple[Program, tuple[Part, ...]]]:
        """Whose lives are meant, and the parts that say so: all that have died, where nobody is named."""
        if not match["of"]:
            yield Having(key.path[0]), make_surrounding_cues(question, len(question.words), len(question.words))
            return
        first, last = self._get_word_range(match, "of", starts, question)
        for part in compose(extract_subquestion(question, first, last))[:_READ]:
            if part.category == "S" and part.program is not None:
                yield part.program, (*make_surrounding_cues(question, first, last), move_part(part, first))

    def _get_word_range(
        self, match: re.Match[str], name: str, starts: list[int], question: QuestionWords
    ) -> tuple[int, int]:
        low, high = match.span(name)
        return starts.index(low), sum(start < high for start in starts[: len(question.words)])

    def _build_ages(
        self,
        question: QuestionWords,
        name_range: tuple[int, int],
        key: Key,
        compose: Callable[[QuestionWords], list[Part]],
    ) -> Iterator[Part]:
        first, last = name_range
        cue, rest = make_surrounding_cues(question, first, last)
        for part in compose(extract_subquestion(question, first, last))[:_READ]:
            if part.category != "S" or part.program is None:
                continue
            program = KeyOf(part.program, key)
            if len(self.executor.compute_nodes(part.program)) == 1 and not math.isnan(
                self.executor.compute_number(program)
            ):
                yield Part("F", 0, 1, program, None, 0.0, _SPAN, (cue, move_part(part, first), rest))


def _build_whole_part(category: str, program: Program, parts: tuple[Part, ...]) -> Part:
    return Part(category, 0, 1, program, "top" if category == "S" else None, 0.0, _SPAN, parts)


_SPAN: Features = (("difference", 1.0), ("difference.quality", 1.0), ("difference.asked", 1.0), ("span", 1.0))
