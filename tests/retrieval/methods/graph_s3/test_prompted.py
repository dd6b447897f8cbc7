"""A language model as the policy, over real HTTP: good replies, prose, broken JSON, impossible wishes, no end."""

import json

import pytest

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError, LLMReplyError, OverBudgetError
from retrieval.language.question import Question
from retrieval.llm.metering import Limit, Meter, estimate, use_meter
from retrieval.llm.replies import ReplyStore
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.prompted import PromptedPolicy
from retrieval.types import Usage
from tests.retrieval.methods.graph_s3.gym import GraphEnvironment
from tests.retrieval.reasoning.endpoint import Endpoint, cut, fails, runs_out, says, silent
from tests.retrieval.world import build, ids, labels, path

QUESTION = "which films share their director with Jaws?"


def act(action, thought="as asked", **more):
    return json.dumps({"thought": thought, "action": action, **more})


WALK = [
    act("explore", entities=["Jaws"]),
    act("choose", relations=["directed_by"]),
    act("explore", entities="front"),
    act("choose", relations=["inverse of directed_by"]),
    act("finish"),
]


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world.graph")


def settings(endpoint, **more):
    return LLMSettings(endpoint.url, "tiny", retries=0, backoff=0.01, **more)


def begin(graph, endpoint, **more):
    """The environment, and a policy that asks the endpoint."""
    world = AgentWorld(Frontiers(graph), AgentLimits())
    return GraphEnvironment(world, QUESTION, ids(graph, "Jaws")), PromptedPolicy(world, settings(endpoint), **more)


def follow(environment, policy, steps=12):
    """Do what the policy says until the end; whether each step was possible."""
    valid = []
    for _ in range(steps):
        if environment.state.ended:
            break
        *_, info = environment.step(policy.propose(environment.state)[0].action)
        valid.append(info["observation"].valid)
    return valid


def test_it_walks_to_the_answer_as_the_model_says(graph):
    with Endpoint(*map(says, WALK)) as endpoint:
        environment, policy = begin(graph, endpoint)
        assert follow(environment, policy) == [True] * 5
    assert labels(graph, environment.state.find_answers()) == ["Lincoln", "Munich"]
    assert policy.usage == Usage(5, 55, 35)
    last = endpoint.bodies[-1]["messages"]
    assert [m["role"] for m in last] == ["system", "user", "assistant", "user"]
    assert "<front>\nLincoln\nMunich\n</front>" in last[-1]["content"]
    assert "4. choose inverse of directed_by: Kept 2 facts" in last[-1]["content"]


def test_a_proposal_has_thought_and_size(graph):
    with Endpoint(says(act("explore", "Begin at Jaws.", entities="front"))) as endpoint:
        environment, policy = begin(graph, endpoint)
        (proposed,) = policy.propose(environment.state)
        assert (proposed.action, proposed.probability) == (Explore(0), None)
        assert (proposed.thought, proposed.facts) == ("Begin at Jaws.", 2)
        environment.step(proposed.action)
    with Endpoint(says(act("choose", relations=["directed_by", "in_genre"]))) as endpoint:
        (proposed,) = PromptedPolicy(environment.world, settings(endpoint)).propose(environment.state)
        assert proposed.action == Choose(tuple(path(graph, "directed_by in_genre")))
        assert proposed.facts == 2


@pytest.mark.parametrize(
    "bad", ["I would look at Jaws first.", '{"thought": "x", "action": "expl', act("dance"), ""], ids=str
)
def test_a_reply_that_is_no_action_is_mended_once(graph, bad):
    with Endpoint(says(bad), says(WALK[0])) as endpoint:
        environment, policy = begin(graph, endpoint)
        assert policy.propose(environment.state)[0].action == Explore(0)
    assert policy.usage.llm_calls == 2
    assert "could not be used" in endpoint.bodies[1]["messages"][-1]["content"]


def test_prose_without_end_is_answered_by_the_environment_and_then_given_up(graph):
    with Endpoint(says("Jaws was directed by Spielberg, so I am done.")) as endpoint:
        environment, policy = begin(graph, endpoint)
        (proposed,) = policy.propose(environment.state)
        assert proposed.action == Unreadable("The language model gave no usable reply: it holds no JSON object.")
        environment.step(proposed.action)
        assert not environment.state.history[-1].valid
        with pytest.raises(LLMReplyError, match="3 times in a row for what is not possible"):
            follow(environment, policy)
    assert environment.state.steps == 3
    assert policy.usage.llm_calls == 6, "each of three steps, and one repair of each"


