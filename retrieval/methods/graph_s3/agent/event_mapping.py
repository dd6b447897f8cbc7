"""Steps of an agent as events: what was done, what it brought, what could have been done instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from retrieval.events import AgentStep
from retrieval.methods.graph_s3.agent import wording
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentWorld, Observation
from retrieval.methods.graph_s3.agent.policy import ScoredAction
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.agent.translation import LISTED, to_agent_action
from retrieval.types import AgentAction, Hop

#: Facts and alternatives of a step that are shown.
FACTS, ALTERNATIVES = 60, 12


def list_alternatives(
    world: AgentWorld, state: State, proposed: Sequence[ScoredAction], chosen: Action | None = None
) -> tuple[AgentAction, ...]:
    """What can be done in a state, best first, at most ``ALTERNATIVES``; the chosen action is among them.

    Args:
        state: before the step.
        proposed: by the policy; what it says nothing of comes after it, as the world orders it.
        chosen: what is done, when that is known.
    """
    scores = {each.action: each for each in proposed}
    facts = {option.action: option.facts for option in world.list_options(state)}
    order = [action for action in scores if action in facts] + [a for a in facts if a not in scores]
    kept = order[:ALTERNATIVES]
    if chosen is not None and chosen not in kept:
        kept = [*kept[: ALTERNATIVES - 1], chosen]
    actions = []
    for action in kept:
        each = scores.get(action)
        score = None if each is None or each.probability is None else round(each.probability, 6)
        size = facts.get(action, 0 if each is None else each.facts)
        actions.append(to_agent_action(world, state, action, facts=size, score=score))
    return tuple(action for action in actions if action is not None)


def build_step_event(
    world: AgentWorld,
    states: tuple[State, State],
    action: Action,
    observation: Observation,
    *,
    thought: str,
    options: tuple[AgentAction, ...],
    by: Literal["policy", "person"],
    took_ms: float,
) -> AgentStep:
    """A step as an event.

    Args:
        states: before and after it.
        observation: what that brought.
        thought: why.
        options: see :func:`list_alternatives`.
        by: whom it was chosen.
    """
    before, after = states
    plain = to_agent_action(world, before, action)
    chosen = next((option for option in options if _is_same_action(option, plain)), plain)
    seen, kept, dropped = _collect_facts(world, before, after, action, observation)
    return AgentStep(
        step=after.steps,
        thought=thought,
        action=describe_action(world, before, action),
        observation=observation.text,
        hops=kept,
        window=observation.window,
        focus=observation.focus,
        took_ms=took_ms,
        current=tuple(world.snapshot.get_node(int(e)) for e in _get_current_entities(after)[:LISTED]),
        dropped=dropped,
        sufficient=after.ended,
        chosen=chosen,
        alternatives=options,
        by=by,
        seen=seen,
        valid=observation.valid,
    )


def describe_action(world: AgentWorld, state: State, action: Action) -> str:
    """An action in a few words."""
    graph = world.snapshot
    if isinstance(action, Finish):
        return "finish"
    if isinstance(action, Choose):
        if action.arcs:
            return f"choose {len(action.arcs):,} facts"
        return f"choose {' and '.join(wording.write_relation(graph, r) for r in action.relations)}"
    if isinstance(action, Explore):
        if not 0 <= action.front < len(state.frontiers):
            return f"explore front {action.front}"
        entities = np.array(action.entities or state.frontiers[action.front].entities, np.int64)
        return f"explore {wording.write_names(graph, entities)}"
    return "nothing that can be done"


def _collect_facts(
    world: AgentWorld, before: State, after: State, action: Action, observation: Observation
) -> tuple[tuple[Hop, ...], tuple[Hop, ...], tuple[Hop, ...]]:
    """What was seen, kept and dropped, the first ``FACTS`` of each."""
    graph = world.snapshot
    if not observation.valid:
        return (), (), ()
    if isinstance(action, Explore) and after.window is not None:
        page = world.limits.page
        shown_before = (after.window.pages - 1) * page
        arcs = world.list_facts(after.window, shown_before + FACTS)[shown_before:]
        return tuple(graph.get_hop(arc) for arc in arcs.tolist()), (), ()
    if isinstance(action, Choose) and before.window is not None:
        # Relations take turns in the list, so that what is dropped is among so many.
        count = FACTS * (1 + len(action.relations)) + len(action.arcs)
        listed = world.list_facts(before.window, count)
        dropped = listed[~np.isin(listed, observation.kept)][:FACTS]
        kept = observation.kept[:FACTS]
        return (), tuple(map(graph.get_hop, kept.tolist())), tuple(map(graph.get_hop, dropped.tolist()))
    return (), (), ()


def _get_current_entities(state: State) -> np.ndarray:
    """The entities that the agent is at."""
    if state.ended:
        return state.find_answers()
    return state.window.entities if state.window is not None else state.frontiers[-1].entities


def _is_same_action(left: AgentAction, right: AgentAction | None) -> bool:
    return right is not None and (left.kind, left.front, left.entities, left.relations, left.triples) == (
        right.kind,
        right.front,
        right.entities,
        right.relations,
        right.triples,
    )
