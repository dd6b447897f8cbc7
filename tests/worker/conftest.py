"""Fixtures of the worker's tests. Importing ``worker.app`` registers its tasks and signals."""

import time
import uuid

import pytest

import worker.app
from webapp.answers import services
from worker import answerers, identity


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

    def run(self, request, *, cancelled, pausing):
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


__all__ = ["worker"]
