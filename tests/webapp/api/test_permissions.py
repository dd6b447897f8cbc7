"""Every address of the API x method x role x owner x scope of a token, against one declared table (permissions.py).

An address that the table does not name fails the test: whoever adds one says there whom it is for.
"""

import io
import json
from uuid import UUID, uuid4

from django.db import transaction
from rest_framework.test import APIClient

from tests.webapp.api.permissions import ADMIN, TABLE, addresses
from tests.webapp.api.things import SECRET, Thing
from webapp.accounts.models import Scope
from webapp.accounts.services import create_token
from webapp.uploads.tus import CONTENT_TYPE


def test_every_address_says_whom_it_is_for():
    assert sorted(set(addresses()) ^ set(TABLE)) == []


def expected(rule, actor, thing):
    """Of the table: 401, 403, 404, or None for everything that comes after."""
    if rule.role is None:
        return None
    if actor is None:
        return 401
    if not actor.has_role(rule.role):
        return 403
    mine = thing.owner is not None and thing.owner == actor
    if rule.of == "trashed-set":
        may = mine or actor.role == ADMIN or thing.graph.owner == actor
        return None if may and _sees(actor, thing.graph) else 404
    if rule.own or rule.of.startswith("trashed"):
        seen = mine or (actor.role == ADMIN and not rule.own)
        return None if seen else 404
    asked = (
        rule.of == "across" and mine
    )  # what one asked stays one's own, without the graphs that one sees no more
    if thing.graph is not None and not _sees(actor, thing.graph) and not asked:
        return 404
    if not rule.manage or mine or actor.role == ADMIN:
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


def happens(client, address, thing, things, rule):
    """What the API answers, of which nothing remains: the refusal, or None; and the answer."""
    method, path = address.split(" ")
    path = path.replace("<pk>", str(thing.pk)).replace("<version>", "1").replace("<number>", "0")
    path = path.replace("<kind>", "question-sets").replace("<key>", str(thing.pk))
    path = f"/api/v1/{path.replace('<name>', 'inses')}"
    with transaction.atomic():
        if method in {"GET", "HEAD", "OPTIONS", "DELETE"}:
            answer = client.generic(method, path + QUERY, headers=TUS)
        elif address.endswith("/import"):
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


def test_nobody_does_what_is_not_for_them(world):
    things, people = world
    clients = {None: APIClient(raise_request_exception=False)}
    for name, person in people.items():
        clients[name] = APIClient(raise_request_exception=False)
        clients[name].force_authenticate(person)  # a session would end with the first DELETE of it
    holes, tried = [], 0
    for address, rule in TABLE.items():
        for thing in things[rule.of] if rule.of else [Thing("1")]:
            for name, client in clients.items():
                actor = people.get(name)
                wanted = expected(rule, actor, thing)
                found, content = happens(client, address, thing, things, rule)
                tried += 1
                if wanted != found and not _nothing_there(rule, wanted, found):
                    of = thing.owner.username if thing.owner else "nobody"
                    where = thing.graph.name if thing.graph else ""
                    holes.append(
                        (address, f"{name} on {of}'s {rule.of} of {where}", wanted, found, content[:150])
                    )
                elif _tells(content) and not (actor and (actor.role == ADMIN or name in {"owner", "other"})):
                    holes.append((address, name, "tells of what is not seen", content[:300]))
    assert holes == []
    assert tried > 1500


def _nothing_there(rule, wanted, found):
    """Nothing is there whoever asks."""
    return rule.of in {"nothing"} and (wanted, found) == (None, 404)


def _tells(content):
    return SECRET.encode() in content


def test_tokens_do_what_their_scopes_say(world):
    things, people = world
    holes = []
    for scope in Scope:
        client = APIClient(raise_request_exception=False)
        token = create_token(user=people["admin"], scopes=[scope])
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        for address, rule in TABLE.items():
            if rule.role is None:
                continue
            thing = things[rule.of][0] if rule.of else Thing("1")
            allowed = scope == rule.scope and not rule.session
            found, content = happens(client, address, thing, things, rule)
            if (found not in {401, 403}) != allowed:
                holes.append((address, scope.value, allowed, found, content[:150]))
    assert holes == []


def test_tokens_give_nobody_another_role(world):
    things, people = world
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user=people['viewer'])}")
    holes = []
    for address, rule in TABLE.items():
        for thing in things[rule.of] if rule.of else [Thing("1")]:
            if rule.role is None or rule.session:
                continue
            wanted = expected(rule, people["viewer"], thing)
            found, content = happens(client, address, thing, things, rule)
            if wanted != found and not _nothing_there(rule, wanted, found):
                holes.append((address, thing, wanted, found, content[:150]))
    assert holes == []
