"""``graph-s3`` with a language model as its backend: trained, kept, opened and asked like any method."""

import json

import pytest
import torch

from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.errors import ConfigError
from retrieval.language.question import Question
from retrieval.methods import registry
from retrieval.methods.graph_s3.agent import policy, serialise
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.synthesis import Episode
from retrieval.methods.graph_s3.language_task import make_golden_examples, make_training_settings
from retrieval.methods.retriever_loading import open_retriever
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label
from retrieval.train import train
from retrieval.types import QuestionRecord
from tests.retrieval import tiny_llm
from tests.retrieval.films import WordEncoder
from tests.retrieval.world import build, ids, path

pytest.importorskip("trl", reason="requirements-llm.txt is not installed")
torch.set_num_threads(1)

QUESTION = QuestionRecord(
    "q", "which films share their director with Jaws?", ("Jaws",), ("Lincoln", "Munich"), split="train"
)
LABEL = Label("q", "Jaws", (("directed_by", False), ("directed_by", True)), "given", 1.0)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("graph") / "world.graph")


@pytest.fixture(scope="module")
def episode(graph):
    """What the guide does for the question."""
    world = AgentWorld(Frontiers(graph), AgentLimits())
    (question,) = resolve_questions(graph, [QUESTION])[0]
    there, back = path(graph, "directed_by -directed_by")
    actions = (Explore(0), Choose((there,)), Explore(1), Choose((back,)), Finish())
    return world, Episode(
        question, world.make_initial_state(Question(QUESTION.question), question.topics, ("Jaws",)), actions, 1.0
    )


def test_states_of_refined_trajectories_know_what_else_leads_to_the_answers(graph, episode):
    world, first = episode
    both = Choose(tuple(path(graph, "directed_by in_genre")))
    other = Episode(first.question, first.beginning, (first.actions[0], both, Finish()), 1.0)
    found = make_golden_examples(world, [first, other, first])
    assert [example.golden for example in found] == [
        (Explore(0),),
        (first.actions[1], both),
        (Explore(1),),
        (first.actions[3],),
        (Finish(),),
        (Finish(),),
    ]
    assert {example.answers for example in found} == {tuple(ids(graph, "Lincoln", "Munich"))}
    assert found[0].thought == "The question is about Jaws: look at the facts around."


@pytest.mark.slow
def test_it_is_trained_kept_opened_and_asked(graph, episode, tmp_path):
    world, walked = episode
    texts, state = [], walked.beginning
    for action in walked.actions:
        texts += [message["content"] for message in serialise.build_chat(world, state, example=False)]
        texts.append(serialise.write_reply(world, state, action, policy.explain_action(world, state, action)))
        state, _ = world.apply_action(state, action)
    tiny = tiny_llm.build(tmp_path / "tiny", texts)
    settings = {
        "backend": "llm", "llm": str(tiny), "lora_rank": 8, "dropout": 0.0, "context": 1024, "reply": 60,
        "samples": 1, "epochs": 40, "learning_rate": 0.02, "batch_size": 5, "reward": "outcome",
        "rl_epochs": 1, "rl_learning_rate": 1e-5, "rl_batch_size": 4, "mini_batch": 4, "group": 2, "steps": 6,
    }  # fmt: skip
    encoder = WordEncoder()
    result = train(
        "graph-s3", graph, [QUESTION], labels=[LABEL], config=settings, out=tmp_path / "out", encoder=encoder
    )
    assert result.metrics["dev_answer_f1"] == 1.0
    weights = torch.load(result.checkpoint / "weights.pt", weights_only=True)
    assert weights, "adapters are kept"
    assert all("lora" in name for name in weights)
    curves = json.loads((result.checkpoint / "curves.json").read_text())
    assert [row["stage"] for row in curves] == [0] * 40 + [1]
    assert 0.0 < curves[-1]["reward"] <= 1.0, "some replies led to the answers"
    assert not list(tmp_path.glob(".out.resume*"))

    retriever = open_retriever("graph-s3", result.checkpoint, graph, encoder, cache=tmp_path)
    found = retriever.rank_relation_paths(Question(QUESTION.question), ids(graph, "Jaws"))
    assert [(each.relations, each.score) for each in found] == [(path(graph, "directed_by -directed_by"), 1.0)]
    spec = AnswererSpec(graph.path, result.checkpoint, "graph-s3", options=(("steps", 6),))
    answerer = load_answerer(spec, load_parts(graph, encoder))
    events = list(answerer.run(AskRequest(Question(QUESTION.question), given=tuple(ids(graph, "Jaws")))))
    assert events[0].prompts.keys() == {"graph-s3"}
    assert [event.chosen.kind for event in events if event.type == "agent.step"] == [
        "explore", "choose", "explore", "choose", "finish",
    ]  # fmt: skip
    assert {answer.label for answer in events[-1].answers} == {"Lincoln", "Munich"}


def test_the_preset_has_the_papers_settings():
    config = registry.parse("graph-s3", {"preset": "paper", "llm": "somewhere"})
    settings = make_training_settings(config)
    assert (settings.sft_epochs, settings.rl_epochs) == (3, 15)
    assert (settings.batch, settings.mini_batch) == (512, 16)
    assert (settings.clip, settings.kl, settings.grad_clip) == (0.2, 0.001, 1.0)


def test_a_language_model_must_be_named(graph, tmp_path):
    with pytest.raises(ConfigError, match="needs a language model"):
        train(
            "graph-s3", graph, [QUESTION], labels=[LABEL], config={"backend": "llm"}, out=tmp_path / "out",
            encoder=WordEncoder(),
        )  # fmt: skip
