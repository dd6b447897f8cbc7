"""Who decides what an agent does next: a small trained policy, a language model, relation paths that are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrieval.methods.graph_s3.agent import wording
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.state import State
from retrieval.types import RelationPath, Usage


@dataclass(frozen=True, slots=True)
class ScoredAction:
    """An action, and what the policy thinks of it.

    Attributes:
        action: what to do.
        probability: in [0, 1]; None where the policy has none.
        thought: why, in plain words.
    """

    action: Action
    probability: float | None = None
    thought: str = ""
    facts: int = 0


class Policy(Protocol):
    """Decides by the state alone.

    Attributes:
        name: for the record.
        usage: what a language model has cost since the policy was made; nothing for one that asks none.
        prompts: names of the prompts it uses.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - said above

    @property
    def usage(self) -> Usage: ...  # noqa: D102

    @property
    def prompts(self) -> Sequence[str]: ...  # noqa: D102

    def propose(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> tuple[ScoredAction, ...]:
        """What it would do next, best first; the first is done.

        A policy that scores proposes every legal action; a language model the one that it names, which need not be
        possible (``Unreadable`` when its reply is no action): the environment answers it, and the policy reads
        the answer in ``state.history``. Empty only when nothing is possible.

        Raises:
            LLMError: a language model cannot be asked.
        """
        ...


def explain_action(world: AgentWorld, state: State, action: Action) -> str:
    """Why one would do this, in plain words."""
    graph = world.snapshot
    if isinstance(action, Finish):
        return f"What is kept answers the question: {wording.write_names(graph, state.find_answers())}."
    if isinstance(action, Choose):
        relations = " and ".join(wording.write_relation(graph, r) for r in action.relations) or "these facts"
        around = wording.write_names(graph, state.window.entities) if state.window is not None else "nothing"
        return f"Of the facts around {around}, “{relations}” is what the question asks for."
    if isinstance(action, Explore):
        if action.entities or action.front == 0:
            entities = [graph.get_entity_label(e) for e in action.entities or state.topics]
            return f"The question is about {' and '.join(entities)}: look at the facts around."
        names = wording.write_names(graph, state.frontiers[action.front].entities)
        if action.front < len(state.frontiers) - 1:
            return f"That led elsewhere; go back to {names}."
        return f"The answer lies further on: look at the facts around {names}."
    return action.reason


class PathsPolicy:
    """A policy that knows relation paths with probabilities: a retriever's, or labels.

    Each topic in turn is walked from along the most probable path; paths that part share their probability.

    Args:
        paths: relation paths of the topics, each with its probability.
    """

    name = "paths"
    usage = Usage()
    prompts: Sequence[str] = ()

    def __init__(self, world: AgentWorld, paths: Sequence[RelationPath]) -> None:
        self.world = world
        self._paths: dict[int, list[RelationPath]] = defaultdict(list)
        for path in paths:
            self._paths[path.topic].append(path)

    def propose(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> tuple[ScoredAction, ...]:
        """See ``Policy``."""
        del cancelled
        options = self.world.list_options(state)
        masses = self._compute_masses(state)
        if not any(masses.values()):  # somebody led away from every path: what is kept must do
            masses = {Finish(): 1.0}
        total = sum(masses.get(option.action, 0.0) for option in options)
        scored = [
            ScoredAction(
                option.action,
                masses.get(option.action, 0.0) / total if total else 1.0 / len(options),
                explain_action(self.world, state, option.action),
                option.facts,
            )
            for option in options
        ]
        return tuple(sorted(scored, key=lambda each: -(each.probability or 0.0)))

    def _compute_masses(self, state: State) -> Mapping[Action, float]:
        """Unnormalised probability of each action worth doing."""
        masses: dict[Action, float] = defaultdict(float)
        if state.window is not None:
            for branch in state.window.branches:
                for path in self._paths[branch.topic]:
                    if path.relations[: len(branch.path)] == branch.path != path.relations:
                        masses[Choose((path.relations[len(branch.path)],))] += path.score
            return masses
        begun = {branch.topic for front in state.frontiers[1:] for branch in front.branches}
        waiting = [topic for topic in state.topics if topic not in begun and self._paths[topic]]
        here = state.frontiers[-1].branches if len(state.frontiers) > 1 else ()
        onward = sum(
            path.score
            for branch in here
            for path in self._paths[branch.topic]
            if path.relations[: len(branch.path)] == branch.path != path.relations
        )
        ended = sum(
            path.score for branch in here for path in self._paths[branch.topic] if path.relations == branch.path
        )
        leave: Action = Finish()
        if waiting:
            leave = Explore(0, (waiting[0],)) if len(state.topics) > 1 else Explore(0)
        masses[leave] += ended if here else 1.0
        if here:
            masses[Explore(len(state.frontiers) - 1)] += onward
        return masses
