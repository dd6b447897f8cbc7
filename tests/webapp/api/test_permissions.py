"""Every address and socket x method x role x owner x session or scope of a token, against one table (permissions.py).

An address that the table does not name fails the test: whoever adds one says there whom it is for. ``cells`` of a
test's report is how many combinations it tried.
"""

import io
import json
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.conf import settings
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from tests.support.sockets import Socket
from tests.webapp.api.permissions import ADMIN, PAGES, SOCKETS, TABLE, addresses, sockets
from tests.webapp.api.things import SECRET, Thing
from webapp.accounts.models import Scope
from webapp.accounts.scopes import CALLS
from webapp.accounts.services import create_token
from webapp.project.asgi import application
from webapp.uploads.tus import CONTENT_TYPE

SESSION = None
CREDENTIALS = [SESSION, *Scope]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REFUSED = 401, 403
"""A token where only a session will do: by the scope, or by the address."""


def test_every_address_and_socket_says_whom_it_is_for():
    assert sorted(set(addresses()) ^ {*TABLE, *PAGES}) == []
    assert sorted(set(sockets()) ^ set(SOCKETS)) == []
    assert sorted(set(CALLS) - set(addresses())) == []


def expected(rule, actor, thing, scope=SESSION):
    """Of the table: 401, 403, 404, REFUSED, or None for everything that comes after."""
    if rule.role is None:
        return None
    if actor is None:
        return 401
    if scope is not SESSION and rule.session:
        return REFUSED
    if scope not in (SESSION, rule.scope):
        return 403
    if not actor.has_role(rule.role):
        return 403
    mine = thing.owner is not None and thing.owner == actor
    if rule.of == "trashed-set":
        may = mine or actor.role == ADMIN or thing.graph.owner == actor
        return None if may and _sees(actor, thing.graph) else 404
    if rule.own or rule.of == "link" or rule.of.startswith("trashed"):
        seen = mine or (actor.role == ADMIN and not rule.own)
        return None if seen else 404
    asked = rule.of == "across" and mine  # what one asked stays one's own, without the graphs that one sees no more
    if thing.graph is not None and not _sees(actor, thing.graph) and not asked:
        return 404
    if not rule.manage or (mine and not rule.of_graph) or actor.role == ADMIN:
        return None
    counts = rule.of not in ("run", "across") and thing.graph is not None and thing.graph.owner == actor
    return None if counts else 403


def _sees(actor, graph):
    return actor.role == ADMIN or graph.visibility == "public" or graph.owner == actor


def filled(body, things, graph):
    """A body in which names stand for numbers of the things of a graph; what begins with = stands for itself."""
    if isinstance(body, dict):
        return {key: filled(value, things, graph) for key, value in body.items()}
    if isinstance(body, list):
        return [filled(value, things, graph) for value in body]
    if body.startswith("="):
        return body[1:]
    key = next(thing.pk for thing in things[body] if thing.graph == graph)
    return str(key) if isinstance(key, UUID) else key


TUS = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Upload-Length": "9"}
QUERY = "?head=0&relation=borders&tail=0&entity=0&topic=Germany&path=%5B%5B%22capital%22%2Cfalse%5D%5D"
BODY = {
    **{"id": str(uuid4()), "kind": "answer-wrong", "version": 0, "shown": "s", "verdicts": [], "keep": 0},
    **{"topic": "Germany", "path": [["capital", False]], "answers": ["Berlin"]},
}
"""What makes most requests well formed, so that they come as far as what they are about."""


def path_of(address, thing):
    """An address with the number of a thing."""
    path = address.split(" ")[1].replace("<pk>", str(thing.pk)).replace("<version>", "1").replace("<refresh>", "1")
    path = path.replace("<kind>", "question-sets").replace("<key>", str(thing.pk)).replace("<number>", "0")
    return f"{'/' if path.startswith('v1/') else '/api/v1/'}{path.replace('<name>', 'inses')}"


def happens(client, address, thing, things, rule):
    """What the API answers, of which nothing remains: the refusal, or None; and the answer."""
    method, path = address.split(" ")[0], path_of(address, thing)
    with transaction.atomic():
        if method in {"GET", "HEAD", "OPTIONS", "DELETE"}:
            answer = client.generic(method, path + QUERY, headers=TUS)
        elif address == "POST review/queues/<pk>/import":
            answer = client.post(path, {"file": io.BytesIO(b"{}")}, format="multipart")
        else:
            named = rule.body and thing.graph
            body = json.dumps(filled(rule.body, things, thing.graph) if named else BODY)
            kind = CONTENT_TYPE if address == "PATCH uploads/<pk>" else "application/json"
            answer = client.generic(method, path, body, content_type=kind, headers=TUS)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    code = answer.status_code
    if code == 403 and method != "HEAD" and answer.json()["error"]["code"] != "forbidden":
        code = 200  # the operator does not allow it, which is said to whoever may ask
    refused = code if code in {401, 403, 404} or code >= 500 else None
    return refused, content


