"""The life of a job: claimed once, reported on, cancelled, given back, swept."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from retrieval.errors import ClewError
from retrieval.types import Progress
from webapp.graphs import progress
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph, GraphState, IndexState
from webapp.jobs import cancel, heartbeats, services
from webapp.jobs.models import Job, JobKind, JobState


@pytest.fixture
def job(tiny_graph, users):
    return services.create(kind=JobKind.INDEX, title="Index Tiny", graph=tiny_graph, user=users["admin"])


def state(job):
    job.refresh_from_db()
    return job.state


def test_a_job_is_queued_for_the_jobs_worker(job, redis):
    assert state(job) == JobState.QUEUED
    assert redis.llen("clew:celery:jobs") == 1


def test_it_is_claimed_once(job):
    assert services.claim(job_id=job.pk, worker="a").attempts == 1
    assert services.claim(job_id=job.pk, worker="b") is None
    assert services.claim(job_id=99, worker="b") is None


def test_progress_is_shown_with_rate_and_time_left(job, api):
    services.claim(job_id=job.pk, worker="a")
    progress = Progress("embedding", 30, 90, "labels", "fine", {"loss": 0.5, "bad": float("nan")})
    services.save_progress(job_id=job.pk, progress=progress, rate=20.0)
    shown = api("viewer").get(f"/api/v1/jobs/{job.pk}").json()
    assert (shown["stage"], shown["done"], shown["total"], shown["unit"]) == ("embedding", 30, 90, "labels")
    assert (shown["rate"], shown["eta_s"], shown["message"], shown["metrics"]) == (
        20.0,
        3.0,
        "fine",
        {"loss": 0.5},
    )
    services.finish(job_id=job.pk, result={"n": 1, "metrics": {"hit": 0.5}})
    shown = api("viewer").get(f"/api/v1/jobs/{job.pk}").json()
    assert (shown["state"], shown["eta_s"], shown["error"]) == ("done", None, None)
    assert (shown["result"]["n"], shown["metrics"]) == (1, {"hit": 0.5})


def test_every_change_is_a_revision(job, api):
    def revision():
        return api("viewer").get(f"/api/v1/jobs/{job.pk}").json()["revision"]

    seen = [revision()]
    for change in (
        lambda: services.claim(job_id=job.pk, worker="a"),
        lambda: services.save_progress(job_id=job.pk, progress=Progress("embedding", 30, 90), rate=None),
        lambda: services.fail(job_id=job.pk, error=ClewError("It broke.")),
        lambda: services.retry(job=Job.objects.get(pk=job.pk)),
        lambda: services.claim(job_id=job.pk, worker="a"),
        lambda: services.requeue(job_id=job.pk),
        lambda: services.cancel_job(job=Job.objects.get(pk=job.pk)),
    ):
        change()
        seen.append(revision())
    assert seen == sorted(set(seen)), "each is newer than the one before"


def test_only_active_jobs_can_be_asked_for(job, api):
    url = "/api/v1/jobs"
    assert api("viewer").get(url, {"active": "true"}).json()["count"] == 1
    services.finish(job_id=job.pk)
    assert api("viewer").get(url, {"active": "true"}).json()["count"] == 0
    assert api("viewer").get(url).json()["count"] == 1


def test_a_failed_job_says_why(job, api):
    services.claim(job_id=job.pk, worker="a")
    services.fail(job_id=job.pk, error=ClewError("It broke.", hint="Mend it."))
    shown = api("viewer").get(f"/api/v1/jobs/{job.pk}").json()
    assert (shown["state"], shown["error"]) == (
        "failed",
        {"code": "error", "message": "It broke.", "hint": "Mend it."},
    )


def test_a_queued_job_is_cancelled_at_once(job, api):
    answer = api().post(f"/api/v1/jobs/{job.pk}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert services.claim(job_id=job.pk, worker="late") is None
    assert api().post(f"/api/v1/jobs/{job.pk}/cancel").status_code == 409


def test_cancelling_an_import_that_never_began_says_so_on_the_graph(users):
    graph = Graph.objects.create(name="Soon", visibility="public")
    job = services.create(kind=JobKind.IMPORT, title="Import", graph=graph, user=None)
    services.cancel_job(job=job)
    graph.refresh_from_db()
    assert (graph.state, graph.error_code) == (GraphState.FAILED, "cancelled")


def test_cancelling_a_running_job_raises_its_flag(job):
    services.claim(job_id=job.pk, worker="a")
    cancelled = cancel.make_stop_check("job", job.pk)
    assert not cancelled()
    services.cancel_job(job=job)
    assert state(job) == JobState.RUNNING
    assert cancel.make_stop_check("job", job.pk)()


def test_the_flag_is_looked_at_ten_times_a_second(redis, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(cancel.time, "monotonic", lambda: now[0])
    cancelled = cancel.make_stop_check("run", 1)
    assert not cancelled()
    cancel.ask_to_stop("run", 1)
    assert not cancelled()
    now[0] += 0.11
    assert cancelled()
    cancel.clear(1, "run")
    assert cancelled()  # once asked, always asked


def test_a_job_is_given_back(job):
    services.claim(job_id=job.pk, worker="a")
    services.requeue(job_id=job.pk)
    assert state(job) == JobState.QUEUED
    assert services.claim(job_id=job.pk, worker="b").attempts == 1


def test_one_training_runs_at_a_time_and_its_end_sends_the_next(tiny_graph, job, redis):
    first, second = (
        services.create(kind=JobKind.TRAIN, title=f"Train {i}", graph=tiny_graph, user=None) for i in range(2)
    )
    assert services.claim(job_id=first.pk, worker="a").pk == first.pk
    assert services.claim(job_id=second.pk, worker="a") is None
    assert state(second) == JobState.QUEUED
    assert services.claim(job_id=job.pk, worker="a").pk == job.pk  # other work goes on beside it
    before = redis.llen("clew:celery:long")
    services.finish(job_id=job.pk)
    assert redis.llen("clew:celery:long") == before
    services.finish(job_id=first.pk)
    assert redis.llen("clew:celery:long") == before + 1
    assert services.claim(job_id=second.pk, worker="a").pk == second.pk


def test_two_claims_of_trainings_at_once_give_one(tiny_graph):
    pks = [services.create(kind=JobKind.TRAIN, title="T", graph=tiny_graph, user=None).pk for _ in range(4)]

    def claim(pk):
        try:
            return services.claim(job_id=pk, worker="w")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        claimed = [job for job in pool.map(claim, pks) if job is not None]
    assert len(claimed) == 1


def test_jobs_of_a_dead_worker_are_tried_once_more_then_failed(job, tiny_graph, redis):
    tiny_graph.index_state = IndexState.BUILDING
    tiny_graph.save()
    services.claim(job_id=job.pk, worker="a")
    heartbeats.send_beat(heartbeats.JOBS, "a")
    services.handle_lost_jobs()
    assert state(job) == JobState.RUNNING
    heartbeats.mark_left(heartbeats.JOBS, "a")
    services.handle_lost_jobs()
    assert state(job) == JobState.QUEUED
    assert redis.llen("clew:celery:jobs") == 2
    services.claim(job_id=job.pk, worker="b")
    heartbeats.mark_left(heartbeats.JOBS, "b")
    services.handle_lost_jobs()
    assert state(job) == JobState.FAILED
    assert (job.error_code, job.error_hint) == ("worker_lost", "Start it again.")
    tiny_graph.refresh_from_db()
    assert tiny_graph.index_state == IndexState.NONE


def seconds_ago(redis, worker, seconds):
    """The worker's last sign of life was so long ago by the server's clock."""
    redis.zadd("clew:workers:jobs", {worker: redis.time()[0] - seconds})


def test_a_heart_that_stopped_counts_as_gone(redis, monkeypatch):
    heartbeats.send_beat(heartbeats.JOBS, "a")
    assert (heartbeats.count(heartbeats.JOBS), heartbeats.is_alive(heartbeats.JOBS, "a")) == (1, True)
    seconds_ago(redis, "a", heartbeats.LOST_AFTER_S + 2)
    assert (heartbeats.count(heartbeats.JOBS), heartbeats.is_alive(heartbeats.JOBS, "a")) == (0, False)
    monkeypatch.setattr(redis, "info", lambda _: {"uptime_in_seconds": 60})
    assert heartbeats.is_lost(heartbeats.JOBS, "a")


def test_a_redis_that_has_just_come_back_has_heard_nobody_yet(redis, monkeypatch):
    seconds_ago(redis, "a", heartbeats.LOST_AFTER_S + 2)
    monkeypatch.setattr(redis, "info", lambda _: {"uptime_in_seconds": 3})
    assert not heartbeats.is_lost(heartbeats.JOBS, "a")
    heartbeats.mark_left(heartbeats.JOBS, "a")  # it said so itself
    assert heartbeats.is_lost(heartbeats.JOBS, "a")


@pytest.mark.parametrize("behind", [-30, 30, 3600])
def test_a_machine_whose_clock_is_wrong_is_as_alive_as_others(redis, monkeypatch, behind):
    real = time.time
    with monkeypatch.context() as other_machine:
        other_machine.setattr(time, "time", lambda: real() - behind)
        heartbeats.send_beat(heartbeats.JOBS, "a")
        assert heartbeats.count(heartbeats.JOBS) == 1
    assert (heartbeats.count(heartbeats.JOBS), heartbeats.is_lost(heartbeats.JOBS, "a")) == (1, False)


def test_a_worker_of_this_machine_whose_process_has_ended_is_gone_at_once(redis):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here, pid = heartbeats.get_machine_name(), os.getpid()
    for worker in (f"{here}:{pid}:x", f"{here}:{ended.pid}:x", f"elsewhere:{ended.pid}:x"):
        heartbeats.send_beat(heartbeats.JOBS, worker)
    lost = [heartbeats.is_lost(heartbeats.JOBS, f"{where}:x") for where in (f"{here}:{pid}", f"{here}:{ended.pid}")]
    assert lost == [False, True]
    assert not heartbeats.is_lost(heartbeats.JOBS, f"elsewhere:{ended.pid}:x")


def test_a_person_may_have_so_many_jobs_waiting(tiny_graph, users, api, settings):
    settings.JOBS_WAITING_MAX = 1
    url = f"/api/v1/graphs/{tiny_graph.pk}/index"
    services.create(kind=JobKind.IMPORT, title="Other", graph=tiny_graph, user=users["admin"])
    refused = api("admin").post(url, {}, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_jobs")
    # what a worker begins in somebody's name is never refused
    services.create(kind=JobKind.INDEX, title="Index", graph=tiny_graph, user=users["admin"])
    Job.objects.update(state=JobState.DONE)
    assert api("admin").post(url, {}, format="json").status_code == 202


def test_long_jobs_wait_for_a_worker_of_their_own(tiny_graph, redis, settings):
    def lengths():
        return [redis.llen(f"clew:celery:{name}") for name in ("jobs", "long")]

    def create(kind, **more):
        return services.create(kind=kind, title="Work", graph=tiny_graph, user=None, **more)

    create(JobKind.TRAIN)
    assert lengths() == [0, 1]
    create(JobKind.INDEX)
    create(JobKind.IMPORT)
    assert lengths() == [2, 1]
    create(JobKind.INDEX, is_large=True)
    assert lengths() == [2, 2]
    redis.flushdb()
    services.send_waiting()
    assert lengths() == [2, 2]


@pytest.mark.parametrize(("most", "name"), [(100, "jobs"), (1, "long")])
def test_an_index_is_long_by_the_size_of_its_graph(tiny_graph, redis, settings, most, name):
    settings.LARGE_INDEX = most
    progress.retry_index(graph=tiny_graph, user=None)
    assert redis.llen(f"clew:celery:{name}") == 1


@pytest.mark.parametrize(("most", "name"), [(100, "jobs"), (10, "long")])
def test_an_import_is_long_by_the_size_of_its_files(users, redis, settings, most, name):
    settings.LARGE_IMPORT_BYTES = most
    graphs.create_graph(
        name="Small",
        description="",
        files=[SimpleUploadedFile("facts.tsv", b"Peru\tcapital\tLima\n")],
        options=graphs.ReadOptions(),
        user=users["admin"],
    )
    assert redis.llen(f"clew:celery:{name}") == 1
