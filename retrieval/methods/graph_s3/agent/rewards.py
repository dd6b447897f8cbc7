"""Rewards: of a step against refined trajectories (Graph-S3 eq. 8), and of an outcome, for the ablation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State
from retrieval.supervision.candidate_paths import compute_f1


@dataclass(frozen=True, slots=True)
class RewardWeights:
    """The two weights of eq. 8, which the paper sets for each data set and does not give.

    Attributes:
        form: of a well-formed and possible action, whatever it does.
        partial: of an action that is not the refined one, by how much of it it does.
    """

    form: float = 0.1
    partial: float = 0.5


class Golden:
    """What refined trajectories of one question do in each state; several may lead to the answers.

    Args:
        sequences: actions of each trajectory.
    """

    def __init__(self, sequences: Iterable[Sequence[Action]]) -> None:
        self._next: dict[tuple[Action, ...], list[Action]] = defaultdict(list)
        for actions in sequences:
            for i, action in enumerate(actions):
                known = self._next[tuple(actions[:i])]
                if action not in known:
                    known.append(action)

    def get_next_actions(self, before: Sequence[Action]) -> Sequence[Action]:
        """What may be done after these actions; empty off every refined trajectory."""
        return self._next.get(tuple(before), ())


def compute_step_reward(
    world: AgentWorld,
    state: State,
    action: Action,
    golden: Sequence[Action],
    weights: RewardWeights | None = None,
    *,
    well_formed: bool = True,
    possible: bool | None = None,
) -> float:
    """R(s, a) = V F (form + C + (1 - C) partial P), eq. 8, in [0, 1 + form].

    V: the environment can do it; F: what was said is an action in the form that was asked for; C: a refined
    trajectory does just this here; P, in [0, 1]: how much of what one does is done by this.

    Args:
        state: before the action.
        golden: what refined trajectories do here.
        weights: see :class:`RewardWeights`.
        well_formed: F; a small policy cannot fail it, a language model can.
        possible: V where it is known; found out when None.
    """
    weights = weights or RewardWeights()
    if not well_formed or isinstance(action, Unreadable):
        return 0.0
    if possible is None:
        possible = world.apply_action(state, action)[1].valid
    if not possible:
        return 0.0
    return float(compute_option_rewards(world, state, (action,), golden, weights)[0])


def compute_option_rewards(
    world: AgentWorld,
    state: State,
    actions: Sequence[Action],
    golden: Sequence[Action],
    weights: RewardWeights | None = None,
) -> np.ndarray:
    """``compute_step_reward`` of several actions that are possible, float32 [k]; what they reach is found once."""
    weights = weights or RewardWeights()
    choices = any(isinstance(wanted, Choose) for wanted in golden)
    ends = {a: _find_reached(world, state, a) for a in (*actions, *golden) if choices and isinstance(a, Choose)}
    rewards = np.full(len(actions), weights.form, np.float32)
    for i, action in enumerate(actions):
        if any(_is_same_action(state, action, wanted) for wanted in golden):
            rewards[i] += 1.0
        else:
            part = (_compute_share(state, action, wanted, ends) for wanted in golden)
            rewards[i] += weights.partial * max(part, default=0.0)
    return rewards


def compute_outcome_reward(state: State, answers: np.ndarray) -> float:
    """F1 of the final answers against the right ones, ascending ids; 0 when the search did not end."""
    return compute_f1(state.find_answers(), answers) if state.ended else 0.0


def _is_same_action(state: State, action: Action, wanted: Action) -> bool:
    if action == wanted:
        return True
    if isinstance(action, Choose) and isinstance(wanted, Choose):
        return set(action.relations) == set(wanted.relations) and set(action.arcs) == set(wanted.arcs)
    if isinstance(action, Explore) and isinstance(wanted, Explore):
        return np.array_equal(_get_entities(state, action), _get_entities(state, wanted))
    return False


def _compute_share(state: State, action: Action, wanted: Action, ends: Mapping[Choose, np.ndarray]) -> float:
    """Share of the wanted action that is done, by the entities it explores or leads to."""
    if isinstance(action, Choose) and isinstance(wanted, Choose):
        return compute_f1(ends[action], ends[wanted])
    if isinstance(action, Explore) and isinstance(wanted, Explore):
        return compute_f1(_get_entities(state, action), _get_entities(state, wanted))
    return 0.0


def _get_entities(state: State, action: Explore) -> np.ndarray:
    if action.front >= len(state.frontiers):
        return np.zeros(0, np.int64)
    return np.unique(action.entities) if action.entities else state.frontiers[action.front].entities


def _find_reached(world: AgentWorld, state: State, action: Choose) -> np.ndarray:
    after, observation = world.apply_action(state, action)
    return after.frontiers[-1].entities if observation.valid else np.zeros(0, np.int64)
