"""Whom every address and every socket is for, declared in one table, and the addresses and sockets that there are."""

import re
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver

from webapp.accounts.models import Role, Scope
from webapp.project import routing, urls

VIEWER, ANALYST, ADMIN = Role.VIEWER, Role.ANALYST, Role.ADMIN
READ, ASK, WRITE, RUN = Scope.READ, Scope.ASK, Scope.WRITE, Scope.ADMIN


@dataclass(frozen=True)
class For:
    """Whom an address is for.

    ``role``: that role or more; None: everybody, logged in or not. ``scope``: what a token needs for it. ``of``: what
    the address (or ``body``) names, which must be of a graph that one sees. ``manage``: one must own that, or its
    graph, or be an administrator; of a question owning the graph does not count. ``of_graph``: owning the graph alone
    counts, since it changes what everybody who asks the graph is answered. ``may_lack``: what the address names below
    the graph need not be there. ``own``: others' are not there at all,
    for administrators neither. ``session``: tokens are refused whatever their scopes.
    """

    role: Role | None
    scope: Scope = READ
    of: str = ""
    manage: bool = False
    of_graph: bool = False
    may_lack: bool = False
    own: bool = False
    session: bool = False
    body: dict | None = None


def reads(of="", **more):
    return For(VIEWER, READ, of, **more)


def analysts(of="", **more):
    return For(ANALYST, WRITE, of, **more)


def managers(of, **more):
    return For(ANALYST, WRITE, of, manage=True, **more)


