"""Trajectories: how they are made, refined to their shortest form, rewarded step by step, written and read."""

from itertools import combinations

import numpy as np
import pytest

from retrieval.__main__ import main
from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.refinement import find_shortest_actions, run_actions
from retrieval.methods.graph_s3.agent.rewards import (
    Golden,
    RewardWeights,
    compute_option_rewards,
    compute_outcome_reward,
    compute_step_reward,
)
from retrieval.methods.graph_s3.agent.synthesis import (
    Synthesis,
    collect_paths,
    find_next_action,
    generate_episodes,
    make_refined,
    to_episode,
    to_trajectory,
)
from retrieval.methods.graph_s3.agent_examples import make_imitation_example
from retrieval.questions.files import write_questions
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label, write_labels
from retrieval.supervision.trajectories import read_trajectories, write_trajectories
from retrieval.types import QuestionRecord
from tests.retrieval.methods.graph_s3.test_environment import FILMS
from tests.retrieval.world import build, ids, labels, path

QUESTIONS = [
    QuestionRecord(
        "1",
        "Jane Anderson co-wrote movies with whom?",
        ("Jane Anderson",),
        ("Anne Heche", "Elizabeth Strout"),
    ),
    QuestionRecord("2", "when were films by Jane Anderson released", ("Jane Anderson",), ("2003",)),
    QuestionRecord(
        "3",
        "what did Jane Anderson and Anne Heche write",
        ("Jane Anderson", "Anne Heche"),
        ("If These Walls",),
    ),
    QuestionRecord("4", "who is Anne Heche", ("Anne Heche",), ("2003",)),
]
LABELS = [
    Label("1", "Jane Anderson", (("written_by", True), ("written_by", False)), "given"),
    Label("2", "Jane Anderson", (("written_by", True), ("release_year", False)), "given"),
    Label("3", "Jane Anderson", (("written_by", True),), "given"),
    Label("3", "Anne Heche", (("written_by", True),), "given"),
    Label("4", "Anne Heche", (("written_by", True),), "given"),
]
LABELS_OF = {q.id: [label for label in LABELS if label.question == q.id] for q in QUESTIONS}


@pytest.fixture
def world(tmp_path):
    return AgentWorld(Frontiers(build(tmp_path / "films.graph", FILMS)), AgentLimits())


def grounded(world, *names):
    found, skipped = resolve_questions(world.snapshot, [q for q in QUESTIONS if not names or q.id in names])
    assert not skipped.total
    return found


def choose(world, text):
    return Choose(path(world.snapshot, text))


def made(world, **settings):
    return generate_episodes(world, grounded(world), LABELS, Synthesis(**settings))


def test_a_guide_goes_straight_and_keeps_what_matches(world):
    episodes = made(world, samples=1)
    kept = {e.question.question.id: e.actions for e in episodes}
    assert kept == {
        "1": (Explore(0), choose(world, "-written_by"), Explore(1), choose(world, "written_by"), Finish()),
        "2": (Explore(0), choose(world, "-written_by"), Explore(1), choose(world, "release_year"), Finish()),
        "3": (
            Explore(0, tuple(ids(world.snapshot, "Jane Anderson"))),
            choose(world, "-written_by"),
            Explore(0, tuple(ids(world.snapshot, "Anne Heche"))),
            choose(world, "-written_by"),
            Finish(),
        ),
    }, "the label of question 4 leads to other answers than the right ones"


def test_tries_go_astray_and_come_back(world):
    episodes = made(world, samples=12, astray=0.4)
    detours = [e for e in episodes if len(e.actions) > 5]
    assert len(detours) >= 3
    for episode in episodes:
        end = run_actions(world, episode.beginning, episode.actions)
        assert end.ended
        assert all(done.valid for done in end.history)
        assert labels(world.snapshot, end.find_answers()) == sorted(episode.question.question.answers)
    assert [e.actions for e in made(world, samples=12, astray=0.4)] == [e.actions for e in episodes]


def test_the_guide_comes_back_from_wherever_it_is(world):
    goal = {t: path(world.snapshot, "-written_by release_year") for t in ids(world.snapshot, "Jane Anderson")}
    state = world.make_initial_state(Question("q"), list(goal))
    taken = [Explore(0), choose(world, "-directed_by")]
    state = run_actions(world, state, taken)
    while not state.ended:
        taken.append(find_next_action(state, goal))
        state, _ = world.apply_action(state, taken[-1])
    assert taken[2:] == [
        Explore(0), choose(world, "-written_by"), Explore(2), choose(world, "release_year"), Finish(),
    ]  # fmt: skip
    assert labels(world.snapshot, state.find_answers()) == ["2003"]


def shortest(world, beginning, actions, keep):
    """The length of the shortest feasible subsequence with the same answers, by trying all of them (eq. 5)."""
    end = run_actions(world, beginning, actions)
    leaves = {(leaf.topic, leaf.path) for leaf in end.find_leaves()}
    origins = _origins(world, beginning, actions)
    for length in range(1, len(actions) + 1):
        for kept in combinations(range(len(actions)), length):
            renumbered = _renumbered(actions, origins, kept)
            if renumbered is None:
                continue
            after = run_actions(world, beginning, renumbered)
            same = {(leaf.topic, leaf.path) for leaf in after.find_leaves()} == leaves or keep == "answers"
            if (
                after.ended and same and all(done.valid for done in after.history)
                and np.array_equal(after.find_answers(), end.find_answers())
            ):  # fmt: skip
                return length
    raise AssertionError


