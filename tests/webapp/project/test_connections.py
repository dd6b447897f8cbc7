"""Slow, greedy and malformed clients against the web server as ``manage.py up`` starts it."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import time

import pytest
import requests
from django.db import connection, transaction
from websockets.exceptions import ConnectionClosed

from tests.support.raw_clients import count_open, read_status, read_to_end
from tests.support.servers import WebServer

HALF = b"GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-Half: "
WHOLE = b"GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 32 * 1024**2
UPGRADE = (
    b"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@pytest.fixture(scope="module")
def web(django_db_setup, tmp_path_factory):
    """A web server with short time-outs and low limits on the test database."""
    limits = {
        "HEAD_S": 1.0,
        "UNREAD_S": 1.0,
        "BODY_QUIET_S": 1.0,
        "WAITING_PER_ADDRESS": 20,
        "SOCKETS_OF_PERSON": 3,
        "SOCKETS_OF_ADDRESS": 5,
    }
    folder = tmp_path_factory.mktemp("web")
    static = folder / "static"
    static.mkdir()
    (static / "large.bin").write_bytes(bytes(LARGE))
    with WebServer(folder, {**limits, "WHITENOISE_ROOT": str(static)}) as running:
        yield running


@pytest.fixture
def server(web, users):
    """The server, with people; their sockets are closed afterwards."""
    yield web
    web.clients.close()
    wait_for(lambda: not web.count_connections())


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_a_half_sent_head_is_answered_and_closed(server):
    began = time.monotonic()
    for part in (HALF, HALF[:3], WHOLE[:-2]):
        assert read_to_end(server.connect(part)).startswith(b"HTTP/1.1 408 "), part
    assert read_to_end(server.connect()) == b"", "who asked for nothing gets no answer"
    assert time.monotonic() - began < 20


def test_a_head_that_drips_is_closed_too(server):
    client = server.connect(HALF)
    client.settimeout(0.2)
    for _ in range(100):
        try:
            client.sendall(b"x")
            answer = client.recv(100)
        except TimeoutError:
            continue
        break
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_the_second_request_of_a_connection_has_the_same_limit(server):
    client = server.connect(WHOLE)
    while b'"csrf"' not in (piece := client.recv(65536)):
        assert piece
    client.sendall(HALF)
    assert read_to_end(client, 10).endswith(b"Request Timeout")


def test_many_half_sent_requests_keep_nobody_out(server):
    crowd = [server.connect(HALF) for _ in range(100)]
    wait_for(lambda: count_open(crowd) <= 20)
    assert requests.get(f"{server.url}/api/v1/session", timeout=10).status_code == 200
    wait_for(lambda: count_open(crowd) == 0)


def test_half_sent_bodies_keep_nobody_out(server):
    head = b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    crowd = [server.connect(head + b"Content-Length: 90\r\n\r\n{") for _ in range(100)]
    wait_for(lambda: count_open(crowd) <= 20)
    assert requests.get(f"{server.url}/api/v1/session", timeout=10).status_code == 200
    wait_for(lambda: count_open(crowd) == 0)


@pytest.mark.slow
def test_a_slow_body_goes_on_as_long_as_bytes_arrive(server):
    body = b'{"username": "viewer", "password": "wrong"}'
    head = f"POST /api/v1/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    client = server.connect(head.encode() + b"Content-Type: application/json\r\n\r\n")
    for start in range(0, len(body), 5):
        client.sendall(body[start : start + 5])
        time.sleep(0.3)
    assert read_status(client) == 401


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /api/v1/session?q=" + b"x" * 40_000 + b" HTTP/1.1\r\n", 414),
        (b"GET /api/v1/session HTTP/1.1\r\nX-Long: " + b"x" * 80_000 + b"\r\n", 431),
        (b"GET /api/v1/session HTTP/1.1\r\n" + b"".join(b"X-%d: x\r\n" % n for n in range(20_000)), 431),
        (b"no HTTP at all\r\n", 400),
        (b"GET /ws/jobs?q=" + b"x" * 9000 + b" HTTP/1.1\r\n" + UPGRADE, 414),
        (b"GET /ws/jobs?q=" + b"x" * 50_000 + b" HTTP/1.1\r\n" + UPGRADE, 414),
        (b"GET /ws/jobs HTTP/1.1\r\nX-Long: " + b"x" * 9000 + b"\r\n" + UPGRADE, 431),
        (b"GET /ws/jobs HTTP/1.1\r\n" + b"".join(b"X-%d: x\r\n" % n for n in range(200)) + UPGRADE, 431),
    ],
)
def test_heads_that_are_too_long_or_no_http_are_answered(server, request_line, status):
    assert read_status(server.connect(request_line + b"\r\n")) == status


def test_an_address_of_thirty_thousand_characters_is_served(server):
    assert requests.get(f"{server.url}/api/v1/session?q={'x' * 30_000}", timeout=10).status_code == 200


def test_a_client_that_does_not_read_is_dropped(server):
    client = server.connect(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_for(server.count_connections)
    wait_for(lambda: not server.count_connections())
    assert len(read_to_end(client)) < LARGE


def test_a_client_that_reads_slowly_is_not(server):
    client = server.connect(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    client.settimeout(30)
    size = 0
    while piece := client.recv(2**20):
        size += len(piece)
        time.sleep(0.05)
    assert size > LARGE


# --- sockets ------------------------------------------------------------------------------------------


def close_code(socket_):
    try:
        while True:
            socket_.recv(timeout=10)
    except ConnectionClosed as closed:
        return closed.rcvd.code


def ping(socket_):
    socket_.send('{"type": "ping"}')
    while '"pong"' not in socket_.recv(timeout=10):
        pass


def test_sockets_of_a_person_are_limited_and_given_back(server):
    viewer = server.token("viewer")
    opened = [server.open_socket(viewer) for _ in range(3)]
    for each in opened:
        ping(each)
    assert close_code(server.open_socket(viewer)) == 4429
    ping(server.open_socket(server.token("analyst")))  # others are not concerned
    opened.pop().close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        again = server.open_socket(viewer)
        try:
            ping(again)
            break
        except ConnectionClosed:
            time.sleep(0.1)
    ping(again)


def test_sockets_of_an_address_are_limited(server):
    for role in ("viewer", "analyst"):
        for _ in range(3 if role == "viewer" else 2):
            ping(server.open_socket(server.token(role)))
    assert close_code(server.open_socket(server.token("admin"))) == 4429


def test_no_socket_leaves_anything_in_redis(server, redis):
    before = set(redis.keys("*"))
    viewer = server.token("viewer")
    opened = [server.open_socket(viewer) for _ in range(3)]
    for each in opened:
        ping(each)
    assert redis.pubsub_channels("*person*") != []
    opened[0].close()
    opened[1].socket.close()  # without a word
    opened[2].socket.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: redis.pubsub_channels("*person*") == [])
    left = {key for key in set(redis.keys("*")) - before if "live" in key}
    assert left == set()


@pytest.mark.slow
def test_a_killed_server_leaves_no_group_behind(users, redis, tmp_path):
    with WebServer(tmp_path, {}) as server:
        ping(server.open_socket(server.token("viewer")))
        server.process.kill()
        server.process.wait(10)
    wait_for(lambda: redis.pubsub_channels("*") == [])
    assert [key for key in redis.keys("*") if "live" in key] == []


# --- requests -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def tokens_locked():
    """Keep every request that looks a token up waiting for the database."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE accounts_apitoken IN ACCESS EXCLUSIVE MODE")
        yield


