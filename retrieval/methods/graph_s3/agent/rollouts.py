"""Rollouts: many searches at once, step by step together, and the most probable ones of each question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from retrieval.errors import check
from retrieval.methods.graph_s3.agent.decisions import RETURN, AgentDecision, build_decision
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.model import ActionOptions, AgentModel, Relations, merge_places
from retrieval.nn.query import EncodedQuestions
from retrieval.types import RelationPath

#: Decisions taken and the options taken in them, of one search.
Rollout = list[tuple[AgentDecision, int]]
#: Log-probability of a search that came to its end, and where it ended.
Ended = tuple[float, State]

#: Searches that are less probable, by themselves or beside the best one that has ended, are given up; logarithms.
_LEAST, _LEAST_BESIDE = float(np.log(1e-4)), float(np.log(1e-2))


def compute_logits(
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Relations,
    decisions: Sequence[tuple[int, AgentDecision]],
) -> tuple[Tensor, Tensor]:
    """Logits of all options of some decisions.

    Lineages that begin alike are read once, level by level.

    Args:
        questions: questions as seen from topics.
        decisions: each with its question's row in ``questions``; each with at least one option.

    Returns:
        ``(logits, decision)`` of each of m options, [m]; decisions in order.
    """
    keys = sorted({(row, d.lineage[:n]) for row, d in decisions for n in range(len(d.lineage) + 1)},
                  key=lambda key: (len(key[1]), key))  # fmt: skip
    places = {key: place for place, key in enumerate(keys)}
    depth = len(keys[-1][1])
    first = [key for key in keys if not key[1]]
    level = model.start_walks(questions, torch.tensor([row for row, _ in first]))
    levels, below = [level], 0
    for length in range(1, depth + 1):
        of_level = [key for key in keys if len(key[1]) == length]
        before = torch.tensor([places[row, lineage[:-1]] - below for row, lineage in of_level])
        tokens = torch.tensor([lineage[-1] for _, lineage in of_level])
        taken = relations.taken[tokens.clamp(min=0)]
        below += len(level.rows)
        level = model.take_steps(questions, level, before, taken, tokens == RETURN)
        levels.append(level)
    counts = torch.tensor([len(d.kinds) for _, d in decisions])
    owner = torch.repeat_interleave(torch.arange(len(decisions)), counts)
    positions = torch.tensor([places[row, d.lineage] for row, d in decisions])
    options = ActionOptions(
        positions[owner],
        torch.from_numpy(np.concatenate([d.kinds for _, d in decisions])),
        torch.from_numpy(np.concatenate([d.relations for _, d in decisions])),
        torch.from_numpy(np.concatenate([d.features for _, d in decisions])),
    )
    return model.compute_scores(questions, merge_places(levels), relations, options), owner


def log_shares(
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Relations,
    decisions: Sequence[tuple[int, AgentDecision]],
) -> list[np.ndarray]:
    """Log-probabilities of the options of each decision; see :func:`compute_logits`."""
    scores, _ = compute_logits(model, questions, relations, decisions)
    parts = torch.split(scores, [len(decision.kinds) for _, decision in decisions])
    return [part.double().log_softmax(0).numpy() for part in parts]


@torch.inference_mode()
def run_rollouts(
    world: AgentWorld,
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Relations,
    beginnings: Sequence[tuple[int, State]],
    *,
    rng: np.random.Generator | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[list[State], list[Rollout]]:
    """Search from several states at once until each has ended or used up its steps.

    Args:
        model: the policy, in evaluation mode.
        questions: questions as seen from topics.
        beginnings: each with the row in ``questions`` of its first topic.
        rng: draws actions by their probabilities; without it the most probable are taken.

    Returns:
        Where each stands at the end, and what it did.
    """
    states = [state for _, state in beginnings]
    rollouts: list[Rollout] = [[] for _ in states]
    live = list(range(len(states)))
    while live:
        check(cancelled)
        decided = [(i, build_decision(world, states[i])) for i in live]
        decided = [(i, decision) for i, decision in decided if decision.actions]
        if not decided:
            break
        rows = [(beginnings[i][0] + decision.view, decision) for i, decision in decided]
        for (i, decision), logs in zip(decided, log_shares(model, questions, relations, rows), strict=True):
            pick = int(np.argmax(logs)) if rng is None else _draw(logs, rng)
            rollouts[i].append((decision, pick))
            states[i], _ = world.apply_action(states[i], decision.actions[pick])
        live = [i for i, _ in decided if not states[i].ended and states[i].steps < world.limits.steps]
    return states, rollouts


@torch.inference_mode()
def find_likely_searches(
    world: AgentWorld,
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Relations,
    beginnings: Sequence[tuple[int, State]],
    *,
    width: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[list[Ended]]:
    """The most probable searches from each of several states that come to an end, most probable first.

    Args:
        model: the policy, in evaluation mode.
        questions: questions as seen from topics.
        beginnings: each with the row in ``questions`` of its first topic.
        width: searches from each that go on, on every step.
    """
    under: list[list[tuple[float, State]]] = [[(0.0, state)] for _, state in beginnings]
    ended: list[list[Ended]] = [[] for _ in beginnings]
    while any(under):
        check(cancelled)
        decided = [(i, log, state, build_decision(world, state)) for i, each in enumerate(under) for log, state in each]
        decided = [each for each in decided if each[3].actions]
        if not decided:
            break
        rows = [(beginnings[i][0] + decision.view, decision) for i, *_, decision in decided]
        grown: list[list[tuple[float, int, int]]] = [[] for _ in beginnings]
        for n, logs in enumerate(log_shares(model, questions, relations, rows)):
            i, log = decided[n][:2]
            grown[i] += [(log + share, n, k) for k, share in enumerate(logs.tolist())]
        for i, each in enumerate(grown):
            under[i] = []
            best = max((log for log, _ in ended[i]), default=-np.inf)
            least = max(_LEAST, best + _LEAST_BESIDE)
            for log, n, k in sorted(each, key=lambda item: (-item[0], item[1:]))[:width]:
                if log < least:
                    break
                after, _ = world.apply_action(decided[n][2], decided[n][3].actions[k])
                if after.ended:
                    ended[i].append((log, after))
                elif after.steps < world.limits.steps:
                    under[i].append((log, after))
    return [sorted(each, key=lambda item: -item[0]) for each in ended]


def list_paths(state: State) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The relation paths of each topic that a search ended with."""
    return tuple(sorted((leaf.topic, leaf.path) for leaf in state.find_leaves()))


