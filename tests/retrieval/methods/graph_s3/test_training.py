"""Training of Graph-S3's small policy on tiny graphs: two stages, curves of every step, resumption, other graphs."""

import json

import numpy as np
import pytest
import torch

from retrieval.answering.loading import load_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.errors import Cancelled, ConfigError, TrainingDataError
from retrieval.language.question import Question
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.graph_s3.agent.decisions import BACK, CHOOSE, FINISH, ONWARD, TOPIC, build_decision
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.synthesis import generate_episodes, to_trajectory
from retrieval.methods.graph_s3.retriever import open_policy
from retrieval.methods.graph_s3.training import _draw_options
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label
from retrieval.supervision.trajectories import write_trajectories
from retrieval.train import train
from retrieval.types import QuestionRecord
from tests.retrieval.films import SHAPES, WordEncoder, build, questions, walk
from tests.retrieval.world import build as build_graph
from tests.retrieval.world import ids, labels

SMALL = {"hidden": 24, "dropout": 0.0, "epochs": 3, "rl_epochs": 2, "learning_rate": 5e-3, "samples": 2}


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    return build(tmp_path_factory.mktemp("films") / "graph")


def fit(films, out, asked=None, **settings):
    return train("graph-s3", films, asked or questions(), config={**SMALL, **settings}, out=out, encoder=WordEncoder())


