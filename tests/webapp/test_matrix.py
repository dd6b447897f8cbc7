"""Every address of the API x method x role x owner x scope of a token, against one declared table.

An address that the table does not name fails the test: whoever adds one says here whom it is for.
"""

import io
import json
import re
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import URLPattern, URLResolver
from django.utils import timezone
from rest_framework.test import APIClient

from webapp.accounts.models import ApiToken, Role, Scope, User
from webapp.accounts.services import create_token
from webapp.answers.models import Run
from webapp.experiments.models import Checkpoint, LabelSet, Report, TrajectorySet
from webapp.graphs.models import Graph, GraphEndpoint, GraphVersion
from webapp.jobs.models import Job, JobKind
from webapp.language_models.models import Provider
from webapp.project import api_urls
from webapp.questions.models import QuestionSet
from webapp.review.models import Item, Queue
from webapp.uploads.models import Upload
from webapp.uploads.tus import CONTENT_TYPE

SPLITS = {"train": 0, "dev": 0, "test": 0}
SECRET = "7f3a9c"
"""Stands in the name of everything of the graph that is not seen."""

VIEWER, ANALYST, ADMIN = Role.VIEWER, Role.ANALYST, Role.ADMIN
READ, ASK, WRITE, RUN = Scope.READ, Scope.ASK, Scope.WRITE, Scope.ADMIN


@dataclass(frozen=True)
class For:
    """Whom an address is for.

    ``role``: that role or more; None: everybody, logged in or not. ``scope``: what a token needs for it. ``of``: what
    the address (or ``body``) names, which must be of a graph that one sees. ``manage``: one must own that, or its
    graph, or be an administrator; of a question owning the graph does not count. ``own``: others' are not there at all,
    for administrators neither. ``session``: tokens are refused whatever their scopes.
    """

    role: Role | None
    scope: Scope = READ
    of: str = ""
    manage: bool = False
    own: bool = False
    session: bool = False
    body: dict | None = None


def reads(of="", **more):
    return For(VIEWER, READ, of, **more)


def analysts(of="", **more):
    return For(ANALYST, WRITE, of, **more)


def managers(of, **more):
    return For(ANALYST, WRITE, of, manage=True, **more)


def admins(of="", scope=RUN, **more):
    return For(ADMIN, scope, of, **more)