def _origins(world, state, actions):
    """Position of the choice that made each front; None for the topics."""
    found = [None]
    for position, action in enumerate(actions):
        state, observation = world.apply_action(state, action)
        if isinstance(action, Choose) and observation.valid:
            found.append(position)
    return found


def _renumbered(actions, origins, kept):
    frontiers = {0: 0}
    found = []
    for position in kept:
        action = actions[position]
        if isinstance(action, Explore):
            if action.front not in frontiers:
                return None
            action = Explore(frontiers[action.front], action.entities)
        elif isinstance(action, Choose):
            frontiers[origins.index(position)] = len(frontiers)
        found.append(action)
    return found


@pytest.mark.parametrize("keep", ["paths", "answers"])
def test_refinement_finds_what_trying_everything_finds(world, keep):
    episodes = [e for e in made(world, samples=12, astray=0.4) if len(e.actions) <= 10]
    assert max(len(e.actions) for e in episodes) > 7
    for episode in episodes:
        short = find_shortest_actions(world, episode.beginning, episode.actions, keep)
        assert len(short) == shortest(world, episode.beginning, episode.actions, keep)
        end = run_actions(world, episode.beginning, short)
        assert all(done.valid for done in end.history)
        assert labels(world.snapshot, end.find_answers()) == sorted(episode.question.question.answers)


def test_refinement_may_keep_the_answers_alone(tmp_path):
    """There and back again gives what the first step gave: by eq. 5 alone the way is cut to that."""
    graph = build(tmp_path / "songs.graph", [("Believe", "tracks", "One"), ("One", "song", "One")])
    world = AgentWorld(Frontiers(graph, simple=False))
    beginning = world.make_initial_state(Question("what is the song of Believe's tracks"), ids(graph, "Believe"))
    actions = (Explore(0), choose(world, "tracks"), Explore(1), choose(world, "song"), Finish())
    assert find_shortest_actions(world, beginning, actions) == actions
    assert find_shortest_actions(world, beginning, actions, "answers") == (
        Explore(0),
        choose(world, "tracks"),
        Finish(),
    )


def test_refinement_drops_pages_and_what_was_not_possible(world):
    beginning = world.make_initial_state(Question("q"), ids(world.snapshot, "Jane Anderson"))
    actions = (Finish(), Explore(0), Explore(0), choose(world, "-written_by"), Finish())
    assert find_shortest_actions(world, beginning, actions) == (
        Explore(0),
        choose(world, "-written_by"),
        Finish(),
    )


def test_rewards_of_steps(world):
    """Eq. 8: possible, well formed, the refined action, part of it."""
    topic = ids(world.snapshot, "Jane Anderson")
    state = world.make_initial_state(Question("q"), topic)
    weights = RewardWeights(form=0.1, partial=0.5)
    golden = Golden([(Explore(0), choose(world, "-written_by"), Finish())])

    def reward(action, before=(), **more):
        at = run_actions(world, state, before)
        return compute_step_reward(world, at, action, golden.get_next_actions(before), weights, **more)

    assert reward(Explore(0)) == pytest.approx(1.1)
    assert reward(Explore(0), well_formed=False) == 0.0
    assert reward(Finish()) == 0.0, "not possible yet"
    assert reward(Unreadable("prose")) == 0.0
    seen = (Explore(0),)
    assert reward(choose(world, "-written_by"), seen) == pytest.approx(1.1)
    assert reward(choose(world, "-directed_by"), seen) == pytest.approx(0.1), "reaches another film"
    films = world.list_facts(run_actions(world, state, seen).window).tolist()
    normal = [a for a in films if world.snapshot.get_hop(a).target.label == "Normal"]
    # One film of three: F1 is 2 * 1 / (1 + 3).
    assert reward(Choose(arcs=tuple(normal)), seen) == pytest.approx(0.1 + 0.5 * 0.5)
    done = (*seen, choose(world, "-written_by"))
    assert reward(Explore(1), done) == pytest.approx(0.1), "the refined trajectory ends here"


def test_rewards_of_all_options_agree_with_those_of_each(world):
    state = run_actions(
        world, world.make_initial_state(Question("q"), ids(world.snapshot, "Jane Anderson")), [Explore(0)]
    )
    golden = (choose(world, "-written_by"),)
    actions = tuple(option.action for option in world.list_options(state))
    each = [compute_step_reward(world, state, action, golden) for action in actions]
    assert compute_option_rewards(world, state, actions, golden).tolist() == pytest.approx(each)


