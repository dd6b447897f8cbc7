"""The run socket through the real ASGI application: replay, live, gaps, reconnecting, refusals."""

import asyncio
import threading
import time
import uuid

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from retrieval.events import AgentRewound, AnswerFinal, PathRetrieved, RunPaused, RunStarted
from retrieval.types import Usage
from tests.support.sockets import Socket
from webapp.accounts.models import User
from webapp.accounts.services import create_token
from webapp.answers import log, selectors, services, steering
from webapp.answers.announce import get_group_name
from webapp.answers.models import Run
from webapp.answers.publish import Publisher, publish
from webapp.graphs import announce
from webapp.jobs import heartbeats
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.project.asgi import application

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((), None, "", (), Usage(), 1.0)
RESTS = RunPaused(0, "Paused.")


@pytest.fixture(autouse=True)
def own_layer():
    """Each test has an event loop of its own, and a layer can receive on one loop only."""
    channel_layers.backends.clear()


def path(index):
    return PathRetrieved(index, (), 0.5, 1.0)


@pytest.fixture
def run(tiny_graph, users):
    """A run that a living worker has claimed."""
    services.create_run(graph=tiny_graph, ask=services.Ask("What borders Switzerland?"), user=users["viewer"])
    heartbeats.send_beat(heartbeats.ANSWERS, "w")
    return services.claim(worker="w")


@pytest.fixture
def cookie(users):
    client = Client()
    client.force_login(users["viewer"])
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def socket(target, cookie=None, *, origin="http://localhost", headers=()):
    sent = [*headers]
    if origin:
        sent.append((b"origin", origin.encode()))
    if cookie:
        sent.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()))
    return Socket(application, target, sent)


async def opened(target, cookie, **more):
    connection = socket(target, cookie, **more)
    assert await connection.connect()
    return connection


async def frames(connection, count):
    return [await connection.receive_json() for _ in range(count)]


async def close_code(connection):
    code = await connection.close_code()
    await connection.disconnect()
    return code


def url(run, after=None):
    return f"/ws/runs/{run.pk}" + ("" if after is None else f"?after={after}")


append = sync_to_async(log.append)
end = sync_to_async(services.close_run)


async def test_replay_then_live_then_closed(run, cookie):
    await append(run.pk, after=0, events=[STARTED, path(1)])
    connection = await opened(url(run), cookie)
    assert [(f["seq"], f["type"], f["run"]) for f in await frames(connection, 2)] == [
        (1, "run.started", str(run.pk)),
        (2, "path.retrieved", str(run.pk)),
    ]
    await sync_to_async(publish)(run.pk, after=2, events=[path(2)])
    assert [f["seq"] for f in await frames(connection, 1)] == [3]
    await end(run_id=run.pk, after=3, event=FINAL)
    assert [(f["seq"], f["type"]) for f in await frames(connection, 1)] == [(4, "answer.final")]
    assert await close_code(connection) == 1000


async def test_a_client_that_comes_back_gets_the_rest_and_nothing_twice(run, cookie):
    await append(run.pk, after=0, events=[STARTED, path(1), path(2)])
    first = await opened(url(run), cookie)
    seen = await frames(first, 2)
    await first.disconnect()
    await append(run.pk, after=3, events=[path(3)])
    second = await opened(url(run, after=seen[-1]["seq"]), cookie)
    assert [f["seq"] for f in await frames(second, 2)] == [3, 4]
    await end(run_id=run.pk, after=4, event=FINAL)
    assert [f["seq"] for f in await frames(second, 1)] == [5]
    assert await close_code(second) == 1000


async def test_replay_equals_the_live_stream(run, cookie):
    live = await opened(url(run), cookie)
    for seq, event in enumerate([STARTED, path(1), path(2)]):
        await sync_to_async(publish)(run.pk, after=seq, events=[event])
    await end(run_id=run.pk, after=3, event=FINAL)
    streamed = await frames(live, 4)
    replay = await opened(url(run), cookie)
    assert await frames(replay, 4) == streamed


