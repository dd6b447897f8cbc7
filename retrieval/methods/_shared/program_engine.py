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
from retrieval.kg.snapshot.arrays import among
from retrieval.methods._shared.answer_types import AnswerTypes
from retrieval.methods._shared.choice.choosing import Chosen, choose
from retrieval.methods._shared.choice.model import Choice
from retrieval.methods._shared.choice.outcomes import outcomes
from retrieval.methods._shared.choice.signs import LOOKED_AT, Seen, genitives
from retrieval.methods._shared.descriptions import describe, find_described
from retrieval.methods._shared.engine_settings import EngineSettings
from retrieval.methods._shared.missing_names import (
    find_unread_arguments,
    keep_about,
    keep_reading,
    reads_names,
)
from retrieval.methods._shared.path_reader.idioms import asks_gender
from retrieval.methods._shared.program_answers import (
    answers_of,
    chains_of,
    executed,
    formatted_result,
    nothing_fits,
)
from retrieval.pipeline import Linked, PipelineRun
from retrieval.programs.algebra import Entities, Except, walk
from retrieval.programs.rendering.names import resolved
from retrieval.programs.words import read as words
from retrieval.reasoning.base import Conclusion
from retrieval.text.linking import Linker
from retrieval.text.mentions import Span
from retrieval.text.operators import cues
from retrieval.types import LinkedEntity, NoAnswerReason, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.environment import LLMSettings
    from retrieval.methods._shared.choice.outcomes import Outcome
    from retrieval.methods._shared.parts import Opening
    from retrieval.programs.reader import ProgramReader, Understanding
    from retrieval.reasoning.base import Evidence
    from retrieval.types import RelationPath

