"""Answering by programs: what engines of one graph share, whatever else they answer by."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import LLMError, ProgramError
from retrieval.events import AnswerFinal, ChainsBuilt, Event, PathRetrieved, QuestionLinked
from retrieval.evidence.chains import distinct_facts
from retrieval.kg.snapshot import KINDS
from retrieval.methods._shared.engine_settings import EngineSettings
from retrieval.methods._shared.path_or_program import LIKELY_READ
from retrieval.methods._shared.program_answers import (
    answers_of,
    chains_of,
    executed,
    formatted_result,
    nothing_fits,
)
from retrieval.pipeline import Linked, PipelineRun
from retrieval.programs.algebra import Entities, walk
from retrieval.programs.rendering.names import resolved
from retrieval.programs.words import asked
from retrieval.programs.words import read as words
from retrieval.reasoning.base import Conclusion
from retrieval.text.linking import Linker
from retrieval.text.operators import cues
from retrieval.types import NoAnswerReason, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.environment import LLMSettings
    from retrieval.methods._shared.parts import Opening
    from retrieval.programs.reader import ProgramReader, Understanding

OPERATOR_TRUST, PATH_TRUST = 0.15, 0.35
"""How likely a program must be what was asked to answer: a question that no relation path can answer, and one that
other retrieval might."""
GUESSED, GUESSED_ALONE = 0.02, 0.06
"""Where there is no checkpoint, the same of a question with an operator and of another that names nothing: of such
programs one in three is right, and all are shown as guesses."""

#: Ends of a relation that are looked at for what sort they are.
_LOOKED_AT = 20
NAMED = 10
"""Entities of an edited program that are shown as its topics."""
_EDIT = "Change the step that it is about, or ask the question in words."


class ProgramEngine:
    """Reads questions as programs and answers by them.

    Args:
        reader: of the graph.
        trusted: answers of a lower confidence are guesses.
        path_trust: instead of ``PATH_TRUST``.
        guesses: programs that are less likely answer, too, as guesses, where nothing else can.

    Attributes:
        learned: the reader's weights were fitted to questions of this graph.
        reads_paths: questions that relation paths may answer are read too.
    """

    def __init__(
        self,
        reader: ProgramReader,
        trusted: float,
        path_trust: float = PATH_TRUST,
        *,
        guesses: bool = False,
    ) -> None:
        self._reader = reader
        self._guesses = guesses
        self._trusted = trusted
        self._path_trust = path_trust
        self.learned = reader.learned
        self.reads_paths = path_trust <= 1.0

    def understood(self, run: PipelineRun, linked: Linked) -> Understanding | None:
        """The program of the question, where one is likely enough to be what was asked."""
        return self.trusted(run, linked, self.read(run))

    def doubtful(self, run: PipelineRun) -> Understanding | None:
        """The program of the question, where nothing but a program can answer it."""
        found = self.read(run)
        return found if found is not None and found.confidence >= OPERATOR_TRUST else None

    def of_another_sort(self, question: str, *, nodes: Sequence[int] = (), ends: Sequence[int] = ()) -> bool:
        """Whether "who" or "where" is answered with a number or date, "which" with yes or no, "who" or "when" with rows
        of a table, or "how many" with a broken number: by nodes, or by what directed relations lead to.
        """
        schema = self._reader.parser.schema
        sort, truths = asked(words(question)), schema.truths
        if sort == "which" and any(end in truths for end in ends):
            return True
        if sort == "who" and schema.people_of(np.array(nodes, np.int64)):
            return True
        if sort in ("who", "when"):
            led = [node for end in ends for node in self._reader.parser.columns.targets(end)[:_LOOKED_AT]]
            if any(schema.surrogates[0][node] for node in (*nodes, *led)):
                return True
        if sort == "how many" and any(
            value % 1 > 0 for value in self._reader.parser.columns.values[list(nodes)]
        ):
            return True
        if sort not in ("who", "where"):
            return False
        columns = self._reader.parser.columns
        valued = any(columns.kinds[node] for node in nodes)
        return valued or any(columns.value_type(end) is not None for end in ends)

    def names_more(self, question: str, mentions: Sequence[str]) -> bool:
        """Whether words beside some mentions are names that many things share: the dramas on a channel."""
        schema = self._reader.parser.schema
        named = {word.stem for mention in mentions for word in words(mention).words}
        return any(
            word.stem not in named and word.stem not in schema.by_stem and (word.stem,) in schema.hubs
            for word in words(question).words
        )

    def read(self, run: PipelineRun) -> Understanding | None:
        """What the question may ask, however unlikely."""
        with run.watch.running():
            request = run.request
            return self._reader.read(request.question, request.given, run.cancelled, request.denoted)

    def trusted(self, run: PipelineRun, linked: Linked, found: Understanding | None) -> Understanding | None:
        """What was read, where it is likely enough to be what was asked."""
        if found is None or not self.names_given(run, found):
            return None
        alone, question = run.request.names_several or not linked.entities, run.request.question
        if (
            self._guesses
            and not run.request.names_several
            and (alone or (cues(question) and not found.is_path))
        ):
            least = GUESSED if cues(question) else GUESSED_ALONE
        else:
            least = trust(question, alone, self._path_trust)
        return found if found.confidence >= least else None

    def names_given(self, run: PipelineRun, found: Understanding) -> bool:
        """Whether a program is about the entities that somebody picked: who picks one asks about it."""
        return set(run.request.given) <= {entity for entity, _, _ in found.named}

    def fits_better(self, question: str, found: Understanding, nodes: Sequence[int]) -> bool:
        """Whether a program gives a time where "when" is asked, or things where "which" is, and nodes are none."""
        result, kinds = found.best.result, self._reader.parser.columns.kinds
        if not nodes or not isinstance(result, np.ndarray) or not len(result):
            return False
        sort, given, own = asked(words(question)), kinds[list(nodes)].astype(bool), kinds[result].astype(bool)
        if sort == "when":
            return bool(own.all() and not given.any())
        return bool(sort == "which" and found.confidence >= LIKELY_READ and given.all() and not own.any())

    def written(self, run: PipelineRun, linked: Linked, settings: LLMSettings) -> tuple[Understanding, Usage]:
        """The program that a language model writes.

        Raises:
            LLMError: it writes none that can be run.
        """
        named = [own.entity.id for own in linked.entities]
        with run.watch.running():
            return self._reader.write(run.request.question, named, settings, run.cancelled)

    def edited(self, run: PipelineRun, data: dict[str, Any], warnings: tuple[str, ...]) -> Iterator[Event]:
        """A program that somebody wrote or edited, run as it is."""
        began = time.perf_counter()
        snapshot = self._reader.snapshot
        program = resolved(snapshot, data)
        named = [node.ids[0] for node in walk(program) if isinstance(node, Entities) and node.ids]
        linked = Linker(snapshot).link(run.request.question, named[:NAMED])
        yield QuestionLinked(linked.entities if named else (), (), run.ms(began))
        try:
            found = self._reader.execute(program, run.cancelled)
        except ProgramError as error:
            raise ProgramError(error.message, hint=error.hint or _EDIT) from None
        yield from self.answer(run, found, warnings)

    def answer(
        self,
        run: PipelineRun,
        found: Understanding,
        warnings: tuple[str, ...] = (),
        usage: Usage | None = None,
    ) -> Iterator[Event]:
        """See :func:`answered`."""
        yield from answered(run, found, self._trusted, warnings, usage)


def trust(question: str, alone: bool, path_trust: float = PATH_TRUST) -> float:
    """How likely a program must be what was asked; ``alone`` where no relation path can answer."""
    return OPERATOR_TRUST if cues(question) or alone else path_trust


def answered(
    run: PipelineRun,
    found: Understanding,
    trusted: float,
    warnings: tuple[str, ...] = (),
    usage: Usage | None = None,
) -> Iterator[Event]:
    """The program with its evidence, and what it gives as the run's answers; less likely ones are guesses."""
    began = time.perf_counter()
    yield executed(found, lambda: run.ms(began))
    chains = chains_of(found.executor, found.best.program, found.confidence)
    for chain in chains:
        run.paths += 1
        yield PathRetrieved(run.paths, chain.hops[: len(chain.steps)], round(chain.score, 6), run.ms())
    yield ChainsBuilt(chains, run.paths, distinct_facts(chains), run.ms(began))
    answers = answers_of(found, formatted_result(found), chains, trusted)
    no_answer = None if answers else nothing_fits()
    verdict = Conclusion(answers=answers, no_answer=no_answer, warnings=warnings, usage=usage or Usage())
    yield run.final(verdict)