async def test_a_lost_announcement_is_made_up_from_the_log(run, cookie):
    connection = await opened(url(run), cookie)
    await append(run.pk, after=0, events=[STARTED, path(1)])  # in the log, never announced
    await sync_to_async(publish)(run.pk, after=2, events=[path(2)])
    assert [f["seq"] for f in await frames(connection, 3)] == [1, 2, 3]
    assert await connection.receive_nothing()


async def test_even_a_lost_last_announcement_is_found(run, cookie):
    connection = await opened(url(run), cookie)
    await append(run.pk, after=0, events=[STARTED, FINAL])
    assert [f["seq"] for f in await frames(connection, 2)] == [1, 2]
    assert await close_code(connection) == 1000


@pytest.mark.slow
async def test_a_quiet_socket_stays_open(run, cookie):
    connection = await opened(url(run), cookie)
    jobs_connection = await opened("/ws/jobs", cookie)
    beating = asyncio.create_task(keep_alive())
    await asyncio.sleep(7)  # longer than any default patience with a silent Redis
    await sync_to_async(publish)(run.pk, after=0, events=[STARTED])
    assert [f["seq"] for f in await frames(connection, 1)] == [1]
    await asyncio.to_thread(announce.notify_graph, run.graph_id)
    assert await frames(jobs_connection, 1) == [{"type": "graph", "graph": run.graph_id}]
    beating.cancel()
    await jobs_connection.disconnect()


async def test_nothing_goes_on_for_a_client_that_left_while_it_was_told_something(run, cookie):
    def at_work():
        names = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}
        return {name for name in names if name.startswith(("Socket.", "RunsConsumer."))}

    left = asyncio.Event()

    async def through_a_broken_line(scope, receive, send):
        async def breaking(message):
            if message["type"] == "websocket.send" and left.is_set():
                raise OSError("the client is gone")
            await send(message)

        await application(scope, receive, breaking)

    headers = [
        (b"origin", b"http://localhost"),
        (b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()),
    ]
    connection = Socket(through_a_broken_line, url(run), headers)
    assert await connection.connect()
    while len(at_work()) < 2:  # it looks at the log, and whether the person may still watch
        await asyncio.sleep(0.01)
    left.set()
    with pytest.raises(OSError, match="gone"):
        await asyncio.gather(connection.wait(timeout=5), sync_to_async(publish)(run.pk, after=0, events=[STARTED]))
    await asyncio.sleep(0)
    assert not at_work()


async def keep_alive():
    while True:
        await sync_to_async(heartbeats.send_beat)(heartbeats.ANSWERS, "w")
        await asyncio.sleep(1)


async def test_doubled_and_late_announcements_are_dropped(run, cookie):
    connection = await opened(url(run), cookie)
    wire = await append(run.pk, after=0, events=[STARTED, path(1), path(2)])
    layer = channel_layers["default"]
    for events in ([wire[2]], [wire[0]], [wire[1], wire[2]], wire):
        await layer.group_send(get_group_name(run.pk), {"type": "run.events", "events": events})
    assert [f["seq"] for f in await frames(connection, 3)] == [1, 2, 3]
    assert await connection.receive_nothing()


async def test_events_that_come_together_are_sent_together_to_who_asks_for_it(run, cookie):
    await append(run.pk, after=0, events=[STARTED, path(1), path(2)])
    connection = await opened(url(run, after=1) + "&together=1", cookie)
    assert [[f["seq"] for f in frame] for frame in await frames(connection, 1)] == [[2, 3]]
    wire = await append(run.pk, after=3, events=[path(3), path(4), path(5)])
    for events in (wire[:2], wire, wire[1:]):
        await channel_layers["default"].group_send(get_group_name(run.pk), {"type": "run.events", "events": events})
    assert [[f["seq"] for f in frame] for frame in await frames(connection, 2)] == [[4, 5], [6]]
    await end(run_id=run.pk, after=6, event=FINAL)
    assert [[f["seq"] for f in frame] for frame in await frames(connection, 1)] == [[7]]
    assert await close_code(connection) == 1000


