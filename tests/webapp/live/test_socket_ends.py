"""Sockets, tokens and keys do not outlive what they were given for."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.conf import settings as configured
from django.contrib.auth.models import Group
from rest_framework.test import APIClient

from tests.conftest import PASSWORD
from tests.support.sockets import Socket
from webapp.accounts.models import ApiToken
from webapp.accounts.services import create_token
from webapp.answers import services as answers
from webapp.graphs import announce
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph
from webapp.live import consumers
from webapp.project.asgi import application

URL = "/api/v1"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Checks that need not be waited for."""
    channel_layers.backends.clear()
    monkeypatch.setattr(consumers, "CHECK_EVERY_S", 0.2)
    monkeypatch.setattr("webapp.graphs.consumers.SEEN_FOR_S", 0.0)


def _cookie(user):
    client = APIClient()
    client.force_login(user)
    return client, f"{configured.SESSION_COOKIE_NAME}={client.cookies[configured.SESSION_COOKIE_NAME].value}"


async def by_session(user):
    client, cookie = await sync_to_async(_cookie)(user)
    return client, [(b"origin", b"http://localhost"), (b"cookie", cookie.encode())]


async def by_token(user):
    token = await sync_to_async(create_token)(user=user)
    return [(b"authorization", f"Bearer {token}".encode())]


async def opened(headers, address="/ws/jobs"):
    connection = Socket(application, address, headers)
    assert await connection.connect()
    await connection.send_text('{"type": "ping"}')
    while (await connection.receive_json())["type"] != "pong":
        pass
    return connection


async def test_a_socket_ends_with_its_token(users):
    connection = await opened(await by_token(users["viewer"]))
    await ApiToken.objects.all().adelete()
    assert await connection.close_code() == 1012
    await connection.disconnect()


async def test_a_socket_ends_with_its_session(users):
    client, headers = await by_session(users["viewer"])
    connection = await opened(headers)
    other = await opened((await by_session(users["viewer"]))[1])
    assert (await sync_to_async(client.delete)(f"{URL}/session")).status_code == 204
    assert await connection.close_code() == 1012
    assert await other.receive_nothing(0.5), "another session of theirs goes on"
    for each in (connection, other):
        await each.disconnect()


async def test_a_run_is_watched_no_longer_than_its_graph_is_seen(users, tiny_graph):
    group = await Group.objects.acreate(name="Chemists")
    await users["viewer"].groups.aadd(group)
    await sync_to_async(graphs.set_access)(graph=tiny_graph, visibility="group", groups=[group])
    run = await sync_to_async(answers.create_run)(
        graph=tiny_graph, ask=answers.Ask("What borders Germany?"), user=users["admin"]
    )
    connection = await opened((await by_session(users["viewer"]))[1], f"/ws/runs/{run.pk}")
    await users["viewer"].groups.aclear()
    assert await connection.close_code() == 1012
    await connection.disconnect()


async def test_graphs_that_are_not_seen_are_not_named(users, tiny_graph):
    hidden = await Graph.objects.acreate(name="Hidden")
    connection = await opened((await by_session(users["viewer"]))[1])
    announce.notify_graph(hidden.pk)
    announce.notify_graph(tiny_graph.pk)
    assert await connection.receive_json() == {"type": "graph", "graph": tiny_graph.pk}
    await Graph.objects.filter(pk=tiny_graph.pk).aupdate(visibility="private")
    announce.notify_graph(tiny_graph.pk)
    assert await connection.receive_json() == {"type": "graph", "graph": tiny_graph.pk}, "it is gone"
    announce.notify_graph(tiny_graph.pk)
    assert await connection.receive_nothing(0.5)
    await connection.disconnect()


@pytest.mark.parametrize(
    ("origin", "host", "taken"),
    [
        (b"http://localhost:8000", b"localhost:8000", True),
        (b"http://LOCALHOST:8000", b"localhost:8000", True),
        (b"https://localhost", b"localhost", True),
        (b"https://localhost", b"localhost:443", True),
        (b"http://localhost:9000", b"localhost:8000", False),
        (b"http://localhost", b"localhost:8000", False),
        (b"http://127.0.0.1:8000", b"localhost:8000", False),
        (b"http://evil.example:8000", b"evil.example:8000", False),
        (b"null", b"localhost", False),
        (b"file://", b"", False),
        (b"http://localhost:port", b"localhost", False),
        (b"https://clew.example", b"127.0.0.1:8000", True),
    ],
)
async def test_pages_of_other_ports_are_other_pages(users, settings, origin, host, taken):
    settings.CSRF_TRUSTED_ORIGINS = ["https://clew.example"]
    _, headers = await by_session(users["viewer"])
    connection = Socket(application, "/ws/jobs", [(b"origin", origin), (b"host", host), headers[1]])
    assert await connection.connect() == taken
    await connection.disconnect()
    await asyncio.sleep(0)


# --- tokens -------------------------------------------------------------------------------------------


def test_tokens_end_with_the_password_that_they_were_made_with(users):
    client = APIClient()
    client.force_login(users["viewer"])
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {create_token(user=users['viewer'])}"}
    others = create_token(user=users["analyst"])
    assert APIClient().get(f"{URL}/runs", **bearer).status_code == 200
    body = {"old_password": PASSWORD, "new_password": "another-horse-battery"}
    assert client.post(f"{URL}/session/password", body, format="json").status_code == 200
    assert APIClient().get(f"{URL}/runs", **bearer).status_code == 401
    assert client.get(f"{URL}/runs").status_code == 200, "who changed it stays logged in"
    assert APIClient().get(f"{URL}/runs", HTTP_AUTHORIZATION=f"Bearer {others}").status_code == 200


@pytest.mark.parametrize("scopes", [["admin"], ["read", "ask", "write", "admin"]])
def test_a_token_makes_no_tokens(users, scopes):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user=users['admin'], scopes=scopes)}")
    answer = client.post(f"{URL}/tokens", {"name": "more", "scopes": ["read", "ask"]}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert ApiToken.objects.count() == 1


# --- the keys of language models ----------------------------------------------------------------------


def provider(client, **values):
    body = {"name": "M", "base_url": "https://a.example/v1", "model": "m", "api_key": "secret"}
    return client.post(f"{URL}/language-models", {**body, **values}, format="json").json()["id"]


@pytest.mark.parametrize(
    "address",
    ["https://b.example/v1", "http://a.example/v1", "https://a.example:8443/v1", "https://A.example.b/v1"],
)
def test_a_key_is_not_sent_to_another_server(api, address):
    client = api()
    url = f"{URL}/language-models/{provider(client)}"
    answer = client.patch(url, {"base_url": address}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "key_needed")
    assert client.get(url).json()["base_url"] == "https://a.example/v1"
    assert client.patch(url, {"base_url": address, "api_key": ""}, format="json").json()["key_set"] is False
    back = {"base_url": "https://a.example/v1"}
    assert client.patch(url, back, format="json").status_code == 200, "there is no key to be sent"
    moved = client.patch(url, {"base_url": address, "api_key": "other"}, format="json").json()
    assert (moved["base_url"], moved["key_set"]) == (address, True)


def test_another_path_of_the_same_server_keeps_the_key(api):
    client = api()
    url = f"{URL}/language-models/{provider(client)}"
    answer = client.patch(url, {"base_url": "https://a.example:443/v2", "model": "n"}, format="json").json()
    assert (answer["base_url"], answer["key_set"]) == ("https://a.example:443/v2", True)
