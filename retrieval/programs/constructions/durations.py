"""How long things lasted and whether they were late: the longest stay, the average loan, what came back late."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Comparison, Folding
from retrieval.language.words import QuestionWords, join_words
from retrieval.programs.algebra.operations import Constant, Count, Filter, Fold, Having, Program, Top
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import (
    extract_subquestion,
    list_unread,
    make_surrounding_cues,
    move_part,
)
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.relation_types import load_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.computed import Computed
    from retrieval.programs.grounding.schema import Schema

#: Readings of what it is asked of that are looked at, and the share of these that must have both dates.
_READ, _SOME = 4, 0.5
_ENDS = r"(?: (?:of all|ever|so far|yet|to date))*"
_LONGEST = re.compile(
    r"(?:which|what|whose|who had the|show me the) (?P<a>.+?)"
    r"(?: (?:was|is|were|took|lasted|has|had|ran|went on))?(?: the| for the)?"
    rf" (?:(?P<long>longest)|shortest)(?: time)?{_ENDS}"
    r"|(?:what (?:was|is|'s) |which (?:was|is) |whats |show )?(?:the |our |my )?"
    rf"(?:(?P<longer>longest)|shortest) (?P<b>.+?){_ENDS}"
)
_MEAN = re.compile(
    r"(?:what (?:'s |is |was )?|whats )?(?:the |our )?(?:average|mean|typical|usual) "
    r"(?:(?:length|duration|time) (?:of|for) (?:a |an |the |our )?(?P<a>.+)|(?P<b>.+?)(?: (?:length|duration|time))?)"
    r"(?: in (?:days|nights))?"
    r"|how long (?:does|do|did|is|was|are|were) (?:a |an |the |our |each )?(?P<c>.+?)"
    r"(?: (?:last|lasts|take|takes|stay|for))? on average"
)
_DID = r"(?:was|were|is|are|came|come|got|went|has|have|had|arrived|been|brought|delivered|returned|paid|finished)"
_LATE = re.compile(
    rf"(?P<of>.+?)(?: that| which| who)?(?: (?:{_DID}|completed|back|in))* (?:"
    r"(?P<late>too late|late|overdue|behind schedule|after the deadline)|(?P<early>early|ahead of (?:schedule|time))"
    r"|on time|punctually)"
)
_HEAD = re.compile(r"(?:(?:which|what|list|show|name|all|the|any|of|our|my|me|how many|number|count) )+")
_COUNTED = re.compile(r"how many |(?:the )?number of |count ")
_LENGTH = load_stems("duration_relation_words")


class Durations:
    """Composes programs of how long things lasted, and of those that ended behind the time."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose = composed.question, composed.compose
        computed = self.schema.measures.computed
        text, starts = join_words(question)
        match = _LATE.fullmatch(text) if computed.lateness else None
        if match is not None:
            how = Comparison.MORE if match["late"] else Comparison.LESS if match["early"] else Comparison.AT_MOST
            begins = match.start("of") + (head.end() if (head := _HEAD.match(match["of"])) else 0)
            span = begins, match.end("of")
            for source, duration, parts in self._find_dated_things(question, span, starts, computed.lateness, compose):
                program = Filter(source, duration.key, how, Constant(0.0))
                counted = _COUNTED.match(text) is not None
                yield _build_whole_part("F" if counted else "S", Count(program) if counted else program, parts)
        if not computed.lasting:
            return
        match = _LONGEST.fullmatch(text)
        if match is not None:
            largest, name = bool(match["long"] or match["longer"]), "a" if match["a"] else "b"
            for source, duration, parts in self._find_dated_things(
                question, match.span(name), starts, computed.lasting, compose
            ):
                if not self._has_length_column(source):
                    yield _build_whole_part("S", Top(source, duration.key, largest), parts)
        match = _MEAN.fullmatch(text)
        if match is not None:
            name = next(group for group in "abc" if match[group])
            for source, duration, parts in self._find_dated_things(
                question, match.span(name), starts, computed.lasting, compose
            ):
                yield _build_whole_part("F", Fold(Folding.AVERAGE, source, duration.key), parts)

    def _find_dated_things(
        self,
        question: QuestionWords,
        span: tuple[int, int],
        starts: list[int],
        keys: Sequence[Computed],
        compose: Callable[[QuestionWords], list[Part]],
    ) -> Iterator[tuple[Program, Computed, tuple[Part, ...]]]:
        """What is meant and which of two dates it has, and the parts that say so."""
        low, high = span
        if low not in starts or low >= high:
            return
        first, last = starts.index(low), sum(start < high for start in starts[: len(question.words)])
        subquestion = extract_subquestion(question, first, last)
        for part in compose(subquestion)[:_READ]:
            if part.category != "S" or part.program is None:
                continue
            if any(word.stem in self.schema.by_stem for word in list_unread(subquestion, part)):
                continue  # the average happiness of garments is no duration
            nodes = self.executor.compute_nodes(part.program)
            for duration in keys:
                dated = find_common(nodes, self.executor.compute_nodes(Having(duration.key.path[0])))
                if len(dated) > 1 and len(dated) >= _SOME * len(nodes):
                    cues = make_surrounding_cues(question, first, last)
                    yield part.program, duration, (*cues, move_part(part, first))
                    return

    def _has_length_column(self, source: Program) -> bool:
        """Whether a column says how long each is."""
        nodes = self.executor.compute_nodes(source)
        return any(
            set(info.stems) & _LENGTH
            and "per" not in info.label.split()
            and len(find_common(nodes, self.schema.columns.list_sources(info.id)))
            for info in self.schema.measures.numbers
        )


def _build_whole_part(category: str, program: Program, parts: tuple[Part, ...]) -> Part:
    return Part(category, 0, 1, program, "top" if category == "S" else None, 0.0, _LASTED, parts)


_LASTED: Features = (
    ("difference", 1.0),
    ("difference.quality", 1.0),
    ("difference.asked", 1.0),
    ("span", 1.0),
)