async def test_many_watchers_and_a_fast_writer_see_the_same_gapless_stream(run, cookie):
    early = [await opened(url(run), cookie) for _ in range(3)]

    def write():
        publisher = Publisher(run.pk)
        publisher.add(STARTED)
        for i in range(1, 300):
            publisher.add(path(i))
        after, unwritten = publisher.finish()
        services.close_run(run_id=run.pk, after=after, event=FINAL, unwritten=unwritten)

    writer = threading.Thread(target=write)
    writer.start()
    late = await opened(url(run, after=100), cookie)
    try:
        for connection, first in [*((c, 1) for c in early), (late, 101)]:
            got = await frames(connection, 302 - first)
            assert [f["seq"] for f in got] == list(range(first, 302))
            assert await close_code(connection) == 1000
    finally:
        await sync_to_async(writer.join)()


async def test_a_finished_run_is_replayed_and_closed(run, cookie):
    await end(run_id=run.pk, after=0, event=FINAL)
    connection = await opened(url(run), cookie)
    assert [f["type"] for f in await frames(connection, 1)] == ["answer.final"]
    assert await close_code(connection) == 1000
    again = await opened(url(run, after=1), cookie)
    assert await close_code(again) == 1000


async def test_a_paused_run_keeps_its_socket_and_goes_on_over_it(run, cookie):
    connection = await opened(url(run), cookie)
    await append(run.pk, after=0, events=[STARTED])
    await sync_to_async(steering.save_pause)(run_id=run.pk, after=1, event=RESTS)
    await sync_to_async(heartbeats.mark_left)(heartbeats.ANSWERS, "w")
    assert [f["type"] for f in await frames(connection, 2)] == ["run.started", "run.paused"]
    await asyncio.sleep(1.5)  # it is looked for runs without a worker in the meantime
    assert await connection.receive_nothing()
    await sync_to_async(Run.objects.filter(pk=run.pk).update)(state="running")
    await end(run_id=run.pk, after=2, event=FINAL)
    assert [f["type"] for f in await frames(connection, 1)] == ["answer.final"]
    assert await close_code(connection) == 1000


async def test_a_run_that_was_taken_up_is_streamed_past_its_first_end(run, cookie):
    await append(run.pk, after=0, events=[STARTED, FINAL, AgentRewound(0)])
    connection = await opened(url(run), cookie)
    assert [f["type"] for f in await frames(connection, 3)] == [
        "run.started",
        "answer.final",
        "agent.rewound",
    ]
    late = await opened(url(run, after=2), cookie)
    assert [f["seq"] for f in await frames(late, 1)] == [3]
    await end(run_id=run.pk, after=3, event=FINAL)
    for each in (connection, late):
        assert [f["seq"] for f in await frames(each, 1)] == [4]
        assert await close_code(each) == 1000


async def test_a_dead_worker_ends_the_stream(run, cookie):
    await append(run.pk, after=0, events=[STARTED])
    connection = await opened(url(run), cookie)
    await frames(connection, 1)
    await sync_to_async(heartbeats.mark_left)(heartbeats.ANSWERS, "w")
    assert [(f["type"], f["code"]) for f in await frames(connection, 1)] == [("run.failed", "worker_lost")]
    assert await close_code(connection) == 1000


@pytest.fixture
def compared(tiny_graph, users):
    """Two runs of one comparison, claimed by a living worker."""
    contenders = [services.Contender("rel-rag-path"), services.Contender("reg-triple")]
    ask = services.Ask("What borders Switzerland?")
    services.create_comparison(graph=tiny_graph, ask=ask, contenders=contenders, user=users["viewer"])
    heartbeats.send_beat(heartbeats.ANSWERS, "w")
    claimed = [services.claim(worker="w") for _ in contenders]
    return sorted(claimed, key=lambda run: run.pk)


