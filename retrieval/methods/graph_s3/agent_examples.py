"""From trajectories to what the small policy learns from: decisions, what was done in them, what each is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.errors import check
from retrieval.methods.graph_s3.agent.actions import Action
from retrieval.methods.graph_s3.agent.decisions import AgentDecision, build_decision, write_views
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.rewards import Golden, RewardWeights, compute_option_rewards
from retrieval.methods.graph_s3.agent.small_policy import find_option
from retrieval.methods.graph_s3.agent.synthesis import Episode
from retrieval.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class AgentExample:
    """One trajectory as the policy sees it; n decisions.

    Attributes:
        views: the question as seen from each topic.
        decisions: in order; those without a known option, and those that chance decided, are left out.
        taken: position of what was done, [n].
        rewards: what each option is worth, where that is known.
    """

    views: tuple[str, ...]
    written: str
    decisions: tuple[AgentDecision, ...]
    taken: tuple[int, ...]
    rewards: tuple[np.ndarray, ...] = ()


def make_imitation_example(world: AgentWorld, episode: Episode) -> AgentExample:
    """What imitation learns from a trajectory (eq. 7): where chance led astray, how to come back, and not the way."""
    return _make_example(world, episode, None, None)


def make_reward_examples(
    world: AgentWorld,
    episodes: Sequence[Episode],
    weights: RewardWeights,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[AgentExample]:
    """The states of refined trajectories with the reward of every option (eq. 8); equal trajectories count once."""
    of_question: dict[str, dict[tuple[Action, ...], Episode]] = defaultdict(dict)
    for episode in episodes:
        of_question[episode.question.question.id].setdefault(episode.actions, episode)
    examples: list[AgentExample] = []
    for number, mine in enumerate(of_question.values()):
        check(cancelled)
        if number % 50 == 0:
            progress(Progress("rewarding steps", number, len(of_question), "questions"))
        golden = Golden(mine)
        examples += [_make_example(world, episode, golden, weights) for episode in mine.values()]
    return examples


def _make_example(
    world: AgentWorld, episode: Episode, golden: Golden | None, weights: RewardWeights | None
) -> AgentExample:
    state = episode.beginning
    decisions: list[AgentDecision] = []
    taken: list[int] = []
    rewards: list[np.ndarray] = []
    for i, action in enumerate(episode.actions):
        decision = build_decision(world, state)
        position = find_option(decision, action)
        if position is not None and i not in episode.strayed:
            decisions.append(decision)
            taken.append(position)
            if golden is not None:
                wanted = golden.get_next_actions(episode.actions[:i])
                rewards.append(compute_option_rewards(world, state, decision.actions, wanted, weights))
        state, _ = world.apply_action(state, action)
    return AgentExample(
        write_views(episode.beginning),
        episode.question.question.question,
        tuple(decisions),
        tuple(taken),
        tuple(rewards),
    )