def test_reward_of_the_outcome(world):
    state = world.make_initial_state(Question("q"), ids(world.snapshot, "Jane Anderson"))
    films = np.sort(ids(world.snapshot, "Normal", "If These Walls", "Olive Kitteridge"))
    before = run_actions(world, state, [Explore(0), choose(world, "-written_by")])
    assert compute_outcome_reward(before, films) == 0.0, "it has not ended"
    assert compute_outcome_reward(run_actions(world, before, [Finish()]), films) == 1.0
    assert compute_outcome_reward(run_actions(world, before, [Finish()]), films[:1]) == pytest.approx(2 / 4)


def test_without_refinement_a_trajectory_stays_as_it_is(world):
    for episode in made(world, samples=3, astray=0.3):
        assert make_refined(world, episode, "none") is episode


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_trajectories_survive_a_file(world, tmp_path, name):
    raw = made(world, samples=3, astray=0.3)
    written = []
    for i, episode in enumerate(raw):
        written.append(to_trajectory(world, episode, f"t{i}"))
        written.append(to_trajectory(world, make_refined(world, episode), f"t{i}-refined", refined_from=f"t{i}"))
    assert write_trajectories(tmp_path / name, written) == len(written)
    read = read_trajectories(tmp_path / name)
    assert [(t.id, t.refined_from, t.source, t.behaviour, t.score) for t in read[:2]] == [
        ("t0", None, "offline", "guided", 1.0),
        ("t0-refined", "t0", "offline", "guided", 1.0),
    ]
    by_id = {q.question.id: q for q in grounded(world)}
    back = [to_episode(world, trajectory, by_id[trajectory.question_id]) for trajectory in read]
    assert [e.actions for e in back[::2]] == [e.actions for e in raw]
    assert [e.strayed for e in back[::2]] == [e.strayed for e in raw]


def test_where_chance_led_astray_is_known_and_not_imitated(world):
    """The way back is learned, the way there is not."""
    episodes = made(world, samples=12, astray=0.4)
    assert not any(e.strayed for e in episodes if len(e.actions) <= 3)
    astray = next(e for e in episodes if e.strayed)
    guide = {
        t: each[0] for t, each in collect_paths(world, astray.question, LABELS_OF[astray.question.question.id]).items()
    }
    state, off = astray.beginning, []
    for i, action in enumerate(astray.actions):
        off += [i] if action != find_next_action(state, guide) else []
        state, _ = world.apply_action(state, action)
    assert astray.strayed == tuple(off)
    learned = make_imitation_example(world, astray)
    assert len(learned.taken) == len(astray.actions) - len(astray.strayed)


def test_a_trajectory_of_another_graph_is_left_out(world):
    episode = made(world, samples=1)[1]
    trajectory = to_trajectory(world, episode, "t")
    other = RestrictedSnapshot(
        world.snapshot,
        [f for f in range(8) if world.snapshot.get_relation_name(world.snapshot.relations[f]) == "written_by"],
    )
    assert to_episode(AgentWorld(Frontiers(other)), trajectory, episode.question) is None


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"id": "x"}',
        '{"id":"x","question":"","topics":[],"answers":[],"actions":[],"source":"llm","thoughts":["so"]}',
        '{"id":"x","question":"","topics":[],"answers":[],"actions":[],"source":"me"}',
    ],
)
def test_a_bad_line_is_named(tmp_path, line):
    (tmp_path / "t.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(TrainingDataError, match=r"t\.jsonl, line 2: not a trajectory"):
        read_trajectories(tmp_path / "t.jsonl")


def test_the_command_writes_trajectories_and_their_shortest_forms(world, tmp_path, capsys):
    write_questions(tmp_path / "questions.jsonl", QUESTIONS[:3])
    write_labels(tmp_path / "labels.jsonl", LABELS)
    graph, out, short = world.snapshot.path, tmp_path / "raw.jsonl.gz", tmp_path / "short.jsonl"
    given = ["--graph", str(graph), "--questions", str(tmp_path / "questions.jsonl")]
    given += ["--labels", str(tmp_path / "labels.jsonl"), "--out", str(out)]
    more = ["--refined", str(short), "--samples", "9", "--astray", "0.4"]
    assert main(["synthesise", *given, *more]) == 0
    raw, refined_ones = read_trajectories(out), read_trajectories(short)
    assert [t.refined_from for t in refined_ones] == [t.id for t in raw]
    assert raw[0].id == "1#1"
    assert {len(t.actions) for t in refined_ones} == {5}
    steps = sum(len(t.actions) for t in raw) / len(raw)
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(f"{len(raw)} trajectories of 3 of 3 questions, {steps:.2f} steps on average")
    assert second.endswith("their shortest forms, 5.00 steps on average")


def test_the_command_says_when_nothing_matches(world, tmp_path, capsys):
    write_questions(tmp_path / "questions.jsonl", QUESTIONS[3:])
    write_labels(tmp_path / "labels.jsonl", LABELS[4:])
    given = ["--graph", str(world.snapshot.path), "--questions", str(tmp_path / "questions.jsonl")]
    given += ["--labels", str(tmp_path / "labels.jsonl"), "--out", str(tmp_path / "raw.jsonl")]
    assert main(["synthesise", *given]) == 2
    assert "No trajectory of the 1 questions ends with their answers" in capsys.readouterr().err
    assert not (tmp_path / "raw.jsonl").exists()
