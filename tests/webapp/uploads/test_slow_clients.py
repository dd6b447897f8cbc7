"""Clients and hosts that are slow, and bodies that are too large or too deep: they cost nobody else anything."""

import asyncio
import json
import socket
import tempfile
import threading
import time
from dataclasses import replace

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings as configured
from django.db import connection
from rest_framework.test import APIClient

from tests.webapp.uploads.test_uploads import FACTS, begin, code
from webapp.accounts.services import create_token
from webapp.api.parsers import DEPTH_MAX
from webapp.project.asgi import application

MB = 1024**2


def request(method, path, *, token=None, cookie=None, kind=b"application/json", **headers):
    """A request as the server hands it to the application."""
    sent = [(b"host", b"localhost"), (b"content-type", kind)]
    sent += [(b"authorization", f"Bearer {token}".encode())] if token else []
    sent += [(b"cookie", cookie.encode())] if cookie else []
    sent += [(name.replace("_", "-").encode(), str(value).encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": sent,
        "http_version": "1.1",
        "scheme": "http",
        "server": ("localhost", 8000),
        "client": ("127.0.0.1", 1),
    }
    return ApplicationCommunicator(application, scope)


async def apart(work, *args, **named):
    """Do it in a thread, which gives its connection to the database back."""

    def done():
        try:
            return work(*args, **named)
        finally:
            connection.close()

    return await asyncio.to_thread(done)


async def answered(browser, seconds=20):
    """The status and the error's code of the answer."""
    start = await browser.receive_output(seconds)
    body = await browser.receive_output(seconds)
    found = json.loads(body["body"] or b"{}")
    return start["status"], found.get("error", {}).get("code") if isinstance(found, dict) else None


async def pour(browser, pieces, size=MB // 4):
    """Send so many pieces of a body, and not its end."""
    for _ in range(pieces):
        await browser.send_input({"type": "http.request", "body": b" " * size, "more_body": True})


# --- bodies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/token", "/api/v1/graphs", "/"])
@pytest.mark.parametrize("kind", [b"application/json", b"multipart/form-data; boundary=x"])
async def test_nobody_sends_more_than_a_megabyte_without_signing_in(stored, monkeypatch, path, kind):
    monkeypatch.setattr(tempfile.SpooledTemporaryFile, "rollover", _never)
    told = request("POST", path, kind=kind, content_length=300 * MB)
    assert await answered(told) == (413, "too_large"), "before any of it came"
    await told.wait()
    untold = request("POST", path, kind=kind)
    await pour(untold, 5)
    assert await answered(untold) == (413, "too_large"), "no length is named, and it is refused all the same"
    await untold.wait()


def _never(*_):
    raise AssertionError("it was written to the disk")


@pytest.mark.parametrize(
    ("role", "kind", "status"),
    [
        ("analyst", b"multipart/form-data; boundary=x", None),
        ("analyst", b"application/json", 413),
        ("viewer", b"multipart/form-data; boundary=x", 413),
    ],
)
async def test_files_are_for_who_may_upload_some(users, role, kind, status):
    token = await apart(create_token, user=users[role])
    browser = request("POST", "/api/v1/question-sets", token=token, kind=kind, content_length=50 * MB)
    if status is None:
        await pour(browser, 12)
        assert await browser.receive_nothing(1), "three megabytes are taken"
        await browser.send_input({"type": "http.disconnect"})
    else:
        assert await answered(browser) == (status, "too_large")
    await browser.wait(20)


async def test_a_session_counts_as_well_as_a_token(api):
    client = await apart(api, "analyst")
    cookie = f"{configured.SESSION_COOKIE_NAME}={client.cookies[configured.SESSION_COOKIE_NAME].value}"
    for given, taken in ((cookie, True), (cookie[:-3] + "xyz", False), ("clew; = \x01,", False)):
        kind = b"multipart/form-data; boundary=x"
        browser = request("POST", "/api/v1/question-sets", cookie=given, kind=kind)
        await pour(browser, 12)
        if taken:
            assert await browser.receive_nothing(1), given
            await browser.send_input({"type": "http.disconnect"})
        else:
            assert await answered(browser) == (413, "too_large"), given
        await browser.wait(20)


DEEP = ["[" * 100_000, "[" * 900 + "]" * 900, '{"a":' * 100_000, '{"a":' * 900 + "1" + "}" * 900]


@pytest.mark.parametrize("deep", DEEP, ids=["lists", "whole lists", "objects", "whole objects"])
def test_json_that_is_too_deep_is_refused(api, deep):
    for client, path in ((APIClient(), "token"), (api("viewer"), "runs"), (api("analyst"), "reports")):
        answer = client.post(f"/api/v1/{path}", deep, content_type="application/json")
        assert code(answer) == (400, "bad_request"), path


def test_json_that_is_deep_is_read(api, tiny_graph):
    deep = "[" * (DEPTH_MAX - 1) + "]" * (DEPTH_MAX - 1)
    answer = api("viewer").post("/api/v1/runs", f'{{"graph": {deep}}}', content_type="application/json")
    assert answer.json()["error"]["fields"]["graph"] == ["A valid integer is required."]


# --- slow clients -------------------------------------------------------------------------------------


async def test_a_body_that_comes_too_slowly_is_given_up(stored, settings):
    settings.BODY_QUIET_S = 0.3
    browser = request("POST", "/api/v1/session")
    await browser.send_input({"type": "http.request", "body": b"{", "more_body": True})
    assert await answered(browser) == (408, "too_slow")
    await browser.wait()
    settings.BODY_QUIET_S, settings.BODY_PATIENCE_S = 20.0, 0.3
    browser = request("POST", "/api/v1/session")
    for _ in range(10):
        await browser.send_input({"type": "http.request", "body": b" ", "more_body": True})
        await asyncio.sleep(0.1)
    assert await answered(browser) == (408, "too_slow")
    await browser.wait()


def uploading(client, token, length=len(FACTS)):
    url = begin(client, length=length)["Location"]
    more = {"tus_resumable": "1.0.0", "upload_offset": 0, "content_length": length}
    kind = b"application/offset+octet-stream"
    return request("PATCH", url, token=token, kind=kind, **more)


async def drip(browser, until):
    """Send a byte now and then."""
    while not until.is_set() and browser.output_queue.empty():
        await browser.send_input({"type": "http.request", "body": b"x", "more_body": True})
        await asyncio.sleep(0.2)


@pytest.mark.slow
async def test_slow_uploads_hold_no_connection_and_are_limited(users, api, settings):
    """The pool has 20 connections: were each upload to hold one, nobody else would get any."""
    from django.contrib.auth import get_user_model

    create = get_user_model().objects.create
    people = [await apart(create, username=f"slow{i}", role="analyst") for i in range(4)]
    sending, stop = [], asyncio.Event()
    for person in people:
        client = APIClient()
        await apart(client.force_login, person)
        token = await apart(create_token, user=person)
        for _ in range(settings.UPLOADS_AT_ONCE):
            sending.append(await apart(uploading, client, token, 10**6))
    drops = [asyncio.create_task(drip(browser, stop)) for browser in sending]
    await asyncio.sleep(2)
    assert len(sending) == 32
    began = time.monotonic()
    reader = await apart(create_token, user=users["viewer"])
    browser = request("GET", "/api/v1/runs", token=reader)
    await browser.send_input({"type": "http.request", "body": b"", "more_body": False})
    assert await answered(browser) == (200, None)
    assert time.monotonic() - began < 8, "it waited for no connection"
    one_more = await apart(uploading, client, token)
    assert await answered(one_more) == (429, "too_many_uploads")
    stop.set()
    await asyncio.gather(*drops)
    for browser in sending:
        await browser.send_input({"type": "http.disconnect"})
    assert {(await browser.receive_output(20))["status"] for browser in sending} == {204}
    again = await apart(uploading, client, token)
    await again.send_input({"type": "http.request", "body": FACTS, "more_body": False})
    assert (await again.receive_output(20))["status"] == 204, "there is room again"
    for browser in [*sending, one_more, again]:
        await browser.wait(20)


async def test_an_upload_that_drips_is_cut_and_keeps_what_came(api, users, settings):
    settings.BODY_PATIENCE_S = 0.5
    client = await apart(api, "analyst")
    token = await apart(create_token, user=users["analyst"])
    browser = await apart(uploading, client, token)
    await drip(browser, asyncio.Event())
    start = await browser.receive_output(10)
    assert (start["status"], int(dict(start["headers"])[b"Upload-Offset"]) >= 2) == (204, True)
    await browser.wait(20)


def test_nobody_begins_uploads_without_end(api, settings):
    settings.UPLOADS_KEPT = 2
    for _ in range(2):
        assert begin(api("analyst")).status_code == 201
    assert code(begin(api("analyst"))) == (429, "too_many_uploads")
    assert begin(api("admin")).status_code == 201


# --- slow hosts ---------------------------------------------------------------------------------------


@pytest.fixture
def silent(settings):
    """A host that takes connections, and answers when told to."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    settings.CLEW = replace(settings.CLEW, import_hosts=(host,))
    speak, taken = threading.Event(), []

    def serve():
        while True:
            try:
                met, _ = listener.accept()
            except OSError:
                return
            taken.append(met)
            threading.Thread(target=tell, args=(met,), daemon=True).start()

    def tell(met):
        speak.wait(60)
        met.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\na\tr\tb\n")
        met.close()

    threading.Thread(target=serve, daemon=True).start()
    yield host, taken, speak
    speak.set()
    listener.close()


def test_previews_of_a_silent_host_hold_no_connection_and_are_limited(api, users, settings, silent):
    host, taken, speak = silent
    client, found = api("analyst"), []

    def look():
        body = {"sources": [f"http://{host}/facts.tsv"]}
        mine = APIClient()
        mine.force_login(users["analyst"])
        found.append(mine.post("/api/v1/uploads/preview", body, format="json"))
        connection.close()

    def held():
        stats = connection.pool.get_stats()
        return stats["pool_size"] - stats["pool_available"]

    before = held()

    threads = [threading.Thread(target=look) for _ in range(settings.SOURCES_AT_ONCE)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while len(taken) < len(threads) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(taken) == settings.SOURCES_AT_ONCE
    assert held() <= before
    refused = client.post("/api/v1/uploads/preview", {"sources": [f"http://{host}/facts.tsv"]}, format="json")
    assert code(refused) == (429, "too_many_uploads")
    speak.set()
    for thread in threads:
        thread.join(30)
    assert [answer.status_code for answer in found] == [200] * len(threads)
    assert found[0].json()[0]["rows"] == [["a", "r", "b"]]
