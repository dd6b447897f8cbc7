"""Trajectories by a language model, over real HTTP: what is kept, what is thrown away, and nothing is paid twice."""

import json
import re

import pytest

from retrieval.__main__ import main
from retrieval.environment import LLMSettings
from retrieval.errors import LLMError, LLMKeyError, OverBudgetError
from retrieval.llm import prompts
from retrieval.llm.metering import Limit, Meter, use_meter
from retrieval.llm.replies import ReplyStore
from retrieval.methods.graph_s3.agent import llm_synthesis
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.synthesis import make_refined, to_episode, to_trajectory
from retrieval.questions.files import write_questions
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.trajectories import read_trajectories, to_trajectory_row, write_trajectories
from retrieval.types import QuestionRecord, Usage
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says
from tests.retrieval.world import build
from tests.support.llm_server import LLMServer

FILMS = ("Jaws", "Munich", "Lincoln")
QUESTIONS = [
    QuestionRecord(
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
    return AgentWorld(Frontiers(build(tmp_path / "world.graph")), AgentLimits())


@pytest.fixture
def questions(world):
    return resolve_questions(world.snapshot, QUESTIONS)[0]


def settings(endpoint):
    return LLMSettings(endpoint.url, "tiny", retries=0)


def test_only_what_ends_with_the_answers_is_kept(world, questions, tmp_path):
    told = []
    with LLMServer(sensible) as server:
        store = ReplyStore(tmp_path / "replies")
        found = llm_synthesis.collect_explorations(world, questions, settings(server), store, progress=told.append)
        asked = len(server.requests)
        again = llm_synthesis.collect_explorations(world, questions, settings(server), store)
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
        found = llm_synthesis.collect_explorations(
            world, questions[:1], settings(server), ReplyStore(tmp_path / "replies")
        )
    (episode,) = found.episodes
    version = prompts.describe_prompts("graph-s3")["graph-s3"]
    trajectory = to_trajectory(world, episode, "t1")
    assert (trajectory.source, trajectory.prompt) == ("llm", version)
    assert trajectory.behaviour == f"tiny, graph-s3 {version}"
    write_trajectories(tmp_path / "t.jsonl.gz", [trajectory])
    (read,) = read_trajectories(tmp_path / "t.jsonl.gz")
    assert to_trajectory_row(read) == to_trajectory_row(trajectory)
    back = to_episode(world, read, questions[0])
    assert (back.actions, back.thoughts, back.prompt) == (episode.actions, episode.thoughts, version)
    assert len(make_refined(world, back).actions) == 5


def test_further_pages_are_left_out_where_one_shows_all(tmp_path):
    graph = build(tmp_path / "hub.graph", [("Jaws", "seen_by", f"Person {i}") for i in range(7)])
    small, large = AgentWorld(Frontiers(graph), AgentLimits(page=3)), AgentWorld(Frontiers(graph), AgentLimits())
    everybody = tuple(f"Person {i}" for i in range(7))
    (question,) = resolve_questions(graph, [QuestionRecord("q", "who saw Jaws?", ("Jaws",), everybody)])[0]
    look = act("explore", entities="front")
    with Endpoint(*map(says, [look, look, act("choose", relations=["seen_by"]), act("finish")])) as endpoint:
        found = llm_synthesis.collect_explorations(
            small, [question], settings(endpoint), ReplyStore(tmp_path / "replies")
        )
    made = to_trajectory(small, found.episodes[0], "t")
    assert to_episode(small, made, question).actions == found.episodes[0].actions
    read = to_episode(large, made, question)
    assert [type(action).__name__ for action in read.actions] == ["Explore", "Choose", "Finish"]
    assert read.thoughts == ("now explore", "now choose", "now finish")
    assert read.score == 1.0


def test_a_budget_stops_it_and_what_was_paid_for_is_used_when_it_goes_on(world, questions, tmp_path):
    store = ReplyStore(tmp_path / "replies")
    with LLMServer(sensible) as server:
        meter = Meter(Limit(tokens=1_500))
        with use_meter(meter), pytest.raises(OverBudgetError):
            llm_synthesis.collect_explorations(world, questions[:1], settings(server), store, concurrency=1)
        paid = len(server.requests)
        assert 0 < paid < 6
        found = llm_synthesis.collect_explorations(world, questions[:1], settings(server), store)
    assert len(found.episodes) == 1
    assert found.usage.llm_calls == len(server.requests) - paid == 6 - paid


@pytest.mark.parametrize("case", [(401, LLMKeyError, 1), (500, LLMError, 3)], ids=["key", "down"])
def test_an_endpoint_that_fails_is_given_up(world, questions, tmp_path, case):
    status, error, most = case
    with Endpoint(fails(status)) as endpoint:
        with pytest.raises(error):
            llm_synthesis.collect_explorations(
                world, questions, settings(endpoint), ReplyStore(tmp_path / "r"), concurrency=1
            )
        assert len(endpoint.bodies) == most


@pytest.fixture
def command(world, tmp_path):
    write_questions(tmp_path / "questions.jsonl", QUESTIONS)
    given = ["--graph", str(world.snapshot.path), "--questions", str(tmp_path / "questions.jsonl")]
    return ["synthesise", *given, "--out", str(tmp_path / "raw.jsonl")]


def test_the_command_lets_the_configured_model_explore(command, monkeypatch, tmp_path, capsys):
    short = tmp_path / "short.jsonl"
    with LLMServer(sensible) as server:
        monkeypatch.setenv("LLM_BASE_URL", server.url)
        monkeypatch.setenv("LLM_MODEL", "tiny")
        assert main([*command, "--policy", "llm", "--refined", str(short)]) == 0
        asked = len(server.requests)
        first = capsys.readouterr().out.splitlines()
        assert main([*command, "--policy", "llm"]) == 0
        assert len(server.requests) == asked
    assert first[0].startswith(f"usage\t{asked} calls\t{100 * asked:,} prompt and ")
    assert first[1].startswith("thrown away\t1 that ended with other answers, 1 that did not end; 0 were not")
    assert first[2].endswith("raw.jsonl: 1 trajectories of 1 of 3 questions, 5.00 steps on average")
    (row,) = [json.loads(line) for line in (tmp_path / "raw.jsonl").read_text().splitlines()]
    assert (row["source"], row["id"], row["score"]) == ("llm", "q0#1", 1.0)
    assert row["prompt"].startswith("v1 ")
    assert row["thoughts"][0] == "now explore"
    assert read_trajectories(short)[0].refined_from == "q0#1"
    assert capsys.readouterr().out.startswith("usage\t0 calls\t")


def test_the_command_needs_a_model_and_says_which_options_are_for_it(command, monkeypatch, capsys):
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    assert main([*command, "--policy", "llm"]) == 2
    assert "none is configured" in capsys.readouterr().err
    assert main([*command, "--max-tokens", "5"]) == 2
    assert "are for --policy llm" in capsys.readouterr().err