def graph_managers(of, **more):
    return managers(of, of_graph=True, **more)


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
    "GET webhooks": For(VIEWER, RUN),
    "POST webhooks": For(VIEWER, RUN),
    "GET webhooks/<pk>": For(VIEWER, RUN, "webhook", own=True),
    "PATCH webhooks/<pk>": For(VIEWER, RUN, "webhook", own=True),
    "DELETE webhooks/<pk>": For(VIEWER, RUN, "webhook", own=True),
    "POST webhooks/<pk>/rotate-secret": For(VIEWER, RUN, "webhook", own=True),
    "POST webhooks/<pk>/test": For(VIEWER, RUN, "webhook", own=True),
    "GET webhooks/<pk>/deliveries": For(VIEWER, RUN, "webhook", own=True),
    "POST webhooks/<pk>/deliveries/<number>/resend": For(VIEWER, RUN, "webhook", own=True, may_lack=True),
    "GET shared-links": reads(),
    "POST shared-links": For(VIEWER, RUN, "run", body={"run": "run"}),
    "GET shared-links/<pk>": reads("link"),
    "DELETE shared-links/<pk>": For(VIEWER, RUN, "link"),
    "GET sharing-policy": reads(),
    "PATCH sharing-policy": admins(),
    "GET shared/<token>": For(None, of="nothing"),
    # people
    "GET users": admins(scope=READ),
    "POST users": admins(),
    "GET users/<pk>": admins("person", scope=READ),
    "PATCH users/<pk>": admins("person"),
    "POST users/<pk>/deactivate": admins("person"),
    "POST users/<pk>/password": admins("person"),
    "POST users/<pk>/unlock": admins("person"),
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
    "POST uploads/model": analysts(),
    "POST uploads/model/convert": analysts(),
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
            *(
                "promotions",
                "relations",
                "report",
                "schema",
                "model",
                "statistics",
                "extract",
                "paths",
                "picture",
                "similar",
            ),
            *("error-limit", "versions", "versions/<version>", "versions/diff"),
            *("duplicates", "edits", "export", "facts/sources", "shapes", "sparql", "vocabulary", "vocabulary/file"),
        )
    },
    "POST graphs/<pk>/sparql": reads("graph"),
    "POST graphs/<pk>/extract": admins("graph", scope=WRITE),
    # Looking at sample questions is for everybody; keeping them, with a name, is not: test_questions.py.
    "POST graphs/<pk>/sample-questions": For(VIEWER, WRITE, "graph"),
    "PUT graphs/<pk>/error-limit": managers("graph", body={"at_most_wrong": "=5"}),
    "POST graphs/<pk>/error-limit": managers("graph"),
    "POST graphs/<pk>/versions": managers("graph"),
    "POST graphs/<pk>/model": managers("graph"),
    "PUT graphs/<pk>/vocabulary": managers("graph", may_lack=True),
    "DELETE graphs/<pk>/vocabulary": managers("graph", may_lack=True),
    "POST graphs/<pk>/vocabulary/file": managers("graph"),
    "POST graphs/<pk>/edits": managers("graph"),
    "POST graphs/<pk>/edits/preview": managers("graph"),
    "POST graphs/<pk>/edits/<number>/undo": managers("graph", may_lack=True),
    "POST graphs/<pk>/duplicates": managers("graph"),
    "DELETE graphs/<pk>/versions/<version>": managers("graph"),
    "POST graphs/<pk>/versions/<version>/activate": managers("graph"),
    "GET graphs/<pk>/source": reads("graph", may_lack=True),
    "POST graphs/<pk>/source": managers("graph"),
    "PATCH graphs/<pk>/source": managers("graph", may_lack=True),
    "DELETE graphs/<pk>/source": managers("graph", may_lack=True),
    "POST graphs/<pk>/source/check": managers("graph"),
    "POST graphs/<pk>/source/refresh": managers("graph", may_lack=True),
    "POST graphs/<pk>/source/refreshes/<refresh>/confirm": managers("graph", may_lack=True),
    # Analysts who see a graph experiment with it. What everybody is answered changes only who manages the graph.
    "POST graphs/<pk>/train": analysts("graph", body={"question_set": "set", "method": "=rel-rag-path"}),
    "POST graphs/<pk>/rollback": graph_managers("graph", body={"method": "=rel-rag-path"}),
    "POST checkpoints": graph_managers("graph", body=GRAPH),
    "GET checkpoints/<pk>/download": reads("checkpoint"),
    "POST checkpoints/<pk>/compare": managers("checkpoint", body={"question_set": "set"}),
    "POST checkpoints/<pk>/promote": graph_managers("checkpoint"),
    # questions and answers
    "GET runs": reads(),
    "POST runs": For(VIEWER, ASK, "graph", body={**GRAPH, "question": "=What?"}),
    # By its address, which nobody can guess, a question is seen by all who see its graph.
    "GET runs/<pk>": reads("run"),
    "GET runs/<pk>/events": reads("run"),
    "GET runs/<pk>/export": reads("run"),
    "GET runs/<pk>/provenance": reads("run"),
    "GET runs/<pk>/table": reads("run"),
    "GET runs/<pk>/table/cell": reads("run"),
    "POST runs/<pk>/flag": For(VIEWER, ASK, "run"),
    "POST runs/<pk>/why-not": For(VIEWER, ASK, "run", body={"name": "=Berlin"}),
    "GET runs/<pk>/why-not/<key>": reads("nothing"),
    "DELETE runs/<pk>": For(VIEWER, WRITE, "run", manage=True),
    "POST runs/<pk>/cancel": For(VIEWER, ASK, "run", manage=True),
    "POST runs/<pk>/pause": For(VIEWER, ASK, "run", manage=True),
    "POST runs/<pk>/steer": For(VIEWER, ASK, "run", manage=True),
    "POST comparisons": For(
        VIEWER, ASK, "graph", body={**GRAPH, "question": "=What?", "methods": [{"method": "=inses"}]}
    ),
    "GET comparisons/<pk>": reads("comparison"),
    "POST across": For(VIEWER, ASK, "graph", body={"graphs": ["graph", "graph"], "question": "=What?"}),
    # graphs as chat models: a graph that one does not see is no model
    "GET v1/models": reads(),
    "GET v1/models/<name>": reads("nothing"),
    "POST v1/chat/completions": For(VIEWER, ASK, "nothing", body={"model": "=x/auto", "messages": []}),
    "POST retrieve": For(VIEWER, ASK, "graph", body={"graph": "graph", "questions": ["=What?"]}),
    # who has no token for reconciling finds nothing, whoever they are
    **{
        f"{call}": For(None, of="nothing")
        for call in (
            *("GET reconcile/<token>/<pk>", "POST reconcile/<token>/<pk>", "GET reconcile/<token>/<pk>/preview"),
            *("GET reconcile/<token>/<pk>/properties", "GET reconcile/<token>/<pk>/suggest/<kind>"),
        )
    },
    "GET across/<pk>": reads("across"),
    "DELETE across/<pk>": For(VIEWER, WRITE, "across", manage=True),
    "GET graphs/<pk>/program-corrections": reads("graph"),
    "GET graphs/<pk>/program-corrections/download": For(ANALYST, READ, "graph"),
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
    "GET studies": reads(),
    "POST studies": analysts(
        "graph",
        body={
            **{"name": "=S", "sets": [{"question_set": "set"}]},
            "variants": [{"name": "=v", "method": "=inses"}],
        },
    ),
    "GET studies/<pk>": reads("study"),
    "GET studies/<pk>/download": reads("study"),
    "GET studies/<pk>/capsule": reads("study"),
    "GET studies/presets": reads(),
    "GET question-sets/<pk>/leaderboard": reads("set"),
    "DELETE studies/<pk>": managers("study"),
    "POST studies/<pk>/resume": managers("study"),
    "POST question-sets": analysts("graph", body={**GRAPH, "name": "=N", "source": "=/nowhere"}),
    "POST label-sets": analysts("graph", body={**SET, "strategy": "=answer-set"}),
    "POST label-sets/combine": analysts("labels", body={"first": "labels", "second": "labels", "how": "=union"}),
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
    "GET question-sets/<pk>/dataset": reads("set"),
    "GET question-sets/<pk>/questions": reads("set"),
    "GET label-sets/<pk>/dataset": reads("labels"),
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
    # tests of a graph
    "GET graphs/<pk>/tests": reads("graph"),
    "GET graphs/<pk>/tests/download": reads("graph"),
    "POST graphs/<pk>/tests": graph_managers("graph", body={}),
    "POST graphs/<pk>/tests/ask": analysts("graph", body={}),
    "PATCH graphs/<pk>/tests/policy": managers("graph"),
    "PATCH tests/<pk>": graph_managers("test"),
    "DELETE tests/<pk>": graph_managers("test"),
    "GET tests/<pk>/history": reads("test"),
    "POST tests/<pk>/through-time": For(VIEWER, WRITE, "test"),
    "GET watches": reads(),
    "POST watches": For(VIEWER, WRITE, "run", body={"run": "run"}),
    "POST watches/<pk>": For(VIEWER, WRITE, "watch", own=True),
    "DELETE watches/<pk>": For(VIEWER, WRITE, "watch", own=True),
    "GET test-rounds": reads(),
    "GET test-rounds/<pk>": reads("round"),
    "POST test-rounds/<pk>/accept": graph_managers("round"),
    # review: a queue is judged by all analysts who see its graph
    "GET review/queues": reads(),
    "GET review/queues/deleted": reads(),
    "POST review/queues": analysts("graph", body={**SET, "label_sets": ["labels"]}),
    "GET review/queues/<pk>": reads("queue"),
    "DELETE review/queues/<pk>": managers("queue"),
    "POST review/queues/<pk>/restore": managers("deleted-queue"),
    **{
        f"GET review/queues/<pk>/{what}": reads("queue")
        for what in ("dataset", "disagreements", "events", "export", "items", "statistics", "trainings")
    },
    **{
        f"POST review/queues/<pk>/{what}": analysts("queue")
        for what in (
            *(
                "carry-over",
                "next",
                "undo",
                "redo",
                "accept-unanimous",
                "accept-unanimous/undo",
                "import",
                "import/undo",
            ),
        )
    },
    **{f"GET review/items/<pk>{what}": reads("item") for what in ("", "/drawing", "/hops", "/topics")},
    "PUT review/items/<pk>/draft": analysts(
        "item",
        body={
            "purpose": "=judgement",
            "revision": "=11111111-1111-4111-8111-111111111111",
            "content": {},
        },
    ),
    **{
        f"POST review/items/<pk>/{what}": analysts("item")
        for what in (
            "adjudicate",
            "adjudicate/undo",
            "answers",
            "candidates",
            "programs",
            "release",
            "submit",
        )
    },
}


