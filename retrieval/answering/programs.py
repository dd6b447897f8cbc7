"""Answering by programs: what answerers of one graph share, whatever else they answer by."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval import thresholds
from retrieval.answering.descriptions import describe, find_described
from retrieval.answering.fusion.missing_names import find_unread_arguments, has_read_names
from retrieval.answering.fusion.selector import OutcomeSelector
from retrieval.answering.program_answers import (
    build_answers,
    build_program_event,
    format_understood_result,
    make_no_fit_answer,
)
from retrieval.answering.proofs import build_chains
from retrieval.answering.run import Linked, PipelineRun
from retrieval.answering.sentences import add_program_sentence
from retrieval.answering.settings import AnsweringSettings
from retrieval.answering.table_answers import build_program_table
from retrieval.answering.unknown_truths import explain_unknown
from retrieval.answering.unused_words import find_unread, join_spans, reduce_confidence
from retrieval.errors import LLMError, ProgramError
from retrieval.events import AnswerFinal, ChainsBuilt, Event, PathRetrieved, QuestionLinked
from retrieval.evidence.chains import count_facts
from retrieval.kg.snapshot import KINDS
from retrieval.language.question import Question
from retrieval.language.words import read as words
from retrieval.linking.linker import Linker
from retrieval.linking.mentions import MentionSpan
from retrieval.programs.algebra.operations import Entities, walk
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.rendering.names import from_named_json
from retrieval.reasoning.base import Conclusion
from retrieval.types import LinkedEntity, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.answering.parts import Opening
    from retrieval.environment import LLMSettings
    from retrieval.programs.reader import ProgramReader
    from retrieval.programs.understanding import Understanding

NAMED = 10
"""Entities of an edited program that are shown as its topics."""
_EDIT = "Change the step that it is about, or ask the question in words."


class ProgramAnswerer:
    """Reads questions as programs and answers by them.

    Args:
        trusted: answers of a lower confidence are guesses.
        path_trust: instead of ``thresholds.PROGRAM_OVER_PATHS``.
        guesses: programs that are less likely answer, too, as guesses, where nothing else can.

    Attributes:
        learned: the reader's weights were fitted to questions of this graph.
        reads_paths: questions that relation paths may answer are read too.
        outcomes: selects among programs and relation paths, where there is no checkpoint.
    """

    def __init__(
        self,
        reader: ProgramReader,
        trusted: float,
        path_trust: float = thresholds.PROGRAM_OVER_PATHS,
        *,
        guesses: bool = False,
    ) -> None:
        self._reader = reader
        self._guesses = guesses
        self._trusted = trusted
        self._path_trust = path_trust
        self.learned = reader.learned
        self.reads_paths = path_trust <= 1.0
        self.outcomes = OutcomeSelector(reader.parser.schema, reader.parser.columns)

    def find_program(self, run: PipelineRun, linked: Linked) -> Understanding | None:
        """The program of the question, where one is likely enough to be what was asked."""
        return self.keep_trusted(run, linked, self.read(run))

    def find_sure_program(self, run: PipelineRun) -> Understanding | None:
        """The program of a question with an operator, where it is so likely that a language model need not read it."""
        if not run.request.question.cues:
            return None
        understanding = self.read(run)
        if understanding is None or understanding.is_path or not self._is_about_names(run, understanding):
            return None
        if self._guesses:
            chosen = self.outcomes.select(run, understanding)
            understanding = (
                chosen.read_as(understanding) if chosen is not None and chosen.is_program(understanding) else None
            )
        return (
            understanding
            if understanding is not None and understanding.confidence >= thresholds.PROGRAM_OVER_LANGUAGE_MODEL
            else None
        )

    def compute_numbers(self, run: PipelineRun) -> dict[float, float]:
        """Return the numbers that programs of the question give, each with how likely its program is."""
        read, numbers = self.read(run), dict[float, float]()
        for meaning in read.meanings if read is not None else ():
            result = meaning.candidate.result
            if not meaning.refused and not isinstance(result, bool | np.ndarray | Rows):
                likely = round(meaning.candidate.probability, 4)
                numbers[float(result)] = max(likely, numbers.get(float(result), 0.0))
        return numbers

    def find_doubtful_program(self, run: PipelineRun) -> Understanding | None:
        """The program of the question, where nothing but a program can answer it."""
        understanding = self.read(run)
        trusted = (
            understanding is not None
            and understanding.confidence >= thresholds.PROGRAM
            and self.has_read_names(run, understanding)
        )
        return understanding if trusted else None

    def has_more_names(self, question: Question, mentions: Sequence[str]) -> bool:
        """Whether words beside some mentions are names that many things share: the dramas on a channel."""
        schema = self._reader.parser.schema
        mentioned = {word.stem for mention in mentions for word in words(mention).words}
        return any(
            word.stem not in mentioned and word.stem not in schema.by_stem and (word.stem,) in schema.hubs
            for word in question.words.words
        )

    def find_missing(self, run: PipelineRun, read: Understanding | None) -> tuple[MentionSpan, ...]:
        """Find the names of a question that the graph lacks, those in small letters too."""
        if read is None or run.request.given or run.missing:
            return run.missing
        return find_unread_arguments(run.request.question, read, self._reader.snapshot)

    def find_unread_names(self, run: PipelineRun) -> tuple[MentionSpan, ...]:
        """Return the names that the graph lacks, none where a program reads them all as something else."""
        read = self.read(run) if run.missing else None
        explained = read is not None and any(has_read_names(meaning, run.missing) for meaning in read.meanings)
        return () if explained else run.missing

    def read(self, run: PipelineRun) -> Understanding | None:
        """What the question may ask, however unlikely."""
        with run.watch.measure_body():
            request = run.request
            return self._reader.read(request.question, request.given, run.cancelled, request.denoted)

    def keep_trusted(
        self, run: PipelineRun, linked: Linked, understanding: Understanding | None
    ) -> Understanding | None:
        """What was read, where it is likely enough to be what was asked."""
        if understanding is None or not self._is_about_names(run, understanding):
            return None
        alone, question = run.request.names_several or not linked.entities, run.request.question
        if self._guesses and not run.request.names_several and (alone or (question.cues and not understanding.is_path)):
            least = thresholds.PROGRAM_GUESS if question.cues else thresholds.PROGRAM_GUESS_WITHOUT_NAME
        else:
            least = get_required_confidence(question, alone, self._path_trust)
        return understanding if understanding.confidence >= least else None

    def has_read_names(self, run: PipelineRun, understanding: Understanding) -> bool:
        """Whether a program reads all names of the question that the graph lacks."""
        return not run.missing or any(
            has_read_names(meaning, run.missing)
            for meaning in understanding.meanings
            if meaning.candidate is understanding.best
        )

    def is_about_topics(self, run: PipelineRun, understanding: Understanding) -> bool:
        """Whether a program is about the entities that somebody picked: who picks one asks about it."""
        return set(run.request.given) <= {entity for entity, _, _ in understanding.named}

    def _is_about_names(self, run: PipelineRun, understanding: Understanding) -> bool:
        return self.is_about_topics(run, understanding) and self.has_read_names(run, understanding)

    def write_program(self, run: PipelineRun, linked: Linked, settings: LLMSettings) -> tuple[Understanding, Usage]:
        """The program that a language model writes.

        Raises:
            LLMError: it writes none that can be run.
        """
        topics = [entity.entity.id for entity in linked.entities]
        with run.watch.measure_body():
            return self._reader.write(run.request.question, topics, settings, run.cancelled)

    def find_described(self, run: PipelineRun, linked: Linked) -> LinkedEntity | None:
        """Return the entity that the question asks about as a whole, see :mod:`.descriptions`."""
        topics = run.request.given or run.request.denoted
        return None if topics else find_described(run.request.question, linked, self._reader.parser.schema)

    def describe(self, run: PipelineRun, topic: LinkedEntity, warnings: tuple[str, ...]) -> Iterator[Event]:
        """Answer with what the graph tells of an entity."""
        yield from describe(run, topic, self._reader.parser.schema, warnings)

    def run_program(self, run: PipelineRun, data: dict[str, Any], warnings: tuple[str, ...]) -> Iterator[Event]:
        """A program that somebody wrote or edited, run as it is."""
        began = time.perf_counter()
        snapshot = self._reader.snapshot
        program = from_named_json(snapshot, data)
        entities = [node.ids[0] for node in walk(program) if isinstance(node, Entities) and node.ids]
        linked = Linker(snapshot).link(run.request.question, entities[:NAMED])
        yield QuestionLinked(linked.entities if entities else (), (), run.measure_ms(began))
        try:
            understanding = self._reader.execute(program, run.cancelled)
        except ProgramError as error:
            raise ProgramError(error.message, hint=error.hint or _EDIT) from None
        yield from self.answer(run, understanding, warnings)

    def answer(
        self,
        run: PipelineRun,
        understanding: Understanding,
        warnings: tuple[str, ...] = (),
        usage: Usage | None = None,
    ) -> Iterator[Event]:
        """See :func:`stream_program_answer`."""
        yield from stream_program_answer(run, understanding, self._trusted, warnings, usage)


def get_required_confidence(
    question: Question, alone: bool, path_trust: float = thresholds.PROGRAM_OVER_PATHS
) -> float:
    """How likely a program must be what was asked; ``alone`` where no relation path can answer."""
    return thresholds.PROGRAM if question.cues or alone else path_trust


def stream_program_answer(
    run: PipelineRun,
    understanding: Understanding,
    trusted: float,
    warnings: tuple[str, ...] = (),
    usage: Usage | None = None,
) -> Iterator[Event]:
    """The program with its evidence, and what it gives as the run's answers; less likely ones are guesses."""
    began, question = time.perf_counter(), run.request.question
    unused = find_unread(question, understanding)
    sure = reduce_confidence(understanding.confidence, question, unused)
    understanding = replace(understanding, confidence=sure)
    executed = build_program_event(understanding, lambda: run.measure_ms(began))
    yield executed
    chains = build_chains(understanding.executor, understanding.best.program, understanding.confidence)
    for chain in chains:
        run.paths += 1
        yield PathRetrieved(run.paths, chain.hops[: len(chain.steps)], round(chain.score, 6), run.measure_ms())
    yield ChainsBuilt(chains, run.paths, count_facts(chains), run.measure_ms(began))
    unknown = explain_unknown(understanding.executor, understanding.best.program)
    answers = build_answers(
        understanding, None if unknown else format_understood_result(understanding), chains, trusted
    )
    no_answer = None if answers else unknown or make_no_fit_answer()
    verdict = Conclusion(answers=answers, no_answer=no_answer, warnings=warnings, usage=usage or Usage())
    final = replace(
        run.build_final(verdict), table=build_program_table(understanding), unused=join_spans(question, unused)
    )
    yield add_program_sentence(final, understanding, chains, executed.ranked)


