"""Between the engine's actions, by ids, and those that people and files see, by labels."""

from __future__ import annotations

import numpy as np

from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State
from retrieval.types import AgentAction, Hop, RelationStep

#: Entities and facts of an action that are listed.
LISTED = 20


def to_agent_action(
    world: AgentWorld, state: State, action: Action, *, facts: int = 0, score: float | None = None
) -> AgentAction | None:
    """An action as people see it; None for what was no action.

    Args:
        state: before the action.
        action: possible or not.
        score: the policy's probability of it.
    """
    graph = world.snapshot
    if isinstance(action, Finish):
        return AgentAction("finish", facts=facts, score=score)
    if isinstance(action, Choose):
        total = graph.num_relations
        steps = tuple(graph.get_relation_step(r % total, r >= total) for r in action.relations)
        hops = tuple(graph.get_hop(arc) for arc in action.arcs)
        return AgentAction("choose", relations=steps, triples=hops, facts=facts, score=score)
    if isinstance(action, Explore) and action.front < len(state.frontiers):
        entities = np.array(action.entities or state.frontiers[action.front].entities, np.int64)
        nodes = tuple(graph.get_node(int(entity)) for entity in entities[:LISTED])
        front = None if action.entities else action.front
        return AgentAction("explore", nodes, facts=facts, score=score, count=len(entities), front=front)
    return None


def read_agent_action(world: AgentWorld, state: State, action: AgentAction) -> Action:
    """What somebody who knows labels only wants to be done, or why that cannot be read.

    Ids are taken from the labels, so that an action of another snapshot of the graph is read too.

    Args:
        state: in which it is to be done.
        action: entities without a front are topics, when all of them are, else of the newest front that has them.
    """
    if action.kind == "finish":
        return Finish()
    if action.kind == "choose":
        return _read_choice(world, action)
    if action.front is not None:
        return Explore(action.front)
    ids = []
    for node in action.entities:
        entity = world.snapshot.find_entity(node.label)
        if entity is None:
            return Unreadable(f"The graph has no entity {node.label!r}.")
        ids.append(entity)
    if not ids:
        return Unreadable("No entity is named.")
    wanted = tuple(dict.fromkeys(ids))
    frontiers = [0, *range(len(state.frontiers) - 1, 0, -1)]
    front = next((f for f in frontiers if np.isin(wanted, state.frontiers[f].entities).all()), len(state.frontiers) - 1)
    return Explore(front, wanted)


def _read_choice(world: AgentWorld, action: AgentAction) -> Choose | Unreadable:
    arcs: list[int] = []
    for hop in action.triples:
        arc = _find_arc(world, hop)
        if arc is None:
            fact = f"{hop.source.label}, {hop.step.name}, {hop.target.label}"
            return Unreadable(f"The graph has no fact ({fact}).")
        arcs.append(arc)
    relations: list[int] = []
    for step in action.relations:
        relation = _find_directed_relation(world, step)
        if relation is None:
            return Unreadable(f"The graph has no relation {step.name!r}.")
        relations.append(relation)
    if bool(arcs) == bool(relations):
        return Unreadable("A choice names relations or facts.")
    return Choose(tuple(dict.fromkeys(relations)), tuple(dict.fromkeys(arcs)))


def _find_directed_relation(world: AgentWorld, step: RelationStep) -> int | None:
    relation = world.snapshot.find_relation(step.name)
    return None if relation is None else relation + world.snapshot.num_relations * step.inverse


def _find_arc(world: AgentWorld, hop: Hop) -> int | None:
    graph = world.snapshot
    relation = graph.find_relation(hop.step.name)
    source, target = graph.find_entity(hop.source.label), graph.find_entity(hop.target.label)
    if relation is None or source is None or target is None:
        return None
    head, tail = (target, source) if hop.step.inverse else (source, target)
    fact = graph.find_fact(head, relation, tail)
    return None if fact is None else fact + graph.num_triples * hop.step.inverse