GRAPH = {"graph": "graph"}
SET = {"graph": "graph", "question_set": "set"}
TABLE = {
    # who one is
    "GET session": For(None),
    "POST session": For(None),
    "DELETE session": For(None),
    "POST session/password": For(VIEWER, WRITE, session=True),
    "POST token": For(None),
    "GET tokens": For(VIEWER, RUN),
    "POST tokens": For(VIEWER, RUN, session=True),
    "DELETE tokens/<pk>": For(VIEWER, RUN, "token", own=True),
    "GET schema": For(None),
    # people
    "GET users": admins(scope=READ),
    "POST users": admins(),
    "GET users/<pk>": admins("person", scope=READ),
    "PATCH users/<pk>": admins("person"),
    "POST users/<pk>/deactivate": admins("person"),
    "POST users/<pk>/password": admins("person"),
    "GET groups": reads(),
    "POST groups": admins(),
    "GET groups/<pk>": reads("group"),
    "PATCH groups/<pk>": admins("group"),
    "DELETE groups/<pk>": admins("group"),
    # the installation
    "GET status": reads(),
    "GET storage": reads(),
    "GET methods/<name>": reads(),
    "GET language-models": reads(),
    "POST language-models": admins(),
    "GET language-models/<pk>": reads("model"),
    "PATCH language-models/<pk>": admins("model"),
    "DELETE language-models/<pk>": admins("model"),
    "POST language-models/<pk>/test": admins("model"),
    "GET language-models/changes": admins(scope=READ),
    "GET language-models/tests/<pk>": admins("nothing", scope=READ),
    "GET language-limits": reads(),
    "PATCH language-limits": admins(),
    "GET language-usage": reads(),
    # the trash
    "GET trash": reads(),
    "DELETE trash/<pk>": For(ANALYST, RUN, "trashed", manage=True),
    "POST trash/<pk>/restore": For(ANALYST, RUN, "trashed", manage=True),
    "DELETE trash/<pk>/versions/<version>": For(ANALYST, RUN, "trashed-version", manage=True),
    "POST trash/<pk>/versions/<version>/restore": For(ANALYST, RUN, "trashed-version", manage=True),
    "DELETE trash/<kind>/<key>": For(VIEWER, RUN, "trashed-set", manage=True),
    "POST trash/<kind>/<key>/restore": For(VIEWER, RUN, "trashed-set", manage=True),
    # uploads
    "GET uploads": For(ANALYST, READ),
    "POST uploads": analysts(),
    "OPTIONS uploads": For(ANALYST, READ),
    "GET uploads/formats": For(ANALYST),
    "POST uploads/preview": analysts(),
    "GET uploads/<pk>": For(ANALYST, READ, "upload", own=True),
    "HEAD uploads/<pk>": For(ANALYST, READ, "upload", own=True),
    "PATCH uploads/<pk>": analysts("upload", own=True),
    "DELETE uploads/<pk>": analysts("upload", own=True),
    "OPTIONS uploads/<pk>": For(ANALYST, READ, "nothing"),
    # graphs
    "GET graphs": reads(),
    "POST graphs": admins(scope=WRITE),
    "POST endpoints": admins(scope=WRITE),
    "GET graphs/<pk>": reads("graph"),
    "PATCH graphs/<pk>": managers("graph"),
    "DELETE graphs/<pk>": managers("graph"),
    "POST graphs/<pk>/index": managers("graph"),
    "PATCH graphs/<pk>/endpoint": managers("remote"),
    "POST graphs/<pk>/endpoint/check": managers("remote"),
    **{
        f"GET graphs/<pk>/{what}": reads("graph")
        for what in (
            *("dependents", "entities", "fact", "neighbours", "passages", "passages/<number>", "problems"),
            *("promotions", "relations", "report", "schema", "statistics", "extract"),
            *("versions", "versions/<version>", "versions/diff"),
        )
    },
    "POST graphs/<pk>/extract": admins("graph", scope=WRITE),
    # Looking at sample questions is for everybody; keeping them, with a name, is not: test_questions.py.
    "POST graphs/<pk>/sample-questions": For(VIEWER, WRITE, "graph"),
    "POST graphs/<pk>/versions": managers("graph"),
    "DELETE graphs/<pk>/versions/<version>": managers("graph"),
    "POST graphs/<pk>/versions/<version>/activate": managers("graph"),
    # Which checkpoint answers is decided together, noted with its author, and taken back with a click.
    "POST graphs/<pk>/train": analysts("graph", body={"question_set": "set", "method": "=rel-rag-path"}),
    "POST graphs/<pk>/rollback": analysts("graph", body={"method": "=rel-rag-path"}),
    "POST checkpoints/<pk>/promote": analysts("checkpoint"),
    # questions and answers
    "GET runs": reads(),
    "POST runs": For(VIEWER, ASK, "graph", body={**GRAPH, "question": "=What?"}),
    # By its address, which nobody can guess, a question is seen by all who see its graph.
    "GET runs/<pk>": reads("run"),
    "GET runs/<pk>/events": reads("run"),
    "GET runs/<pk>/export": reads("run"),
    "POST runs/<pk>/flag": For(VIEWER, ASK, "run"),
    "DELETE runs/<pk>": For(VIEWER, ASK, "run", manage=True),
    "POST runs/<pk>/cancel": For(VIEWER, ASK, "run", manage=True),
    "POST runs/<pk>/pause": For(VIEWER, ASK, "run", manage=True),
    "POST runs/<pk>/steer": For(VIEWER, ASK, "run", manage=True),
    "POST comparisons": For(
        VIEWER, ASK, "graph", body={**GRAPH, "question": "=What?", "methods": [{"method": "=inses"}]}
    ),
    "GET comparisons/<pk>": reads("comparison"),
    "GET corrections": reads(),
    "GET corrections/download": For(ANALYST, READ),
    # jobs
    "GET jobs": reads(),
    "GET jobs/<pk>": reads("job"),
    "GET jobs/<pk>/log": reads("job"),
    "POST jobs/<pk>/cancel": managers("job"),
    "POST jobs/<pk>/retry": managers("job"),
    # experiments
    **{f"GET {kind}": reads() for kind in ("question-sets", "label-sets", "trajectory-sets", "checkpoints")},
    "GET reports": reads(),
    "POST question-sets": analysts("graph", body={**GRAPH, "name": "=N", "source": "=/nowhere"}),
    "POST label-sets": analysts("graph", body={**SET, "strategy": "=answer-set"}),
    "POST trajectory-sets": analysts("graph", body={**SET, "policy": "=offline"}),
    "POST reports": analysts("graph", body={**SET, "method": "=inses"}),
    **{
        f"GET {kind}/<pk>": reads(of)
        for kind, of in (
            *(("question-sets", "set"), ("label-sets", "labels"), ("trajectory-sets", "walks")),
            *(("checkpoints", "checkpoint"), ("reports", "report")),
        )
    },
    "GET question-sets/<pk>/check": reads("set"),
    "GET question-sets/<pk>/questions": reads("set"),
    "GET label-sets/<pk>/download": reads("labels"),
    "GET trajectory-sets/<pk>/download": reads("walks"),
    "GET trajectory-sets/<pk>/trajectories": reads("walks"),
    "GET checkpoints/<pk>/curves": reads("checkpoint"),
    "GET reports/<pk>/download": reads("report"),
    "GET reports/<pk>/questions": reads("report"),
    "DELETE question-sets/<pk>": managers("set"),
    "DELETE label-sets/<pk>": managers("labels"),
    "DELETE trajectory-sets/<pk>": managers("walks"),
    "DELETE checkpoints/<pk>": managers("checkpoint"),
    "DELETE reports/<pk>": managers("report"),
    "POST reports/<pk>/resume": managers("report"),
    "GET reports/compare": reads(),
    "GET reports/compare/paired": reads(),
    "GET reports/compare/questions": reads(),
    # review: a queue is judged by all analysts who see its graph
    "GET review/queues": reads(),
    "GET review/queues/deleted": reads(),
    "POST review/queues": analysts("graph", body={**SET, "label_sets": ["labels"]}),
    "GET review/queues/<pk>": reads("queue"),
    "DELETE review/queues/<pk>": managers("queue"),
    "POST review/queues/<pk>/restore": managers("deleted-queue"),
    **{
        f"GET review/queues/<pk>/{what}": reads("queue")
        for what in ("disagreements", "events", "export", "items", "statistics", "trainings")
    },
    **{
        f"POST review/queues/<pk>/{what}": analysts("queue")
        for what in (
            *("next", "undo", "redo", "accept-unanimous", "accept-unanimous/undo", "import", "import/undo"),
        )
    },
    **{f"GET review/items/<pk>{what}": reads("item") for what in ("", "/drawing", "/hops", "/topics")},
    **{
        f"POST review/items/<pk>/{what}": analysts("item")
        for what in ("adjudicate", "adjudicate/undo", "answers", "candidates", "release", "submit")
    },
}


