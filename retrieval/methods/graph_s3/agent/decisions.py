"""What the small policy sees of a state: the options as kinds, relations and numbers, and how the agent came here.

Nothing names a relation or an entity of a certain graph, so that a policy decides in graphs that it was not trained on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.linking.questions import replace_topic_names
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore
from retrieval.methods.graph_s3.agent.environment import AgentWorld, Option
from retrieval.methods.graph_s3.agent.state import State

#: Kinds of actions: keep a relation, go on, go back, turn to a topic that waits, end.
CHOOSE, ONWARD, BACK, TOPIC, FINISH = range(5)
KINDS = 5
#: Numbers that describe an option.
FEATURES = 9
#: Steps that count as many.
STEPS = 12
#: In a lineage: the agent gave up what it had chosen and came back to here.
RETURN = -1


@dataclass(frozen=True, slots=True, eq=False)
class AgentDecision:
    """A state as the small policy sees it; k options.

    Attributes:
        view: index of the topic that is walked from: the question is read as seen from it.
        lineage: directed relations taken to come here, and ``RETURN`` wherever the agent came back.
        kinds: [k].
        relations: directed relation of a choice, 0 for other options, [k].
        features: float32 [k, FEATURES].
        actions: [k].
        facts: how many facts each shows or keeps, [k].
    """

    view: int
    lineage: tuple[int, ...]
    kinds: np.ndarray
    relations: np.ndarray
    features: np.ndarray
    actions: tuple[Action, ...]
    facts: tuple[int, ...]


def write_views(state: State) -> tuple[str, ...]:
    """The question as seen from each topic: ``which films did X and Y make``."""
    return tuple(replace_topic_names(state.question.text, i, state.mentions) for i in range(len(state.topics)))


def build_decision(world: AgentWorld, state: State) -> AgentDecision:
    """What can be decided in a state, in the order of ``World.list_options``."""
    view, lineage = find_position(world, state)
    options = world.list_options(state)
    begun = {branch.topic for front in state.frontiers[1:] for branch in front.branches}
    kinds = [_get_kind(state, option.action, begun) for option in options]
    relations = [o.action.relations[0] if isinstance(o.action, Choose) else 0 for o in options]
    features = np.zeros((len(options), FEATURES), np.float32)
    total = state.window.total if state.window is not None else 0
    taken = [token for token in lineage if token != RETURN]
    turned = _get_inverse(taken[-1], world.snapshot.num_relations) if taken else -1
    for i, (option, kind, relation) in enumerate(zip(options, kinds, relations, strict=True)):
        chosen = kind == CHOOSE
        features[i] = (
            np.log1p(option.facts) / 10,
            np.log1p(_count_entities(state, option)) / 10,
            option.facts / total if chosen and total else 0.0,
            chosen and relation >= world.snapshot.num_relations,
            chosen and relation == turned,
            chosen and relation in taken,
            len(taken) / 3,
            state.steps / STEPS,
            state.window is not None,
        )
    return AgentDecision(
        view,
        lineage,
        np.array(kinds, np.int64),
        np.array(relations, np.int64),
        features,
        tuple(option.action for option in options),
        tuple(option.facts for option in options),
    )


def find_position(world: AgentWorld, state: State) -> tuple[int, tuple[int, ...]]:
    """The topic that is walked from, and the lineage of where the agent stands; made of the history alone."""
    graph = world.snapshot
    places: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    here = places[0]
    begun: set[int] = set()
    for done in state.history:
        action = done.action
        if not done.valid:
            continue
        if isinstance(action, Explore):
            view, lineage = places[action.front]
            if action.front == 0 and action.entities:
                view = state.topics.index(action.entities[0]) if action.entities[0] in state.topics else 0
            back = view in begun if action.front == 0 else action.front < len(places) - 1
            here = (view, (*lineage, RETURN)) if back else (view, lineage)
        elif isinstance(action, Choose):
            first = action.relations[0] if action.relations else _get_relation(graph, action.arcs[0])
            here = (here[0], (*here[1], first))
            begun.add(here[0])
            places.append(here)
    return here


def _get_kind(state: State, action: Action, begun: set[int]) -> int:
    if isinstance(action, Choose):
        return CHOOSE
    if not isinstance(action, Explore):
        return FINISH
    if action.front:
        return ONWARD if action.front == len(state.frontiers) - 1 else BACK
    topics = action.entities or state.topics
    return BACK if any(topic in begun for topic in topics) else TOPIC


def _count_entities(state: State, option: Option) -> int:
    """Entities that an option is about: explored ones, or the answers."""
    action = option.action
    if isinstance(action, Choose):
        return len(state.window.entities) if state.window is not None else 0
    if isinstance(action, Explore):
        return len(action.entities) or len(state.frontiers[action.front].entities)
    return len(state.frontiers[-1].entities)


def _get_inverse(relation: int, total: int) -> int:
    return relation - total if relation >= total else relation + total


def _get_relation(graph: Snapshot, arc: int) -> int:
    return int(graph.relations[arc % graph.num_triples]) + graph.num_relations * (arc >= graph.num_triples)
