"""The pipeline: a question in, events out, as soon as each is known.

The stream begins with ``run.started`` and ends with exactly one of ``answer.final``, ``run.failed`` and
``run.cancelled``, or, where the method can wait for a person, with ``run.paused``. The same request on the same
snapshot, checkpoint and seed gives the same stream but for its times. This module keeps that promise for every
answerer; how each comes to its answer is in :mod:`retrieval.methods`.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from retrieval.answering.run import AskRequest, PipelineRun, Stopwatch, validate_request
from retrieval.answering.sentences import add_path_sentence
from retrieval.answering.unused_words import UsedWords
from retrieval.effort import Effort, get_readable_part
from retrieval.errors import Cancelled, ClewError, DamagedError
from retrieval.events import AnswerFinal, ChainsBuilt, Event, QuestionRewritten, RunCancelled, RunFailed, RunStarted
from retrieval.language.detection import has_english_names
from retrieval.limits import QUESTION_LIMIT
from retrieval.programs.dialogue.follow import resolve_follow_up
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import EvidenceChain

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot
    from retrieval.programs.reader import ProgramReader
    from retrieval.reasoning.base import Reasoner


log = logging.getLogger(__name__)

NOT_ENGLISH = (
    "This does not look like English. Clew reads English; of other languages it only matches words with the graph's "
    "names. A text encoder for more languages can be set (CLEW_ENCODER)."
)
NAMED_OTHERWISE = (
    "The relations of this graph do not seem to be named in English. Ask with their own words, or have a text encoder "
    "set that knows their language (CLEW_ENCODER)."
)
TOO_LONG = "The question is too long to be read in full."
SHORTEN = "Ask it in fewer words, or as several questions."


class Answerer(ABC):
    """One way to answer questions of one graph, ready to be asked. Threads may share it.

    Attributes:
        encoder: name of the text encoder, for the record.
        settings: a dataclass, for the record.
        follow_ups: reads follow-ups; without it every question stands on its own.
        renamed: finds the answerer for a question that uses synonyms, see :mod:`.wordings`; without it labels are read.
    """

    snapshot: Snapshot
    reasoner: Reasoner
    encoder: str
    settings: Any
    follow_ups: ProgramReader | None = None
    renamed: Callable[[AskRequest, Snapshot], Answerer | None] | None = None

    @property
    @abstractmethod
    def method(self) -> str:
        """The method's name."""

    @property
    def checkpoint(self) -> str | None:
        """Fingerprint of what was trained, None where nothing was."""
        return None

    @property
    @abstractmethod
    def options(self) -> Any:
        """Settings of the method for asking, a dataclass (``config.OPTIONS``)."""

    @property
    def prompts(self) -> dict[str, str]:
        """Version and hash of every prompt that may be used, by name (``llm.prompts.describe_prompts``)."""
        return self.reasoner.prompts

    @abstractmethod
    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """The same answerer on some facts of its graph. Entities are still linked among those of the whole graph."""

    @abstractmethod
    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """The events between ``run.started`` and the end, and ``answer.final``.

        Raises:
            ClewError: the run fails with it; ``Cancelled`` ends it as stopped.
        """

    def read_ahead(self, requests: Sequence[AskRequest]) -> None:
        """Read questions together that are asked one by one afterwards, where that costs less; at most 64."""
        del requests

    def copy_without_model(self) -> Self:
        """The same answerer with the extractive reasoner: no language model is called."""
        other = copy(self)
        other.reasoner, other.renamed = ExtractiveReasoner(), None
        return other

    def copy_for_retrieval(self) -> Self:
        """The same answerer for who reads what is retrieved and no answer: nothing is computed in place of it."""
        return self.copy_without_model()

    def run(
        self,
        request: AskRequest,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        watch: Stopwatch | None = None,
        pausing: Callable[[], bool] = lambda: False,
    ) -> Iterator[Event]:
        """Answer one question.

        Args:
            cancelled: asked between pieces of work; True ends the run with ``run.cancelled``.
            watch: given the seconds of retrieval.
            pausing: asked between the steps of a method that can wait; True pauses it.

        Yields:
            Events in the order of :mod:`retrieval.events`. Nothing is raised: an error is ``run.failed``.
        """
        timed = watch is not None
        run = PipelineRun(request, cancelled, watch or Stopwatch(), pausing=pausing, is_timed=timed)
        if request.steering is None or not request.steering.begun:
            yield self._build_start(request)
        try:
            validate_request(request, self.snapshot)
            answerer = (self.renamed and self.renamed(request, self.snapshot)) or self
            effort = Effort(len(request.question.text))
            yield from effort.measure_items(answerer._resolve_follow_up(run))
            if self.reasoner.llm is None:  # a language model reads all of it
                question = run.request.question
                run.request = replace(run.request, question=question.keep_part(get_readable_part(question.text)))
            chains: tuple[EvidenceChain, ...] = ()
            used = UsedWords(run.request)
            for event in effort.measure_items(answerer.answer(run)):
                used.add(event)
                if isinstance(event, ChainsBuilt):
                    chains = event.chains
                if isinstance(event, AnswerFinal):
                    self.snapshot.require_sound()  # what was read until now was whole
                    final = used.mark_unused(event)
                    final = final if final.sentence else add_path_sentence(final, chains)
                    final = _add_language_warning(final, request, self.snapshot)
                    yield _add_cut_warning(final) if effort.was_cut and self.reasoner.llm is None else final
                else:
                    yield event
        except Cancelled:
            yield RunCancelled("Stopped. What was found until then is kept.", run.paths)
        except ClewError as error:
            yield RunFailed(error.code, error.message, error.hint)
        except Exception:
            log.exception("A run broke on %s", self.snapshot.path)
            yield self._build_failure()

    def _resolve_follow_up(self, run: PipelineRun) -> Iterator[QuestionRewritten]:
        """A follow-up as a question that stands on its own, which the run is about from here on."""
        request, began = run.request, time.perf_counter()
        if request.follows is None or request.program is not None or self.follow_ups is None:
            return
        follow_up = resolve_follow_up(self.follow_ups, request.question, request.follows, run.cancelled)
        if follow_up is None:
            return
        question = follow_up.question.keep_part(follow_up.question.text[:QUESTION_LIMIT])
        run.request = replace(request, question=question, denoted=follow_up.denoted)
        if request.steering is None or not request.steering.begun:
            yield QuestionRewritten(question.text, follow_up.shown, follow_up.denoted, run.measure_ms(began))

    def _build_failure(self) -> RunFailed:
        """How a run ends on an error that nobody foresaw: it may be that the graph's files make no sense."""
        try:
            self.snapshot.require_sound(thorough=True)
        except DamagedError as error:
            return RunFailed(error.code, error.message, error.hint)
        return RunFailed(
            "internal", "Something inside Clew broke.", "The log of the worker has the details; please report it."
        )

    def _build_start(self, request: AskRequest) -> RunStarted:
        return RunStarted(
            question=request.question.text[:QUESTION_LIMIT],
            method=str(self.method),
            reasoner=self.reasoner.name,
            snapshot=self.snapshot.hash,
            checkpoint=self.checkpoint,
            encoder=self.encoder,
            budget=request.budget,
            seed=request.seed,
            llm=self.reasoner.llm,
            prompts=self.prompts,
        )


def _add_cut_warning(final: AnswerFinal) -> AnswerFinal:
    """The end of a run whose question was not read in full, which says so."""
    if final.no_answer is None:
        return replace(final, warnings=(*final.warnings, f"{TOO_LONG} {SHORTEN}"))
    return replace(final, no_answer=NoAnswer(NoAnswerReason.TOO_LONG, TOO_LONG, SHORTEN))


def _add_language_warning(final: AnswerFinal, request: AskRequest, snapshot: Snapshot) -> AnswerFinal:
    """The end of a run, with a warning where the question, or the graph, is in a language that is not read."""
    if request.program is not None:
        return final
    if not request.question.is_english:
        return replace(final, warnings=(*final.warnings, NOT_ENGLISH))
    if not has_english_names(map(snapshot.get_relation_label, range(snapshot.num_relations))):
        return replace(final, warnings=(*final.warnings, NAMED_OTHERWISE))
    return final