def all_of(runs, afters):
    named = ",".join(f"{run.pk}:{after}" for run, after in zip(runs, afters, strict=True))
    return f"/ws/runs?after={named}&together=1"


async def test_one_socket_follows_several_runs_until_the_last_has_ended(compared, cookie):
    first, second = compared
    await append(first.pk, after=0, events=[STARTED, path(1)])
    await append(second.pk, after=0, events=[STARTED])
    connection = await opened(all_of(compared, (1, 0)), cookie)

    def seen(frame):
        return [(f["run"] == str(second.pk), f["seq"]) for f in frame]

    assert [seen(f) for f in await frames(connection, 1)] == [[(False, 2), (True, 1)]]
    await sync_to_async(publish)(second.pk, after=1, events=[path(1), path(2)])
    assert [seen(f) for f in await frames(connection, 1)] == [[(True, 2), (True, 3)]]
    await end(run_id=first.pk, after=2, event=FINAL)
    assert [seen(f) for f in await frames(connection, 1)] == [[(False, 3)]]
    await append(second.pk, after=3, events=[path(3)])  # never announced
    await end(run_id=second.pk, after=4, event=FINAL)
    assert [seen(f) for f in await frames(connection, 1)] == [[(True, 4), (True, 5)]]
    assert await close_code(connection) == 1000
    again = await opened(all_of(compared, (3, 5)), cookie)
    assert await close_code(again) == 1000


async def test_a_dead_worker_ends_each_of_several_runs(compared, cookie):
    for run in compared:
        await append(run.pk, after=0, events=[STARTED])
    connection = await opened(all_of(compared, (1, 1)), cookie)
    await sync_to_async(heartbeats.mark_left)(heartbeats.ANSWERS, "w")
    [frame] = await frames(connection, 1)
    assert [(e["run"], e["code"]) for e in frame] == [(str(run.pk), "worker_lost") for run in compared]
    assert await close_code(connection) == 1000


async def test_of_several_runs_each_must_be_there_and_be_named_whole(compared, cookie):
    first, second = compared
    await end(run_id=first.pk, after=0, event=FINAL)
    await sync_to_async(Run.objects.filter(pk=second.pk).delete)()
    assert await close_code(await opened(all_of(compared, (0, 0)), cookie)) == 4404
    for after in ("", str(first.pk), f"{first.pk}:x", f"{first.pk}:0,", "x:0", f"{first.pk}:-1"):
        assert await close_code(await opened(f"/ws/runs?after={after}", cookie)) == 4400
    many = ",".join(f"{uuid.uuid4()}:0" for _ in range(21))
    assert await close_code(await opened(f"/ws/runs?after={many}", cookie)) == 4400


@pytest.mark.parametrize("after", ["x", "-1", "1.5", "", "9" * 20, "٣"])
async def test_after_must_be_a_number(run, cookie, after):
    assert await close_code(await opened(url(run, after=after), cookie)) == 4400


async def test_nobody_and_nothing(run, cookie):
    assert await close_code(await opened(url(run), None)) == 4401
    assert await close_code(await opened("/ws/jobs", None)) == 4401
    assert await close_code(await opened(f"/ws/runs/{uuid.uuid4()}", cookie)) == 4404
    assert await close_code(await opened("/ws/runs/no-uuid", cookie)) == 4404
    assert await close_code(await opened("/ws/other", cookie)) == 4404


async def test_a_page_of_another_site_is_refused(run, cookie):
    connection = socket(url(run), cookie, origin="https://evil.example")
    assert not await connection.connect()


async def test_a_script_may_use_its_token(run, users):
    token = await sync_to_async(create_token)(user=users["viewer"])
    await end(run_id=run.pk, after=0, event=FINAL)
    header = (b"authorization", f"Bearer {token}".encode())
    connection = await opened(url(run), None, origin=None, headers=[header])
    assert [f["type"] for f in await frames(connection, 1)] == ["answer.final"]
    wrong = await opened(url(run), None, origin=None, headers=[(b"authorization", b"Bearer nonsense")])
    assert await close_code(wrong) == 4401


