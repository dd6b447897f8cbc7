"""PostgreSQL or Redis go away for a moment: nothing is lost, and nothing is stuck."""

import subprocess
import sys
import threading
import time
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models.functions import Now

from retrieval.events import AnswerFinal, PathRetrieved, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from tests.support.outages import start_redis, stop_redis, without_postgres, without_redis
from webapp.answers import services as answers
from webapp.answers.models import Run, RunEvent, RunState
from webapp.jobs import database_retry, heartbeats, services
from webapp.jobs.models import Job, JobKind, JobState
from worker import answering, identity, job_runs, lifecycle, watchdog

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9),), None, "", (), Usage(), 1.0)
LONG_AGO = Now() - timedelta(minutes=1)


def ask(client, graph, question="What borders Switzerland?"):
    return client.post("/api/v1/runs", {"graph": graph.pk, "question": question}, format="json")


def look(*names):
    """What a worker of these queues does every few seconds."""
    for chore in lifecycle.list_chores(list(names)):
        chore()


@pytest.fixture
def job(tiny_graph):
    return services.create(kind=JobKind.INDEX, title="Work", graph=tiny_graph, user=None)


class Outage:
    """PostgreSQL goes away in the middle of something and comes back a moment later, from a thread."""

    def __init__(self, seconds=1.5):
        self.seconds, self.gone = seconds, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        with without_postgres():
            self.gone.set()
            threading.Event().wait(self.seconds)

    def __call__(self):
        self.thread.start()
        assert self.gone.wait(10)


def test_a_question_asked_while_the_queue_is_away_is_kept_and_sent_later(api, tiny_graph, servers, redis):
    client = api("viewer")
    with without_redis(servers):
        answer = ask(client, tiny_graph)
    assert answer.status_code == 503
    body = answer.json()
    assert body["error"]["code"] == "queue_unavailable"
    assert body["error"]["hint"]
    run = Run.objects.get()
    assert (body["run"], run.state) == (str(run.pk), RunState.QUEUED)
    assert redis.llen("clew:celery:answers") == 0
    look(heartbeats.ANSWERS)
    assert redis.llen("clew:celery:answers") == 1
    look(heartbeats.ANSWERS)
    assert redis.llen("clew:celery:answers") == 1  # it is there already


def test_asking_right_after_the_queue_came_back_is_no_error(api, tiny_graph, servers, redis):
    client = api("viewer")
    assert ask(client, tiny_graph).status_code == 201
    with without_redis(servers):
        pass
    assert ask(client, tiny_graph).status_code == 201


def test_a_job_asked_for_while_the_queue_is_away_is_kept_and_sent_later(api, tiny_graph, servers, redis):
    client = api("admin")
    url = f"/api/v1/graphs/{tiny_graph.pk}/index"
    with without_redis(servers):
        answer = client.post(url, {}, format="json")
    job = Job.objects.get()
    assert (answer.status_code, answer.json()["job"], job.state) == (503, job.pk, JobState.QUEUED)
    look(heartbeats.JOBS)
    assert redis.llen("clew:celery:jobs") == 1


def test_messages_that_redis_lost_are_sent_again(run, job, redis):
    redis.flushdb()
    look(heartbeats.ANSWERS, heartbeats.JOBS)
    assert (redis.llen("clew:celery:answers"), redis.llen("clew:celery:jobs")) == (1, 1)


def test_a_long_job_that_waits_for_another_is_not_sent_in_vain(tiny_graph, redis):
    first, _ = (services.create(kind=JobKind.TRAIN, title=f"Train {i}", graph=tiny_graph, user=None) for i in range(2))
    services.claim(job_id=first.pk, worker=identity.NAME)
    redis.flushdb()
    services.send_waiting()
    assert redis.llen("clew:celery:long") == 0
    services.finish(job_id=first.pk)
    redis.flushdb()
    services.send_waiting()
    assert redis.llen("clew:celery:long") == 1


def test_a_run_goes_on_when_the_database_comes_back(run, scripted, events):
    outage = Outage()
    scripted(STARTED, outage, PathRetrieved(1, (), 0.5, 1.0), FINAL)
    answering.answer(str(run.pk))
    outage.thread.join()
    run.refresh_from_db()
    assert (run.state, run.answers) == (RunState.DONE, ["Germany"])
    assert [(e["seq"], e["type"]) for e in events(run)] == [
        (1, "run.started"),
        (2, "path.retrieved"),
        (3, "answer.final"),
    ]


def test_events_that_were_written_before_the_connection_broke_are_not_written_twice(run, monkeypatch):
    from webapp.answers import publish

    real, tries = publish.publish, []

    def breaks_after_writing(*args, **more):
        tries.append(real(*args, **more))
        if len(tries) == 1:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return tries[-1]

    monkeypatch.setattr(publish, "publish", breaks_after_writing)
    publisher = publish.Publisher(run.pk)
    publisher.add(STARTED)
    while not tries:
        time.sleep(0.01)
    assert publisher.finish() == (1, [])
    assert list(RunEvent.objects.values_list("seq", "type")) == [(1, "run.started")]


def test_a_run_that_lost_the_database_before_anything_was_found_is_done_after_all(run, scripted, redis):
    def lose():
        raise database_retry.AWAY[0]("gone")

    scripted(lose, STARTED, FINAL)
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    answering.answer(str(run.pk))  # once only: what is broken for good ends
    run.refresh_from_db()
    assert (run.state, run.error_code) == (RunState.FAILED, "unavailable")


