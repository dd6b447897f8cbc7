"""A worker of jobs helps the answers worker while it has no job."""

import threading

import pytest

from retrieval.events import AnswerFinal, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from webapp.answers import services
from webapp.answers.models import Run, RunState
from webapp.jobs import heartbeats, queue
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from worker import answering, helping, identity, lifecycle

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)
HELPER = "elsewhere:1:helper"


@pytest.fixture
def ask(tiny_graph, users):
    """``ask(times)`` asks so many questions."""

    def ask(times):
        asked = services.Ask("What borders Switzerland?")
        return [services.create_run(graph=tiny_graph, ask=asked, user=users["viewer"]) for _ in range(times)]

    return ask


@pytest.fixture
def helper(redis):
    heartbeats.send_beat(heartbeats.HELP, HELPER)
    return redis


def states():
    return list(Run.objects.order_by("created_at").values_list("state", flat=True))


def waiting(redis, name):
    return redis.llen(f"clew:celery:{name}")


def test_a_question_that_comes_while_another_is_answered_goes_to_the_helper(ask, scripted, helper):
    first, second = ask(2)
    seen = []

    def comes():
        if not seen:
            seen.append(second)
            answering.answer(str(second.pk))
            seen.append((states(), waiting(helper, "help")))

    scripted(STARTED, comes, FINAL)
    answering.answer(str(first.pk))
    assert seen[1] == ([RunState.RUNNING, RunState.QUEUED], 1)
    assert states() == [RunState.DONE, RunState.DONE], "whoever is done first takes it"
    answering.help_out(str(second.pk))  # the message that comes too late wakes in vain
    assert states() == [RunState.DONE, RunState.DONE]


def test_a_question_that_comes_alone_is_answered_where_the_graph_is_open(ask, scripted, helper):
    scripted(STARTED, FINAL)
    (run,) = ask(1)
    answering.answer(str(run.pk))
    assert (states(), waiting(helper, "help")) == ([RunState.DONE], 0)


def test_a_helper_helps_while_it_has_no_job_and_fewer_questions(ask, helper, tiny_graph):
    assert helping.has_time(1)
    assert not helping.has_time(0)
    ask(1)
    services.claim(worker=HELPER)
    assert (helping.has_time(1), helping.has_time(2)) == (False, True)
    job = jobs.create(kind=JobKind.INDEX, title="Work", graph=tiny_graph, user=None)
    jobs.claim(job_id=job.pk, worker=HELPER)
    assert not helping.has_time(2)


def test_nothing_is_handed_to_nobody(ask, redis):
    assert not helping.has_time(1)


def test_a_helper_that_has_a_job_by_now_hands_the_question_back_to_stay(ask, scripted, helper, monkeypatch):
    scripted(STARTED, FINAL)
    first, second = ask(2)
    before = waiting(helper, "answers")
    monkeypatch.setattr(answering.watchdog, "list_keys", lambda kind: {1})
    answering.help_out(str(first.pk))
    assert (states(), waiting(helper, "answers")) == ([RunState.QUEUED] * 2, before + 1)

    def comes():
        answering.answer(str(second.pk), True)

    scripted(STARTED, lambda: comes() if states() == [RunState.RUNNING, RunState.QUEUED] else None, FINAL)
    answering.answer(str(first.pk))
    assert (states(), waiting(helper, "help")) == ([RunState.DONE] * 2, 0)


def test_the_helper_answers(ask, scripted, helper):
    scripted(STARTED, FINAL)
    (run,) = ask(1)
    answering.help_out(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.answers) == (RunState.DONE, ["Germany"])


def test_a_worker_that_still_loads_takes_no_question(ask, scripted, helper, monkeypatch):
    """It would hold the run for as long as loading takes, while another worker could answer."""
    monkeypatch.setattr(identity, "loading", threading.Event())
    identity.loading.set()
    scripted(STARTED, FINAL)
    (run,) = ask(1)
    answering.help_out(str(run.pk))
    lifecycle.answer_meanwhile()
    assert states() == [RunState.QUEUED]
    identity.loading.clear()
    lifecycle.answer_meanwhile()
    assert states() == [RunState.DONE]


def test_tasks_that_help_are_sent_where_the_helper_listens():
    assert queue.QUEUE_OF[queue.HELP] == heartbeats.HELP
    assert queue.HELP not in queue.KIND_OF


def test_after_a_run_of_a_comparison_a_worker_takes_what_waited_for_its_reading(api, tiny_graph, scripted, redis):
    methods = ("reg-triple", "reg-path", "rapl")
    body = {"graph": tiny_graph.pk, "question": "q?", "methods": [{"method": name} for name in methods]}
    api("viewer").post("/api/v1/comparisons", body, format="json")
    scripted(STARTED, FINAL)
    answering.help_out("one message, where the others woke workers that may not take them")
    assert states() == [RunState.DONE] * 3


def test_after_a_run_alone_a_worker_waits_for_the_next_message(ask, scripted, redis):
    scripted(STARTED, FINAL)
    first, _ = ask(2)
    answering.help_out(str(first.pk))
    assert states() == [RunState.DONE, RunState.QUEUED]