def select_likeliest(ended: Sequence[Ended]) -> State | None:
    """What most probably is the end: searches that end with the same relation paths count together."""
    worth: dict[object, float] = defaultdict(float)
    for log, state in ended:
        worth[list_paths(state)] += float(np.exp(log))
    return max((state for _, state in ended), key=lambda state: worth[list_paths(state)], default=None)


def rank_paths(
    world: AgentWorld,
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Relations,
    beginning: tuple[int, State],
    *,
    width: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[RelationPath]:
    """The relation paths that the most probable searches of one topic end with, most probable first.

    Args: as of :func:`find_likely_searches`; ``beginning`` is of one topic.
    """
    (ended,) = find_likely_searches(world, model, questions, relations, [beginning], width=width, cancelled=cancelled)
    shares: dict[tuple[int, ...], float] = defaultdict(float)
    for log, state in ended:
        for leaf in state.find_leaves():
            shares[leaf.path] += float(np.exp(log))
    topic = beginning[1].topics[0]
    ranked = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    return [RelationPath(topic, path, min(1.0, share)) for path, share in ranked]


def _draw(logs: np.ndarray, rng: np.random.Generator) -> int:
    return min(int(np.searchsorted(np.cumsum(np.exp(logs)), rng.random())), len(logs) - 1)
