"""Asking, history, cancelling, deleting and exporting."""

import threading
import time
import uuid

import pytest
from django.db import connection, transaction

from retrieval.events import TERMINAL_TYPES, PathRetrieved, RunStarted
from retrieval.methods import registry
from webapp.answers import log, services
from webapp.answers.models import Run, RunEvent, RunState
from webapp.answers.publish import publish
from webapp.graphs.models import Graph
from webapp.jobs import heartbeats

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)


def ask(client, graph, question="What borders Switzerland?", **more):
    return client.post("/api/v1/runs", {"graph": graph.pk, "question": question, **more}, format="json")


@pytest.fixture
def worker(redis):
    heartbeats.send_beat(heartbeats.ANSWERS, "w")


def test_a_question_becomes_a_queued_run(api, tiny_graph, worker, redis):
    answer = ask(api("viewer"), tiny_graph, "  What  borders\nSwitzerland? ", budget=20, seed=7, entities=[2, 2, 0])
    assert answer.status_code == 201, answer.content
    run = answer.json()
    assert run["question"] == "What borders Switzerland?"
    assert (run["graph"], run["graph_name"], run["snapshot"]) == (
        tiny_graph.pk,
        "Tiny",
        tiny_graph.snapshot.hash,
    )
    assert (run["method"], run["reasoner"], run["checkpoint"]) == ("rel-rag-path", "extractive", None)
    assert (run["budget"], run["seed"], run["state"], run["user"]) == (20, 7, "queued", "viewer")
    assert (run["warning"], run["error"], run["answers"], run["incomplete"]) == (None, None, [], False)
    assert Run.objects.get().entities == [2, 0]
    assert redis.llen("clew:celery:answers") == 1


def test_without_a_worker_the_run_waits_and_says_so(api, tiny_graph):
    run = ask(api("viewer"), tiny_graph).json()
    assert run["state"] == "queued"
    assert run["warning"]["code"] == "no_worker"
    assert api("viewer").get("/api/v1/status").json()["workers"] == {"answers": 0, "jobs": 0}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"question": ""}, "bad_question"),
        ({"question": " \n\t "}, "bad_question"),
        ({"question": "x" * 2001}, "bad_question"),
        ({"question": "a\0b"}, "invalid"),
        ({"question": None}, "invalid"),
        ({"question": ["a"]}, "invalid"),
        ({"method": "no-such"}, "unknown_method"),
        ({"reasoner": "oracle"}, "invalid"),
        ({"reasoner": "llm"}, "llm_not_configured"),
        ({"options": {"beam": 3}}, "bad_config"),
        ({"options": {"inference": "sampled"}}, "bad_config"),
        ({"method": "reg-path", "options": {"beam": 3}}, "bad_config"),
        ({"options": {"chain_length": "2"}}, "bad_config"),
        ({"options": {"chain_length": -1}}, "bad_config"),
        ({"options": []}, "invalid"),
        ({"budget": 0}, "invalid"),
        ({"budget": 1201}, "invalid"),
        ({"budget": 10**40}, "invalid"),
        ({"seed": -1}, "invalid"),
        ({"entities": [6]}, "unknown_entity"),
        ({"entities": ["x"]}, "invalid"),
        ({"entities": list(range(21))}, "invalid"),
    ],
)
def test_what_cannot_be_asked(api, tiny_graph, fields, code):
    answer = ask(api("viewer"), tiny_graph, **fields)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
    assert Run.objects.count() == 0


def test_settings_of_the_method_are_kept_where_they_differ_from_its_defaults(api, tiny_graph):
    options = {"iterations": 4, "similarity": False, "threshold": 0.8, "chain_length": 2}
    run = ask(api("viewer"), tiny_graph, method="inses", options=options).json()
    assert run["options"] == {"chain_length": 2, "iterations": 4, "similarity": False}
    assert api("viewer").get(f"/api/v1/runs/{run['id']}").json()["options"] == run["options"]
    assert ask(api("viewer"), tiny_graph).json()["options"] == {}


def test_a_trained_method_has_more_settings(api, tiny_graph, checkpoint):
    checkpoint(method="reg-path", adopted=True)
    assert ask(api("viewer"), tiny_graph, method="reg-path", options={"beam": 3}).json()["options"] == {"beam": 3}


