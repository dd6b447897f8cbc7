"""Trajectories by a language model, over real HTTP: what is kept, what is thrown away, and nothing is paid twice."""

import json
import re

import pytest

from retrieval.agents import behaviour
from retrieval.agents.environment import Limits, World
from retrieval.agents.fronts import Fronts
from retrieval.agents.synthesis import as_episode, as_trajectory, refined
from retrieval.agents.trajectories import as_row, read_trajectories, write_trajectories
from retrieval.errors import LLMError, LLMKeyError, OverBudgetError
from retrieval.llm import prompts
from retrieval.llm.metering import Limit, Meter, metered
from retrieval.llm.replies import ReplyStore
from retrieval.llm.settings import LLMSettings
from retrieval.supervision.grounding import ground
from retrieval.types import Question, Usage
from tests.retrieval.reasoning.endpoint import Endpoint, fails
from tests.retrieval.world import build
from tests.support.llm_server import LLMServer

FILMS = ("Jaws", "Munich", "Lincoln")
QUESTIONS = [
    Question(
        f"q{i}",
        f"which films share their director with {film}?",
        (film,),
        tuple(f for f in FILMS if f != film),
    )
    for i, film in enumerate(FILMS)
]


def act(action, **more):
    return json.dumps({"thought": f"now {action}", "action": action, **more})


def sensible(request):
    """Does the right thing in each state, after one impossible wish; gets lost on Munich and is wrong on Lincoln."""
    told = request["messages"][3]["content"]
    steps = len(re.findall(r"^\d+\. (?:explore|choose) ", told.split("<history>")[1], re.MULTILINE))
    if "with Munich?" in told:
        return "I would rather talk about sharks."
    script = [
        act("choose", relations=["in_genre"]),
        act("explore", entities="front"),
        act("choose", relations=["in_genre" if "with Lincoln?" in told else "directed_by"]),
        act("finish") if "with Lincoln?" in told else act("explore", entities=["Spielberg"]),
        act("choose", relations=["inverse of directed_by"]),
        act("finish"),
    ]
    return script[steps]


@pytest.fixture
def world(tmp_path):
    return World(Fronts(build(tmp_path / "world.graph")), Limits())


@pytest.fixture
def questions(world):
    return ground(world.snapshot, QUESTIONS)[0]


def settings(endpoint):
    return LLMSettings(endpoint.url, "tiny", retries=0)


def test_only_what_ends_with_the_answers_is_kept(world, questions, tmp_path):
    told = []
    with LLMServer(sensible) as server:
        store = ReplyStore(tmp_path / "replies")
        found = behaviour.explore(world, questions, settings(server), store, progress=told.append)
        asked = len(server.requests)
        again = behaviour.explore(world, questions, settings(server), store)
    (episode,) = found.episodes
    assert (found.wrong, found.lost, found.failed) == (1, 1, 0)
    assert episode.question.question.id == "q0"
    assert (episode.score, episode.source) == (1.0, "llm")
    assert episode.thoughts == ("now explore", "now choose", "now explore", "now choose", "now finish")
    assert found.usage.llm_calls == asked
    assert (told[-1].done, told[-1].message) == (3, "1 kept")
    assert len(server.requests) == asked, "replies were kept"
    assert (again.usage, again.episodes[0].actions) == (Usage(), episode.actions)


def test_a_trajectory_says_whose_it_is_and_is_read_back(world, questions, tmp_path):
    with LLMServer(sensible) as server:
        found = behaviour.explore(world, questions[:1], settings(server), ReplyStore(tmp_path / "replies"))
    (episode,) = found.episodes
    version = prompts.shown("graph-s3")["graph-s3"]
    trajectory = as_trajectory(world, episode, "t1")
    assert (trajectory.source, trajectory.prompt) == ("llm", version)
    assert trajectory.behaviour == f"tiny, graph-s3 {version}"
    write_trajectories(tmp_path / "t.jsonl.gz", [trajectory])
    (read,) = read_trajectories(tmp_path / "t.jsonl.gz")
    assert as_row(read) == as_row(trajectory)
    back = as_episode(world, read, questions[0])
    assert (back.actions, back.thoughts, back.prompt) == (episode.actions, episode.thoughts, version)
    assert len(refined(world, back).actions) == 5


def test_a_budget_stops_it_and_what_was_paid_for_is_used_when_it_goes_on(world, questions, tmp_path):
    store = ReplyStore(tmp_path / "replies")
    with LLMServer(sensible) as server:
        meter = Meter(Limit(tokens=1_500))
        with metered(meter), pytest.raises(OverBudgetError):
            behaviour.explore(world, questions[:1], settings(server), store, concurrency=1)
        paid = len(server.requests)
        assert 0 < paid < 6
        found = behaviour.explore(world, questions[:1], settings(server), store)
    assert len(found.episodes) == 1
    assert found.usage.llm_calls == len(server.requests) - paid == 6 - paid


@pytest.mark.parametrize("case", [(401, LLMKeyError, 1), (500, LLMError, 3)], ids=["key", "down"])
def test_an_endpoint_that_fails_is_given_up(world, questions, tmp_path, case):
    status, error, most = case
    with Endpoint(fails(status)) as endpoint:
        with pytest.raises(error):
            behaviour.explore(world, questions, settings(endpoint), ReplyStore(tmp_path / "r"), concurrency=1)
        assert len(endpoint.bodies) == most
