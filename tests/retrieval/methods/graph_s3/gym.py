"""The world of an agent in the conventions of Gymnasium."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Action
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State

#: What a step is worth, given the state before it, the action and whether it was possible.
Judge = Callable[[State, Action, bool], float]


class GraphEnvironment:
    """One question asked of a graph, in the conventions of Gymnasium.

    Args:
        world: the graph.
        question: as asked.
        topics: entity ids.
        mentions: the text each was linked from.
        judge: gives the reward of a step; without it every reward is 0.
    """

    def __init__(
        self,
        world: AgentWorld,
        question: str,
        topics: Sequence[int],
        mentions: Sequence[str] = (),
        *,
        judge: Judge | None = None,
    ) -> None:
        self.world = world
        self._match_name_beginning = world.make_initial_state(Question(question), topics, mentions)
        self.state = self._match_name_beginning
        self._judge = judge

    def reset(self) -> tuple[State, dict[str, Any]]:
        """Begin again. Returns the state, and what is possible in it (``options``)."""
        self.state = self._match_name_beginning
        return self.state, {"options": self.world.list_options(self.state)}

    def step(self, action: Action) -> tuple[State, float, bool, bool, dict[str, Any]]:
        """Do something.

        Returns:
            The state, the reward, whether a Finish ended it, whether the steps are used up, and ``observation``.
        """
        before = self.state
        self.state, observation = self.world.apply_action(before, action)
        reward = self._judge(before, action, observation.valid) if self._judge is not None else 0.0
        truncated = not self.state.ended and self.state.steps >= self.world.limits.steps
        return self.state, reward, self.state.ended, truncated, {"observation": observation}
