"""Ask an answerer every question of a set and keep what happened."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from retrieval.answering.run import AskRequest, Stopwatch
from retrieval.errors import Cancelled
from retrieval.evaluation.coverage import require, resolve_topics
from retrieval.evaluation.outcomes import Outcome
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    Event,
    PassagesRetrieved,
    PathRetrieved,
    ProgramExecuted,
    QuestionLinked,
    RouterDecided,
    RunCancelled,
    RunFailed,
)
from retrieval.evidence.verbalise import format_chain
from retrieval.kg.snapshot.restriction import RestrictedSnapshot, find_facts
from retrieval.language.question import Question
from retrieval.llm.metering import Meter, use_meter
from retrieval.metrics.scores import Fact
from retrieval.reasoning.prompting import collect_prompt_lines
from retrieval.types import Hop, Passage, Progress, QuestionRecord

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.kg.snapshot import Snapshot

Topics = Literal["given", "linked"]
Subgraphs = Literal["own", "whole"]

#: Questions asked before the clock counts, so that caches, maps and libraries are warm.
_WARM_UP = 3
#: Evidence chains kept of each question.
_CHAINS = 5


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All questions asked of one answerer.

    Attributes:
        outcomes: in the order of the questions.
        budget: distinct facts retrieved at most.
        topics: ``given`` topic entities were used where the question names them, or all were ``linked``.
        subgraphs: questions with triples were asked on their ``own`` subgraph, or all on the ``whole`` graph.
    """

    answerer: Answerer
    outcomes: tuple[Outcome, ...]
    budget: int
    seed: int
    topics: Topics = "given"
    subgraphs: Subgraphs = "own"


def sample(questions: Sequence[QuestionRecord], limit: int | None, seed: int) -> list[QuestionRecord]:
    """At most ``limit`` questions, drawn by ``seed``, in their own order."""
    if limit is None or limit >= len(questions):
        return list(questions)
    chosen = random.Random(seed).sample(range(len(questions)), max(0, limit))
    return [questions[i] for i in sorted(chosen)]


