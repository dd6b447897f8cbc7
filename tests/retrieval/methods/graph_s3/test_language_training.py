"""A language model learns to explore, by trl, on a tiny random model made here: SFT, GRPO, stopping and going on."""

import json
import shutil
from dataclasses import replace

import pytest
import torch

from retrieval.errors import Cancelled
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.language_policy import LanguagePolicy
from retrieval.methods.graph_s3.agent.rewards import compute_step_reward
from retrieval.methods.graph_s3.language_training import LanguageTrainer, LanguageTraining, make_examples
from retrieval.nn.language_model import AdaptedModel
from tests.retrieval import tiny_llm
from tests.retrieval.methods.graph_s3.gym import GraphEnvironment
from tests.retrieval.world import build, ids, labels, path

pytest.importorskip("trl", reason="requirements-llm.txt is not installed")
torch.set_num_threads(1)

QUESTION = "which films share their director with Jaws?"
SETTINGS = LanguageTraining(
    context=1024, longest=40, sft_epochs=24, sft_rate=0.02, sft_batch=5,
    rl_epochs=2, rl_rate=0.002, batch=4, mini_batch=2, group=4, save_steps=1000,
)  # fmt: skip
BRIEF = replace(SETTINGS, sft_epochs=6)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return AgentWorld(Frontiers(build(tmp_path_factory.mktemp("graph") / "world.graph")), AgentLimits())


@pytest.fixture(scope="module")
def examples(world):
    """The decisions of one trajectory."""
    graph = world.snapshot
    actions = [
        Explore(0),
        Choose(path(graph, "directed_by")),
        Explore(1),
        Choose(path(graph, "-directed_by")),
        Finish(),
    ]
    beginning = world.make_initial_state(Question(QUESTION), ids(graph, "Jaws"))
    return make_examples(world, beginning, actions, ["go on"] * 5)


@pytest.fixture(scope="module")
def tiny(world, examples, tmp_path_factory):
    texts = [serialise.write_reply(world, e.state, e.action, e.thought) for e in examples]
    texts += [m["content"] for e in examples for m in serialise.build_chat(world, e.state, example=False)]
    return tiny_llm.build(tmp_path_factory.mktemp("tiny"), texts)


def trainer(world, tiny, where, *, key="key", said=None, cancelled=lambda: False, settings=SETTINGS):
    torch.manual_seed(0)
    model = AdaptedModel(str(tiny), rank=8, dropout=0.0)
    said = [] if said is None else said
    return LanguageTrainer(world, model, settings, where=where, key=key, progress=said.append, cancelled=cancelled)


def judged(world):
    """Eq. 8 against the trajectory itself."""

    def judge(example, said):
        readable = not isinstance(said, Unreadable)
        action = said.action if readable else said
        return compute_step_reward(world, example.state, action, (example.action,), well_formed=readable)

    return judge


@pytest.fixture(scope="module")
def imitated(world, tiny, examples, tmp_path_factory):
    """A trainer after SFT, and its directory."""
    where = tmp_path_factory.mktemp("course") / "resume"
    made = trainer(world, tiny, where)
    made.train_by_imitation(examples)
    return made, where


@pytest.mark.slow
def test_sft_teaches_thought_and_action(world, imitated):
    made, _ = imitated
    losses = [row["loss"] for row in made.curves]
    assert [row["step"] for row in made.curves] == list(range(1, 25))
    assert losses[-1] < 0.1 * losses[0]
    policy = LanguagePolicy(world, made.model, context=1024, longest=40)
    environment = GraphEnvironment(world, QUESTION, ids(world.snapshot, "Jaws"))
    while not environment.state.ended and environment.state.steps < 6:
        (proposed,) = policy.propose(environment.state)
        assert proposed.thought == "go on"
        environment.step(proposed.action)
    assert labels(world.snapshot, environment.state.find_answers()) == ["Lincoln", "Munich"]


