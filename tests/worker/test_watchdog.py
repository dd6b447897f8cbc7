"""Whatever work does, it ends: it may raise anything, ignore Stop, take too long, or never return."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars
import pytest
from django.db import connection

from retrieval.errors import ClewError
from retrieval.events import RunStarted
from retrieval.types import Progress
from webapp.answers import services as answers
from webapp.answers.models import RunState
from webapp.graphs.models import GraphState
from webapp.jobs import services
from webapp.jobs.models import JobKind, JobState
from worker import answering, imports, job_runs, watchdog

ROOT = Path(__file__).parents[2]
STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
PANIC = polars.exceptions.PanicException


@pytest.fixture
def job(tiny_graph):
    return services.create(kind=JobKind.TRAIN, title="Work", graph=tiny_graph, user=None)


@pytest.fixture
def quick(monkeypatch):
    """Nobody is patient."""
    monkeypatch.setattr(watchdog, "GRACE_S", 0.1)
    monkeypatch.setattr(watchdog, "GIVE_UP_S", 0.6)


def background(task, *args, **more):
    def run():
        try:
            task(*args, **more)
        finally:
            connection.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def look_until(condition, seconds=20):
    """Look after what is held, as a worker does, until something is so; what the looks said."""
    said, until = [], time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        said.append(watchdog.check_all())
        time.sleep(0.05)
    return said


def state(row):
    row.refresh_from_db()
    return row.state


class Ignores:
    """Work that does not care for Stop, and swallows what it can."""

    def __init__(self):
        self.begun = threading.Event()

    def __call__(self, *_):
        self.begun.set()
        while True:
            time.sleep(0.01)


class Stuck:
    """Work that waits for something that does not come, deep within a library."""

    def __init__(self):
        self.begun, self.released = threading.Event(), threading.Event()

    def __call__(self, *_):
        self.begun.set()
        self.released.wait()


@pytest.mark.parametrize("error", [PANIC("index out of bounds"), SystemExit(1), GeneratorExit(), MemoryError()])
def test_a_job_ends_whatever_is_raised(job, error):
    def work(context):
        raise error

    told = []
    job_runs.run(job.pk, work, failed=lambda job, error: told.append(error.code))
    assert (state(job), job.error_code, told) == (JobState.FAILED, "internal", ["internal"])
    assert type(error).__name__ in job.error_hint
    assert watchdog.list_keys(watchdog.JOB) == set()


def test_an_import_that_panics_fails_and_so_does_its_graph(tiny_graph, monkeypatch, users):
    from django.core.files.uploadedfile import SimpleUploadedFile

    from retrieval.kg.readers import child_process
    from webapp.graphs import services as graphs

    def panic(*_, **__):
        raise PANIC("not a Parquet file")

    monkeypatch.setattr(child_process, "call", panic)
    for number in range(3):
        graph, job = graphs.create_graph(
            name=f"Broken {number}",
            description="",
            files=[SimpleUploadedFile("x.tsv", b"a\tr\tb\n")],
            options=graphs.ReadOptions(),
            user=users["admin"],
        )
        imports.import_graph(job.pk)
        graph.refresh_from_db()
        assert (state(job), graph.state, graph.error_code) == (JobState.FAILED, GraphState.FAILED, "internal")


@pytest.mark.parametrize("error", [PANIC("index out of bounds"), SystemExit(1)])
def test_a_run_ends_whatever_is_raised(run, scripted, events, error):
    def broken():
        raise error

    scripted(STARTED, broken)
    answering.answer(str(run.pk))
    assert (state(run), run.error_code) == (RunState.FAILED, "internal")
    assert [event["type"] for event in events(run)] == ["run.started", "run.failed"]


def test_what_takes_the_process_down_is_not_taken_for_an_end_of_the_job(job):
    def work(context):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job_runs.run(job.pk, work)
    assert state(job) == JobState.QUEUED


def test_a_task_that_panics_keeps_no_place_in_the_worker(monkeypatch, tiny_graph):
    from worker import tasks

    def panic(*_):
        raise PANIC("broken")

    monkeypatch.setattr(answering.Graph.objects, "select_related", panic)
    with pytest.raises(tasks.TaskError, match="PanicException: broken"):
        answering.warm(1)


def test_one_thread_of_a_worker_warms_while_the_others_answer(monkeypatch):
    begun, go_on, warmed = threading.Event(), threading.Event(), []

    def prepare(graph_id):
        begun.set()
        assert go_on.wait(10)
        warmed.append(graph_id)

    monkeypatch.setattr(answering, "_prepare_graph", prepare)
    monkeypatch.setattr(answering, "_answer_next", lambda: None)
    thread = background(answering.warm, 1)
    assert begun.wait(10)
    for graph_id in (2, 3, 2):
        answering.warm(graph_id)  # returns at once, and leaves the graph to the thread that warms
    assert warmed == []
    go_on.set()
    thread.join(10)
    assert warmed == [1, 3, 2]


def test_a_job_that_ignores_stop_is_interrupted(job, quick, tiny_graph):
    following = services.create(kind=JobKind.TRAIN, title="Next", graph=tiny_graph, user=None)
    work = Ignores()
    thread = background(job_runs.run, job.pk, work)
    assert work.begun.wait(10)
    services.cancel_job(job=job)
    said = look_until(lambda: not thread.is_alive())
    assert (state(job), any(said)) == (JobState.CANCELLED, False)
    assert services.claim(job_id=following.pk, worker="w").pk == following.pk


def test_work_that_stops_by_itself_is_not_interrupted(job, quick, monkeypatch):
    monkeypatch.setattr(watchdog, "GRACE_S", 60.0)
    begun = threading.Event()

    def work(context):
        begun.set()
        while True:
            context.update_progress(Progress("stage", 0, 0))
            time.sleep(0.01)

    thread = background(job_runs.run, job.pk, work)
    assert begun.wait(10)
    services.cancel_job(job=job)
    look_until(lambda: not thread.is_alive())
    assert state(job) == JobState.CANCELLED


def test_a_job_that_never_returns_is_given_up_and_frees_its_place(job, quick, tiny_graph):
    following = services.create(kind=JobKind.TRAIN, title="Next", graph=tiny_graph, user=None)
    work = Stuck()
    thread = background(job_runs.run, job.pk, work)
    assert work.begun.wait(10)
    services.cancel_job(job=job)
    said = look_until(lambda: state(job) != JobState.RUNNING)
    assert (job.state, said[-1], watchdog.list_keys(watchdog.JOB)) == (JobState.CANCELLED, True, set())
    assert services.claim(job_id=following.pk, worker="w").pk == following.pk
    work.released.set()
    thread.join(10)
    assert state(job) == JobState.CANCELLED  # its late end changes nothing


@pytest.mark.parametrize("kind", [Ignores, Stuck])
def test_a_job_has_a_time_limit(job, quick, settings, kind):
    settings.JOB_HOURS_MAX = {"train": 0.05 / 3600}
    work, told = kind(), []
    thread = background(job_runs.run, job.pk, work, failed=lambda job, error: told.append(error.code))
    look_until(lambda: state(job) != JobState.RUNNING and job.state != JobState.QUEUED)
    assert (job.state, job.error_code, told) == (JobState.FAILED, "time_limit", ["time_limit"])
    if kind is Stuck:
        work.released.set()
    thread.join(10)
    assert (state(job), job.error_code, told) == (JobState.FAILED, "time_limit", ["time_limit"])


@pytest.mark.parametrize("kind", [Ignores, Stuck])
def test_a_run_that_ignores_stop_ends(run, scripted, quick, events, kind):
    work = kind()
    scripted(STARTED, work)
    thread = background(answering.answer, str(run.pk))
    assert work.begun.wait(10)
    answers.cancel_run(run=run)
    look_until(lambda: state(run) != RunState.RUNNING)
    if kind is Stuck:
        work.released.set()
    thread.join(10)
    assert state(run) == RunState.CANCELLED
    assert [event["type"] for event in events(run)] == ["run.started", "run.cancelled"]


def test_a_run_has_a_time_limit(run, scripted, quick, settings, events):
    settings.RUN_SECONDS_MAX = 0.05
    scripted(STARTED, Ignores())
    thread = background(answering.answer, str(run.pk))
    look_until(lambda: not thread.is_alive())
    assert (state(run), run.error_code) == (RunState.FAILED, "time_limit")
    assert [event["type"] for event in events(run)] == ["run.started", "run.failed"]


def test_an_error_that_is_no_answer_to_stop_is_told_as_it_is(job):
    def work(context):
        raise ClewError("No.")

    job_runs.run(job.pk, work)
    assert (state(job), job.error_message) == (JobState.FAILED, "No.")


END = """
import threading, time
from tests import settings
import django
django.setup()
from worker import watchdog, lifecycle
lifecycle.FINISH_S = 0.2
watchdog.GRACE_S = watchdog.GIVE_UP_S = 0.0
lifecycle.list_chores = lambda names: []

def stuck():
    work = watchdog.register_work(watchdog.JOB, 1, limit_s=0, stopped=lambda: True, give_up=print)
    with work as one, one.allow_interrupts():
        threading.Event().wait()

threading.Thread(target=stuck, daemon=True).start()
time.sleep(0.2)
lifecycle.LOOK_EVERY_S = 0.05
lifecycle._watch_worker([])
"""


def test_a_process_with_work_that_never_returns_ends_to_be_started_anew():
    environ = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    made = subprocess.run(
        [sys.executable, "-c", END],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert made.returncode == 75, made.stderr
    assert "stopped" in made.stdout + made.stderr or "time_limit" in made.stdout + made.stderr
