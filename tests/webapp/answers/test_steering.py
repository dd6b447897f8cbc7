"""Pausing and steering by the API: who may, when, and what is refused."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval.events import AgentStep, AnswerFinal, RunPaused, RunStarted, to_plain
from retrieval.methods import registry
from retrieval.results import Answer
from retrieval.types import AgentAction, Node, RelationStep, Usage
from webapp.answers import log, services, steering
from webapp.answers.models import AgentCorrection, Run, RunState
from webapp.graphs.models import GraphVersion

EXPLORE = AgentAction("explore", entities=(Node(0, "Switzerland"),), facts=3, count=1, front=0)
BORDERS = AgentAction("choose", relations=(RelationStep("borders", "borders"),), facts=2, score=0.7)
STARTED = RunStarted("q?", "graph-s3", "extractive", "hash", None, "enc", 50, 0)
STEP = AgentStep(1, "t", "explore", "o", (), 1, 1, 1.0, chosen=EXPLORE, alternatives=(EXPLORE,))
RESTS = RunPaused(1, "Paused.", (BORDERS,))
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)


@pytest.fixture
def paused(tiny_graph, users):
    """A run of an agent that rests after its first step."""
    run = services.create_run(graph=tiny_graph, ask=services.Ask("q?"), user=users["viewer"])
    Run.objects.filter(pk=run.pk).update(method="graph-s3")
    services.claim(worker="w")
    log.append(run.pk, after=0, events=[STARTED, STEP])
    steering.save_pause(run_id=run.pk, after=2, event=RESTS)
    return Run.objects.get()


def post(client, run, what, body=None):
    return client.post(f"/api/v1/runs/{run.pk}/{what}", body or {}, format="json")


def last(client, run):
    return client.get(f"/api/v1/runs/{run.pk}/events").json()[-1]


def test_a_paused_run_is_shown_and_found(api, paused):
    client = api("viewer")
    shown = client.get(f"/api/v1/runs/{paused.pk}").json()
    assert (shown["state"], shown["pause_after"], shown["finished_at"], shown["duration_ms"]) == (
        "paused",
        None,
        None,
        None,
    )
    assert client.get("/api/v1/runs", {"state": "paused"}).json()["count"] == 1
    exported = client.get(f"/api/v1/runs/{paused.pk}/export").json()
    assert [event["type"] for event in exported["events"]] == ["run.started", "agent.step", "run.paused"]


def test_going_on_queues_the_run_once(api, paused, redis):
    redis.delete("clew:celery:answers")
    answer = post(api("viewer"), paused, "steer", {"keep": 1, "pause_after": 1})
    assert (answer.status_code, answer.json()["state"], answer.json()["pause_after"]) == (202, "queued", 1)
    assert redis.llen("clew:celery:answers") == 1
    again = post(api("viewer"), paused, "steer", {"keep": 1})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    assert redis.llen("clew:celery:answers") == 1


def test_how_it_rests_stays_unless_it_is_said(api, paused):
    Run.objects.update(pause_after=1)
    post(api("viewer"), paused, "steer", {"keep": 1})
    assert Run.objects.get().pause_after == 1
    Run.objects.update(state=RunState.PAUSED)
    post(api("viewer"), paused, "steer", {"keep": 1, "pause_after": None})
    assert Run.objects.get().pause_after is None


def test_an_action_comes_back_as_it_was_offered(api, paused):
    offered = last(api("viewer"), paused)["alternatives"][0]
    answer = post(api("viewer"), paused, "steer", {"keep": 1, "action": offered})
    assert answer.status_code == 202
    assert Run.objects.get().next_action == to_plain(BORDERS)
    assert AgentCorrection.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "keep"),
        ({"keep": -1}, "keep"),
        ({"keep": "x"}, "keep"),
        ({"keep": 1, "action": "explore"}, "action"),
        ({"keep": 1, "action": {"kind": "jump"}}, "action"),
        ({"keep": 1, "action": {"kind": "finish", "more": 1}}, "action"),
        ({"keep": 1, "action": {"kind": "explore", "entities": [{"id": 0, "label": "a\0b"}]}}, "action"),
        ({"keep": 1, "pause_after": -1}, "pause_after"),
    ],
)
def test_what_is_no_steering(api, paused, body, field):
    answer = post(api("viewer"), paused, "steer", body)
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [field]
    assert Run.objects.get().state == "paused"


@pytest.mark.parametrize("body", [{"keep": 2}, {"keep": 1, "pause_after": 0}])
def test_what_cannot_be_taken_back(api, paused, body):
    answer = post(api("viewer"), paused, "steer", body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert last(api("viewer"), paused)["type"] == "run.paused"


def test_a_finished_run_is_taken_up_at_an_earlier_step_only(api, paused, redis):
    post(api("viewer"), paused, "steer", {"keep": 1})
    services.claim(worker="w")
    services.close_run(run_id=paused.pk, after=3, event=FINAL)
    assert post(api("viewer"), paused, "steer", {"keep": 1}).status_code == 400
    taken = post(api("viewer"), paused, "steer", {"keep": 0, "pause_after": 0})
    assert (taken.status_code, taken.json()["state"], taken.json()["answers"]) == (202, "paused", [])
    events = api("viewer").get(f"/api/v1/runs/{paused.pk}/events").json()
    assert [(e["seq"], e["type"]) for e in events[3:]] == [
        (4, "answer.final"),
        (5, "agent.rewound"),
        (6, "run.paused"),
    ]
    assert events[-1]["alternatives"] == to_plain((EXPLORE,))


def test_pausing_raises_the_flag_of_a_run_that_goes_on(api, paused, redis):
    client = api("viewer")
    assert post(client, paused, "pause").status_code == 409
    post(client, paused, "steer", {"keep": 1})
    answer = post(client, paused, "pause")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert redis.exists(f"clew:cancel:pause:{paused.pk}") == 1


def test_going_on_forgets_what_was_asked_before(api, paused, redis):
    redis.set(f"clew:cancel:pause:{paused.pk}", "1")
    redis.set(f"clew:cancel:run:{paused.pk}", "1")
    post(api("viewer"), paused, "steer", {"keep": 1})
    assert redis.keys("clew:cancel:*") == []


def test_only_agents_are_steered(api, tiny_graph, users):
    run = services.create_run(graph=tiny_graph, ask=services.Ask("q?"), user=users["viewer"])
    for what in ("pause", "steer"):
        answer = post(api("viewer"), run, what, {"keep": 0})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_method")
    shown = api("viewer").get("/api/v1/methods/graph-s3").json()
    assert shown["steerable"] is True
    assert api("viewer").get("/api/v1/methods/rapl").json()["steerable"] is False


def test_a_run_is_steered_by_who_asked_or_an_administrator(api, paused):
    assert post(api("analyst"), paused, "steer", {"keep": 1}).status_code == 403
    assert post(api("analyst"), paused, "pause").status_code == 403
    assert post(api("admin"), paused, "steer", {"keep": 1}).status_code == 202


def test_a_run_of_a_version_that_was_deleted_rests(api, paused, tiny_graph):
    GraphVersion.objects.update(hash="another")
    answer = post(api("viewer"), paused, "steer", {"keep": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "version_gone")


def test_nobody_and_nothing(api, paused):
    assert post(api(None), paused, "steer", {"keep": 1}).status_code == 401
    other = Run(pk=uuid.uuid4())
    assert post(api("viewer"), other, "steer", {"keep": 1}).status_code == 404


def test_asking_step_by_step_is_of_agents_only(api, tiny_graph, monkeypatch):
    def ask():
        body = {"graph": tiny_graph.pk, "question": "q?", "step_by_step": True}
        return api("viewer").post("/api/v1/runs", body, format="json").json()["pause_after"]

    assert ask() is None
    every = {name: replace(spec, steerable=True) for name, spec in registry.METHODS.items()}
    monkeypatch.setattr(registry, "METHODS", every)
    assert ask() == 1


def test_the_time_a_run_rested_is_not_its_own(api, paused):
    Run.objects.update(paused_at=paused.paused_at - timedelta(seconds=60))
    post(api("viewer"), paused, "steer", {"keep": 1})
    assert 60 < Run.objects.get().rested_s < 90
    services.claim(worker="w")
    services.close_run(run_id=paused.pk, after=3, event=FINAL)
    Run.objects.update(created_at=paused.created_at - timedelta(seconds=60))
    shown = api("viewer").get(f"/api/v1/runs/{paused.pk}").json()
    assert 0 < shown["duration_ms"] < 30_000
