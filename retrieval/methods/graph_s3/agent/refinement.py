"""Refinement: the shortest part of a trajectory that still answers the same (Graph-S3 eq. 4 to 6).

A choice needs the exploration whose window it chose from, and that needs the choice that reached what was explored. So
the feasible parts are made of whole lines of choices, and the shortest is found among the lines to one choice of
each topic, without trying every subsequence.

The paper asks for the same answers alone. But a shorter way may give them by accident: in PathQuestion "the song of the
tracks of X's tracks" is often X's track itself. Learned from, such ways mislead; so the relation paths that the answers
come from are kept as well, unless one asks for ``answers`` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State


@dataclass(frozen=True, slots=True)
class _Choice:
    """A choice of a trajectory.

    Attributes:
        explorations: positions of the explorations of its window.
        parent: the choice that reached what was explored, from 1; 0 for the topics.
        topics: of the branches that it goes on from.
    """

    explorations: tuple[int, ...]
    position: int
    parent: int
    topics: tuple[int, ...]


def run_actions(world: AgentWorld, state: State, actions: Sequence[Action]) -> State:
    """The state after some actions."""
    for action in actions:
        state, _ = world.apply_action(state, action)
    return state


def find_shortest_actions(
    world: AgentWorld, beginning: State, actions: Sequence[Action], keep: Literal["paths", "answers"] = "paths"
) -> tuple[Action, ...]:
    """The shortest feasible subsequence that ends with the same answers; of equally short ones the earliest.

    Args:
        beginning: the state before the first action.
        actions: they end with a Finish that was possible.
        keep: what must stay the same: the answers alone (eq. 5), or also the relation paths that lead to them.

    Returns:
        Actions whose frontiers are numbered anew; ``actions`` themselves when nothing can be left out.
    """
    end = run_actions(world, beginning, actions)
    choices = _find_choices(world, beginning, actions)
    by_topic = [
        [None, *(i for i, choice in enumerate(choices, start=1) if topic in choice.topics)]
        for topic in beginning.topics
    ]
    lines = {frozenset(_collect_line(choices, [leaf for leaf in leaves if leaf])) for leaves in product(*by_topic)}
    for line in sorted(lines, key=lambda line: (_count_actions(choices, line), sorted(line))):
        if not line:
            continue
        shorter = _build_sequence(actions, choices, line)
        after = run_actions(world, beginning, shorter)
        if all(done.valid for done in after.history) and _is_equivalent(after, end, keep):
            return shorter
    return tuple(actions)


def _is_equivalent(left: State, right: State, keep: Literal["paths", "answers"]) -> bool:
    if not np.array_equal(left.find_answers(), right.find_answers()):
        return False
    leaves, others = ({(leaf.topic, leaf.path) for leaf in state.find_leaves()} for state in (left, right))
    return keep == "answers" or leaves == others


def _find_choices(world: AgentWorld, state: State, actions: Sequence[Action]) -> list[_Choice]:
    choices: list[_Choice] = []
    explorations: list[int] = []
    for position, action in enumerate(actions):
        before = state
        state, observation = world.apply_action(state, action)
        if not observation.valid:
            continue
        if isinstance(action, Explore) and state.window is not None:
            explorations = [*explorations, position] if state.window.pages > 1 else [position]
        elif isinstance(action, Choose) and before.window is not None:
            # A relation is kept whole, whatever is listed: one page will do.
            explorations = explorations[:1] if action.relations else explorations
            topics = tuple(dict.fromkeys(branch.topic for branch in before.window.branches))
            choices.append(_Choice(tuple(explorations), position, before.window.front, topics))
    return choices


def _collect_line(choices: Sequence[_Choice], leaves: Sequence[int]) -> set[int]:
    """The leaves and all choices before them."""
    line: set[int] = set()
    for leaf in leaves:
        position = leaf
        while position:
            line.add(position)
            position = choices[position - 1].parent
    return line


def _count_actions(choices: Sequence[_Choice], line: frozenset[int]) -> int:
    return sum(1 + len(choices[i - 1].explorations) for i in line)


def _build_sequence(actions: Sequence[Action], choices: Sequence[_Choice], line: frozenset[int]) -> tuple[Action, ...]:
    numbers = {0: 0} | {old: new for new, old in enumerate(sorted(line), start=1)}
    sequence: list[Action] = []
    for index in sorted(line):
        choice = choices[index - 1]
        for position in choice.explorations:
            exploration = actions[position]
            assert isinstance(exploration, Explore)
            sequence.append(replace(exploration, front=numbers[exploration.front]))
        sequence.append(actions[choice.position])
    return (*sequence, Finish())