def test_the_model_reads_why_a_step_was_not_possible_and_can_go_on(graph):
    wrong = act("explore", entities=["Shark"])
    with Endpoint(says(wrong), *map(says, WALK)) as endpoint:
        environment, policy = begin(graph, endpoint)
        assert follow(environment, policy) == [False, *[True] * 5]
    told = endpoint.bodies[1]["messages"][-1]["content"]
    assert "1. a reply that is no action: not possible. The graph has no entity “Shark”. Possible: explore Jaws" in told
    assert "Steps left: 11" in told
    assert labels(graph, environment.state.find_answers()) == ["Lincoln", "Munich"]


def test_a_policy_that_loops_is_given_up(graph):
    with Endpoint(says(WALK[0])) as endpoint:
        environment, policy = begin(graph, endpoint)
        with pytest.raises(LLMReplyError, match="in the window already"):
            follow(environment, policy)
    assert [done.valid for done in environment.state.history] == [True, False, False, False]


def test_a_reply_that_is_cut_off_says_so(graph):
    with Endpoint(runs_out('{"thought": "Let me think about'), says(act("finish"))) as endpoint:
        environment, policy = begin(graph, endpoint)
        assert policy.propose(environment.state)[0].action == Finish()
    assert "it is longer than allowed and was cut off" in endpoint.bodies[1]["messages"][-1]["content"]


@pytest.mark.parametrize("behaviour", [fails(500), cut], ids=["500", "broken off"])
def test_an_endpoint_that_fails_is_an_error_and_what_it_cost_is_counted(graph, behaviour):
    with Endpoint(says(WALK[0]), behaviour) as endpoint:
        environment, policy = begin(graph, endpoint)
        environment.step(policy.propose(environment.state)[0].action)
        with pytest.raises(LLMError):
            policy.propose(environment.state)
    assert policy.usage.llm_calls == 2


def test_stop_is_heard_while_the_model_is_silent(graph):
    with Endpoint(silent) as endpoint:
        environment, policy = begin(graph, endpoint)
        with pytest.raises(Cancelled):
            policy.propose(environment.state, cancelled=lambda: bool(endpoint.bodies))
        assert endpoint.hung_up.wait(5)


def test_a_spent_budget_ends_it(graph):
    with Endpoint(*map(says, WALK)) as endpoint:
        environment, policy = begin(graph, endpoint)
        first = estimate(*(message["content"] for message in serialise.build_chat(policy.world, environment.state)))
        with use_meter(Meter(Limit(tokens=first + 20))), pytest.raises(OverBudgetError):
            follow(environment, policy)
    assert environment.state.steps == policy.usage.llm_calls == len(endpoint.bodies) == 1


def test_fewer_facts_are_listed_when_the_context_is_short(tmp_path):
    graph = build(tmp_path / "hub.graph", [("Hub", "has", f"Part {i:02}") for i in range(90)])
    with Endpoint(says(act("finish"))) as endpoint:
        world = AgentWorld(Frontiers(graph), AgentLimits())
        state, _ = world.apply_action(world.make_initial_state(Question("what has it?"), ids(graph, "Hub")), Explore(0))
        for context in (0, 1700, 1050):
            PromptedPolicy(world, settings(endpoint, context_length=context)).propose(state)
    whole, short, least = (body["messages"][-1]["content"] for body in endpoint.bodies)
    assert ("60. Hub" in whole, "61. Hub" in whole) == (True, False)
    assert ("10. Hub" in short, "11. Hub" in short) == (True, False)
    assert "[has] 90 facts\n(90 facts in all; 0 are listed on this page, 1)" in least


def test_kept_replies_are_not_asked_for_again(graph, tmp_path):
    store = ReplyStore(tmp_path / "replies")
    with Endpoint(*map(says, WALK)) as endpoint:
        environment, policy = begin(graph, endpoint, kept=store)
        follow(environment, policy)
        again, free = begin(graph, endpoint, kept=store)
        follow(again, free)
    assert len(endpoint.bodies) == 5
    assert free.usage == Usage()
    assert again.state.find_answers().tolist() == environment.state.find_answers().tolist()