@pytest.fixture(scope="module")
def trained(films, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "graph-s3"
    return fit(films, out)


def policy(films, result):
    read = open_checkpoint(result.checkpoint, method="graph-s3", encoder="words")
    return open_policy(read, films, WordEncoder())


def search(found, question, topic):
    """What the most probable actions end with."""
    state = found.world.make_initial_state(Question(question), ids(found.world.snapshot, topic))
    while not state.ended and state.steps < 12:
        state, _ = found.world.apply_action(state, found.propose(state)[0].action)
    return set(labels(found.world.snapshot, state.find_answers()))


def test_the_test_questions_are_answered(films, trained):
    found = policy(films, trained)
    asked = [q for q in questions() if q.split == "test"]
    right = [search(found, q.question, q.topic_entities[0]) == set(q.answers) for q in asked]
    assert np.mean(right) == 1.0


def test_the_checkpoint_holds_a_curve_of_every_step(trained):
    curve = json.loads((trained.checkpoint / "curves.json").read_text())
    assert {row["stage"] for row in curve} == {0, 1}
    imitation = [row for row in curve if row["stage"] == 0]
    reinforced = [row for row in curve if row["stage"] == 1]
    assert [row["step"] for row in imitation] == list(range(len(imitation)))
    assert imitation[-1]["probability"] > imitation[0]["probability"]
    assert set(reinforced[0]) == {"stage", "step", "loss", "reward", "kl", "clipped"}
    assert reinforced[0]["kl"] == pytest.approx(0.0, abs=1e-6)
    first, last = (np.mean([row["reward"] for row in part]) for part in (reinforced[:10], reinforced[-10:]))
    assert last > first


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", ["epoch 2 of at most 3", "epoch 2 of at most 2"])
def test_a_training_stopped_in_either_stage_goes_on(films, trained, tmp_path, stop_at):
    stopping = {"now": False}

    def progress(told):
        stopping["now"] = stopping["now"] or (told.message == stop_at)

    out = tmp_path / "graph-s3"
    given = {"config": SMALL, "out": out, "encoder": WordEncoder()}
    with pytest.raises(Cancelled):
        train("graph-s3", films, questions(), progress=progress, cancelled=lambda: stopping["now"], **given)
    train("graph-s3", films, questions(), **given)
    one, other = (torch.load(each / "weights.pt", weights_only=True) for each in (out, trained.checkpoint))
    assert all(torch.equal(one[name], other[name]) for name in other)
    assert (out / "curves.json").read_text() == (trained.checkpoint / "curves.json").read_text()


def test_the_outcome_alone_can_be_the_reward(films, tmp_path):
    result = fit(films, tmp_path / "c", reward="outcome", rl_epochs=1, questions_per_epoch=64)
    curve = json.loads((result.checkpoint / "curves.json").read_text())
    rewards = [row["reward"] for row in curve if row["stage"] == 1]
    assert len(rewards) == 2
    assert all(0 <= reward <= 1 for reward in rewards)


def test_reinforcement_can_be_left_out(films, tmp_path):
    result = fit(films, tmp_path / "c", rl_epochs=0, epochs=1)
    curve = json.loads((result.checkpoint / "curves.json").read_text())
    assert {row["stage"] for row in curve} == {0}


def test_a_policy_decides_in_a_graph_that_it_never_saw(films, trained, tmp_path):
    """Other relations, other directions, other ids: what it reads are texts."""
    facts = [("Aardvark", "a_first_relation", "Zebra")]
    facts += [(f"Show {i}", "directed_by", f"Maker {i % 2}") for i in range(6)]
    facts += [(f"Show {i}", "zz_last_relation", "Zebra") for i in range(6)]
    other = build_graph(tmp_path / "shows.graph", facts)
    found = policy(other, trained)
    assert search(found, "who directed Show 3", "Show 3") == {"Maker 1"}
    assert search(found, "which films did Maker 0 direct", "Maker 0") == {"Show 0", "Show 2", "Show 4"}
    assert search(found, "which films share their director with Show 3", "Show 3") == {"Show 1", "Show 5"}


def test_only_what_is_possible_is_proposed_and_shares_sum_to_one(films, trained):
    found = policy(films, trained)
    world = found.world
    state = world.make_initial_state(Question("who directed Film 03"), ids(films, "Film 03"))
    for _ in range(4):
        proposed = found.propose(state)
        assert {each.action for each in proposed} == {option.action for option in world.list_options(state)}
        assert sum(each.probability for each in proposed) == pytest.approx(1.0)
        assert [e.probability for e in proposed] == sorted((e.probability for e in proposed), reverse=True)
        after, observation = world.apply_action(state, proposed[0].action)
        assert observation.valid
        state = after
        if state.ended:
            break


def test_kinds_of_options_and_where_the_agent_is(films):
    world = AgentWorld(Frontiers(films))
    topics = ids(films, "Varda", "Welles")
    state = world.make_initial_state(Question("which films did Varda and Welles direct"), topics)
    decision = build_decision(world, state)
    assert (decision.view, decision.lineage, decision.kinds.tolist()) == (0, (), [TOPIC, TOPIC])
    state, _ = world.apply_action(state, decision.actions[1])
    decision = build_decision(world, state)
    assert (decision.view, decision.lineage) == (1, ())
    assert decision.kinds.tolist() == [CHOOSE, TOPIC]
    back = films.find_relation("directed_by") + films.num_relations
    assert decision.relations.tolist() == [back, 0]
    state, _ = world.apply_action(state, decision.actions[0])
    decision = build_decision(world, state)
    assert (decision.view, decision.lineage) == (1, (back,))
    assert decision.kinds.tolist() == [ONWARD, TOPIC, BACK, FINISH]
    state, _ = world.apply_action(state, decision.actions[2])
    assert build_decision(world, state).lineage == (-1,), "it came back to the topic and gave up what it chose"


@pytest.mark.slow
def test_given_trajectories_are_learned_from(films, tmp_path):
    """Of people's corrections, or a language model's."""
    world = AgentWorld(Frontiers(films))
    own = QuestionRecord(
        "p", "tell me the maker of Film 03", ("Film 03",), tuple(sorted(walk("Film 03", ("directed_by",))))
    )
    grounded, _ = resolve_questions(films, [own])
    label = Label("p", "Film 03", (("directed_by", False),), "analyst")
    episode = generate_episodes(world, grounded, [label], _settings())[0]
    write_trajectories(tmp_path / "t.jsonl", [to_trajectory(world, episode, "p1")])
    given = {"config": {**SMALL, "epochs": 1, "rl_epochs": 0}, "encoder": WordEncoder()}
    one = train("graph-s3", films, questions(), out=tmp_path / "a", trajectories=tmp_path / "t.jsonl", **given)
    other = train("graph-s3", films, questions(), out=tmp_path / "b", **given)
    weights = [torch.load(each.checkpoint / "weights.pt", weights_only=True) for each in (one, other)]
    assert any(not torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def _settings():
    from retrieval.methods.graph_s3.agent.synthesis import Synthesis

    return Synthesis(samples=1)


def test_nothing_to_learn_from_is_said(films, tmp_path):
    wrong = [QuestionRecord("1", "who directed Film 00", ("Film 00",), ("Film 05",), split="train")]
    with pytest.raises(TrainingDataError, match="could be answered exactly"):
        fit(films, tmp_path / "c", wrong, max_hops=1)


def test_draws_stay_within_their_decision():
    shares = np.array([0.2, 0.8, 1.0, 0.5, 0.0, 0.5])
    picks = _draw_options(shares, np.array([0, 2, 3]), 400, np.random.default_rng(0))
    assert picks.shape == (3, 400)
    assert set(picks[0]) == {0, 1}
    assert np.mean(picks[0] == 1) == pytest.approx(0.8, abs=0.06)
    assert set(picks[1]) == {2}
    assert set(picks[2]) == {3, 5}


def test_the_engine_answers_with_the_checkpoint(films, trained):
    from retrieval.answering.parts import GraphParts

    parts = GraphParts(films, WordEncoder())
    spec = AnswererSpec(films.path, trained.checkpoint, "graph-s3")
    events = list(load_answerer(spec, parts).run(AskRequest(Question("which films did Varda direct"))))
    assert {answer.label for answer in events[-1].answers} == walk("Varda", SHAPES["which films did {} direct"])
    zero = list(
        load_answerer(AnswererSpec(films.path, None, "graph-s3"), parts).run(
            AskRequest(Question("who directed Film 03"))
        )
    )
    assert zero[0].checkpoint is None
    assert any(event.type == "agent.step" for event in zero)


def test_imitation_can_be_left_out(films, tmp_path):
    """Table 2's w/o SFT: reinforcement alone, from an untrained policy."""
    result = fit(films, tmp_path / "c", imitation=False, rl_epochs=1, questions_per_epoch=64)
    curve = json.loads((result.checkpoint / "curves.json").read_text())
    assert {"reward", "kl"} <= set(curve[0])
    assert result.metrics["epochs"] == 1.0
    with pytest.raises(ConfigError, match="learns nothing"):
        fit(films, tmp_path / "d", imitation=False, rl_epochs=0)
