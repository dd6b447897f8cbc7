"""A job shows its whole progress: all its stages, and how far it is in all."""

import pytest

from retrieval.errors import ClewError
from retrieval.types import Progress
from webapp.jobs import services, stages
from webapp.jobs.models import JobKind
from worker import job_runs


@pytest.fixture
def job(tiny_graph):
    return services.create(kind=JobKind.INDEX, title="Index Tiny", graph=tiny_graph, user=None)


def states(job, api):
    shown = api("viewer").get(f"/api/v1/jobs/{job.pk}").json()
    return [stage["state"] for stage in shown["stages"]], shown["overall"]


def test_every_kind_of_job_has_stages_that_make_a_whole():
    assert set(stages.STAGES) == set(JobKind)
    for of_kind in stages.STAGES.values():
        assert sum(stage.share for stage in of_kind) == 100
        assert len({stage.name for stage in of_kind}) == len(of_kind)


def test_a_job_is_told_by_its_stages_from_queued_to_done(job, api):
    assert states(job, api) == (["waiting"] * 4, 0.0)
    seen = []

    def work(context):
        for progress in (
            Progress("counting", 0, 0),
            Progress("indexing names", 0, 10),
            Progress("indexing names", 10, 10),
            Progress("indexing relations", 5, 10),
        ):
            context.update_progress(progress)
            seen.append(states(job, api))

    job_runs.run(job.pk, work)
    assert seen == [
        (["running", "waiting", "waiting", "waiting"], 0.0),
        (["done", "running", "waiting", "waiting"], 0.05),
        (["done", "running", "waiting", "waiting"], 0.5),
        (["done", "done", "skipped", "running"], 0.925),
    ]
    assert states(job, api) == (["done", "done", "skipped", "done"], 1.0)


def test_neither_stages_nor_the_whole_go_back(job, api):
    seen = []

    def work(context):
        for stage, done in (("indexing passages", 10), ("indexing names", 1), ("what nobody foresaw", 3)):
            context.update_progress(Progress(stage, done, 10))
            seen.append(states(job, api))

    job_runs.run(job.pk, work)
    assert seen == [(["skipped", "skipped", "running", "waiting"], 0.85)] * 3


def test_it_shows_where_it_failed_and_begins_anew_when_tried_again(job, api):
    def work(context):
        context.update_progress(Progress("indexing names", 5, 10))
        raise ClewError("No.")

    job_runs.run(job.pk, work)
    assert states(job, api) == (["skipped", "failed", "waiting", "waiting"], 0.275)
    job.refresh_from_db()
    services.retry(job=job)
    assert states(job, api) == (["waiting"] * 4, 0.0)


def test_it_shows_where_it_was_stopped(job, api):
    def work(context):
        context.update_progress(Progress("counting", 0, 0))
        job.refresh_from_db()
        services.cancel_job(job=job)
        while True:
            context.check()

    job_runs.run(job.pk, work)
    assert states(job, api) == (["stopped", "waiting", "waiting", "waiting"], 0.0)