def send(server, token, count, address="127.0.0.1"):
    """Send requests at once, each over a connection of its own, so that each has reached the server."""
    head = f"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
    return [server.connect(head.encode(), address=address) for _ in range(count)]


def answered(clients, seconds=1.0):
    """Return those to which something was sent by now."""
    time.sleep(seconds)
    return select.select(clients, [], [], 0)[0]


@pytest.fixture
def narrow(users, tmp_path):
    """A server that works on two requests of a client at once, on four of an address, and on eight in all."""
    lanes = {"REQUESTS_OF_CLIENT": (2, 3), "REQUESTS_OF_ADDRESS": (4, 6), "REQUESTS": (8, 20)}
    with WebServer(tmp_path, lanes) as server:
        yield server


@pytest.mark.slow
def test_requests_of_one_client_wait_for_their_turn_and_no_others(narrow):
    token = narrow.token("viewer")
    with tokens_locked():
        sent = send(narrow, token, 7)
        wait_for(lambda: len(answered(sent)) == 2)
        refused = answered(sent)
        assert [read_status(client) for client in refused] == [503, 503]
        assert requests.get(f"{narrow.url}/api/v1/session", timeout=10).status_code == 200
    assert [read_status(client) for client in sent if client not in refused] == [200] * 5


@pytest.mark.slow
def test_made_up_credentials_share_the_lane_of_their_address(narrow):
    session = f"{narrow.url}/api/v1/session"
    with tokens_locked():
        sent = [client for n in range(12) for client in send(narrow, f"made-up-{n}", 1)]
        wait_for(lambda: len(answered(sent)) == 2)
        refused = answered(sent)
        answer = requests.get(session, timeout=10)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_busy")
        assert int(answer.headers["Retry-After"]) > 0
        assert requests.get(f"{narrow.url}/healthz", timeout=10).status_code == 200, "busy is not dead"
        elsewhere = narrow.connect(WHOLE, address="127.0.0.2")
        assert read_status(elsewhere) == 200
    assert [read_status(client) for client in sent if client not in refused] == [401] * 10
    assert requests.get(session, timeout=10).status_code == 200


