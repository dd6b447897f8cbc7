"""Graph-S3 with a language model that explores, over real HTTP: it answers, and where it fails the search goes on."""

import json

import pytest

from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from retrieval.language.question import Question
from retrieval.llm.metering import Limit, Meter, use_meter
from retrieval.llm.prompts import describe_prompts
from tests.retrieval.films import WordEncoder
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says
from tests.retrieval.world import build, ids

QUESTION = "which films share their director with Jaws?"


def act(action, **more):
    return says(json.dumps({"thought": f"so {action}", "action": action, **more}))


WALK = [
    act("explore", entities="front"),
    act("choose", relations=["directed_by"]),
    act("explore", entities="front"),
    act("choose", relations=["inverse of directed_by"]),
    act("finish"),
]


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world.graph")


def ask(graph, endpoint, *, reasoner="extractive", policy="llm", budget=None):
    """The events of a run."""
    llm = LLMSettings(endpoint.url, "tiny", retries=0)
    spec = AnswererSpec(graph.path, None, "graph-s3", reasoner, options=(("policy", policy),))
    answerer = load_answerer(spec, load_parts(graph, WordEncoder()), llm=llm)
    meter = Meter(Limit(tokens=budget))
    with use_meter(meter):
        return list(answerer.run(AskRequest(Question(QUESTION), given=tuple(ids(graph, "Jaws"))))), meter.usage


def steps(events):
    return [event for event in events if event.type == "agent.step"]


def test_it_explores_as_the_model_says_and_says_what_that_cost(graph):
    with Endpoint(*WALK) as endpoint:
        events, metered_usage = ask(graph, endpoint)
    assert events[0].prompts == describe_prompts("graph-s3")
    assert steps(events)[0].thought == "so explore"
    assert [step.chosen.kind for step in steps(events)] == [
        "explore",
        "choose",
        "explore",
        "choose",
        "finish",
    ]
    final = events[-1]
    assert {answer.label for answer in final.answers} == {"Lincoln", "Munich"}
    assert final.warnings == ()
    assert (final.usage.llm_calls, final.usage.prompt_tokens, final.usage.completion_tokens) == (5, 55, 35)
    assert metered_usage.llm_calls == 5


def test_auto_asks_the_model_where_it_also_answers(graph):
    with Endpoint(*WALK, says("ans: Lincoln\nans: Munich")) as endpoint:
        events, _ = ask(graph, endpoint, reasoner="llm", policy="auto")
    assert len(endpoint.bodies) == 6
    assert {answer.label for answer in events[-1].answers} == {"Lincoln", "Munich"}
    assert events[0].prompts.keys() == {"graph-s3", "answer"}
    assert events[-1].usage.llm_calls == 6


def test_prose_is_answered_as_steps_and_then_the_search_goes_on_without_the_model(graph):
    with Endpoint(says("The answer is Lincoln.")) as endpoint:
        events, _ = ask(graph, endpoint)
    invalid = [step for step in steps(events) if not step.valid]
    assert [step.step for step in invalid] == [1, 2, 3]
    assert "it holds no JSON object" in invalid[0].observation
    assert steps(events)[-1].valid
    assert events[-1].type == "answer.final"
    assert "3 times in a row for what is not possible" in events[-1].warnings[0]
    assert events[-1].warnings[0].endswith("The search went on without it.")
    assert events[-1].usage.llm_calls == len(endpoint.bodies) == 6


@pytest.mark.parametrize(
    ("behaviour", "budget", "said"),
    [(fails(500), None, "500"), (WALK[0], 20, "budget")],
    ids=["down", "budget"],
)
def test_a_model_that_cannot_be_asked_is_replaced_and_named(graph, behaviour, budget, said):
    with Endpoint(behaviour) as endpoint:
        events, _ = ask(graph, endpoint, budget=budget)
    assert all(step.valid for step in steps(events))
    assert events[-1].type == "answer.final"
    assert said in events[-1].warnings[0]


def test_a_model_that_is_not_configured_is_missed(graph):
    spec = AnswererSpec(graph.path, None, "graph-s3", options=(("policy", "llm"),))
    with pytest.raises(ConfigError, match="none is configured"):
        load_answerer(spec, load_parts(graph, WordEncoder()))


def test_a_hub_is_paged_for_the_model(tmp_path):
    graph = build(tmp_path / "hub.graph", [("Jaws", "seen_by", f"Person {i:03}") for i in range(130)])
    again = [act("explore", entities="front"), act("explore", entities=["Jaws"])]
    with Endpoint(*again, act("choose", facts=[120]), act("finish")) as endpoint:
        events, _ = ask(graph, endpoint)
    assert [step.valid for step in steps(events)] == [True] * 4
    assert "Page 2 of 3" in steps(events)[1].observation
    told = endpoint.bodies[2]["messages"][-1]["content"]
    assert ("60. Jaws" in told, "61. Jaws" in told, "120. Jaws" in told) == (False, True, True)
    assert [answer.label for answer in events[-1].answers] == ["Person 119"]