SOCKETS = {
    "ws/runs": reads("run"),
    "ws/runs/<run_id>": reads("run"),
    "ws/jobs": reads(),
    "<anything>": reads("nothing"),
}
PAGES = {
    *("healthz", "readyz", "^(?!api/|ws/).*$", "api/v1/^.*$", "^v1/"),
    *("shared/<str:token>", "shared/<str:token>/card.png", "embed/<str:token>"),
}
"""What is no view of the API: everybody may look, and nobody can send anything."""


def addresses(patterns=urls.urlpatterns, before=""):
    """All of the API, as ``METHOD path``; of others the path alone."""
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, path)
            continue
        assert isinstance(pattern, URLPattern)
        view = getattr(pattern.callback, "cls", None)
        if view is None:
            yield path
            continue
        path = re.sub(r"<\w+:(\w+)>", r"<\1>", path).removeprefix("api/v1/")
        actions = getattr(pattern.callback, "actions", None)
        names = (
            [n for n in actions if n in view.http_method_names]
            if actions
            else [n for n in view.http_method_names if n in vars_of(view)]
        )
        yield from (f"{name.upper()} {path}" for name in names if not (actions and name == "head"))


def sockets():
    """All of them, by their path."""
    return [re.sub(r"<\w+:(\w+)>", r"<\1>", str(route.pattern)) for route in routing.ROUTES]


def vars_of(view):
    """What a view itself defines, without what all views have."""
    return {name for cls in view.__mro__ if cls.__module__.startswith("webapp") for name in vars(cls)}
