"""One run: what is asked of an answerer, what that is linked to, and what the run knows so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from retrieval.errors import Cancelled, QuestionError, UnknownEntityError
from retrieval.events import AnswerFinal
from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET, MAX_BUDGET, QUESTION_LIMIT
from retrieval.linking.mentions import MentionSpan as Mention
from retrieval.types import AgentAction, Denoted, LinkedEntity, Turn, Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.reasoning.base import Conclusion


T = TypeVar("T")


DENOTED_TOPICS = 10
"""Nodes of those that words of a follow-up stand for which relation paths begin at."""


class Linked(Protocol):
    """What a linker found: topic entities, and phrases that look like names and were not found."""

    @property
    def entities(self) -> tuple[LinkedEntity, ...]:
        """Topic entities in the order of the question."""
        ...

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Phrases that no entity was found for."""
        ...

    @property
    def missing(self) -> tuple[Mention, ...]:
        """Stretches written as names that no entity was found for."""


@dataclass(frozen=True, slots=True)
class LinkedTopics:
    """What is known to be linked."""

    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    missing: tuple[Mention, ...] = ()


class Linking(Protocol):
    """What an answerer needs of a linker."""

    def link(self, question: Question, topics: Sequence[int] = ()) -> Linked:
        """Link a question, or take the entities that the caller names."""
        ...


@dataclass(frozen=True, slots=True)
class Steering:
    """How a person steers a run of an agent; other methods take no notice.

    Attributes:
        actions: the first steps, done again exactly as they were chosen.
        shown: so many of them are in the run's log already and are not emitted again.
        begun: what comes before the first step is in the run's log already and is not emitted again.
        pause_after: pause when so many more steps than those shown are done; 1 goes step by step.
        by_person: numbers of the steps that a person chose, from 1.
        linked: what the question was linked to before those steps; it is linked anew when there is nothing.
    """

    actions: tuple[AgentAction, ...] = ()
    shown: int = 0
    begun: bool = False
    pause_after: int | None = None
    by_person: frozenset[int] = frozenset()
    linked: tuple[LinkedEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question.

    Attributes:
        question: 1 to ``QUESTION_LIMIT`` characters.
        given: topic entities chosen by the caller; used instead of what the linker would find.
        budget: most distinct facts retrieved, 1 to ``MAX_BUDGET``.
        steering: what a person decided, for methods that can be steered.
        program: by names; run as it is in place of reading the question, by methods that run programs.
        follows: the question before, which this one may lean on.
        denoted: words of the question that are known to stand for nodes.
    """

    question: Question
    given: tuple[int, ...] = ()
    budget: int = DEFAULT_BUDGET
    seed: int = 0
    steering: Steering | None = None
    program: dict[str, Any] | None = None
    follows: Turn | None = None
    denoted: tuple[Denoted, ...] = ()

    @property
    def names_several(self) -> bool:
        """Whether words of it stand for several nodes, which programs alone compute with."""
        return any(len(span.ids) > 1 for span in self.denoted)


class Stopwatch:
    """Counts the seconds of retrieval; the time of whoever reads what is retrieved is not its own."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def measure_body(self) -> Iterator[None]:
        """Count the body."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - began

    def measure_items(self, items: Iterable[T]) -> Iterator[T]:
        """Count the making of each item, not what is done with it."""
        made = iter(items)
        while True:
            with self.measure_body():
                try:
                    item = next(made)
                except StopIteration:
                    return
            yield item


@dataclass(slots=True)
class PipelineRun:
    """What one run knows so far."""

    request: AskRequest
    cancelled: Callable[[], bool]
    watch: Stopwatch = field(default_factory=Stopwatch)
    began: float = field(default_factory=time.perf_counter)
    paths: int = 0
    facts: dict[int, float] = field(default_factory=dict)
    pausing: Callable[[], bool] = lambda: False
    missing: tuple[Mention, ...] = ()
    """Names in the question that the graph lacks; empty once something that reads them answers."""
    silent: tuple[int, ...] = ()
    """Entities that every answer must be about though the words of their names say nothing by themselves."""
    is_timed: bool = False
    """Somebody counts its seconds, so that nothing that another run has done is to be told again."""

    def check(self) -> None:
        """Raise ``Cancelled`` when somebody pressed Stop."""
        if self.cancelled():
            raise Cancelled("The run was stopped.")

    def link(self, linker: Linking, snapshot: Snapshot) -> Linked:
        """The topics of the question: what its words are known to denote, and what a linker finds in the others."""
        request = self.request
        links = linker.link(request.question, request.given)
        denoted = [Mention(span.start, span.end, "") for span in request.denoted]
        self.missing = tuple(name for name in links.missing if not any(map(name.is_overlapping, denoted)))
        if not request.denoted or request.given:
            return links
        known = [
            LinkedEntity(
                snapshot.get_node(node),
                request.question.text[span.start : span.end],
                span.start,
                span.end,
                1.0,
                "exact",
            )
            for span in request.denoted
            for node in span.ids[:DENOTED_TOPICS]
        ]
        others = (
            entity
            for entity in links.entities
            if not any(span.start < entity.end and entity.start < span.end for span in request.denoted)
        )
        return LinkedTopics((*known, *others), links.unmatched, self.missing)

    def measure_ms(self, since: float | None = None) -> float:
        """Milliseconds since the run, or something in it, began."""
        return round((time.perf_counter() - (self.began if since is None else since)) * 1000, 2)

    def build_final(self, verdict: Conclusion) -> AnswerFinal:
        """The end of this run."""
        usage: Usage = replace(verdict.usage, triples=len(self.facts))
        return AnswerFinal(verdict.answers, verdict.no_answer, verdict.text, verdict.warnings, usage, self.measure_ms())


def validate_request(request: AskRequest, snapshot: Snapshot) -> None:
    """Check a question and its limits.

    Raises:
        QuestionError: it is empty or too long, or its budget is out of range.
        UnknownEntityError: the graph has no entity that was given.
    """
    if not request.question.text.strip():
        raise QuestionError("The question is empty.", hint="Type a question.")
    if len(request.question.text) > QUESTION_LIMIT:
        raise QuestionError(
            f"The question has {len(request.question.text):,} characters; {QUESTION_LIMIT:,} are allowed.",
            hint="Ask a shorter question.",
        )
    if not 1 <= request.budget <= MAX_BUDGET:
        raise QuestionError(f"The budget is {request.budget}.", hint=f"Give 1 to {MAX_BUDGET}.")
    for entity in request.given:
        if not 0 <= entity < snapshot.num_entities:
            raise UnknownEntityError(f"The graph has no entity {entity}.", hint="Choose an entity from the search box.")
