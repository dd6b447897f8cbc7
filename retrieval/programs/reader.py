"""What engines ask: the program of a question with a calibrated confidence, one parser a graph, shared by threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import check
from retrieval.language.question import Question
from retrieval.pretrained import JUDGE, PROGRAMS
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.numbers import is_nothing
from retrieval.programs.algebra.operations import Entities
from retrieval.programs.calibration import compute_confidence, compute_program_evidence, is_refused, list_unread_words
from retrieval.programs.constructions.projections import build_item_table, resolve_item_list
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.parser import Parser
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.scoring.judge import Judge
from retrieval.programs.understanding import SHOWN, Meaning, Understanding
from retrieval.programs.weights import Weights
from retrieval.programs.writing.words import Words
from retrieval.programs.writing.writer import ProgramWriter

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.constructions.projections import Listed
    from retrieval.programs.grounding.anchors.similarity import Encode
    from retrieval.programs.parser import ParsedQuestion
    from retrieval.types import Denoted, Usage

#: Readings of a question for several things that are tried, and programs that it may mean.
_TRIED, _MEANT = 3, 10
_REMEMBERED = 8
_Asked = tuple[Question, tuple[int, ...], tuple["Denoted", ...]]


class ProgramReader:
    """Reads questions over one graph. Threads may share it; they take turns.

    Args:
        encode: texts to unit vectors.
        weights: file of the ranker's weights.

    Attributes:
        learned: the weights were fitted to questions of this graph.
    """

    def __init__(self, snapshot: Snapshot, encode: Encode | None, weights: Path) -> None:
        self.snapshot = snapshot
        self._encode = encode
        self._weights = weights
        self._lock = threading.Lock()
        self._lately: OrderedDict[_Asked, Understanding | None] = OrderedDict()
        self.learned = weights != PROGRAMS

    @cached_property
    def parser(self) -> Parser:
        """Opened on first use: the graph's values are typed then. Weights of this graph alone need no judge."""
        judge = None if self.learned else Judge.load(JUDGE)
        return Parser(self.snapshot, self._encode, Weights.load(self._weights), judge)

    def read(
        self,
        question: Question,
        topics: Sequence[int] = (),
        cancelled: Callable[[], bool] = lambda: False,
        denoted: Sequence[Denoted] = (),
    ) -> Understanding | None:
        """What a question asks, or None where nothing of it was understood.

        The last few are remembered: methods that are compared read the same question.

        Args:
            topics: entities that somebody picked for names of the question.
            denoted: what words of the question are known to stand for.
        """
        request = (question, tuple(topics), tuple(denoted))
        with self._lock:
            executor = Executor(self.snapshot, self.parser.columns, cancelled)
            if request in self._lately:
                check(cancelled)
                known = self._lately[request]
                return None if known is None else replace(known, executor=executor)
            understanding = self._read(*request, executor)
            # What one run's executor has computed, and whether that run is to stop, is not another's.
            unrun = Executor(self.snapshot, self.parser.columns)
            self._lately[request] = None if understanding is None else replace(understanding, executor=unrun)
            if len(self._lately) > _REMEMBERED:
                self._lately.popitem(last=False)
            return understanding

    def _read(
        self, question: Question, topics: Sequence[int], denoted: Sequence[Denoted], executor: Executor
    ) -> Understanding | None:
        reading: ParsedQuestion = self.parser.read(question, topics, cancelled=executor.cancelled, denoted=denoted)
        several = self._read_several(reading, executor, topics, denoted)
        if several is not None:
            return several
        if not reading.candidates:
            return None
        meanings = tuple(_build_meaning(reading, candidate) for candidate in reading.candidates[:_MEANT])
        best, sure = meanings[0], compute_confidence(self.parser.weights, reading)
        unread = best.evidence["unread besides names"]
        return Understanding(
            best.candidate, sure, tuple(reading.candidates[1 : 1 + SHOWN]), executor, self.parser.schema,
            best.named, says_nothing=sure == 0.0 and unread > 0, meanings=meanings,
            wanted=reading.wanted, unread=best.unread,
        )  # fmt: skip

    def _read_several(
        self, parsed: ParsedQuestion, executor: Executor, topics: Sequence[int], denoted: Sequence[Denoted]
    ) -> Understanding | None:
        """A question for several things of each answer, read as one for what they are said of."""
        tables = read_item_tables(self.parser, parsed, executor, topics, denoted)
        if not tables:
            return None
        best = tables[0]
        meaning = _build_meaning(best.reading, best.read)
        mentions, unread = best.map_mentions(meaning.named), best.map_spans(meaning.unread)
        candidate = replace(best.read, program=best.table, result=executor.run(best.table))
        return Understanding(
            candidate, compute_confidence(self.parser.weights, best.reading), tuple(table.read for table in tables[1:]),
            executor,
            self.parser.schema, mentions,
            meanings=(replace(meaning, candidate=candidate, named=mentions, unread=unread),), unread=unread,
        )  # fmt: skip

    def write(
        self,
        question: Question,
        entities: Sequence[int],
        settings: LLMSettings,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> tuple[Understanding, Usage]:
        """The program that a language model writes for a question, executed, and what that cost.

        Args:
            entities: that it names.

        Raises:
            LLMError: it gives no usable program, see :class:`retrieval.programs.writing.writer.ProgramWriter`.
        """
        with self._lock:
            parser = self.parser
        executor = Executor(self.snapshot, parser.columns, cancelled)
        words = Words(parser.schema, parser.similarity)
        writer = ProgramWriter(words, parser.columns, settings, lambda program: not is_nothing(executor.run(program)))
        written = writer.write(question, entities, cancelled)
        return self.execute(written.program, cancelled).mark_as_written(question), written.usage

    def execute(self, program: Program, cancelled: Callable[[], bool] = lambda: False) -> Understanding:
        """What a program that a person wrote or edited gives; nobody doubts that it is what was asked.

        Raises:
            ProgramError: it does not fit the graph.
        """
        with self._lock:
            executor = Executor(self.snapshot, self.parser.columns, cancelled)
            part = Part("S", 0, 0, program, None, 0.0, ())
            best = Candidate(program, executor.run(program), 0.0, 1.0, {}, part)
            return Understanding(best, 1.0, (), executor, self.parser.schema, by="person")


@dataclass(frozen=True, slots=True)
class ItemTable:
    """A question for several things of each answer, read as a table.

    Attributes:
        listed: the list in the question.
        reading: the question with one item in place of the list, ``read`` first.
        read: the program of that.
        table: each thing with a column for each item.
    """

    listed: Listed
    reading: ParsedQuestion
    read: Candidate
    table: Program

    def map_mentions(self, mentions: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
        """Entities with characters of what was read, with those of the question."""
        place = self.listed.map_to_question
        return tuple((node, place(start), place(end)) for node, start, end in mentions)

    def map_spans(self, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Characters of what was read, as those of the question."""
        return tuple((self.listed.map_to_question(start), self.listed.map_to_question(end)) for start, end in spans)


def read_item_tables(
    parser: Parser, parsed: ParsedQuestion, executor: Executor, topics: Sequence[int], denoted: Sequence[Denoted]
) -> list[ItemTable]:
    """The tables that a question with a list may mean, the likeliest first; none where it has no list.

    Args:
        executor: of the parser's graph.
        topics, denoted: see :meth:`ProgramReader.read`.
    """
    listed = parsed.listed
    if listed is None:
        return []
    reading = parser.read(Question(listed.text), topics, cancelled=executor.cancelled, denoted=denoted)
    fitting = [
        (candidate, build_item_table(*resolved))
        for candidate in reading.candidates[:_TRIED]
        if (resolved := resolve_item_list(listed, candidate.program, candidate.result, executor, parser.schema))
    ]
    if fitting:
        best = fitting[0][0]
        reading.candidates = [best, *(candidate for candidate in reading.candidates if candidate is not best)]
    return [ItemTable(listed, reading, candidate, table) for candidate, table in fitting]


def _build_meaning(reading: ParsedQuestion, candidate: Candidate) -> Meaning:
    mentions = tuple(iter_named_entities(reading, candidate.part))
    unread = tuple((word.start, word.end) for word in list_unread_words(reading, candidate))
    return Meaning(
        candidate, compute_program_evidence(reading, candidate), mentions, is_refused(reading, candidate), unread
    )


def iter_named_entities(reading: ParsedQuestion, part: Part) -> Iterator[tuple[int, int, int]]:
    """Entities of a composed part, in the order of their mentions."""
    for inner in sorted(part.parts, key=lambda inner: inner.first):
        yield from iter_named_entities(reading, inner)
    if part.anchored and isinstance(part.program, Entities):
        words = reading.question.words[slice(*part.anchored)]
        for node in part.program.ids:
            yield node, words[0].start, words[-1].end