async def test_a_disabled_user_sees_nothing(run, cookie):
    await sync_to_async(User.objects.filter(username="viewer").update)(is_active=False)
    assert await close_code(await opened(url(run), cookie)) == 4401


async def test_ping_is_answered_and_nonsense_ignored(run, cookie):
    connection = await opened(url(run), cookie)
    for nonsense in ("", "{", "[1]", "null", '{"type": "drop"}', "[" * 100_000):
        await connection.send_text(nonsense)
    await connection.send_bytes(b"\xff")
    await connection.send_text('{"type": "ping"}')
    assert await frames(connection, 1) == [{"type": "pong"}]
    await connection.disconnect()


async def test_jobs_socket_shows_active_jobs_then_changes(tiny_graph, users, cookie):
    make = sync_to_async(jobs.create)
    first = await make(kind=JobKind.INDEX, title="First", graph=tiny_graph, user=None)
    connection = await opened("/ws/jobs", cookie)
    frame = (await frames(connection, 1))[0]
    assert (frame["type"], frame["job"]["id"], frame["job"]["state"]) == ("job", first.pk, "queued")
    await sync_to_async(jobs.claim)(job_id=first.pk, worker="w")
    frame = (await frames(connection, 1))[0]
    assert (frame["job"]["id"], frame["job"]["state"]) == (first.pk, "running")
    await asyncio.to_thread(announce.notify_graph, tiny_graph.pk)
    assert await frames(connection, 1) == [{"type": "graph", "graph": tiny_graph.pk}]
    await connection.disconnect()


def test_a_broken_log_stops_the_writer(run):
    publisher = Publisher(run.pk)
    Run.objects.all().delete()
    publisher.add(STARTED)
    from django.db import IntegrityError

    time.sleep(0.2)  # longer than events gather
    with pytest.raises(IntegrityError):
        publisher.finish()


def test_events_that_gathered_are_written_with_the_end(run):
    now = timezone.now()
    with CaptureQueriesContext(connection) as queries:
        services.close_run(
            run_id=run.pk, after=0, event=FINAL, unwritten=[(STARTED, now), (path(1), now), (path(2), now)]
        )
    written = [query["sql"].split()[0] for query in queries]
    assert [word for word in written if word not in ("BEGIN", "COMMIT")] == [
        "UPDATE",
        "INSERT",
        "SELECT",
    ]  # of webhooks
    log = selectors.load_events(run.pk)
    assert [(event["seq"], event["type"]) for event in log] == [
        (1, "run.started"),
        (2, "path.retrieved"),
        (3, "path.retrieved"),
        (4, "answer.final"),
    ]


def test_the_log_refuses_a_second_writer(run):
    from django.db import IntegrityError

    log.append(run.pk, after=0, events=[STARTED, path(1)])
    with pytest.raises(IntegrityError):
        log.append(run.pk, after=1, events=[path(1)])
    assert log.get_last_seq(run.pk) == 2


def test_what_is_written_while_the_log_is_read_is_still_to_come(run):
    written = []

    def write_behind(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if not written:
            written.append(True)
            log.append(run.pk, after=0, events=[STARTED, FINAL])
        return result

    with connection.execute_wrapper(write_behind):
        rest = selectors.load_rest({run.pk: 0})[run.pk]
    assert (rest.exists, rest.events, rest.ended) == (True, [], False)
    rest = selectors.load_rest({run.pk: 0})[run.pk]
    assert ([event["seq"] for event in rest.events], rest.ended) == ([1, 2], True)
    assert selectors.load_rest({run.pk: 2})[run.pk].ended


def test_a_run_ends_once(run):
    services.close_run(run_id=run.pk, after=0, event=FINAL)
    services.close_run(run_id=run.pk, after=1, event=FINAL)
    assert log.get_last_seq(run.pk) == 1
