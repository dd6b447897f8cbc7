"""The state as a language model reads it, and actions as it writes them (Graph-S3 section 3.2.1, App. B).

The same words serve a prompted model, the synthesis of trajectories and the training of a model of one's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.llm import prompts
from retrieval.llm.prompts import Fenced, Message, wrap_fenced, wrap_fenced_lines
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import AgentFrontier, State, Window
from retrieval.methods.graph_s3.agent.translation import read_agent_action
from retrieval.types import AgentAction, RelationStep

PROMPT = "graph-s3"
FRONT = "front"
"""What a reply says for all entities of the newest front."""

INVERSE = "inverse of "
FACTS = (60, 30, 10, 0)
"""Most facts of the window that are listed: the first of these with which the prompt fits. The first is also the page
where a language model explores, so that exploring again shows what comes next."""

ENTITIES, RELATIONS, FOCUS, LABEL = 20, 200, 40, 120
"""Most entities of a front, relations of a window and facts of a focus that are written out, and letters of a label."""

_SEARCHED = 5_000
"""Entities of a front among which a name is sought that the graph spells in another way."""

_SPACE = re.compile(r"[\s_]+")


@dataclass(frozen=True, slots=True)
class ActionReply:
    """What a reply says: why, and what to do."""

    thought: str
    action: Action


def build_prompt_fields(world: AgentWorld, state: State, facts: int = FACTS[0]) -> dict[str, Fenced]:
    """What fills the places of the prompt.

    Args:
        state: not ended.
        facts: most facts of the window that are listed; its relations are listed whatever it is.
    """
    return {
        "question": wrap_fenced(state.question.text),
        "topics": wrap_fenced_lines(_label(world, entity) for entity in state.topics),
        "front": _write_front(world, state.frontiers[-1]),
        "window": _write_window(world, state.window, facts) if state.window is not None else wrap_fenced("nothing"),
        "focus": _write_focus(world, state),
        "history": _write_history(world, state),
        "left": wrap_fenced(str(world.limits.steps - state.steps)),
    }


def build_chat(
    world: AgentWorld,
    state: State,
    *,
    fits: Callable[[list[Message]], bool] = lambda _: True,
    example: bool = True,
) -> list[Message]:
    """The messages that ask for the next action.

    Args:
        state: not ended.
        fits: whether a chat is short enough to be read; facts of the window are left out until it is.
        example: with the worked example; a model that is trained for this needs none.
    """
    prompt, messages = prompts.load(PROMPT), list[Message]()
    for facts in FACTS:
        messages = prompt.render_messages(**build_prompt_fields(world, state, facts))
        messages = messages if example else [messages[0], messages[-1]]
        if fits(messages):
            break
    return messages


def write_reply(world: AgentWorld, state: State, action: Action, thought: str) -> str:
    """The reply that asks for an action: what a model is trained to write.

    Args:
        state: in which it is asked for.
        action: one that can be named: not ``Unreadable``.
        thought: goes before it.
    """
    row: dict[str, object] = {"thought": thought}
    if isinstance(action, Explore):
        newest = action.front == len(state.frontiers) - 1 and not action.entities
        entities = action.entities or state.frontiers[action.front].entities[:ENTITIES].tolist()
        row |= {"action": "explore", "entities": FRONT if newest else [_label(world, e) for e in entities]}
    elif isinstance(action, Choose) and action.arcs:
        listed = _list_facts(world, state.window).tolist() if state.window is not None else []
        row |= {"action": "choose", "facts": [listed.index(arc) + 1 for arc in action.arcs if arc in listed]}
    elif isinstance(action, Choose):
        row |= {"action": "choose", "relations": [_write_relation(world, r) for r in action.relations]}
    else:
        row |= {"action": "finish"}
    return json.dumps(row, ensure_ascii=False)


def read(world: AgentWorld, state: State, value: object) -> ActionReply:
    """The action that a reply asks for; whether it is possible is for the environment to say.

    Raises:
        ValueError: it has not the form asked for; the message says what is wrong, for the model to mend.
    """
    if not isinstance(value, Mapping):
        raise ValueError('a JSON object with "thought" and "action" is needed')
    thought = value.get("thought", "")
    kind = _SPACE.split(str(value.get("action", "")).strip().casefold())[0]
    if kind == "explore":
        action = _read_exploration(world, state, value.get("entities", value.get("entity", FRONT)))
    elif kind == "choose":
        action = _read_choice(world, state, value)
    elif kind == "finish":
        action = Finish()
    else:
        raise ValueError(f'"action" is {value.get("action")!r}; it must be "explore", "choose" or "finish"')
    return ActionReply(wrap_fenced(thought)[:1000] if isinstance(thought, str) else "", action)


def _read_exploration(world: AgentWorld, state: State, value: object) -> Action:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        raise ValueError(f'"entities" must be "{FRONT}" or a list of names')
    newest = len(state.frontiers) - 1
    if [name.strip().casefold() for name in names] == [FRONT]:
        return Explore(newest)
    entities: list[int] = []
    for name in names:
        entity = _find_entity(world, state, name)
        if entity is None:
            return Unreadable(f"The graph has no entity “{wrap_fenced(name)[:LABEL]}”.")
        entities.append(entity)
    nodes = tuple(world.snapshot.get_node(entity) for entity in dict.fromkeys(entities))
    action = read_agent_action(world, state, AgentAction("explore", nodes, count=len(nodes)))
    if isinstance(action, Explore) and np.array_equal(np.sort(action.entities), state.frontiers[action.front].entities):
        return Explore(action.front)  # all of a front is the front
    return action


def _find_entity(world: AgentWorld, state: State, name: str) -> int | None:
    """The entity of a name as the prompt writes it; a name in another case is taken for one that was reached."""
    for spelt in (name, name.strip()):
        exact = world.snapshot.find_entity(spelt)
        if exact is not None:
            return exact
    wanted = wrap_fenced(name).casefold()[:LABEL]
    for front in reversed(state.frontiers):
        for entity in front.entities[:_SEARCHED].tolist():
            if _label(world, entity).casefold() == wanted:
                return int(entity)
    return None


def _read_choice(world: AgentWorld, state: State, value: Mapping[object, object]) -> Action:
    relations, facts = value.get("relations", value.get("relation")), value.get("facts", value.get("triples"))
    if facts and relations:
        raise ValueError('give either "relations" or "facts"')
    if facts:
        return _read_facts(world, state, facts)
    names = [relations] if isinstance(relations, str) else relations
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        raise ValueError('"relations" must be a list of names from the window')
    steps: list[RelationStep] = []
    for name in names:
        matches = _find_directed_relations(world, state.window, name)
        if len(matches) > 1:
            raise ValueError(f"{name!r} may be {' or '.join(_write_relation(world, r) for r in matches)}; write which")
        if not matches:
            return Unreadable(f"There is no relation “{wrap_fenced(name)[:LABEL]}”.")
        steps.append(_make_step(world, matches[0]))
    return read_agent_action(world, state, AgentAction("choose", relations=tuple(dict.fromkeys(steps))))


def _read_facts(world: AgentWorld, state: State, facts: object) -> Action:
    numbers = facts if isinstance(facts, list) else [facts]
    if not all(isinstance(n, int | str) and str(n).strip().isdecimal() for n in numbers):
        raise ValueError('"facts" must be a list of the numbers of facts in the window')
    if state.window is None:
        return Choose()  # nothing is explored: the environment says so
    listed = _list_facts(world, state.window)
    chosen = list(dict.fromkeys(int(str(n)) for n in numbers))
    wrong = [n for n in chosen if not 1 <= n <= len(listed)]
    if wrong:
        raise ValueError(f"there is no fact {wrong[0]} in the window")
    return Choose(arcs=tuple(int(listed[n - 1]) for n in chosen))


def _find_directed_relations(world: AgentWorld, window: Window | None, name: str) -> list[int]:
    """Directed relations that a name may mean: as the window writes it, by its label there, or of the graph."""
    wanted = _SPACE.sub(" ", wrap_fenced(name).strip("[] ").casefold())
    graph, total = world.snapshot, world.snapshot.num_relations
    inside = window.relations.tolist() if window is not None else []
    for spell in (_write_relation, _write_relation_label, _write_bare_relation):
        matches = [r for r in inside if _SPACE.sub(" ", spell(world, r).casefold()) == wanted]
        if matches:
            return matches
    inverse = wanted.startswith(INVERSE)
    plain = wrap_fenced(name).strip("[] ")[len(INVERSE) if inverse else 0 :]
    relation = graph.find_relation(plain)
    return [] if relation is None else [relation + total * inverse]


def _write_relation(world: AgentWorld, directed: int) -> str:
    total = world.snapshot.num_relations
    return (INVERSE if directed >= total else "") + wrap_fenced(world.snapshot.get_relation_name(directed % total))


def _write_relation_label(world: AgentWorld, directed: int) -> str:
    total = world.snapshot.num_relations
    return (INVERSE if directed >= total else "") + wrap_fenced(world.snapshot.get_relation_label(directed % total))


def _write_bare_relation(world: AgentWorld, directed: int) -> str:
    """The name without its direction, as careless models write it."""
    return wrap_fenced(world.snapshot.get_relation_name(directed % world.snapshot.num_relations))


def _make_step(world: AgentWorld, directed: int) -> RelationStep:
    total = world.snapshot.num_relations
    return world.snapshot.get_relation_step(directed % total, directed >= total)


def _label(world: AgentWorld, entity: int) -> str:
    """A name as it is written out; no longer than ``LABEL``."""
    return wrap_fenced(world.snapshot.get_entity_label(int(entity)))[:LABEL].rstrip()


def _list_facts(world: AgentWorld, window: Window | None) -> np.ndarray:
    """The arcs that a window lists, on all its pages: fact n of the prompt is the n-th."""
    if window is None:
        return np.zeros(0, np.int64)
    return world.frontiers.list_facts(window.branches, window.pages * world.limits.page)


def _write_front(world: AgentWorld, front: AgentFrontier) -> Fenced:
    labels = [_label(world, entity) for entity in front.entities[:ENTITIES]]
    more = len(front.entities) - len(labels)
    return wrap_fenced_lines([*labels, *([f"({more:,} more)"] if more > 0 else [])])


def _write_window(world: AgentWorld, window: Window, facts: int) -> Fenced:
    """Each relation with its count, and under it its facts on the newest page, by number."""
    listed, before = _list_facts(world, window), (window.pages - 1) * world.limits.page
    under: dict[int, list[str]] = {int(relation): [] for relation in window.relations}
    total = world.snapshot.num_triples
    for number, arc in enumerate(listed[before : before + facts].tolist(), start=before + 1):
        relation = int(world.snapshot.relations[arc % total]) + world.snapshot.num_relations * (arc >= total)
        under.setdefault(relation, []).append(f"{number}. {_write_fact(world, arc)}")
    order = np.argsort(-window.facts, kind="stable")[:RELATIONS]
    lines: list[str] = []
    for place in order.tolist():
        relation, count = int(window.relations[place]), int(window.facts[place])
        lines += [
            f"[{_write_relation(world, relation)}] {count:,} fact{'s' * (count != 1)}",
            *under[relation],
        ]
    if len(window.relations) > RELATIONS:
        lines.append(f"({len(window.relations) - RELATIONS:,} more relations)")
    shown = min(len(listed) - before, facts)
    if before + shown < window.total:
        lines.append(f"({window.total:,} facts in all; {shown:,} are listed on this page, {window.pages})")
    return wrap_fenced_lines(lines) if lines else wrap_fenced("nothing")


def _write_fact(world: AgentWorld, arc: int) -> str:
    total = world.snapshot.num_triples
    hop = world.snapshot.get_hop(arc)
    directed = int(world.snapshot.relations[arc % total]) + world.snapshot.num_relations * (arc >= total)
    source, target = wrap_fenced(hop.source.label)[:LABEL], wrap_fenced(hop.target.label)[:LABEL]
    return f"{source} → {_write_relation(world, directed)} → {target}"


def _write_focus(world: AgentWorld, state: State) -> Fenced:
    lines = [_write_fact(world, int(fact)) for fact in state.focus[:FOCUS]]
    more = len(state.focus) - len(lines)
    return wrap_fenced_lines([*lines, *([f"({more:,} more)"] if more else [])]) if lines else wrap_fenced("nothing")


def _write_history(world: AgentWorld, state: State) -> Fenced:
    lines = [
        f"{number}. {_describe_action(world, state, done.action)}: {'' if done.valid else 'not possible. '}{done.said}"
        for number, done in enumerate(state.history, start=1)
    ]
    return wrap_fenced_lines(lines) if lines else wrap_fenced("nothing")


def _describe_action(world: AgentWorld, state: State, action: Action) -> str:
    """An action of the history in words."""
    if isinstance(action, Explore):
        front = action.front if action.front < len(state.frontiers) else 0
        entities: Iterable[int] = action.entities or state.frontiers[front].entities[:3].tolist()
        names = ", ".join(_label(world, entity) for entity in list(entities)[:3])
        return f"explore {names}"
    if isinstance(action, Choose):
        kept = [_write_relation(world, relation) for relation in action.relations]
        return f"choose {', '.join(kept) or f'{len(action.arcs)} facts'}"
    return "finish" if isinstance(action, Finish) else "a reply that is no action"