def test_half_a_surrogate_pair_is_no_text(api, tiny_graph):
    body = f'{{"graph": {tiny_graph.pk}, "question": "\\ud800"}}'
    answer = api("viewer").post("/api/v1/runs", body, content_type="application/json")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == ["question"]


def test_the_longest_question_passes(api, tiny_graph):
    assert ask(api("viewer"), tiny_graph, "ü" * 1000).status_code == 201


def test_an_unknown_graph_is_404_and_an_unready_one_409(api, tiny_graph):
    soon = Graph.objects.create(name="Soon", visibility="public")
    assert ask(api("viewer"), soon).json()["error"]["code"] == "graph_not_ready"
    assert ask(api("viewer"), soon).status_code == 409
    soon.delete()
    assert api("viewer").post("/api/v1/runs", {"graph": 99, "question": "q"}, format="json").status_code == 404


def test_a_broken_body_is_400(api, tiny_graph):
    answer = api("viewer").post("/api/v1/runs", "{", content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_request"
    assert api("viewer").post("/api/v1/runs", "x", content_type="text/plain").status_code == 415


def test_an_adopted_checkpoint_of_the_snapshot_is_used(api, tiny_graph, checkpoint):
    first = checkpoint(adopted=True)
    checkpoint()
    checkpoint(method="rapl")
    assert ask(api("viewer"), tiny_graph).json()["checkpoint"] == first.pk
    listed = api("viewer").get("/api/v1/checkpoints", {"graph": tiny_graph.pk}).json()
    assert [c["snapshot"] for c in listed["results"]] == [tiny_graph.snapshot.hash] * 3


def test_a_checkpoint_of_another_method_or_graph_is_refused(api, tiny_graph, checkpoint):
    other = checkpoint(method="rapl")
    answer = ask(api("viewer"), tiny_graph, checkpoint=other.pk, method="rel-rag-path")
    assert answer.json()["error"]["code"] == "bad_checkpoint"
    assert ask(api("viewer"), tiny_graph, checkpoint=999).status_code == 404


def test_the_history_can_be_searched(api, tiny_graph):
    client = api("viewer")
    first = ask(client, tiny_graph, "Who borders France?").json()
    second = ask(client, tiny_graph, "What is Berlin?").json()
    url = "/api/v1/runs"
    assert [r["id"] for r in client.get(url).json()["results"]] == [second["id"], first["id"]]
    assert [r["id"] for r in client.get(url, {"q": "FRANCE"}).json()["results"]] == [first["id"]]
    assert client.get(url, {"graph": tiny_graph.pk + 1}).json()["count"] == 0
    assert client.get(url, {"state": "queued"}).json()["count"] == 2
    assert client.get(url, {"state": "nope"}).status_code == 400
    assert client.get(f"{url}/{first['id']}").json() == {
        **first,
        "flags": [],
        "program": None,
        "corrects": None,
        "follows": None,
    }


@pytest.mark.parametrize("key", [str(uuid.UUID(int=5)), "1", "not-a-uuid"])
def test_a_run_that_is_not_there(api, users, key):
    assert api("viewer").get(f"/api/v1/runs/{key}").status_code == 404


def test_a_queued_run_is_cancelled_at_once(api, tiny_graph):
    run = ask(api("viewer"), tiny_graph).json()
    answer = api("viewer").post(f"/api/v1/runs/{run['id']}/cancel")
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["incomplete"]) == ("cancelled", True)
    events = api("viewer").get(f"/api/v1/runs/{run['id']}/events").json()
    assert [(e["seq"], e["type"], e["paths"]) for e in events] == [(1, "run.cancelled", 0)]
    assert services.claim(worker="late") is None
    again = api("viewer").post(f"/api/v1/runs/{run['id']}/cancel")
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "conflict"


