"""The request that a run makes of its engine."""

from __future__ import annotations

from dataclasses import replace

from retrieval.answering.run import AskRequest, Steering
from retrieval.events import from_plain
from retrieval.language.question import Question
from retrieval.methods import registry
from retrieval.types import AgentAction, Turn
from webapp.answers import agent_steps
from webapp.answers.models import Run


def build_request(run: Run) -> AskRequest:
    """What the engine is asked: of an agent with what was done before, and how far it is to go."""
    request = AskRequest(
        Question(run.question),
        given=tuple(run.entities),
        budget=run.budget,
        seed=run.seed,
        program=run.program,
        follows=None if run.context is None else from_plain(Turn, run.context),
    )
    if not registry.get_method(run.method).steerable:
        return request
    walk = agent_steps.load_steps(run.pk)
    actions, by_person = walk.actions, walk.by_person
    if run.next_action is not None:
        actions = (*actions, from_plain(AgentAction, run.next_action))
        by_person |= {len(actions)}
    steered = Steering(
        actions=actions,
        shown=len(walk.actions),
        begun=walk.begun,
        pause_after=run.pause_after,
        by_person=by_person,
        # Names may be linked otherwise by now, and the steps were taken from these.
        linked=walk.linked,
    )
    return replace(request, steering=steered)
