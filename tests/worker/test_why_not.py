"""Why not X: asked of a run by HTTP, found out by a worker, read again by who asked."""

import uuid

import pytest

from webapp.answers import services, why_not
from webapp.answers.models import Diagnosis, Run, RunState
from worker import answerers, answering, identity, watchdog


@pytest.fixture
def answered(tiny_graph, users):
    """A run of the zero-shot retriever over the tiny graph."""
    ask = services.Ask("What is the capital of Germany?", method="rel-rag-path")
    run = services.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert run.answers == ["Berlin"]
    return run


def url(run, key=""):
    return f"/api/v1/runs/{run.pk}/why-not{f'/{key}' if key else ''}"


def found_out(client, run, **expected):
    asked = client.post(url(run), expected, format="json")
    assert asked.status_code == 202, asked.content
    key = asked.json()["key"]
    assert client.get(url(run, key)).json() == {"state": "waiting", "found": None, "error": None}
    answering.answer(key)
    return client.get(url(run, key)).json()


def test_a_worker_names_the_stage_and_tries_the_missing_fact(api, answered):
    said = found_out(api("viewer"), answered, name="French")
    assert (said["state"], said["error"]) == ("done", None)
    assert said["found"]["entity"]["label"] == "French"
    assert said["found"]["stage"] == "fact"
    assert said["found"]["remedies"][0]["fact"]["step"]["name"] == "capital"
    assert said["found"]["remedies"][0]["trial"]["works"]


def test_a_name_that_the_graph_lacks_and_one_that_was_answered(api, answered):
    assert found_out(api("viewer"), answered, name="Bonn")["found"]["stage"] == "entity"
    said = found_out(api("viewer"), answered, name="Berlin")
    assert (said["found"]["stage"], said["found"]["summary"]) == ("answered", "Berlin is answer 1 of 1.")


def test_what_cannot_be_asked_is_refused(api, answered, run):
    client = api("viewer")
    waiting = client.post(url(run), {"name": "French"}, format="json")
    assert (waiting.status_code, waiting.json()["error"]["code"]) == (409, "conflict")
    unknown = client.post(url(answered), {"name": "x", "entity": 9999}, format="json")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "unknown_entity")
    assert client.post(url(answered), {}, format="json").status_code == 400
    assert client.get(url(answered, uuid.uuid4())).status_code == 404


def test_another_run_does_not_show_it_and_it_goes_with_its_run(api, answered, run):
    client = api("viewer")
    key = client.post(url(answered), {"name": "French"}, format="json").json()["key"]
    assert client.get(url(run, key)).status_code == 404
    Run.objects.filter(pk=answered.pk).delete()
    assert client.get(url(answered, key)).status_code == 404
    assert not Diagnosis.objects.exists()


def test_one_that_breaks_says_so(api, answered, monkeypatch):
    monkeypatch.setattr(answerers, "open_run_engine", lambda _: 1 / 0)
    said = found_out(api("viewer"), answered, name="French")
    assert (said["state"], said["found"], said["error"]["code"]) == ("failed", None, "internal")


def test_a_worker_that_ends_gives_it_back_and_one_that_died_has_lost_it(api, answered):
    key = api("viewer").post(url(answered), {"name": "French"}, format="json").json()["key"]
    diagnosis = services.claim(worker=identity.NAME)
    identity.stopping.set()
    answering.process_claimed(diagnosis)
    diagnosis.refresh_from_db()
    assert (str(diagnosis.pk), diagnosis.state, diagnosis.worker) == (key, RunState.QUEUED, "")
    identity.stopping.clear()
    services.claim(worker="elsewhere:1:x")
    why_not.fail_lost()
    said = api("viewer").get(url(answered, key)).json()
    assert (said["state"], said["error"]["code"]) == ("failed", "worker_lost")
    assert not watchdog.list_keys(watchdog.DIAGNOSIS)
