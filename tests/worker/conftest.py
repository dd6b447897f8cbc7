"""Fixtures of the worker's tests. Importing ``worker.app`` registers its tasks and signals."""

import threading
import time
import uuid

import pytest
from django.db import connection

import worker.app
from tests.support.servers import WebServer
from webapp.answers import services
from webapp.graphs.models import Graph
from webapp.jobs import heartbeats
from webapp.jobs.models import Job, JobKind, JobState
from webapp.project import demo as demo_graph
from worker import answerers, answering, evaluation, identity, imports


@pytest.fixture(autouse=True)
def not_stopping():
    identity.stopping.clear()
    yield
    identity.stopping.clear()


@pytest.fixture
def run(tiny_graph, users):
    """A queued run."""
    return services.create_run(graph=tiny_graph, ask=services.Ask("What borders Switzerland?"), user=users["viewer"])


class Scripted:
    """An engine that emits what it is given; functions are called in between."""

    def __init__(self, *steps):
        self.steps = steps
        self.requests = []

    def copy_for_retrieval(self):
        return self

    def run(self, request, *, cancelled, pausing=None):
        self.requests.append(request)
        self.cancelled, self.pausing = cancelled, pausing
        for step in self.steps:
            if callable(step):
                step()
            else:
                yield step


@pytest.fixture
def scripted(monkeypatch):
    """``scripted(*steps)`` makes every run be answered by that script."""

    def install(*steps):
        answerer = Scripted(*steps)
        monkeypatch.setattr(answerers, "open_run_engine", lambda run: answerer)
        return answerer

    return install


@pytest.fixture
def events():
    """``events(run)`` is the run's log."""
    from webapp.answers import selectors

    return lambda run: selectors.load_events(uuid.UUID(str(run.pk)))


@pytest.fixture
def wait_for_event(run, events):
    """A step of a script that waits until the log has an event."""

    def wait():
        deadline = time.monotonic() + 30
        while not events(run):
            assert time.monotonic() < deadline
            time.sleep(0.01)

    return wait


@pytest.fixture
def server(users, tmp_path):
    """The web server, and a worker that answers what is asked of it and does the jobs that it is given."""
    ended = threading.Event()
    jobs = {JobKind.IMPORT: imports.import_graph, JobKind.EVALUATE: evaluation.evaluate}

    def work():
        while not ended.wait(0.02):
            answering._answer_next()
        connection.close()

    def do_jobs():
        while not ended.wait(0.05):
            for job in Job.objects.filter(state=JobState.QUEUED, kind__in=jobs):
                jobs[job.kind](job.pk)
        connection.close()

    def beat():
        while not ended.wait(1):
            heartbeats.send_beat(heartbeats.ANSWERS, identity.NAME)

    heartbeats.send_beat(heartbeats.ANSWERS, identity.NAME)
    threads = [threading.Thread(target=target) for target in (work, do_jobs, beat)]
    with WebServer(tmp_path, {}) as running:
        for thread in threads:
            thread.start()
        try:
            yield running
        finally:
            ended.set()
            for thread in threads:
                thread.join()


@pytest.fixture
def demo(users):
    """The demo graph, imported."""
    demo_graph._load(lambda: True)
    imports.import_graph(Job.objects.get(kind=JobKind.IMPORT).pk)
    demo_graph._load(lambda: False)
    return Graph.objects.get()


__all__ = ["worker"]
