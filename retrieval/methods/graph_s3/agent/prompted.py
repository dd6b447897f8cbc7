"""A language model as the policy, without any training: each step is asked for in words (Graph-S3, App. B)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retrieval.environment import LLMSettings
from retrieval.errors import LLMReplyError
from retrieval.llm import prompts
from retrieval.llm.asking import ask_json
from retrieval.llm.metering import Meter, estimate, use_meter
from retrieval.llm.prompts import Message
from retrieval.llm.replies import ReplyStore
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.policy import ScoredAction
from retrieval.methods.graph_s3.agent.state import State
from retrieval.types import Usage

NAME = "llm"
PATIENCE = 3
"""Impossible steps in a row after which the model is given up."""


class PromptedPolicy:
    """Asks a language model for one action at a time. Made anew for each question.

    A reply that is no action is shown to the model once with what is wrong; when it is none again, the environment
    answers it as a step (``Unreadable``), and after ``PATIENCE`` impossible steps in a row the model is given up.

    Args:
        kept: where replies are kept and looked up, so that none is paid for twice.
    """

    name = NAME
    prompts: Sequence[str] = (serialise.PROMPT,)

    def __init__(self, world: AgentWorld, settings: LLMSettings, *, kept: ReplyStore | None = None) -> None:
        self.world = world
        self._settings = settings
        self._kept = None if kept is None else (kept, prompts.load(serialise.PROMPT))
        self._spent = Meter()

    @property
    def usage(self) -> Usage:
        """See ``Policy``."""
        return self._spent.usage

    def propose(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> tuple[ScoredAction, ...]:
        """See ``Policy``: the one action that the model names.

        Raises:
            LLMError: the endpoint fails, the budget is spent, or the model goes on asking for what is impossible.
        """
        last = state.history[-PATIENCE:]
        if len(last) == PATIENCE and not any(done.valid for done in last):
            raise LLMReplyError(
                f"The language model asked {PATIENCE} times in a row for what is not possible. {last[-1].said}",
                hint="Use a model that follows instructions.",
            )
        chat = serialise.build_chat(self.world, state, fits=self._is_short_enough)
        try:
            with use_meter(self._spent):
                reply, _ = ask_json(
                    self._settings,
                    chat,
                    lambda value: serialise.read(self.world, state, value),
                    cancelled=cancelled,
                    kept=self._kept,
                )
        except LLMReplyError as error:
            return (ScoredAction(Unreadable(error.message), thought="The reply was no action."),)
        return (ScoredAction(reply.action, None, reply.thought, count_facts(self.world, state, reply.action)),)

    def _is_short_enough(self, chat: list[Message]) -> bool:
        room = self._settings.compute_room(estimate(*(message["content"] for message in chat)))
        return room is None or room > 0


def count_facts(world: AgentWorld, state: State, action: Action) -> int:
    """How many facts an action shows or keeps; 0 where it is not possible."""
    if isinstance(action, Choose) and state.window is not None:
        chosen = np.isin(state.window.relations, action.relations)
        return len(action.arcs) or int(state.window.facts[chosen].sum())
    if isinstance(action, Explore):
        return next((option.facts for option in world.list_options(state) if option.action == action), 0)
    return len(state.focus)
