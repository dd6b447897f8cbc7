"""The environment: a graph that answers actions (Graph-S3 section 3.1).

Deterministic: the state is made of the question, its topics and the actions. What is not possible changes nothing,
costs a step, and is answered with what is wrong and what could be done instead. ``reset`` and ``apply_action`` follow
the conventions of Gymnasium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent import wording
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.frontier import Around, Branch, Frontiers
from retrieval.methods.graph_s3.agent.state import AgentFrontier, Done, State, Window, make_frontier

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """How much an agent may do.

    Attributes:
        steps: at most so many, those that were not possible too.
        page: facts of a window that are listed at a time; all are counted.
        facts: at most so many are looked at.
    """

    steps: int = 12
    page: int = 1000
    facts: int = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a step brought.

    Attributes:
        text: for people and language models.
        valid: the action was possible.
        kept: arcs that a choice kept.
        window, focus: facts in them now.
    """

    text: str
    valid: bool = True
    kept: np.ndarray = field(default_factory=lambda: _NONE)
    window: int = 0
    focus: int = 0


@dataclass(frozen=True, slots=True)
class Option:
    """An action that is possible, and how many facts it shows or keeps."""

    action: Action
    facts: int


class AgentWorld:
    """What agents do in one graph, as a function of state and action. Threads may share it.

    Args:
        limits: see :class:`AgentLimits`.
    """

    def __init__(self, frontiers: Frontiers, limits: AgentLimits | None = None) -> None:
        self.frontiers = frontiers
        self.snapshot = frontiers.snapshot
        self.limits = limits or AgentLimits()

    def make_initial_state(self, question: Question, topics: Sequence[int], mentions: Sequence[str] = ()) -> State:
        """The state before the first step."""
        names = tuple(
            mentions[i] if i < len(mentions) and mentions[i] else self.snapshot.get_entity_label(topic)
            for i, topic in enumerate(topics)
        )
        front = make_frontier(tuple(self.frontiers.start_branch(topic) for topic in topics))
        return State(question, tuple(topics), names, (front,))

    def list_options(self, state: State) -> tuple[Option, ...]:
        """What is possible, one relation or one front at a time: choices, explorations (the newest first), the end.

        Several relations or single facts may be chosen too, and some entities of a front explored.
        """
        if state.ended:
            return ()
        options: list[Option] = []
        if state.window is not None:
            pairs = zip(state.window.relations.tolist(), state.window.facts.tolist(), strict=True)
            options += [Option(Choose((relation,)), facts) for relation, facts in pairs]
        for action, branches in self._list_explorations(state):
            total = self.count_facts_around(branches).total
            if total and state.looked + total <= self.limits.facts:
                options.append(Option(action, total))
        if len(state.frontiers) > 1:
            options.append(Option(Finish(), len(state.focus)))
        return tuple(options)

    def apply_action(self, state: State, action: Action) -> tuple[State, Observation]:
        """Do something."""
        if state.ended:
            return self._refuse(state, action, "The search has ended.")
        if isinstance(action, Unreadable):
            return self._refuse(state, action, f"{action.reason} {self._write_hint(state)}")
        if isinstance(action, Explore):
            return self._apply_exploration(state, action)
        if isinstance(action, Choose):
            return self._apply_choice(state, action)
        return self._apply_finish(state)

    def list_facts(self, window: Window, count: int | None = None) -> np.ndarray:
        """The facts of a window that were listed so far, as arcs, the first of each relation first; int64.

        Args:
            count: at most so many of them.
        """
        most = window.pages * self.limits.page
        return self.frontiers.list_facts(window.branches, most if count is None else min(count, most))

    def count_facts_around(self, branches: Sequence[Branch]) -> Around:
        """The facts around several branches by directed relation."""
        if len(branches) == 1:
            return self.frontiers.count_facts_around(branches[0])
        counts = np.zeros(2 * self.snapshot.num_relations, np.int64)
        for branch in branches:
            around = self.frontiers.count_facts_around(branch)
            counts[around.relations] += around.facts
        relations = np.flatnonzero(counts)
        return Around(relations, counts[relations])

    def _list_explorations(self, state: State) -> list[tuple[Explore, tuple[Branch, ...]]]:
        """Frontiers that are not in the window, the newest first; each topic by itself."""
        actions = [Explore(index) for index in range(len(state.frontiers) - 1, 0, -1)]
        actions += [Explore(0, (t,)) for t in state.topics] if len(state.topics) > 1 else [Explore(0)]
        explorations = []
        for action in actions:
            branches = _select_branches(state.frontiers[action.front], action.entities)
            if branches and not _is_shown(state.window, action.front, branches):
                explorations.append((action, branches))
        return explorations

    def _apply_exploration(self, state: State, action: Explore) -> tuple[State, Observation]:
        if not 0 <= action.front < len(state.frontiers):
            return self._refuse(state, action, f"There is no front {action.front}. {self._write_hint(state)}")
        front = state.frontiers[action.front]
        branches = _select_branches(front, action.entities)
        reached = np.isin(action.entities, front.entities)
        if not branches or not reached.all():
            missing = next((e for e, r in zip(action.entities, reached, strict=True) if not r), None)
            name = "Nothing" if missing is None else self.snapshot.get_entity_label(missing)
            return self._refuse(state, action, f"{name} was not reached by a choice. {self._write_hint(state)}")
        page, looked = self.limits.page, state.looked
        if state.window is not None and _is_shown(state.window, action.front, branches):
            window = replace(state.window, pages=state.window.pages + 1)
            if state.window.pages * page >= window.total:
                return self._refuse(
                    state,
                    action,
                    f"All facts around them are in the window already. {self._write_hint(state)}",
                )
        else:
            around = self.count_facts_around(branches)
            looked += around.total
            if looked > self.limits.facts:
                message = f"There are {around.total:,} facts around them, more than may be looked at."
                return self._refuse(state, action, f"{message} {self._write_hint(state)}")
            entities = np.unique(np.concatenate([branch.entities for branch in branches]))
            window = Window(action.front, branches, entities, around.relations, around.facts)
        text = wording.describe_window(self.snapshot, window, page)
        return self._build_outcome(replace(state, window=window, looked=looked), action, text)

    def _apply_choice(self, state: State, action: Choose) -> tuple[State, Observation]:
        window = state.window
        if window is None:
            return self._refuse(state, action, f"Nothing is explored to choose from. {self._write_hint(state)}")
        missing = [r for r in action.relations if r not in window.relations]
        if missing or not (action.relations or action.arcs):
            what = wording.write_relation(self.snapshot, missing[0]) if missing else "nothing"
            return self._refuse(state, action, f"The window has no fact of {what}. {self._write_hint(state)}")
        if action.arcs and not np.isin(action.arcs, self.list_facts(window)).all():
            return self._refuse(
                state, action, f"The window does not list one of these facts. {self._write_hint(state)}"
            )
        branches, arcs = self._walk_choice(window, action)
        kept = np.unique(arcs % self.snapshot.num_triples)
        front = make_frontier(branches)
        message = f"Kept {len(kept):,} facts, left {max(window.total - len(kept), 0):,}. They lead to "
        after = replace(state, window=None, frontiers=(*state.frontiers, front), focus=np.union1d(state.focus, kept))
        return self._build_outcome(
            after, action, f"{message}{self._write_names(front.entities)}.", kept=arcs, window=len(kept)
        )

    def _walk_choice(self, window: Window, action: Choose) -> tuple[tuple[Branch, ...], np.ndarray]:
        """The branches behind what is chosen, and all arcs kept."""
        branches: list[Branch] = []
        arcs: list[np.ndarray] = []
        chosen = np.array(action.arcs, np.int64)
        relations = action.relations or tuple(np.unique(self._get_relations(chosen)).tolist())
        for branch in window.branches:
            for relation in relations:
                after, walked = self.frontiers.walk_relation(branch, relation)
                if action.arcs:
                    some = walked[np.isin(walked, chosen)]
                    complete = len(some) == len(walked)
                    walked = some
                    after = Branch(after.topic, after.path, self._find_ends(walked), after.whole and complete)
                if len(walked):
                    branches.append(after)
                    arcs.append(walked)
        return tuple(branches), np.concatenate(arcs) if arcs else _NONE

    def _apply_finish(self, state: State) -> tuple[State, Observation]:
        if len(state.frontiers) == 1:
            return self._refuse(state, Finish(), f"Nothing is kept to answer from. {self._write_hint(state)}")
        answers = state.find_answers()
        text = f"The focus holds {len(state.focus):,} facts. They answer with {self._write_names(answers)}."
        return self._build_outcome(replace(state, ended=True, window=None), Finish(), text)

    def _build_outcome(
        self,
        after: State,
        action: Action,
        text: str,
        *,
        kept: np.ndarray = _NONE,
        window: int | None = None,
    ) -> tuple[State, Observation]:
        size = window if window is not None else after.window.total if after.window is not None else 0
        after = replace(after, history=(*after.history, Done(action, text, True)))
        return after, Observation(text, True, kept, size, len(after.focus))

    def _refuse(self, state: State, action: Action, text: str) -> tuple[State, Observation]:
        text = text.strip()
        size = state.window.total if state.window is not None else 0
        after = replace(state, history=(*state.history, Done(action, text, False)))
        return after, Observation(text, False, window=size, focus=len(state.focus))

    def _write_hint(self, state: State) -> str:
        """What could be done instead, in a sentence."""
        if state.ended:
            return ""
        parts = []
        if state.window is not None:
            parts.append(f"choose among {wording.write_relations(self.snapshot, state.window)}")
        names = [
            self._write_names(np.array(a.entities) if a.entities else state.frontiers[a.front].entities)
            for a, _ in self._list_explorations(state)[:3]
        ]
        parts += [f"explore {name}" for name in names]
        parts += ["finish"] if len(state.frontiers) > 1 else []
        return f"Possible: {'; '.join(parts)}." if parts else ""

    def _write_names(self, entities: np.ndarray) -> str:
        return wording.write_names(self.snapshot, entities)

    def _get_relations(self, arcs: np.ndarray) -> np.ndarray:
        graph = self.snapshot
        directed: np.ndarray = graph.relations[arcs % graph.num_triples] + graph.num_relations * (
            arcs >= graph.num_triples
        )
        return directed.astype(np.int64)

    def _find_ends(self, arcs: np.ndarray) -> np.ndarray:
        graph = self.snapshot
        facts = arcs % graph.num_triples
        ends = np.where(arcs >= graph.num_triples, graph.heads[facts], graph.tails[facts])
        return np.unique(ends.astype(np.int64))


def _select_branches(front: AgentFrontier, entities: tuple[int, ...]) -> tuple[Branch, ...]:
    """The branches of a front, or what they have of some entities."""
    if not entities:
        return tuple(branch for branch in front.branches if len(branch.entities))
    selected = []
    for branch in front.branches:
        mine = np.intersect1d(branch.entities, entities)
        if len(mine):
            complete = branch.whole and len(mine) == len(branch.entities)
            selected.append(branch if complete else Branch(branch.topic, branch.path, mine, whole=False))
    return tuple(selected)


def _is_shown(window: Window | None, front: int, branches: tuple[Branch, ...]) -> bool:
    """Whether the window is of just these entities of that front."""
    if window is None or window.front != front or len(branches) != len(window.branches):
        return False
    return all(
        a.topic == b.topic and a.path == b.path and np.array_equal(a.entities, b.entities)
        for a, b in zip(window.branches, branches, strict=True)
    )
