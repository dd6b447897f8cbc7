"""Offline synthesis of trajectories: rational paths show the way, chance leads astray (Graph-S3 section 3.1.2).

What the paper lets GPT-4o do, a guide does that knows a rational path of each topic: it goes along it, now and then
does something else that is possible, and comes back. What ends with other answers is thrown away.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retrieval.errors import check
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Action, Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.refinement import find_shortest_actions
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.agent.translation import read_agent_action, to_agent_action
from retrieval.supervision.candidate_paths import compute_f1
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path
from retrieval.supervision.trajectories import Trajectory, TrajectorySource
from retrieval.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """A trajectory in one graph, by ids.

    Attributes:
        question: whose.
        beginning: the state before the first action.
        actions: what was done; each was possible, the last one finishes.
        score: F1 of what it ends with against the answers.
        source, behaviour: who decided.
        thoughts: why each was done, of a language model; else empty.
        prompt: version and hash of its prompt.
        strayed: positions of the actions that chance chose, which nobody should imitate; ascending.
    """

    question: Grounded
    beginning: State
    actions: tuple[Action, ...]
    score: float
    source: TrajectorySource = "offline"
    behaviour: str = "guided"
    thoughts: tuple[str, ...] = ()
    prompt: str | None = None
    strayed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Synthesis:
    """How trajectories are made.

    Attributes:
        samples: tries for each question.
        astray: probability of doing something at random in a step.
        match: least F1 of a kept trajectory's answers; 1 for the very answer set.
    """

    samples: int = 2
    astray: float = 0.15
    match: float = 1.0
    seed: int = 0


def collect_paths(world: AgentWorld, question: Grounded, labels: Sequence[Label]) -> dict[int, list[tuple[int, ...]]]:
    """The rational paths of each topic of a question, best score first."""
    paths: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for label in sorted(select_usable(labels), key=lambda label: (-label.score, len(label.path), label.path)):
        topic, path = world.snapshot.find_entity(label.topic), to_directed_path(world.snapshot, label.path)
        if topic in question.topics and path is not None and path not in paths[topic]:
            paths[topic].append(path)
    return paths


def find_next_action(state: State, goals: Mapping[int, tuple[int, ...]]) -> Action:
    """The next step along one path of each topic, from wherever the agent is.

    Args:
        state: not ended.
        goals: paths by topic, of the topics that have one.
    """
    leaves: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for branch in state.find_leaves():
        leaves[branch.topic].add(branch.path)
    for topic in state.topics:
        goal = goals.get(topic)
        if goal is None or leaves[topic] == {goal}:
            continue
        window = state.window
        if window is not None and len(window.branches) == 1:
            here = window.branches[0]
            if here.topic == topic and goal[: len(here.path)] == here.path != goal:
                return Choose((goal[len(here.path)],))
        # The longest part of the way that was walked; of equally long ones the newest.
        best = max(
            (
                (len(branch.path), index)
                for index, front in enumerate(state.frontiers)
                for branch in front.branches
                if branch.topic == topic and goal[: len(branch.path)] == branch.path != goal
                and (index == 0 or len(front.branches) == 1)
            ),
        )  # fmt: skip
        if best[1] == 0 and len(state.topics) > 1:
            return Explore(0, (topic,))
        return Explore(best[1])
    return Finish()


def walk(
    world: AgentWorld,
    question: Grounded,
    goals: Mapping[int, tuple[int, ...]],
    *,
    astray: float,
    rng: np.random.Generator,
) -> tuple[State, State, tuple[Action, ...], tuple[int, ...]]:
    """One try: the state before, the state after, what was done, and where it strayed. It may not have ended."""
    beginning = state = world.make_initial_state(Question(question.question.question), question.topics, question.names)
    actions: list[Action] = []
    strayed: list[int] = []
    while not state.ended and state.steps < world.limits.steps:
        wanted = action = find_next_action(state, goals)
        if rng.random() < astray:
            others = [o.action for o in world.list_options(state) if not isinstance(o.action, Finish)]
            action = others[int(rng.integers(len(others)))] if others else action
        if action != wanted:
            strayed.append(len(actions))
        state, _ = world.apply_action(state, action)
        actions.append(action)
    return beginning, state, tuple(actions), tuple(strayed)


def generate_episodes(
    world: AgentWorld,
    questions: Sequence[Grounded],
    labels: Sequence[Label],
    settings: Synthesis,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Episode]:
    """Trajectories that end with the answers; the first try of a question is the guide's alone.

    Tries that did the same count once. The same arguments give the same trajectories.
    """
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_question[label.question].append(label)
    episodes: list[Episode] = []
    for number, question in enumerate(questions):
        check(cancelled)
        if progress is not None and number % 50 == 0:
            progress(Progress("making trajectories", number, len(questions), "questions"))
        paths = collect_paths(world, question, by_question.get(question.question.id, ()))
        if paths:
            episodes += _sample_episodes(world, question, paths, settings)
    return episodes


def _sample_episodes(
    world: AgentWorld,
    question: Grounded,
    paths: Mapping[int, Sequence[tuple[int, ...]]],
    settings: Synthesis,
) -> Iterator[Episode]:
    answers = np.array(question.answers, np.int64)
    rng = np.random.default_rng([settings.seed, zlib.crc32(question.question.id.encode())])
    done: set[tuple[Action, ...]] = set()
    for sample in range(settings.samples):
        goals = {topic: each[sample % len(each)] for topic, each in paths.items()}
        astray = settings.astray if sample else 0.0
        beginning, end, actions, strayed = walk(world, question, goals, astray=astray, rng=rng)
        score = compute_f1(end.find_answers(), answers) if end.ended else 0.0
        if score >= settings.match and actions not in done:
            done.add(actions)
            yield Episode(question, beginning, actions, score, strayed=strayed)


def make_refined(world: AgentWorld, episode: Episode, keep: Literal["paths", "answers", "none"] = "paths") -> Episode:
    """The same by its shortest form, see ``refinement.find_shortest_actions``; as it is for ``none`` (Graph-S3 Table
    2).
    """
    if keep == "none":
        return episode
    actions = find_shortest_actions(world, episode.beginning, episode.actions, keep)
    return Episode(episode.question, episode.beginning, actions, episode.score, episode.source, episode.behaviour)


def to_trajectory(world: AgentWorld, episode: Episode, name: str, *, refined_from: str | None = None) -> Trajectory:
    """An episode by labels."""
    state, actions = episode.beginning, []
    for action in episode.actions:
        people = to_agent_action(world, state, action)
        assert people is not None, "only what was possible is kept"
        actions.append(people)
        state, _ = world.apply_action(state, action)
    question = episode.question.question
    return Trajectory(
        id=name,
        question=question.question,
        question_id=question.id,
        topics=tuple(world.snapshot.get_entity_label(topic) for topic in episode.question.topics),
        answers=question.answers,
        actions=tuple(actions),
        source=episode.source,
        behaviour=episode.behaviour,
        refined_from=refined_from,
        score=round(episode.score, 6),
        prompt=episode.prompt,
        thoughts=episode.thoughts,
        strayed=episode.strayed,
    )


def to_episode(world: AgentWorld, trajectory: Trajectory, question: Grounded) -> Episode | None:
    """A trajectory in this graph; None where a step of it is not possible there, or it has no end.

    An exploration that shows nothing new here, because pages are larger than where it was made, is left out.
    """
    beginning = state = world.make_initial_state(Question(trajectory.question), question.topics, question.names)
    actions: list[Action] = []
    thoughts: list[str] = []
    strayed: list[int] = []
    reasons = trajectory.thoughts or ("",) * len(trajectory.actions)
    for i, (action, thought) in enumerate(zip(trajectory.actions, reasons, strict=True)):
        mine = read_agent_action(world, state, action)
        after, observation = world.apply_action(state, mine)
        if observation.valid:
            state = after
            strayed += [len(actions)] if i in trajectory.strayed else []
            actions.append(mine)
            thoughts.append(thought)
        elif not isinstance(mine, Explore):
            return None
    if not state.ended:
        return None
    score = compute_f1(state.find_answers(), np.array(question.answers, np.int64))
    return Episode(
        question,
        beginning,
        tuple(actions),
        score,
        trajectory.source,
        trajectory.behaviour,
        tuple(thoughts) if trajectory.thoughts else (),
        trajectory.prompt,
        tuple(strayed),
    )