@pytest.mark.slow
def test_the_limit_of_descriptors_is_raised():
    code = (
        "import django; django.setup(); import resource as r; from webapp.project import connections as c; "
        "print(r.getrlimit(r.RLIMIT_NOFILE)[0]); c.raise_descriptor_limit(); "
        "print(r.getrlimit(r.RLIMIT_NOFILE)[0], c.compute_max_connections())"
    )
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.project.settings"}
    words = ["prlimit", "--nofile=300:4000", sys.executable, "-c", code]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["300", "4000", "3744"]


@pytest.mark.slow
def test_with_few_descriptors_half_sent_requests_keep_nobody_out(users, tmp_path):
    with WebServer(tmp_path, {}, files=512) as server:
        crowd = [server.connect(HALF, address=f"127.0.0.{n % 15 + 2}") for n in range(1500)]
        answers = [requests.get(f"{server.url}/api/v1/session", timeout=10).status_code for _ in range(5)]
        assert answers == [200] * 5
        wait_for(lambda: count_open(crowd) <= 128)
        assert server.log.read_text().count("Too many open files") == 0


@pytest.mark.slow
def test_sockets_and_half_sent_requests_leave_room_for_requests(users, tmp_path):
    with WebServer(tmp_path, {"SOCKETS_OF_PERSON": 1000, "SOCKETS_OF_ADDRESS": 100}, files=512) as server:
        head = (
            b"GET /ws/jobs HTTP/1.1\r\n" + UPGRADE + f"Authorization: Bearer {server.token('viewer')}\r\n\r\n".encode()
        )
        sockets = [server.connect(head) for _ in range(150)]
        wait_for(lambda: count_open(sockets) == 100)
        crowd = [server.connect(HALF, address=f"127.0.0.{n % 15 + 2}") for n in range(1500)]
        assert requests.get(f"{server.url}/api/v1/session", timeout=10).status_code == 200
        wait_for(lambda: count_open(crowd) <= 128)
        assert count_open(sockets) == 100
