"""Slow, greedy and malformed clients against the web server as ``manage.py up`` starts it."""

from __future__ import annotations

import contextlib
import resource
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from websockets.exceptions import ConnectionClosed

from tests.support.raw_clients import count_open, read_status, read_to_end
from tests.support.servers import WebServer

HALF = b"GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-Half: "
WHOLE = b"GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n"
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
    with WebServer(tmp_path_factory.mktemp("web"), limits) as running:
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
    client = socket.socket()
    server.clients.enter_context(client)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", server.port))
    client.settimeout(0.5)
    with contextlib.suppress(TimeoutError, ConnectionError):
        while True:
            client.sendall(WHOLE)
    wait_for(lambda: not server.count_connections())


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


def test_a_killed_server_leaves_no_group_behind(users, redis, tmp_path):
    with WebServer(tmp_path, {}) as server:
        ping(server.open_socket(server.token("viewer")))
        server.process.kill()
        server.process.wait(10)
    wait_for(lambda: redis.pubsub_channels("*") == [])
    assert [key for key in redis.keys("*") if "live" in key] == []


# --- requests -----------------------------------------------------------------------------------------


def test_a_client_with_many_requests_does_not_keep_others_waiting(server):
    token = server.token("viewer")
    header = {"Authorization": f"Bearer {token}"}

    def ask(_):
        return requests.get(f"{server.url}/api/v1/runs", headers=header, timeout=60).status_code

    with ThreadPoolExecutor(40) as pool:
        codes = list(pool.map(ask, range(200)))
    assert set(codes) == {200}


def test_the_limit_of_descriptors_is_raised():
    from webapp.project.connections import max_connections

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert max_connections() <= soft