# --- the addresses that there are ---------------------------------------------------------------------


def addresses(patterns=api_urls.urlpatterns, before=""):
    """All of them, as ``METHOD path``."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, before + str(pattern.pattern))
        elif isinstance(pattern, URLPattern) and str(pattern.pattern) != "^.*$":
            path = re.sub(r"<\w+:(\w+)>", r"<\1>", before + str(pattern.pattern))
            actions = getattr(pattern.callback, "actions", None)
            view = pattern.callback.cls
            names = (
                [n for n in actions if n in view.http_method_names]
                if actions
                else [n for n in view.http_method_names if n in vars_of(view)]
            )
            yield from (f"{name.upper()} {path}" for name in names if not (actions and name == "head"))


def vars_of(view):
    """What a view itself defines, without what all views have."""
    return {
        name
        for cls in view.__mro__
        if cls.__module__.startswith(("webapp", "drf_spec"))
        for name in vars(cls)
    }


def test_every_address_says_whom_it_is_for():
    assert sorted(set(addresses()) ^ set(TABLE)) == []


# --- the world ----------------------------------------------------------------------------------------


@dataclass
class Thing:
    pk: object
    owner: User | None = None
    graph: Graph | None = None


@pytest.fixture
def world(tiny_graph, users):
    """``(things, people)``: of every kind one's own, others' on the same graph, and others' on one that is not seen."""
    people = {
        **users,
        **{name: User.objects.create_user(name, role="analyst") for name in ("owner", "other")},
    }
    seen, hidden = tiny_graph, Graph.objects.create(name=SECRET, owner=people["owner"], state="ready")
    seen.owner = people["owner"]
    seen.save()
    first = GraphVersion.objects.get(graph=seen)
    for graph in (hidden,):
        first.pk, first.graph = None, graph
        first.save(force_insert=True)
        graph.snapshot = first
        graph.save()
    things = [
        *(Thing(one.pk, one.owner, one) for one in (seen, hidden)),
    ]
    made = {"graph": things, "nothing": [Thing(uuid4())]}
    made["person"] = [Thing(people["other"].pk)]
    made["group"] = [Thing(Group.objects.create(name="Group").pk)]
    made["model"] = [Thing(Provider.objects.create(name="M", base_url="http://x/v1", model="m").pk)]
    owners = [people[name] for name in ("viewer", "analyst", "other")]
    made["token"] = [Thing(ApiToken.objects.create(user=one, digest=one.username).pk, one) for one in owners]
    made["upload"] = [Thing(_upload(one).pk, one) for one in owners]
    made["trashed"], made["trashed-version"], made["remote"] = [], [], []
    for place in (people["owner"], people["analyst"], people["other"]):
        gone = Graph.objects.create(name=place.username, owner=place, deleted_at=timezone.now())
        made["trashed"].append(Thing(gone.pk, place))
        kept = Graph.objects.create(name=f"of {place.username}", owner=place, visibility="public")
        first.pk, first.graph, first.deleted_at = None, kept, timezone.now()
        first.save(force_insert=True)
        made["trashed-version"].append(Thing(kept.pk, place))
    for name, visibility in (("Remote", "public"), (f"{SECRET} remote", "private")):
        remote = Graph.objects.create(name=name, owner=people["owner"], visibility=visibility, state="ready")
        GraphEndpoint.objects.create(
            graph=remote,
            url="http://x/",
            hops=1,
            max_triples=9,
            per_entity=9,
            timeout=1,
            checked_at=timezone.now(),
        )
        made["remote"].append(Thing(remote.pk, remote.owner, remote))
    for graph, makers in ((seen, owners), (hidden, [people["other"]])):
        for owner in makers:
            for kind, row in _rows(graph, owner, SECRET if graph == hidden else owner.username).items():
                made.setdefault(kind, []).append(Thing(row, owner, graph))
    return made, people


