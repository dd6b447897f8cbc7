"""Ask an engine every question of a set and keep what happened."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.errors import Cancelled
from retrieval.evaluation.metrics import Fact
from retrieval.events import AnswerFinal, PathRetrieved, QuestionLinked, RunCancelled, RunFailed
from retrieval.pipeline import AskRequest
from retrieval.types import Hop, Progress, Question, Usage

if TYPE_CHECKING:
    from retrieval.pipeline import Engine


@dataclass(slots=True)
class Outcome:
    """One question asked.

    Attributes:
        question: as in the question set.
        topics: labels of the linked topic entities.
        linked: whether Clew's linker found them, because the question names none.
        predicted: answers' labels with their scores, best first.
        facts: retrieved facts as (head, relation, tail).
        no_answer: reason of a typed no-answer.
        error: code of a failed run.
        usage: what it cost.
        latency_ms: from asking to the last event.
    """

    question: Question
    topics: tuple[str, ...] = ()
    linked: bool = False
    predicted: tuple[tuple[str, float], ...] = ()
    facts: set[Fact] = field(default_factory=set)
    no_answer: str | None = None
    error: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All questions asked of one engine."""

    engine: Engine
    outcomes: tuple[Outcome, ...]
    budget: int
    seed: int


def sample(questions: Sequence[Question], limit: int | None, seed: int) -> list[Question]:
    """At most ``limit`` questions, drawn by ``seed``, in their own order."""
    if limit is None or limit >= len(questions):
        return list(questions)
    chosen = random.Random(seed).sample(range(len(questions)), max(0, limit))
    return [questions[i] for i in sorted(chosen)]


def evaluate_engine(
    engine: Engine,
    questions: Sequence[Question],
    *,
    budget: int,
    seed: int,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Evaluation:
    """Ask each question once.

    Topic entities that the question names are used; where it names none, or none that the graph holds, the
    engine's linker finds them.

    Raises:
        Cancelled: ``cancelled`` said so.
    """
    outcomes = []
    for done, question in enumerate(questions, start=1):
        outcomes.append(ask(engine, question, budget=budget, seed=seed, cancelled=cancelled))
        progress(Progress("evaluate", done, len(questions), "questions"))
    return Evaluation(engine, tuple(outcomes), budget, seed)


def ask(
    engine: Engine,
    question: Question,
    *,
    budget: int,
    seed: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Ask one question and read its events.

    Raises:
        Cancelled: the run was stopped.
    """
    resolved = [engine.snapshot.labels.resolve(label) for label in dict.fromkeys(question.topic_entities)]
    given = tuple(entity for entity in resolved if entity is not None)
    outcome = Outcome(question, linked=not given)
    began = time.perf_counter()
    for event in engine.run(AskRequest(question.question, given, budget, seed), cancelled=cancelled):
        if isinstance(event, QuestionLinked):
            outcome.topics = tuple(linked.entity.label for linked in event.entities)
        elif isinstance(event, PathRetrieved):
            outcome.facts.update(fact_of(hop) for hop in event.hops)
        elif isinstance(event, AnswerFinal):
            outcome.predicted = tuple((answer.label, answer.score) for answer in event.answers)
            outcome.no_answer = str(event.no_answer.reason) if event.no_answer else None
            outcome.usage = event.usage
        elif isinstance(event, RunFailed):
            outcome.error = event.code
        elif isinstance(event, RunCancelled):
            raise Cancelled("The evaluation was stopped.")
    outcome.latency_ms = (time.perf_counter() - began) * 1000
    return outcome


def fact_of(hop: Hop) -> Fact:
    """The fact behind a hop, by labels."""
    head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
    return head.label, hop.step.name, tail.label
