"""Synthesis of trajectories by a language model, which the paper lets GPT-4o do (Graph-S3 section 3.1.2).

It explores as it does when asked (:mod:`retrieval.methods.graph_s3.agent.prompted`); what ends with other answers
is thrown away.
Replies are kept on disk, so that stopped work goes on and pays for what it lacks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError, LLMKeyError, LLMReplyError, OverBudgetError
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.llm import prompts
from retrieval.llm.chat import POLL_SECONDS
from retrieval.llm.replies import PATIENCE, ReplyStore
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.actions import Action
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.prompted import PromptedPolicy
from retrieval.methods.graph_s3.agent.synthesis import Episode
from retrieval.supervision.candidate_paths import compute_f1
from retrieval.supervision.grounding import Grounded
from retrieval.types import Progress, Usage


@dataclass(slots=True)
class Explored:
    """What came of a language model's exploring.

    Attributes:
        episodes: those whose answers match, in the order of the questions.
        wrong: questions that it ended with other answers.
        lost: questions that it did not end: no steps left, or it went on asking for what is not possible.
        failed: questions that the endpoint did not answer; asked for again next time.
        usage: spent now; replies that were kept cost nothing.
    """

    episodes: list[Episode] = field(default_factory=list)
    wrong: int = 0
    lost: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Try:
    """One question explored. ``episode`` is None where it was not ended."""

    episode: Episode | None
    usage: Usage


def make_world(snapshot: Snapshot) -> AgentWorld:
    """The graph with pages that a language model can read whole."""
    return AgentWorld(Frontiers(snapshot), AgentLimits(page=serialise.FACTS[0]))


def collect_explorations(
    world: AgentWorld,
    questions: Sequence[Grounded],
    settings: LLMSettings,
    store: ReplyStore,
    *,
    match: float = 1.0,
    concurrency: int = 4,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Explored:
    """Let a language model explore for each question, and keep what ends with its answers.

    Args:
        world: see :func:`make_world`.
        questions: each is explored once.
        store: where replies are kept.
        match: least F1 of a kept trajectory's answers; 1 for the very answer set.
        concurrency: questions under way at a time.
        progress: told after each question.

    Raises:
        OverBudgetError: a meter around the caller gives no leave.
        LLMKeyError: the endpoint refuses the key.
        LLMError: ``PATIENCE`` questions failed one after the other.
    """
    result = Explored()
    kept: dict[int, Episode] = {}
    in_a_row = 0

    def process_question(question: Grounded) -> _Try:
        return _run_exploration(world, question, settings, store, cancelled)

    for done, (number, outcome) in enumerate(
        _process_concurrently(questions, process_question, concurrency, cancelled), start=1
    ):
        if isinstance(outcome, (LLMKeyError, OverBudgetError)):
            raise outcome
        if isinstance(outcome, LLMError):
            result.failed, in_a_row = result.failed + 1, in_a_row + 1
            if in_a_row >= PATIENCE:
                raise outcome
        else:
            in_a_row = 0
            result.usage = result.usage.add(outcome.usage)
            if outcome.episode is None:
                result.lost += 1
            elif outcome.episode.score >= match:
                kept[number] = outcome.episode
            else:
                result.wrong += 1
        message = f"{len(kept):,} kept"
        progress(Progress("exploring", done, len(questions), "questions", message))
    result.episodes = [kept[number] for number in sorted(kept)]
    return result


def _run_exploration(
    world: AgentWorld,
    question: Grounded,
    settings: LLMSettings,
    store: ReplyStore,
    cancelled: Callable[[], bool],
) -> _Try:
    """One question. What was not possible changed nothing and is left out of the trajectory."""
    policy = PromptedPolicy(world, settings, kept=store)
    beginning = state = world.make_initial_state(Question(question.question.question), question.topics, question.names)
    actions: list[Action] = []
    thoughts: list[str] = []
    while not state.ended and state.steps < world.limits.steps:
        try:
            (proposed,) = policy.propose(state, cancelled=cancelled)
        except LLMReplyError:
            return _Try(None, policy.usage)
        state, observation = world.apply_action(state, proposed.action)
        if observation.valid:
            actions.append(proposed.action)
            thoughts.append(proposed.thought)
    if not state.ended:
        return _Try(None, policy.usage)
    score = compute_f1(state.find_answers(), np.array(question.answers, np.int64))
    prompt = prompts.describe_prompts(serialise.PROMPT)[serialise.PROMPT]
    behaviour = f"{settings.model}, {serialise.PROMPT} {prompt}"
    episode = Episode(question, beginning, tuple(actions), score, "llm", behaviour, tuple(thoughts), prompt)
    return _Try(episode, policy.usage)


def _process_concurrently(
    questions: Sequence[Grounded],
    process_question: Callable[[Grounded], _Try],
    concurrency: int,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, _Try | LLMError]]:
    """Outcomes as they come, ``concurrency`` at a time; what is under way when the caller stops is waited for."""
    rest = iter(enumerate(questions))
    running: dict[Future[_Try], int] = {}
    with ThreadPoolExecutor(concurrency, thread_name_prefix="explore") as pool:
        while True:
            for number, question in islice(rest, concurrency - len(running)):
                running[pool.submit(copy_context().run, process_question, question)] = number
            if not running:
                return
            done, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            if cancelled():
                raise Cancelled("The work was stopped.")
            for future in done:
                number, error = running.pop(future), future.exception()
                if error is not None and not isinstance(error, LLMError):
                    raise error
                yield number, error if error is not None else future.result()
