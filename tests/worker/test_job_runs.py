"""Running a job: how it ends, and what is told of it meanwhile."""

import threading
import time

import pytest

from retrieval.errors import Cancelled, SourceError
from retrieval.types import Progress
from webapp.graphs.models import Graph, IndexState
from webapp.jobs import services
from webapp.jobs.models import Job, JobKind, JobState
from webapp.live import channels
from worker import identity, job_runs


@pytest.fixture
def job(tiny_graph):
    return services.create(kind=JobKind.INDEX, title="Work", graph=tiny_graph, user=None)


def test_a_worker_that_shuts_down_gives_its_job_back(job):
    def work(context):
        context.update_progress(Progress("stage", 1, 10))
        identity.stopping.set()
        context.update_progress(Progress("stage", 2, 10))

    job_runs.run(job.pk, work)
    job.refresh_from_db()
    assert (job.state, job.worker, job.done) == (JobState.QUEUED, "", 1)
    identity.stopping.clear()
    job_runs.run(job.pk, lambda context: {"finished": True})
    job.refresh_from_db()
    assert (job.state, job.result, job.attempts) == (JobState.DONE, {"finished": True}, 1)


def test_a_stopped_job_is_not_given_back_even_then(job):
    def work(context):
        services.cancel_job(job=Job.objects.get())
        identity.stopping.set()
        raise Cancelled("stopped")

    job_runs.run(job.pk, work)
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_who_hears_that_a_job_was_stopped_finds_its_graph_put_right(job, monkeypatch):
    graphs = Graph.objects.filter(pk=job.graph_id)
    graphs.update(index_state=IndexState.BUILDING)
    heard = []

    def send(group, message):
        told = message["frame"].get("job", {}).get("state")
        heard.append((told, graphs.get().index_state))

    def work(context):
        services.cancel_job(job=Job.objects.get())
        monkeypatch.setattr(channels, "send", send)
        context.check_before_commit()

    job_runs.run(job.pk, work)
    assert ("cancelled", IndexState.NONE) in heard
    assert ("cancelled", IndexState.BUILDING) not in heard


def test_errors_are_kept_with_their_hints(job):
    def work(context):
        raise SourceError("No.", hint="Try another.")

    told = []
    job_runs.run(job.pk, work, failed=lambda job, error: told.append(error.code))
    job.refresh_from_db()
    assert (job.state, job.error_code, job.error_message, job.error_hint) == (
        "failed",
        "bad_source",
        "No.",
        "Try another.",
    )
    assert told == ["bad_source"]


def test_a_defect_is_called_one(job):
    job_runs.run(job.pk, lambda context: 1 / 0)
    job.refresh_from_db()
    assert (job.state, job.error_code) == ("failed", "internal")
    assert "ZeroDivisionError" in job.error_hint


def test_progress_is_written_four_times_a_second_at_most(job, monkeypatch):
    written = []
    monkeypatch.setattr(services, "save_progress", lambda **values: written.append(values["progress"].done))
    now = [0.0]
    monkeypatch.setattr(job_runs.time, "monotonic", lambda: now[0])

    def work(context):
        for done in range(101):
            context.update_progress(Progress("stage", done, 100))
            now[0] += 0.01

    job_runs.run(job.pk, work)
    assert written == [0, 25, 50, 75, 100]


def test_the_rate_is_counted_within_a_stage(job, monkeypatch):
    rates = []
    monkeypatch.setattr(services, "save_progress", lambda **values: rates.append(values["rate"]))
    now = [0.0]
    monkeypatch.setattr(job_runs.time, "monotonic", lambda: now[0])

    def work(context):
        for stage, done in (("read", 0), ("read", 50), ("build", 10), ("build", 30)):
            context.update_progress(Progress(stage, done, 100))
            now[0] += 1.0

    job_runs.run(job.pk, work)
    assert rates == [None, 50.0, None, 20.0]


@pytest.fixture
def training(tiny_graph):
    """A self-training that a worker may begin."""
    return services.create(kind=JobKind.SELF_TRAIN, title="Teach", graph=tiny_graph, user=None)


def test_work_that_gives_way_goes_on_in_place_when_a_short_job_is_done(training, tiny_graph, monkeypatch):
    monkeypatch.setattr(job_runs, "URGENT_EVERY_S", 0.01)
    seen = []

    def work(context):
        seen.append(context.should_give_way())
        urgent = services.create(kind=JobKind.INDEX, title="Urgent", graph=tiny_graph, user=None)
        ended = threading.Timer(0.2, lambda: Job.objects.filter(pk=urgent.pk).update(state=JobState.DONE))
        ended.start()
        time.sleep(0.02)
        seen.append(context.should_give_way())
        seen.append(Job.objects.get(pk=urgent.pk).state)

    job_runs.run(training.pk, work)
    training.refresh_from_db()
    assert (seen, training.state) == ([False, False, JobState.DONE], JobState.DONE)


def test_work_that_gives_way_to_a_long_job_gives_its_place_back_and_goes_on_behind_it(
    training, tiny_graph, monkeypatch
):
    monkeypatch.setattr(job_runs, "WAIT_IN_PLACE_S", 0.0)
    monkeypatch.setattr(job_runs, "URGENT_EVERY_S", 0.0)

    def work(context):
        services.create(kind=JobKind.TRAIN, title="Train", graph=tiny_graph, user=None)
        while not context.should_give_way():
            pass
        raise Cancelled("Stopped.")

    job_runs.run(training.pk, work)
    training.refresh_from_db()
    assert (training.state, training.attempts, training.worker) == (JobState.QUEUED, 0, "")
    assert training.log.last().text == "Returned to the queue: other jobs are more urgent."
    assert services.claim(job_id=training.pk, worker="w") is None
    train = Job.objects.get(kind=JobKind.TRAIN)
    assert services.claim(job_id=train.pk, worker="w").pk == train.pk
    services.finish(job_id=train.pk)
    assert services.claim(job_id=training.pk, worker="w").pk == training.pk