def make_program_answerer(opening: Opening, checkpoint: Path | None) -> ProgramAnswerer:
    """Programs over an open graph, as was learned with a checkpoint or as all graphs are read."""
    parts = opening.parts
    mediators = parts.snapshot.kinds == KINDS.index("cvt")
    # Programs do not walk through mediators as relation paths do.
    trust = 1.01 if mediators.any() else thresholds.PROGRAM_OVER_PATHS
    settings = opening.settings or AnsweringSettings()
    trusted = settings.extractive.trusted
    return ProgramAnswerer(parts.get_program_reader(checkpoint), trusted, trust, guesses=checkpoint is None)


def require_programs(programs: ProgramAnswerer | None) -> ProgramAnswerer:
    """The programs of an answerer.

    Raises:
        ProgramError: it has none, as over the facts that a question brings.
    """
    if programs is None:
        raise ProgramError("Programs run over whole graphs.", hint="Ask without the question's own facts.")
    return programs


def explain_unwritten(error: LLMError) -> str:
    """What is said of an answer where a language model wrote no program."""
    note = f"{error.message} {error.hint}".strip()
    return f"{note} No program was written by the language model; the question was read without it."


def add_warning(final: AnswerFinal, warning: str) -> AnswerFinal:
    """The end of a run with one more thing to know of it."""
    return replace(final, warnings=(warning, *final.warnings))