def evaluate_answerer(
    answerer: Answerer,
    questions: Sequence[QuestionRecord],
    *,
    budget: int,
    seed: int,
    topics: Topics = "given",
    subgraphs: Subgraphs = "own",
    at_once: int = 1,
    done: Mapping[str, Outcome] | None = None,
    keep: Callable[[Outcome], None] = lambda _: None,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Evaluation:
    """Ask each question once, after a few that are asked for warmth alone.

    Args:
        budget: distinct facts that may be retrieved for a question.
        topics: ``given`` uses the topic entities that a question names, and the linker where it names none that
            the graph holds; ``linked`` has the linker find them all.
        subgraphs: ``own`` asks a question that brings triples on those alone, as the papers do.
        at_once: questions that are read together, 1 to 64; each one's times hold its share of that.
        done: outcomes of an evaluation that was stopped, by question id; they are not asked again.
        keep: given each new outcome.
        progress: told after each question.

    Raises:
        EvaluationError: there are no questions, or the graph knows none of their topics or none of their answers.
    """
    require(answerer.snapshot, questions)
    outcomes, kept = [], done or {}
    if any(question.id not in kept for question in questions):
        _prepare_engine(answerer, questions, budget=budget, seed=seed, cancelled=cancelled)
    shares: dict[str, float] = {}
    for number, question in enumerate(questions, start=1):
        outcome = kept.get(question.id)
        if outcome is None:
            if at_once > 1 and question.id not in shares:
                block = [pending for pending in questions[number - 1 :][:at_once] if pending.id not in kept]
                shares = _read_ahead(answerer, block, topics)
            outcome = ask(
                answerer, question,
                budget=budget, seed=seed, topics=topics, subgraphs=subgraphs, cancelled=cancelled,
            )  # fmt: skip
            outcome.latency_ms += shares.get(question.id, 0.0)
            outcome.retrieval_ms += shares.get(question.id, 0.0)
            keep(outcome)
        outcomes.append(outcome)
        progress(Progress("evaluate", number, len(questions), "questions"))
    return Evaluation(answerer, tuple(outcomes), budget, seed, topics, subgraphs)


def _read_ahead(answerer: Answerer, questions: Sequence[QuestionRecord], topics: Topics) -> dict[str, float]:
    """Have questions read together; each one's share of the time, in milliseconds, by id."""
    began = time.perf_counter()
    answerer.read_ahead(
        [
            AskRequest(
                Question(question.question), resolve_topics(answerer.snapshot, question) if topics == "given" else ()
            )
            for question in questions
            if not question.triples
        ]
    )
    share = (time.perf_counter() - began) * 1000 / len(questions)
    return dict.fromkeys((question.id for question in questions), share)


def ask(
    answerer: Answerer,
    question: QuestionRecord,
    *,
    budget: int,
    seed: int,
    topics: Topics = "given",
    subgraphs: Subgraphs = "own",
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Ask one question and read its events."""
    topic_ids = resolve_topics(answerer.snapshot, question) if topics == "given" else ()
    outcome = Outcome(question, linked=not topic_ids)
    own_facts = find_facts(answerer.snapshot, question.triples) if question.triples else None
    target, watch = answerer, Stopwatch()
    began = time.perf_counter()
    if own_facts is not None and subgraphs == "own":
        outcome.own_facts, outcome.unknown = len(own_facts.facts), dict(own_facts.unknown)
        restricted = RestrictedSnapshot(answerer.snapshot, own_facts.facts)
        with watch.measure_body():  # what is computed from the small graph counts
            target = answerer.apply_restriction(restricted)
    request = AskRequest(Question(question.question), topic_ids, budget, seed)
    meter = Meter()
    with use_meter(meter), collect_prompt_lines() as lines:
        _read(outcome, target.run(request, cancelled=cancelled, watch=watch), answerer.snapshot)
    outcome.read = tuple(lines)
    if meter.usage.llm_calls:  # what a language model cost that failed, and another answered for, counts too
        outcome.usage = replace(meter.usage, triples=outcome.usage.triples)
    outcome.latency_ms = (time.perf_counter() - began) * 1000
    outcome.retrieval_ms = watch.seconds * 1000
    return outcome


def _read(outcome: Outcome, events: Iterable[Event], snapshot: Snapshot) -> None:
    """Write down what happened on a graph.

    Raises:
        Cancelled: the run was stopped.
    """
    for event in events:
        if isinstance(event, QuestionLinked):
            outcome.topics = tuple(linked.entity.label for linked in event.entities)
        elif isinstance(event, RouterDecided):
            outcome.route = event.method
        elif isinstance(event, (PathRetrieved, AgentStep)):
            outcome.facts.update(get_fact(hop) for hop in event.hops)
        elif isinstance(event, ProgramExecuted):
            outcome.program = event.read.program
            outcome.values = tuple(
                (ranked_node.node.label, ranked_node.value) for ranked_node in event.ranked if ranked_node.answer
            )
        elif isinstance(event, ChainsBuilt):
            outcome.chains = tuple((format_chain(c), round(c.score, 4)) for c in event.chains[:_CHAINS])
        elif isinstance(event, PassagesRetrieved):
            outcome.passages = tuple(item.passage.name for item in event.passages)
            outcome.support = _find_places(snapshot, outcome.question, [item.passage for item in event.passages])
        elif isinstance(event, AnswerFinal):
            outcome.predicted = tuple((answer.label, answer.score) for answer in event.answers)
            shown = () if event.table is None else event.table.rows
            outcome.rows = tuple(tuple((cell.text, cell.value) for cell in row) for row in shown)
            outcome.no_answer = str(event.no_answer.reason) if event.no_answer else None
            outcome.usage = event.usage
        elif isinstance(event, RunFailed):
            outcome.error = event.code
        elif isinstance(event, RunCancelled):
            raise Cancelled("The evaluation was stopped.")


def _find_places(snapshot: Snapshot, question: QuestionRecord, passages: Sequence[Passage]) -> tuple[int, ...]:
    """Where the supporting passages are among those found, from 1; 0 where not. What says the same is the same."""
    places = {(passage.title, passage.text): place for place, passage in reversed(list(enumerate(passages, start=1)))}
    table, ranks = snapshot.passages, []
    for name in question.passages:
        i = table.find(name) if table is not None else None
        ranks.append(
            places.get((table.get_title(i), table.get_text(i)), 0) if table is not None and i is not None else 0
        )
    return tuple(ranks)


def get_fact(hop: Hop) -> Fact:
    """The fact behind a hop, by labels."""
    head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
    return head.label, hop.step.name, tail.label


def _prepare_engine(
    answerer: Answerer, questions: Sequence[QuestionRecord], *, budget: int, seed: int, cancelled: Callable[[], bool]
) -> None:
    """Ask like the first questions, but nothing that is asked again: an answer kept would be free later.

    A language model is not called.
    """
    warm = answerer.copy_without_model()
    for question in questions[:_WARM_UP]:
        warm_up_question = replace(question, question=f"{question.question[:900]} by the way", triples=())
        ask(warm, warm_up_question, budget=budget, seed=seed, cancelled=cancelled)
