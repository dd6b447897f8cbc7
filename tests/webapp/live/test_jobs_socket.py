"""The socket of jobs: what it tells is never older than what it told, and the end of a job comes in any case."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.conf import settings
from django.test import Client

from retrieval.errors import ClewError
from retrieval.types import Progress
from tests.support.sockets import Socket
from webapp.graphs import consumers
from webapp.graphs import services as graphs
from webapp.jobs import services as jobs
from webapp.jobs.announce import JOBS
from webapp.jobs.models import Job, JobKind
from webapp.jobs.serializers import render_job
from webapp.live import channels
from webapp.project.asgi import application

BROKE = ClewError("The address answers 404.", hint="Look whether it is right.")


@pytest.fixture(autouse=True)
def own_layer():
    """Each test has an event loop of its own, and a layer can receive on one loop only."""
    channel_layers.backends.clear()


@pytest.fixture
def seldom(monkeypatch):
    """The jobs are not looked at again while a test lasts: what is told was announced."""
    monkeypatch.setattr(consumers, "LOOK_AGAIN_S", 60.0)


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN_S", 0.1)


@pytest.fixture
def deaf(monkeypatch):
    """Nothing that is announced arrives."""
    monkeypatch.setattr(channels, "send", lambda group, message: None)


@pytest.fixture
def cookie(users):
    client = Client()
    client.force_login(users["viewer"])
    return client.cookies[settings.SESSION_COOKIE_NAME].value


async def opened(cookie):
    sent = [
        (b"origin", b"http://localhost"),
        (b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()),
    ]
    connection = Socket(application, "/ws/jobs", sent)
    assert await connection.connect()
    return connection


async def settled(connection):
    """Once it has begun: what came by then was of what was there before."""
    await connection.send_text('{"type": "ping"}')
    found = []
    while (frame := await connection.receive_json())["type"] != "pong":
        found.append(frame["job"]["state"])
    return found


async def states(connection, count):
    found = [(await connection.receive_json())["job"] for _ in range(count)]
    return [(job["state"], job["stage"]) for job in found]


def create(graph):
    return jobs.create(kind=JobKind.IMPORT, title="Import Lakes", graph=graph, user=None)


def work_that_fails_at_once(graph):
    job = create(graph)
    jobs.claim(job_id=job.pk, worker="w")
    jobs.save_progress(job_id=job.pk, progress=Progress("fetching", 0, 1), rate=None)
    jobs.fail(job_id=job.pk, error=BROKE)
    return job


async def test_what_fails_at_once_is_told_in_order(tiny_graph, cookie, seldom):
    connection = await opened(cookie)
    await settled(connection)
    for _ in range(10):
        await asyncio.to_thread(work_that_fails_at_once, tiny_graph)
        assert await states(connection, 4) == [
            ("queued", ""),
            ("running", "starting"),
            ("running", "fetching"),
            ("failed", "fetching"),
        ]
    await connection.disconnect()


async def test_what_another_process_tells_late_is_not_told(tiny_graph, cookie, seldom):
    connection = await opened(cookie)
    await settled(connection)
    job = await sync_to_async(create)(tiny_graph)
    queued = await sync_to_async(render_job)(job)
    await sync_to_async(jobs.fail)(job_id=job.pk, error=BROKE)
    assert [state for state, _ in await states(connection, 2)] == ["queued", "failed"]
    channels.send(JOBS, {"type": "jobs.frame", "frame": {"type": "job", "job": queued}})
    assert await connection.receive_nothing(0.5)
    await connection.disconnect()


async def test_an_end_whose_announcement_is_lost_is_told(tiny_graph, cookie, often, deaf):
    connection = await opened(cookie)
    job = await sync_to_async(create)(tiny_graph)
    assert [state for state, _ in await states(connection, 1)] == ["queued"]
    await sync_to_async(jobs.fail)(job_id=job.pk, error=BROKE)
    assert [state for state, _ in await states(connection, 1)] == ["failed"]
    assert await connection.receive_nothing(0.5), "once"
    await connection.disconnect()


async def test_what_ended_before_anybody_listened_is_told(tiny_graph, cookie, seldom, deaf):
    # A page may have read the jobs before that, and its socket may listen only after it.
    await sync_to_async(work_that_fails_at_once)(tiny_graph)
    connection = await opened(cookie)
    assert [state for state, _ in await states(connection, 1)] == ["failed"]
    await connection.disconnect()


async def test_what_ended_long_ago_is_not_told(tiny_graph, cookie, often):
    job = await sync_to_async(work_that_fails_at_once)(tiny_graph)
    await Job.objects.filter(pk=job.pk).aupdate(finished_at="2026-01-05T12:00:00Z")
    connection = await opened(cookie)
    assert await settled(connection) == []
    assert await connection.receive_nothing(0.3)
    await connection.disconnect()


async def test_a_graph_that_one_may_see_now_is_told_though_it_was_not_seen_just_before(tiny_graph, cookie, seldom):
    share = sync_to_async(graphs.set_access)
    await share(graph=tiny_graph, visibility="private", groups=[])
    connection = await opened(cookie)
    await settled(connection)
    job = await sync_to_async(create)(tiny_graph)  # not seen, and that was looked up
    assert await connection.receive_nothing(0.3)
    await share(graph=tiny_graph, visibility="public", groups=[])
    assert await connection.receive_json() == {"type": "graph", "graph": tiny_graph.pk}
    await sync_to_async(jobs.fail)(job_id=job.pk, error=BROKE)
    assert [state for state, _ in await states(connection, 1)] == ["failed"]
    await connection.disconnect()