OPERATOR_TRUST, PATH_TRUST = 0.15, 0.35
"""How likely a program must be what was asked to answer: a question that no relation path can answer, and one that
other retrieval might."""
CONFIDENT = 0.5
"""How likely a program must be what was asked to answer instead of a language model."""
GUESSED, GUESSED_ALONE = 0.02, 0.06
"""Where there is no checkpoint, the same of a question with an operator and of another that names nothing: of such
programs one in three is right, and all are shown as guesses."""

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
        choice: weighs what programs and relation paths give, where there is no checkpoint.
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
        self.choice = Choice.load()

    @property
    def answer_types(self) -> AnswerTypes:
        """Types of answers over this graph."""
        return AnswerTypes(self._reader.parser.schema, self._reader.parser.columns)

    def understood(self, run: PipelineRun, linked: Linked) -> Understanding | None:
        """The program of the question, where one is likely enough to be what was asked."""
        return self.trusted(run, linked, self.read(run))

    def surely_computed(self, run: PipelineRun) -> Understanding | None:
        """The program of a question with an operator, where it is so likely that a language model need not read it."""
        if not cues(run.request.question):
            return None
        found = self.read(run)
        if found is None or found.is_path or not self._is_about_names(run, found):
            return None
        if self._guesses:
            chosen = self.chosen(run, found)
            found = chosen.read_as(found) if chosen is not None and chosen.is_program(found) else None
        return found if found is not None and found.confidence >= CONFIDENT else None

    def computed_numbers(self, run: PipelineRun) -> dict[float, float]:
        """Return the numbers that programs of the question give, each with how likely its program is."""
        read, found = self.read(run), dict[float, float]()
        for own in read.meanings if read is not None else ():
            result = own.candidate.result
            if not own.refused and not isinstance(result, bool | np.ndarray):
                likely = round(own.candidate.probability, 4)
                found[float(result)] = max(likely, found.get(float(result), 0.0))
        return found

    def doubtful(self, run: PipelineRun) -> Understanding | None:
        """The program of the question, where nothing but a program can answer it."""
        found = self.read(run)
        trusted = found is not None and found.confidence >= OPERATOR_TRUST and self.reads_names(run, found)
        return found if trusted else None

    def names_more(self, question: str, mentions: Sequence[str]) -> bool:
        """Whether words beside some mentions are names that many things share: the dramas on a channel."""
        schema = self._reader.parser.schema
        named = {word.stem for mention in mentions for word in words(mention).words}
        return any(
            word.stem not in named and word.stem not in schema.by_stem and (word.stem,) in schema.hubs
            for word in words(question).words
        )

    def missing(self, run: PipelineRun, read: Understanding | None) -> tuple[Span, ...]:
        """Find the names of a question that the graph lacks, those in small letters too."""
        if read is None or run.request.given or run.missing:
            return run.missing
        return find_unread_arguments(run.request.question, read, self._reader.snapshot)

    def unread_names(self, run: PipelineRun) -> tuple[Span, ...]:
        """Return the names that the graph lacks, none where a program reads them all as something else."""
        read = self.read(run) if run.missing else None
        explained = read is not None and any(reads_names(own, run.missing) for own in read.meanings)
        return () if explained else run.missing

    def read(self, run: PipelineRun) -> Understanding | None:
        """What the question may ask, however unlikely."""
        with run.watch.running():
            request = run.request
            return self._reader.read(request.question, request.given, run.cancelled, request.denoted)

    def trusted(self, run: PipelineRun, linked: Linked, found: Understanding | None) -> Understanding | None:
        """What was read, where it is likely enough to be what was asked."""
        if found is None or not self._is_about_names(run, found):
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

    def reads_names(self, run: PipelineRun, found: Understanding) -> bool:
        """Whether a program reads all names of the question that the graph lacks."""
        return not run.missing or any(
            reads_names(own, run.missing) for own in found.meanings if own.candidate is found.best
        )

    def names_given(self, run: PipelineRun, found: Understanding) -> bool:
        """Whether a program is about the entities that somebody picked: who picks one asks about it."""
        return set(run.request.given) <= {entity for entity, _, _ in found.named}

    def _is_about_names(self, run: PipelineRun, found: Understanding) -> bool:
        return self.names_given(run, found) and self.reads_names(run, found)

    def chosen(
        self,
        run: PipelineRun,
        read: Understanding | None,
        paths: Sequence[RelationPath] = (),
        evidence: Evidence | None = None,
        verdict: Conclusion | None = None,
    ) -> Chosen | None:
        """The likeliest of all that programs, and relation paths where there are some, give; see ``considered``."""
        seen, found = self.considered(run, read, paths, evidence, verdict)
        chosen = choose(seen, found, self.choice)
        return chosen if chosen is None else self._with_unknown(chosen, found, read)

    def _with_unknown(
        self, chosen: Chosen, found: Sequence[Outcome], read: Understanding | None = None
    ) -> Chosen:
        """What relation paths lead to as a whole, where a kind leaves out only things of which nothing is said: a new
        neighbour may well be a country.
        """
        nodes, snapshot = chosen.outcome.nodes, self._reader.snapshot
        whole = next((own for own in found if own.by_paths and own is not chosen.outcome), None)
        programs = chosen.outcome.programs
        if read is not None and programs and isinstance(read.meanings[programs[0]].candidate.program, Except):
            return chosen  # it was said what to leave out
        if nodes is None or whole is None or whole.nodes is None or not len(nodes):
            return chosen
        left = np.setdiff1d(whole.nodes, nodes)
        silent = snapshot.out_offsets[left + 1] == snapshot.out_offsets[left]
        within = len(left) and len(left) + len(nodes) == len(whole.nodes)
        valued = self._reader.parser.columns.kinds[left].any()
        return Chosen(whole, chosen.sure) if within and silent.all() and not valued else chosen

    def considered(
        self,
        run: PipelineRun,
        read: Understanding | None,
        paths: Sequence[RelationPath] = (),
        evidence: Evidence | None = None,
        verdict: Conclusion | None = None,
    ) -> tuple[Seen, list[Outcome]]:
        """All that programs and relation paths give, and what is known of the question beside it.

        Args:
            run: the run.
            read: the programs that the question may mean.
            paths: relation paths that were retrieved.
            evidence: what they lead to.
            verdict: what they answer together.
        """
        question, types = run.request.question, self.answer_types
        unexplained = verdict is not None and is_unexplained(verdict)
        reaches = () if evidence is None or unexplained else evidence.reaches
        found = [
            own
            for own in outcomes(read, run.request.given, reaches, verdict)
            if own.nodes is None or not types.are_no_answer(question, own.nodes[:LOOKED_AT].tolist())
        ]
        if run.missing:
            found = keep_reading(found, read, run.missing)
        for entity in run.silent:
            found = keep_about(found, read, entity)
        found = self._of_the_sort(read, found)
        nodes = [() if own.nodes is None else own.nodes[:LOOKED_AT].tolist() for own in found]
        seen = Seen(
            question,
            read,
            paths,
            verdict,
            kinds={
                node: kind
                for some in nodes
                for node in some
                if (kind := types.find_value_kind(node)) is not None
            },
            topics={path.topic for path in paths},
            unfit={
                at for at, some in enumerate(nodes) if some and types.is_of_another_type(question, nodes=some)
            },
            asks_gender=asks_gender(question),
            genitives=genitives(question, read.named if read is not None else ()),
            relations=self._reader.snapshot.num_relations,
            labels=[info.label for info in self._reader.parser.schema.relations],
        )
        return seen, found

    def _of_the_sort(self, read: Understanding | None, found: list[Outcome]) -> list[Outcome]:
        """Outcomes without those of relation paths alone that are not what the noun says, where others are.

        Where no relation says kinds, what has some relation stands for one, and not all of a kind has it.
        """
        if read is None or read.wanted is None or self._reader.parser.schema.type_relation is None:
            return found
        wanted = read.wanted
        fits = [own.nodes is None or bool(among(own.nodes, wanted).all()) for own in found]
        if not any(
            fit and own.nodes is not None and len(own.nodes) for own, fit in zip(found, fits, strict=True)
        ):
            return found
        return [own for own, fit in zip(found, fits, strict=True) if fit or own.programs]

    def written(self, run: PipelineRun, linked: Linked, settings: LLMSettings) -> tuple[Understanding, Usage]:
        """The program that a language model writes.

        Raises:
            LLMError: it writes none that can be run.
        """
        named = [own.entity.id for own in linked.entities]
        with run.watch.running():
            return self._reader.write(run.request.question, named, settings, run.cancelled)

    def find_described(self, run: PipelineRun, linked: Linked) -> LinkedEntity | None:
        """Return the entity that the question asks about as a whole, see :mod:`.descriptions`."""
        given = run.request.given or run.request.denoted
        return None if given else find_described(run.request.question, linked, self._reader.parser.schema)

    def describe(self, run: PipelineRun, named: LinkedEntity, warnings: tuple[str, ...]) -> Iterator[Event]:
        """Answer with what the graph tells of an entity."""
        yield from describe(run, named, self._reader.parser.schema, warnings)

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