def test_cancelling_a_running_run_raises_its_flag(api, tiny_graph, redis):
    run = ask(api("viewer"), tiny_graph).json()
    assert services.claim(worker="w").state == RunState.RUNNING
    answer = api("viewer").post(f"/api/v1/runs/{run['id']}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    assert redis.exists(f"clew:cancel:run:{run['id']}") == 1
    assert api("viewer").get(f"/api/v1/runs/{run['id']}/events").json() == []


def test_a_run_can_be_claimed_once(api, tiny_graph):
    ask(api("viewer"), tiny_graph)
    assert services.claim(worker="a").worker == "a"
    assert services.claim(worker="b") is None


def test_the_log_can_be_read_from_any_place_and_exported(api, tiny_graph):
    run = ask(api("viewer"), tiny_graph).json()
    publish(uuid.UUID(run["id"]), after=0, events=[STARTED, PathRetrieved(1, (), 0.5, 1.0)])
    url = f"/api/v1/runs/{run['id']}/events"
    events = api("viewer").get(url).json()
    assert [(e["seq"], e["type"], e["run"]) for e in events] == [
        (1, "run.started", run["id"]),
        (2, "path.retrieved", run["id"]),
    ]
    assert events[0]["at"].endswith("Z")
    assert api("viewer").get(url, {"after": 1}).json() == events[1:]
    assert api("viewer").get(url, {"after": "x"}).status_code == 400
    export = api("viewer").get(f"/api/v1/runs/{run['id']}/export")
    assert export["Content-Disposition"] == f'attachment; filename="run-{run["id"]}.json"'
    assert export.json()["events"] == events
    assert export.json()["run"]["id"] == run["id"]


def test_only_the_owner_and_admins_delete_a_run(api, tiny_graph):
    mine, other = ask(api("viewer"), tiny_graph).json(), ask(api("viewer"), tiny_graph).json()
    refused = api("analyst").delete(f"/api/v1/runs/{mine['id']}")
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "forbidden"
    assert api("viewer").delete(f"/api/v1/runs/{mine['id']}").status_code == 204
    assert api("admin").delete(f"/api/v1/runs/{other['id']}").status_code == 204
    assert Run.objects.count() == 0


def test_a_run_whose_worker_died_fails_and_keeps_its_events(api, tiny_graph):
    key = uuid.UUID(ask(api("viewer"), tiny_graph).json()["id"])
    services.claim(worker="w")
    publish(key, after=0, events=[STARTED])
    heartbeats.send_beat(heartbeats.ANSWERS, "w")
    services.handle_lost_runs()
    assert Run.objects.get().state == RunState.RUNNING
    heartbeats.mark_left(heartbeats.ANSWERS, "w")
    services.handle_lost_runs()
    services.handle_lost_runs()
    run = api("viewer").get(f"/api/v1/runs/{key}").json()
    assert (run["state"], run["error"]["code"], run["incomplete"]) == ("failed", "worker_lost", True)
    events = api("viewer").get(f"/api/v1/runs/{key}/events").json()
    assert [e["type"] for e in events] == ["run.started", "run.failed"]
    assert sum(e["type"] in TERMINAL_TYPES for e in events) == 1


def test_status_tells_what_can_be_asked(api, worker):
    answer = api("viewer").get("/api/v1/status").json()
    assert answer["workers"] == {"answers": 1, "jobs": 0}
    assert answer["budgets"] == {"default": 50, "max": 1200}
    assert answer["question_max"] == 2000
    assert answer["llm"] == {"configured": False, "model": None, "name": None}
    assert {m["id"] for m in answer["methods"] if m["available"]} == set(registry.METHODS)
    assert len(answer["methods"]) == len(registry.METHODS)


@pytest.mark.django_db(transaction=True)
def test_a_run_is_deleted_while_its_worker_appends_to_it(api, tiny_graph):
    run = ask(api("viewer"), tiny_graph).json()
    appended = threading.Event()

    def append():
        with transaction.atomic():
            log.append(run["id"], after=0, events=[STARTED])
            appended.set()
            time.sleep(0.3)  # the deletion begins meanwhile, and waits for this to commit
        connection.close()

    worker = threading.Thread(target=append)
    worker.start()
    assert appended.wait(5)
    assert api("viewer").delete(f"/api/v1/runs/{run['id']}").status_code == 204
    worker.join()
    assert (Run.objects.count(), RunEvent.objects.count()) == (0, 0)