def programs_of(opening: Opening, checkpoint: Path | None) -> ProgramEngine:
    """Programs over an open graph, as was learned with a checkpoint or as all graphs are read."""
    parts = opening.parts
    mediators = parts.snapshot.kinds == KINDS.index("cvt")
    # Programs do not walk through mediators as relation paths do.
    trust = 1.01 if mediators.any() else PATH_TRUST
    settings = opening.settings or EngineSettings()
    trusted = settings.extractive.trusted
    return ProgramEngine(parts.programs(checkpoint), trusted, trust, guesses=checkpoint is None)


def whole(programs: ProgramEngine | None) -> ProgramEngine:
    """The programs of an engine.

    Raises:
        ProgramError: it has none, as over the facts that a question brings.
    """
    if programs is None:
        raise ProgramError("Programs run over whole graphs.", hint="Ask without the question's own facts.")
    return programs


def unwritten(error: LLMError) -> str:
    """What is said of an answer where a language model wrote no program."""
    note = f"{error.message} {error.hint}".strip()
    return f"{note} No program was written by the language model; the question was read without it."


def warned(final: AnswerFinal, warning: str) -> AnswerFinal:
    """The end of a run with one more thing to know of it."""
    return replace(final, warnings=(warning, *final.warnings))


def is_unexplained(verdict: Conclusion) -> bool:
    """Whether relation paths alone do not answer what was asked."""
    return verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_UNDERSTOOD
