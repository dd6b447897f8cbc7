"""Decides what answers a question: a program, relation paths, or a description of the entity that it names.

A decision is made before relation paths are retrieved, where they could change nothing, and else after. There are two
procedures. Without a checkpoint trained on the graph, :class:`LikeliestOutcome` weighs what programs and relation paths
give with one model. With one, its relation paths and its programs have confidences of their own, and
:class:`Precedence` compares those with :mod:`retrieval.thresholds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval import thresholds
from retrieval.answering.fusion.missing_names import find_silent_names
from retrieval.methods.zero_shot.idioms import is_gender_question
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.reasoning.understanding import is_unexplained, verify_verdict
from retrieval.results import NoAnswerReason

if TYPE_CHECKING:
    from retrieval.answering.programs import ProgramAnswerer
    from retrieval.answering.run import Linked, PipelineRun
    from retrieval.evidence.reach import Reach
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.understanding import Understanding
    from retrieval.reasoning.extractive import ExtractiveReasoner
    from retrieval.retriever import Retriever
    from retrieval.types import LinkedEntity, RelationPath


@dataclass(frozen=True, slots=True)
class ByProgram:
    """A program answers."""

    understanding: Understanding
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ByDescription:
    """What the graph says of an entity answers."""

    entity: LinkedEntity


@dataclass(frozen=True, slots=True)
class ByPaths:
    """Relation paths answer, as the reasoner reads their evidence."""

    evidence: Evidence
    warnings: tuple[str, ...] = ()


Decision = ByProgram | ByDescription | ByPaths


@dataclass(frozen=True, slots=True)
class RetrievedPaths:
    """What a retriever returned.

    Attributes:
        collect: the same of some of them.
        began: when they were ranked, of ``time.perf_counter``.
    """

    paths: Sequence[RelationPath]
    evidence: Evidence
    collect: Callable[[Sequence[RelationPath]], Evidence]
    began: float

    def select_evidence(self, reaches: Sequence[Reach]) -> Evidence:
        """The evidence of those relation paths alone."""
        some = {(reach.topic, reach.path) for reach in reaches}
        return self.collect([path for path in self.paths if (path.topic, path.relations) in some])


@dataclass(slots=True)
class DecisionProcedure(ABC):
    """How the answer of one question is decided; made for it.

    Attributes:
        described: the entity that the question asks about as a whole.
        extractive: answers by relation paths.
    """

    run: PipelineRun
    linked: Linked
    described: LinkedEntity | None
    programs: ProgramAnswerer
    extractive: ExtractiveReasoner

    @property
    def topics(self) -> list[int]:
        """The topic entities, each once, in the order of the question."""
        return list_topics(self.linked)

    @property
    def is_choice(self) -> bool:
        """Whether either of several topics is meant: relation paths take what all of them lead to."""
        return len(self.topics) > 1 and " or " in self.run.request.question.folded

    @abstractmethod
    def decide_before_retrieval(self) -> ByProgram | None:
        """The program that answers whatever relation paths say; None where they are to be retrieved."""

    @abstractmethod
    def decide_after_retrieval(self, retrieved: RetrievedPaths) -> Decision:
        """What answers, with relation paths retrieved."""

    def draw_verdict(self, evidence: Evidence) -> Conclusion:
        """What relation paths answer, without a language model."""
        return verify_verdict(evidence, self.extractive.draw_conclusion(evidence))


@dataclass(slots=True)
class LikeliestOutcome(DecisionProcedure):
    """The likeliest of all outcomes that programs and relation paths give: no checkpoint was trained on the graph."""

    read: Understanding | None = None

    def decide_before_retrieval(self) -> ByProgram | None:
        """See :meth:`DecisionProcedure.decide_before_retrieval`."""
        run = self.run
        self.read = self.programs.read(run)
        run.missing = self.programs.find_missing(run, self.read)
        run.silent = find_silent_names(run.request.question, self.linked)
        if self.read is None or not self._is_no_path(self.read):
            return None
        chosen = self.programs.outcomes.select(run, self.read)
        if chosen is None or (self.described is not None and chosen.sure < thresholds.PROGRAM_OVER_LANGUAGE_MODEL):
            return None
        return ByProgram(chosen.read_as(self.read))

    def decide_after_retrieval(self, retrieved: RetrievedPaths) -> Decision:
        """See :meth:`DecisionProcedure.decide_after_retrieval`."""
        evidence = retrieved.evidence
        verdict = self.draw_verdict(evidence)
        chosen = self.programs.outcomes.select(self.run, self.read, retrieved.paths, evidence, verdict)
        self.run.missing = self.run.missing if chosen is None else ()
        if self.described is not None and (chosen is None or chosen.sure < thresholds.PROGRAM_OVER_LANGUAGE_MODEL):
            return ByDescription(self.described)
        if chosen is None:
            return ByPaths(replace(evidence, coverage=0.0))
        warnings = list_doubt_warnings(chosen.sure, verdict)
        if self.read is not None and chosen.is_program(self.read):
            return ByProgram(chosen.read_as(self.read), warnings)
        if not chosen.outcome.by_paths:
            evidence = retrieved.select_evidence(chosen.outcome.reaches)
        return ByPaths(replace(evidence, sure=chosen.sure, coverage=1.0), warnings)

    def _is_no_path(self, read: Understanding) -> bool:
        """Whether no relation path says what is asked: nothing is named, or something is computed."""
        question = self.run.request.question
        if not self.linked.entities or self.run.request.names_several:
            return True
        if is_gender_question(question):
            return False
        return (bool(question.cues) and not read.is_path) or self.is_choice


@dataclass(slots=True)
class Precedence(DecisionProcedure):
    """Programs before relation paths where they are sure enough, after these where they are not.

    Attributes:
        untaught: the retriever was not trained on questions of this graph.
        understanding: the program that was read before relation paths.
    """

    retriever: Retriever
    snapshot: Snapshot
    untaught: bool
    understanding: Understanding | None = None

    def decide_before_retrieval(self) -> ByProgram | None:
        """See :meth:`DecisionProcedure.decide_before_retrieval`."""
        alone = not self.linked.entities or self.run.request.names_several
        if not (alone or self.programs.learned or self.untaught) or self._is_surely_path():
            return None
        self.understanding = self.programs.find_program(self.run, self.linked)
        if self.understanding is None or self._can_be_path(self.understanding):
            return None
        return ByProgram(self.understanding)

    def decide_after_retrieval(self, retrieved: RetrievedPaths) -> Decision:
        """See :meth:`DecisionProcedure.decide_after_retrieval`."""
        verdict = self.draw_verdict(retrieved.evidence)
        understanding = self._select_program(verdict)
        if understanding is not None:
            return ByProgram(understanding)
        if self.described is not None and all(answer.guess for answer in verdict.answers):
            return ByDescription(self.described)
        self.run.missing = self.programs.find_unread_names(self.run)
        return ByPaths(retrieved.evidence)

    def _select_program(self, verdict: Conclusion) -> Understanding | None:
        """The program that answers instead of relation paths, as far as the retriever is sure of them."""
        read = self.understanding
        if read is None and is_unexplained(verdict):
            return self.programs.find_program(self.run, self.linked)
        if read is None and self.untaught and verdict.no_answer is not None:
            late = self.programs.find_program(self.run, self.linked)  # it may read a word that a sure path lacks
            return late if late is not None and late.confidence >= thresholds.LATE_PROGRAM else None
        if read is None and self.untaught and self._is_of_another_type(verdict):
            return self.programs.find_doubtful_program(self.run)
        by_path = read is not None and bool(verdict.answers) and verdict.answers[0].score >= read.confidence
        return None if by_path else read

    def _can_be_path(self, understanding: Understanding) -> bool:
        """Whether a relation path from the topics may say what a program does: nothing else is named, or counted."""
        question = self.run.request.question
        if self.untaught and self.linked.entities and is_gender_question(question):
            return True
        by_path = self.untaught and not self.run.request.names_several
        of_path = understanding.is_path or (self.untaught and not question.cues)
        names_others = not self.linked.entities or understanding.has_other_nodes(self.topics)
        return by_path and of_path and not names_others and not self.is_choice

    def _is_surely_path(self) -> bool:
        """Whether an untrained retriever is so sure of a relation path that reading programs would change nothing."""
        run, question = self.run, self.run.request.question
        topics = [topic for topic in self.topics if self.snapshot.get_degree(topic) > 0]
        if not self.untaught or len(topics) != 1 or run.request.names_several:
            return False  # what two things have in common, or differ by, is more than a path from each
        if question.cues:
            return False
        mentions = {entity.entity.id: entity.mention for entity in reversed(self.linked.entities)}
        if self.programs.has_more_names(question, list(mentions.values())):
            return False
        with run.watch.measure_body():
            paths = self.retriever.rank_relation_paths(
                question, topics, limit=1, mentions=[mentions[topic] for topic in topics], cancelled=run.cancelled
            )
        sure = len(paths) == len(topics) and all(path.score >= thresholds.LATE_PROGRAM for path in paths)
        ends = [path.relations[-1] for path in paths]
        return sure and not self.programs.outcomes.answer_types.is_of_another_type(question, ends=ends)

    def _is_of_another_type(self, verdict: Conclusion) -> bool:
        nodes = [answer.entity.id for answer in verdict.answers if answer.entity is not None]
        return self.programs.outcomes.answer_types.is_of_another_type(self.run.request.question, nodes=nodes)


def list_topics(linked: Linked) -> list[int]:
    """The topic entities, each once, in the order of the question."""
    return list(dict.fromkeys(entity.entity.id for entity in linked.entities))


def list_doubt_warnings(sure: float, verdict: Conclusion) -> tuple[str, ...]:
    """What is said of a guess at what relation paths say that the graph lacks."""
    lacking = verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH
    if verdict.no_answer is None or not lacking or sure >= thresholds.GUESS:
        return ()
    return (f"{verdict.no_answer.message} This is the closest to it.",)
