"""A causal language model of one's own as the policy: a base model with adapters trained for it (Graph-S3, 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrieval.errors import check
from retrieval.llm.asking import find_json
from retrieval.llm.prompts import Message
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.actions import Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.policy import ScoredAction
from retrieval.methods.graph_s3.agent.prompted import count_facts
from retrieval.methods.graph_s3.agent.state import State
from retrieval.nn.language_model import AdaptedModel
from retrieval.types import Usage

NAME = "language-model"


class LanguagePolicy:
    """Lets a local model write thought and action, the most probable ones.

    Args:
        model: in evaluation mode.
        context: tokens of prompt and reply together.
        longest: tokens of a reply.
    """

    name = NAME
    usage = Usage()
    prompts: Sequence[str] = (serialise.PROMPT,)

    def __init__(self, world: AgentWorld, model: AdaptedModel, *, context: int, longest: int) -> None:
        self.world = world
        self._model = model
        self._context = context
        self._longest = longest

    def apply_restriction(self, world: AgentWorld) -> LanguagePolicy:
        """The same policy in another world."""
        return LanguagePolicy(world, self._model, context=self._context, longest=self._longest)

    def propose(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> tuple[ScoredAction, ...]:
        """See ``Policy``: the one action that the model writes."""
        check(cancelled)
        chat = build_prompt(self.world, state, self._model, self._context - self._longest)
        written = self._model.write(chat, longest=self._longest)
        reply = read(self.world, state, written)
        if isinstance(reply, Unreadable):
            return (ScoredAction(reply, thought="The reply was no action."),)
        return (ScoredAction(reply.action, None, reply.thought, count_facts(self.world, state, reply.action)),)

    def search(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> State:
        """Where it comes to from a state: it has ended, or used up its steps."""
        while not state.ended and state.steps < self.world.limits.steps:
            (proposed,) = self.propose(state, cancelled=cancelled)
            state, _ = self.world.apply_action(state, proposed.action)
        return state


def build_prompt(world: AgentWorld, state: State, model: AdaptedModel, tokens: int) -> list[Message]:
    """The chat that asks for an action, without the example, within so many tokens where that is possible."""
    return serialise.build_chat(world, state, fits=lambda chat: len(model.encode_chat(chat)) <= tokens, example=False)


def read(world: AgentWorld, state: State, written: str) -> serialise.ActionReply | Unreadable:
    """What a reply says, or why it is no action."""
    try:
        return serialise.read(world, state, find_json(written))
    except ValueError as error:
        return Unreadable(f"The reply cannot be used: {str(error).rstrip('.')}.")
