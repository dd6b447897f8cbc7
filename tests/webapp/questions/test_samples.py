"""Questions made from a graph cost the web process nothing but the wait."""

import threading
import time

import pytest
from django.db import connection

from retrieval.kg.readers import child_process
from tests.support import slow
from webapp.questions import samples


@pytest.fixture(autouse=True)
def forgotten():
    samples._remembered.clear()
    yield
    samples._remembered.clear()


@pytest.fixture
def make(api, tiny_graph):
    url = f"/api/v1/graphs/{tiny_graph.pk}/sample-questions"
    return lambda who="viewer", **body: api(who).post(url, body, format="json")


def test_the_same_is_made_once(make, monkeypatch):
    first = make(n=4, seed=1).json()
    monkeypatch.setattr(child_process, "call", None)
    assert make("analyst", n=4, seed=1).json() == first


def test_what_takes_too_long_is_broken_off_and_says_what_to_do(make, monkeypatch):
    monkeypatch.setattr(samples, "sample_of", slow.sample_of)
    monkeypatch.setattr(samples, "LIMITS", child_process.Limits(seconds=0.5))
    answer = make(n=500)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid")
    assert error["message"] == "Making 500 questions of this graph took too long."
    assert error["hint"]


def test_a_person_makes_them_once_at_a_time_while_others_go_on(make, api, monkeypatch):
    monkeypatch.setattr(samples, "sample_of", slow.sample_of)
    answers = []

    def first():
        answers.append(make(n=3).status_code)
        connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    until = time.monotonic() + 10
    while not samples._turns._taken:
        assert time.monotonic() < until
        time.sleep(0.01)
    again = make(n=4)
    assert (again.status_code, again.json()["error"]["code"]) == (423, "busy")
    assert api("viewer").get("/api/v1/session").status_code == 200
    thread.join()
    assert answers == [200]