def _upload(owner):
    return Upload.objects.create(
        user=owner, name="f", length=9, expires_at=timezone.now() + timedelta(days=1)
    )


def _rows(graph, owner, name):
    """A row of each kind that hangs on a graph: its number."""
    common = {"graph": graph, "created_by": owner, "question_set_name": name}
    version = graph.snapshot
    job = Job.objects.create(kind=JobKind.TRAIN, title=name, graph=graph, user=owner)
    questions = QuestionSet.objects.create(
        name=name, graph=graph, created_by=owner, format="jsonl", splits=SPLITS
    )
    thrown = QuestionSet.objects.create(
        name=f"{name} thrown", graph=graph, created_by=owner, splits=SPLITS, deleted_at=timezone.now()
    )
    labels = LabelSet.objects.create(name=name, snapshot_hash="h", strategy="answer-set", **common)
    walks = TrajectorySet.objects.create(name=name, snapshot_hash="h", policy="offline", **common)
    report = Report.objects.create(
        snapshot_hash="h", split="test", method="inses", reasoner="extractive", budget=5, seed=0, **common
    )
    trained = Checkpoint.objects.create(
        method="rel-rag-path", graph=graph, snapshot=version, encoder=name, fingerprint="f", path="p", job=job
    )
    queue = Queue.objects.create(name=name, snapshot=version, **common)
    deleted = Queue.objects.create(name=name, snapshot=version, deleted_at=timezone.now(), **common)
    item = Item.objects.create(
        queue=queue, position=0, key="q", question=name, doubt=0.5, reason="r", shown="s"
    )
    run = Run.objects.create(
        graph=graph,
        snapshot_hash=version.hash,
        question=name,
        method="inses",
        reasoner="extractive",
        budget=5,
        seed=0,
        user=owner,
        group=uuid4(),
    )
    return {
        **{"set": questions.pk, "labels": labels.pk, "walks": walks.pk, "report": report.pk, "job": job.pk},
        **{"checkpoint": trained.pk, "queue": queue.pk, "deleted-queue": deleted.pk, "item": item.pk},
        "trashed-set": thrown.pk,
        **{"run": run.pk, "comparison": run.group},
    }


# --- what is expected, and what happens ---------------------------------------------------------------


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
    if thing.graph is not None and not _sees(actor, thing.graph):
        return 404
    if not rule.manage or mine or actor.role == ADMIN:
        return None
    counts = rule.of != "run" and thing.graph is not None and thing.graph.owner == actor
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
    return next(thing.pk for thing in things[body] if thing.graph == graph)


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
            if wanted != found:
                holes.append((address, thing, wanted, found, content[:150]))
    assert holes == []