def client_of(person, scope):
    """What sends requests of a person, in a session or with a token of one scope; of nobody where there is none."""
    client = APIClient(raise_request_exception=False)
    if person is None:
        return client
    if scope is SESSION:
        client.force_authenticate(person)  # a session would end with the first DELETE of it
    else:
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user=person, scopes=[scope])}")
    return client


@pytest.mark.slow
@pytest.mark.parametrize("scope", CREDENTIALS)
def test_nobody_does_what_is_not_for_them(world, scope, record_property):
    things, people = world
    actors = {None: None, **people} if scope is SESSION else people
    clients = {name: client_of(person, scope) for name, person in actors.items()}
    holes, cells = [], 0
    for address, rule in TABLE.items():
        for thing in things[rule.of] if rule.of else [Thing("1")]:
            for name, actor in actors.items():
                wanted = expected(rule, actor, thing, scope)
                found, content = happens(clients[name], address, thing, things, rule)
                cells += 1
                if not _as_wanted(rule, wanted, found):
                    of = thing.owner.username if thing.owner else "nobody"
                    where = thing.graph.name if thing.graph else ""
                    holes.append((address, f"{name} on {of}'s {rule.of} of {where}", wanted, found, content[:150]))
                elif _tells(content) and not (actor and (actor.role == ADMIN or name in {"owner", "other"})):
                    holes.append((address, name, "tells of what is not seen", content[:300]))
    record_property("cells", cells)
    assert holes == []
    assert cells > 2000


def _as_wanted(rule, wanted, found):
    if wanted is REFUSED:
        return found in REFUSED
    nothing_there = (rule.of == "nothing" or rule.may_lack) and (wanted, found) == (None, 404)
    return wanted == found or nothing_there


def _tells(content):
    return SECRET.encode() in content


def test_no_address_takes_a_method_that_the_table_does_not_name(world, record_property):
    things, people = world
    clients = {name: client_of(people.get(name), SESSION) for name in (None, "viewer", "admin")}
    holes, cells = [], 0
    for address in {address.split(" ")[1]: address for address in TABLE}.values():
        path, rule = address.split(" ")[1], TABLE[address]
        thing = things[rule.of][0] if rule.of else Thing("1")
        for method in METHODS:
            for name, client in clients.items():
                if f"{method} {path}" in TABLE:
                    continue
                found, content = happens(client, f"{method} {path}", thing, things, rule)
                cells += 1
                if found is None and json.loads(content)["error"]["code"] != "method_not_allowed":
                    holes.append((method, path, name, content[:150]))
    record_property("cells", cells)
    assert holes == []
    assert cells > 1000


# --- sockets ------------------------------------------------------------------------------------------

NOT_LOGGED_IN, NOT_FOUND = 4401, 4404


def headers_of(person, scope):
    """What opens a socket as a person."""
    if person is None:
        return []
    if scope is not SESSION:
        return [(b"authorization", f"Bearer {create_token(user=person, scopes=[scope])}".encode())]
    client = Client()
    client.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    cookie = f"{name}={client.cookies[name].value}"
    return [(b"origin", b"http://localhost"), (b"cookie", cookie.encode())]


def target_of(route, thing):
    """The address of a socket that follows a thing."""
    query = f"?after={thing.pk}:0" if route == "ws/runs" else ""
    return f"/{route.replace('<run_id>', str(thing.pk)).replace('<anything>', 'ws/elsewhere')}{query}"


async def opens(target, headers):
    """The code with which a socket is refused, or None; and what it tells first."""
    socket = Socket(application, target, headers)
    assert await socket.connect()
    told = b""
    while not await socket.receive_nothing(timeout=0.05, interval=0.01):
        message = await socket.receive_output(timeout=30)
        if message["type"] == "websocket.close":
            await socket.disconnect()
            return message["code"], told
        told += message["text"].encode()
    await socket.disconnect()
    return None, told


@pytest.mark.parametrize("scope", CREDENTIALS)
async def test_nobody_follows_what_is_not_for_them(world, scope, record_property):
    things, people = world
    channel_layers.backends.clear()  # a layer can receive on one loop only
    codes = {401: NOT_LOGGED_IN, 403: NOT_LOGGED_IN, 404: NOT_FOUND}
    holes, cells = [], 0
    for name, person in {None: None, **people}.items():
        headers = await sync_to_async(headers_of)(person, scope)
        for route, rule in SOCKETS.items():
            for thing in things[rule.of] if rule.of else [Thing("1")]:
                wanted = NOT_FOUND if rule.of == "nothing" else None
                wanted = codes.get(expected(rule, person, thing, scope), wanted)
                found, told = await opens(target_of(route, thing), headers)
                cells += 1
                seen = person is not None and (person.role == ADMIN or name in {"owner", "other"})
                if wanted != found or (_tells(told) and not seen):
                    holes.append((route, name, thing, wanted, found, told[:150]))
    record_property("cells", cells)
    assert holes == []
    assert cells > 40
