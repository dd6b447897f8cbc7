"""Which runs a worker takes, and which of its messages reach all workers that answer."""

import threading
from contextlib import suppress

import pytest
from kombu import Consumer
from kombu.common import Broadcast

from retrieval.events import AnswerFinal, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from webapp.answers import services
from webapp.answers.models import Run, RunState
from webapp.jobs import queue
from webapp.jobs.celery import app
from worker import answering, identity, lifecycle

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)


@pytest.fixture
def ask(tiny_graph, users):
    """``ask(times)`` asks so many questions."""

    def ask(times):
        asked = services.Ask("What borders Switzerland?")
        return [services.create_run(graph=tiny_graph, ask=asked, user=users["viewer"]) for _ in range(times)]

    return ask


def states():
    return list(Run.objects.order_by("created_at").values_list("state", flat=True))


def test_all_workers_that_answer_are_told_to_open_a_graph(redis):
    told = []
    with app.connection() as connection, app.connection() as other:
        workers = (connection, other)
        for worker in workers:
            consumer = Consumer(worker.channel(), [Broadcast("warm", routing_key="warm")], accept=["json"], no_ack=True)
            consumer.register_callback(lambda body, message, worker=worker: told.append((worker, body[0])))
            consumer.consume()
            _read_messages(worker)
        queue.send(queue.WARM, 7)
        for worker in workers:
            _read_messages(worker)
        assert told == [(connection, [7]), (other, [7])]


def _read_messages(worker):
    """Take what comes within a second; the first time, subscribe."""
    with suppress(TimeoutError):
        while True:
            worker.drain_events(timeout=1)


def test_a_worker_that_still_loads_takes_no_question(ask, scripted, redis, monkeypatch):
    """It would hold the run for as long as loading takes, while another worker could answer."""
    monkeypatch.setattr(identity, "loading", threading.Event())
    identity.loading.set()
    scripted(STARTED, FINAL)
    ask(1)
    lifecycle.answer_meanwhile()
    assert states() == [RunState.QUEUED]
    identity.loading.clear()
    lifecycle.answer_meanwhile()
    assert states() == [RunState.DONE]


def test_after_a_run_of_a_comparison_a_worker_takes_what_waited_for_its_reading(api, tiny_graph, scripted, redis):
    methods = ("reg-triple", "reg-path", "rapl")
    body = {"graph": tiny_graph.pk, "question": "q?", "methods": [{"method": name} for name in methods]}
    api("viewer").post("/api/v1/comparisons", body, format="json")
    scripted(STARTED, FINAL)
    answering.answer("one message, where the others woke workers that may not take them")
    assert states() == [RunState.DONE] * 3


def test_after_a_run_alone_a_worker_waits_for_the_next_message(ask, scripted, redis):
    scripted(STARTED, FINAL)
    first, _ = ask(2)
    answering.answer(str(first.pk))
    assert states() == [RunState.DONE, RunState.QUEUED]