@pytest.mark.slow
def test_grpo_follows_the_stepwise_reward_and_records_every_step(world, tiny, examples, imitated):
    made, where = imitated
    again = trainer(world, tiny, where)
    again.train_by_imitation(examples)
    assert again.curves == made.curves, "what was imitated is not imitated again"
    before = {name: value.clone() for name, value in again.model.state_dict().items()}
    assert all(torch.equal(value, made.model.state_dict()[name]) for name, value in before.items())
    asked = []
    judge = judged(world)
    again.train_by_reinforcement(
        examples, lambda example, said: asked.append(round(judge(example, said), 3)) or asked[-1]
    )
    steps = again.curves[24:]
    # Two rounds of four decisions with four replies each, two decisions a step.
    assert [(row["stage"], row["step"]) for row in steps] == [(1, n) for n in range(1, 5)]
    assert len(asked) == 2 * 4 * 4
    assert {0.0, 1.1} <= set(asked), "some replies are no action, some are what the trajectory does"
    assert steps[0]["reward"] == pytest.approx(sum(asked[:16]) / 16, abs=1e-6)
    assert steps[0]["kl"] == 0.0
    assert steps[-1]["kl"] > 0.0
    assert list(again.model.lm.peft_config) == ["default"]
    after = again.model.state_dict()
    assert after.keys() == before.keys()
    assert any(not torch.equal(after[name], before[name]) for name in after)


@pytest.mark.slow
def test_stopped_training_goes_on_after_its_last_step(world, tiny, examples, tmp_path):
    said = []
    where = tmp_path / "resume"
    stop = {"settings": BRIEF, "said": said}
    with pytest.raises(Cancelled):
        trainer(world, tiny, where, cancelled=lambda: len(said) >= 3, **stop).train_by_imitation(examples)
    assert [progress.done for progress in said] == [1, 2, 3, 4]
    (where / "sft" / "checkpoint-5").mkdir()  # broken off by a crash: it has no state
    made = trainer(world, tiny, where, **stop)
    made.train_by_imitation(examples)
    assert [progress.done for progress in said] == list(range(1, 7))
    assert [row["step"] for row in made.curves] == list(range(1, 7))
    whole = trainer(world, tiny, tmp_path / "whole", settings=BRIEF)
    whole.train_by_imitation(examples)
    assert [row["loss"] for row in made.curves] == pytest.approx([row["loss"] for row in whole.curves])
    weights = whole.model.state_dict()
    assert all(torch.allclose(value, weights[n], atol=1e-6) for n, value in made.model.state_dict().items())
    other = trainer(world, tiny, where, key="other questions", settings=BRIEF)
    assert not list(where.glob("*.pt"))
    assert other.curves == []


@pytest.mark.slow
def test_stopped_reinforcement_goes_on_against_what_was_imitated(world, tiny, examples, imitated, tmp_path):
    where = tmp_path / "resume"
    shutil.copytree(imitated[1], where)
    said = []
    judge = judged(world)
    first = trainer(world, tiny, where, said=said, cancelled=lambda: len(said) >= 1)
    first.train_by_imitation(examples)
    with pytest.raises(Cancelled):
        first.train_by_reinforcement(examples, judge)
    stopped = first.model.state_dict()
    done = said[-1].done
    assert 1 <= done < 4
    again = trainer(world, tiny, where, said=said)
    again.train_by_imitation(examples)
    assert any(not torch.equal(value, stopped[name]) for name, value in again.model.state_dict().items())
    again.train_by_reinforcement(examples, judge)
    assert [row["step"] for row in again.curves[24:]] == [1, 2, 3, 4]
    assert said[-1].done == 4
    assert said[-(4 - done)].done == done + 1
    assert again.curves[-1]["kl"] > 0.0
    assert list(again.model.lm.peft_config) == ["default"]


def test_what_a_model_writes_that_is_no_action_is_said(world, tiny):
    model = AdaptedModel(str(tiny), rank=2, dropout=0.0).eval()
    policy = LanguagePolicy(world, model, context=1024, longest=8)
    (proposed,) = policy.propose(world.make_initial_state(Question(QUESTION), ids(world.snapshot, "Jaws")))
    assert isinstance(proposed.action, Unreadable)
    assert proposed.action.reason.startswith("The reply cannot be used: it ")


def test_a_state_is_cut_to_the_context(world, tiny, tmp_path):
    graph = build(tmp_path / "hub.graph", [("Hub", "has", f"Part {i:02}") for i in range(90)])
    hub = AgentWorld(Frontiers(graph), AgentLimits())
    state, _ = hub.apply_action(hub.make_initial_state(Question("what has it?"), ids(graph, "Hub")), Explore(0))
    made = trainer(hub, tiny, tmp_path / "resume", settings=LanguageTraining(context=1500, longest=40))
    row = made._encode_example(make_examples(hub, state, [Choose(path(graph, "has"))], ["go on"])[0])
    learned = [token for token, label in zip(row["input_ids"], row["labels"], strict=True) if label != -100]
    assert len(row["input_ids"]) <= 1500
    written = made.model.tokenizer.decode(learned, skip_special_tokens=True)
    assert json.loads(written) == {"thought": "go on", "action": "choose", "relations": ["has"]}
