"""A real Celery worker in a process of its own: import, index, ask, and take up what waited."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from retrieval.types import QuestionRecord
from tests.conftest import TINY
from tests.support.outages import without_redis
from tests.support.tcp_proxy import TcpProxy
from webapp.answers import selectors, services
from webapp.answers.models import Run, RunState
from webapp.experiments import reports
from webapp.graphs import services as graphs
from webapp.graphs.models import GraphState, IndexState
from webapp.jobs import heartbeats
from webapp.jobs.models import Job, JobState
from webapp.project import embedded
from webapp.questions.services import save_question_set

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


@pytest.fixture
def start(stored, tmp_path):
    """``start()`` starts a worker for both queues; it is ended after the test."""
    running = []

    def begin(redis_url=None):
        layout = embedded.ServerLayout(settings.CLEW.home)
        name = connection.settings_dict["NAME"]
        environ = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "webapp.project.settings",
            "DATABASE_URL": layout.database_url.replace("/clew?", f"/{name}?"),
            "REDIS_URL": redis_url or layout.redis_url,
        }
        command = [sys.executable, "-m", "celery", "-A", "worker.app", "worker", "-P", "threads", "-c", "2"]
        command += ["-Q", "answers,jobs,long", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        log = (tmp_path / "worker.log").open("wb")
        with log:
            process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log)
        running.append(process)
        wait_for(lambda: heartbeats.count(heartbeats.ANSWERS) == heartbeats.count(heartbeats.JOBS) == 1)
        return process

    yield begin
    for process in running:
        process.terminate()
        process.wait(20)


def test_from_upload_to_answer(start, users):
    facts = "".join("\t".join(fact) + "\n" for fact in TINY).encode()
    graph, _ = graphs.create_graph(
        name="Tiny",
        description="",
        files=[SimpleUploadedFile("tiny.tsv", facts)],
        options=graphs.ReadOptions(),
        user=users["admin"],
    )
    process = start()  # after the upload: what waited is taken up

    def ready():
        graph.refresh_from_db()
        return graph.state == GraphState.READY and graph.index_state == IndexState.READY

    wait_for(ready)
    ask = services.Ask("What is the official language of Germany?")
    run = services.create_run(graph=graph, ask=ask, user=users["viewer"])

    def ended():
        run.refresh_from_db()
        return run.state not in {RunState.QUEUED, RunState.RUNNING}

    wait_for(ended)
    events = selectors.load_events(run.pk)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [events[0]["type"], events[-1]["type"]] == ["run.started", "answer.final"]
    assert events[0]["checkpoint"] is None
    assert "path.retrieved" in {event["type"] for event in events}
    assert run.answers == ["German"]

    asked = [QuestionRecord("q1", "What is the capital of Germany?", ("Germany",), ("Berlin",), split="test")]
    questions = save_question_set(name="One", graph=graph, questions=asked, format="jsonl", user=None)
    report = reports.start_report(
        graph=graph, question_set=questions, evaluation=reports.EvaluationRequest(), user=users["analyst"]
    )

    def evaluated():
        report.refresh_from_db()
        return report.finished_at is not None

    wait_for(evaluated)
    assert report.summary["n"] == 1
    assert [row.row["predicted"] for row in report.rows.all()] == [["Berlin"]]
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert heartbeats.count(heartbeats.ANSWERS) == heartbeats.count(heartbeats.JOBS) == 0


@pytest.fixture
def large(users):
    """A graph of 400,000 facts that waits to be imported, and its job."""
    facts = "".join(f"entity {i}\tlinks\tentity {i * 7919 % 400_000}\n" for i in range(400_000)).encode()
    return graphs.create_graph(
        name="Large",
        description="",
        files=[SimpleUploadedFile("large.tsv", facts)],
        options=graphs.ReadOptions(),
        user=users["admin"],
    )


def wait_until_reading(job):
    def is_reading():
        job.refresh_from_db()
        return job.state == JobState.RUNNING and job.stage not in {"", "starting"}

    wait_for(is_reading)


def test_an_import_during_which_every_process_is_asked_to_end_goes_on_at_the_next_start(start, large):
    graph, job = large
    first = start()
    wait_until_reading(job)
    for reader in psutil.Process(first.pid).children(recursive=True):
        reader.terminate()
    time.sleep(0.5)  # as when the signal reaches the reader long before the worker
    first.terminate()
    assert first.wait(20) == 0
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error_message) == (JobState.QUEUED, 0, "")
    start()
    wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot.triples) == (GraphState.READY, 400_000)


def test_an_import_whose_worker_was_killed_is_done_by_the_next(start, large):
    graph, job = large
    first = start()
    wait_until_reading(job)
    first.kill()
    first.wait(20)
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot) == (GraphState.IMPORTING, None)
    wait_for(lambda: heartbeats.count(heartbeats.JOBS) == 0)
    start()

    def done():
        job.refresh_from_db()
        return job.state == JobState.DONE

    wait_for(done)
    graph.refresh_from_db()
    assert (job.attempts, graph.state, graph.snapshot.triples) == (2, GraphState.READY, 400_000)
    warnings = [line.text for line in job.log.filter(level="warning")]
    assert len(warnings) == 1
    assert warnings[0].endswith("is gone; queued once more.")


def test_a_worker_outlives_its_broker_and_answers_what_was_asked_meanwhile(start, users, tiny_graph, servers):
    process = start()

    def ask(number):
        asked = services.Ask(f"What is the official language of {'Germany' if number % 2 else 'France'}?")
        return services.create_run(graph=tiny_graph, ask=asked, user=users["viewer"])

    before = [ask(number) for number in range(10)]
    with without_redis(servers):
        meanwhile = [ask(number) for number in range(2)]
        time.sleep(1)
    after = [ask(number) for number in range(2)]
    wait_for(lambda: not Run.objects.filter(state__in=(RunState.QUEUED, RunState.RUNNING)).exists())
    states = Run.objects.filter(pk__in=[run.pk for run in (*before, *meanwhile, *after)])
    assert {run.state for run in states} == {RunState.DONE}
    assert process.poll() is None


def test_a_worker_outlives_a_network_that_swallows_what_is_sent(start, users, tiny_graph):
    ask = services.Ask("What is the official language of Germany?")
    with TcpProxy(str(embedded.ServerLayout(settings.CLEW.home).redis_socket)) as proxy:
        process = start(f"redis://127.0.0.1:{proxy.port}/0")
        proxy.swallow()
        run = services.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
        wait_for(lambda: heartbeats.count(heartbeats.ANSWERS) == 0)
        proxy.restore()
        wait_for(lambda: Run.objects.get(pk=run.pk).state == RunState.DONE)
        assert process.poll() is None


PUBLISH = """
import django
django.setup()
from webapp.jobs import queue
queue.send(queue.ANSWER, 1)
print("connected", flush=True)
input()
queue.send(queue.ANSWER, 2)
"""


def test_publishing_over_a_network_that_swallows_what_is_sent_ends(servers, redis):
    with TcpProxy(str(embedded.ServerLayout(settings.CLEW.home).redis_socket)) as proxy:
        environ = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "webapp.project.settings",
            "REDIS_URL": f"redis://127.0.0.1:{proxy.port}/0",
        }
        process = subprocess.Popen(
            [sys.executable, "-c", PUBLISH],
            cwd=ROOT, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout.readline() == b"connected\n"
        proxy.swallow()
        _, log = process.communicate(b"\n", timeout=60)
        assert process.returncode == 0
        assert b"could not be sent" in log
        assert redis.llen("clew:celery:answers") == 1