@pytest.mark.slow
def test_a_message_that_comes_while_the_database_is_away_is_not_in_vain(run, scripted):
    scripted(STARTED, FINAL)
    outage = Outage()
    connection.close()
    outage()
    answering.answer(str(run.pk))
    outage.thread.join()
    run.refresh_from_db()
    assert run.state == RunState.DONE


@pytest.mark.slow
def test_a_job_ends_as_it_ended_when_the_database_comes_back(job):
    outage = Outage()

    def work(context):
        outage()
        return {"n": 1}

    job_runs.run(job.pk, work)
    outage.thread.join()
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.DONE, {"n": 1})


@pytest.mark.slow
def test_a_job_that_lost_the_database_says_so(job):
    outage = Outage()

    def work(context):
        outage()
        return Job.objects.count()

    job_runs.run(job.pk, work)
    outage.thread.join()
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "internal")


def test_work_goes_on_while_redis_is_away(run, scripted, servers, redis):
    scripted(
        STARTED,
        partial(stop_redis, servers),
        PathRetrieved(1, (), 0.5, 1.0),
        partial(start_redis, servers),
        FINAL,
    )
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_an_end_that_could_not_be_written_is_written_by_the_sweep(run, scripted, monkeypatch, events, wait_for_event):
    monkeypatch.setattr(database_retry, "PATIENCE_S", 0.1)
    scripted(STARTED, wait_for_event, FINAL)

    def away(**_):
        raise database_retry.AWAY[0]("gone")

    with monkeypatch.context() as broken:
        broken.setattr(answers, "close_run", away)
        with pytest.raises(database_retry.AWAY):
            answering.answer(str(run.pk))
    run.refresh_from_db()
    assert (run.state, watchdog.list_keys(watchdog.RUN)) == (RunState.RUNNING, set())
    heartbeats.send_beat(heartbeats.ANSWERS, identity.NAME)
    look(heartbeats.ANSWERS)
    run.refresh_from_db()
    assert run.state == RunState.RUNNING  # it may have been claimed this very moment
    Run.objects.update(claimed_at=LONG_AGO)
    look(heartbeats.ANSWERS)
    run.refresh_from_db()
    assert (run.state, run.error_code) == (RunState.FAILED, "worker_lost")
    assert [event["type"] for event in events(run)] == ["run.started", "run.failed"]


def test_a_run_claimed_by_nobody_who_knows_is_queued_again(run, redis):
    answers.claim(worker=identity.NAME)  # and the database's answer is lost
    heartbeats.send_beat(heartbeats.ANSWERS, identity.NAME)
    Run.objects.update(claimed_at=LONG_AGO, started_at=LONG_AGO)
    look(heartbeats.ANSWERS)
    run.refresh_from_db()
    assert (run.state, run.worker) == (RunState.QUEUED, "")
    assert answers.claim(worker=identity.NAME).pk == run.pk


def test_what_a_worker_is_at_is_not_forgotten(run, job, scripted):
    looked = []

    def while_at_it():
        heartbeats.send_beat(heartbeats.ANSWERS, identity.NAME)
        Run.objects.update(claimed_at=LONG_AGO)
        look(heartbeats.ANSWERS)
        looked.append(Run.objects.get().state)

    scripted(STARTED, while_at_it, FINAL)
    answering.answer(str(run.pk))

    def work(context):
        heartbeats.send_beat(heartbeats.JOBS, identity.NAME)
        Job.objects.update(started_at=LONG_AGO)
        look(heartbeats.JOBS)
        looked.append(Job.objects.get().state)

    job_runs.run(job.pk, work)
    assert looked == [RunState.RUNNING, JobState.RUNNING]


def test_a_job_whose_end_could_not_be_written_is_queued_again(job, monkeypatch):
    services.claim(job_id=job.pk, worker=identity.NAME)
    Job.objects.update(started_at=LONG_AGO)
    heartbeats.send_beat(heartbeats.JOBS, identity.NAME)
    look(heartbeats.JOBS)
    job.refresh_from_db()
    assert job.state == JobState.QUEUED
    services.claim(job_id=job.pk, worker=identity.NAME)
    Job.objects.update(started_at=LONG_AGO)
    look(heartbeats.JOBS)
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "worker_lost")


def test_a_queued_run_can_be_stopped_while_redis_is_away(api, tiny_graph, servers, redis):
    client = api("viewer")
    run = ask(client, tiny_graph).json()
    with without_redis(servers):
        answer = client.post(f"/api/v1/runs/{run['id']}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")


def test_a_worker_of_jobs_answers_while_no_answers_worker_is_there(run, scripted):
    scripted(STARTED, FINAL)
    heartbeats.send_beat(heartbeats.ANSWERS, "elsewhere:1:x")
    lifecycle.answer_meanwhile()
    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    heartbeats.mark_left(heartbeats.ANSWERS, "elsewhere:1:x")
    lifecycle.answer_meanwhile()
    run.refresh_from_db()
    assert (run.state, run.answers) == (RunState.DONE, ["Germany"])


def test_a_killed_answers_worker_of_this_machine_is_stood_in_for_before_it_is_silent_for_long(run, scripted):
    scripted(STARTED, FINAL)
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    heartbeats.send_beat(heartbeats.ANSWERS, f"{heartbeats.get_machine_name()}:{killed.pid}:x")
    lifecycle.answer_meanwhile()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_a_run_that_a_worker_of_jobs_answers_is_not_lost(run):
    heartbeats.send_beat(heartbeats.JOBS, "elsewhere:1:x")
    answers.claim(worker="elsewhere:1:x")
    answers.handle_lost_runs()
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    heartbeats.mark_left(heartbeats.JOBS, "elsewhere:1:x")
    answers.handle_lost_runs()
    run.refresh_from_db()
    assert run.state != RunState.RUNNING
