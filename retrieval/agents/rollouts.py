"""Rollouts: many searches at once, step by step together, and a beam of one search's most probable courses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import torch

from retrieval.agents.decisions import Decision, decide
from retrieval.agents.environment import World
from retrieval.agents.small_policy import logits
from retrieval.agents.state import State
from retrieval.nn.agent import AgentModel, Relations
from retrieval.nn.query import Asked
from retrieval.retrievers.base import RelationPath, check

#: Decisions taken and the options taken in them, of one search.
Course = list[tuple[Decision, int]]


def log_shares(
    model: AgentModel, asked: Asked, relations: Relations, decisions: Sequence[tuple[int, Decision]]
) -> list[np.ndarray]:
    """Log-probabilities of the options of each decision; see ``small_policy.logits``."""
    scores, _ = logits(model, asked, relations, decisions)
    parts = torch.split(scores, [len(decision.kinds) for _, decision in decisions])
    return [part.double().log_softmax(0).numpy() for part in parts]


@torch.inference_mode()
def roll(
    world: World,
    model: AgentModel,
    asked: Asked,
    relations: Relations,
    beginnings: Sequence[tuple[int, State]],
    *,
    rng: np.random.Generator | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[list[State], list[Course]]:
    """Search from several states at once until each has ended or used up its steps.

    Args:
        world: the graph.
        model: the policy, in evaluation mode.
        asked: questions as seen from topics.
        relations: of the graph.
        beginnings: each with the row in ``asked`` of its first topic.
        rng: draws actions by their probabilities; without it the most probable are taken.
        cancelled: asked between steps.

    Returns:
        Where each stands at the end, and what it did.
    """
    states = [state for _, state in beginnings]
    courses: list[Course] = [[] for _ in states]
    live = list(range(len(states)))
    while live:
        check(cancelled)
        decided = [(i, decide(world, states[i])) for i in live]
        decided = [(i, decision) for i, decision in decided if decision.actions]
        if not decided:
            break
        rows = [(beginnings[i][0] + decision.view, decision) for i, decision in decided]
        for (i, decision), logs in zip(decided, log_shares(model, asked, relations, rows), strict=True):
            pick = int(np.argmax(logs)) if rng is None else _draw(logs, rng)
            courses[i].append((decision, pick))
            states[i], _ = world.step(states[i], decision.actions[pick])
        live = [i for i, _ in decided if not states[i].ended and states[i].steps < world.limits.steps]
    return states, courses


@torch.inference_mode()
def beam(
    world: World,
    model: AgentModel,
    asked: Asked,
    relations: Relations,
    beginning: tuple[int, State],
    *,
    width: int,
    least: float = 1e-4,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[RelationPath]:
    """The relation paths that the most probable searches of one topic end with, most probable first.

    Args:
        world: the graph.
        model: the policy, in evaluation mode.
        asked: questions as seen from topics.
        relations: of the graph.
        beginning: the question's row in ``asked``, and the state before the first step, of one topic.
        width: searches that go on, on every step.
        least: a search less probable than this is dropped.
        cancelled: asked between steps.
    """
    row, state = beginning
    under = [(0.0, state)]
    ended: dict[tuple[int, ...], float] = defaultdict(float)
    for _ in range(world.limits.steps):
        check(cancelled)
        decided = [(log, at, decide(world, at)) for log, at in under]
        decided = [each for each in decided if each[2].actions]
        if not decided:
            break
        shares = log_shares(model, asked, relations, [(row, decision) for *_, decision in decided])
        grown = [
            (log + float(share), i, k)
            for i, ((log, *_), logs) in enumerate(zip(decided, shares, strict=True))
            for k, share in enumerate(logs)
        ]
        grown = sorted((each for each in grown if each[0] > np.log(least)), key=lambda g: (-g[0], g[1:]))
        under = []
        for log, i, k in grown[:width]:
            after, _ = world.step(decided[i][1], decided[i][2].actions[k])
            if after.ended:
                for leaf in after.leaves():
                    ended[leaf.path] += float(np.exp(log))
            else:
                under.append((log, after))
        if not under:
            break
    ranked = sorted(ended.items(), key=lambda item: (-item[1], item[0]))
    return [RelationPath(state.topics[0], path, min(1.0, share)) for path, share in ranked]


def _draw(logs: np.ndarray, rng: np.random.Generator) -> int:
    return min(int(np.searchsorted(np.cumsum(np.exp(logs)), rng.random())), len(logs) - 1)
