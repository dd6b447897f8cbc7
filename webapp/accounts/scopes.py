"""Which scope a token needs for a call. What is not listed here, no token may do, whatever its scopes.

Looking takes the scope ``read``. Everything that changes something is listed by method and route, so that a new route
is closed to tokens until somebody decides what opens it.
"""

from __future__ import annotations

import re

from webapp.accounts.models import Scope

SAFE = ("GET", "HEAD", "OPTIONS")
_CONVERTER = re.compile(r"<\w+:")

_CALLS = {
    Scope.READ: ("POST graphs/<pk>/sparql",),
    Scope.RECONCILE: ("POST reconcile/<token>/<pk>",),
    Scope.ASK: (
        "POST runs",
        "POST runs/<pk>/cancel",
        "POST runs/<pk>/pause",
        "POST runs/<pk>/steer",
        "POST runs/<pk>/flag",
        "POST runs/<pk>/why-not",
        "POST comparisons",
        "POST across",
        "POST retrieve",
        "POST v1/chat/completions",
    ),
    Scope.WRITE: (
        "DELETE runs/<pk>",
        "DELETE across/<pk>",
        "POST uploads",
        "POST uploads/preview",
        "POST uploads/model",
        "POST uploads/model/convert",
        "PATCH uploads/<pk>",
        "DELETE uploads/<pk>",
        "POST graphs",
        "PATCH graphs/<pk>",
        "DELETE graphs/<pk>",
        "POST graphs/<pk>/index",
        "PUT graphs/<pk>/error-limit",
        "POST graphs/<pk>/error-limit",
        "POST graphs/<pk>/extract",
        "POST graphs/<pk>/sample-questions",
        "POST graphs/<pk>/versions",
        "POST graphs/<pk>/model",
        "PUT graphs/<pk>/vocabulary",
        "DELETE graphs/<pk>/vocabulary",
        "POST graphs/<pk>/vocabulary/file",
        "POST graphs/<pk>/edits",
        "POST graphs/<pk>/edits/preview",
        "POST graphs/<pk>/edits/<number>/undo",
        "POST graphs/<pk>/duplicates",
        "DELETE graphs/<pk>/versions/<version>",
        "POST graphs/<pk>/versions/<version>/activate",
        "POST graphs/<pk>/source",
        "PATCH graphs/<pk>/source",
        "DELETE graphs/<pk>/source",
        "POST graphs/<pk>/source/check",
        "POST graphs/<pk>/source/refresh",
        "POST graphs/<pk>/source/refreshes/<refresh>/confirm",
        "POST endpoints",
        "PATCH graphs/<pk>/endpoint",
        "POST graphs/<pk>/endpoint/check",
        "POST jobs/<pk>/cancel",
        "POST jobs/<pk>/retry",
        "POST question-sets",
        "DELETE question-sets/<pk>",
        "POST label-sets",
        "POST label-sets/combine",
        "DELETE label-sets/<pk>",
        "POST trajectory-sets",
        "DELETE trajectory-sets/<pk>",
        "POST graphs/<pk>/train",
        "POST graphs/<pk>/rollback",
        "POST checkpoints",
        "POST checkpoints/<pk>/compare",
        "POST checkpoints/<pk>/promote",
        "DELETE checkpoints/<pk>",
        "POST reports",
        "POST reports/<pk>/resume",
        "DELETE reports/<pk>",
        "POST studies",
        "POST studies/<pk>/resume",
        "DELETE studies/<pk>",
        "POST graphs/<pk>/tests",
        "POST graphs/<pk>/tests/ask",
        "PATCH graphs/<pk>/tests/policy",
        "PATCH tests/<pk>",
        "DELETE tests/<pk>",
        "POST tests/<pk>/through-time",
        "POST test-rounds/<pk>/accept",
        "POST watches",
        "POST watches/<pk>",
        "DELETE watches/<pk>",
        "POST review/queues",
        "DELETE review/queues/<pk>",
        "POST review/queues/<pk>/restore",
        "POST review/queues/<pk>/carry-over",
        "POST review/queues/<pk>/next",
        "POST review/queues/<pk>/undo",
        "POST review/queues/<pk>/redo",
        "POST review/queues/<pk>/accept-unanimous",
        "POST review/queues/<pk>/accept-unanimous/undo",
        "POST review/queues/<pk>/import",
        "POST review/queues/<pk>/import/undo",
        "PUT review/items/<pk>/draft",
        "POST review/items/<pk>/submit",
        "POST review/items/<pk>/release",
        "POST review/items/<pk>/answers",
        "POST review/items/<pk>/candidates",
        "POST review/items/<pk>/programs",
        "POST review/items/<pk>/adjudicate",
        "POST review/items/<pk>/adjudicate/undo",
    ),
    Scope.ADMIN: (
        "GET tokens",
        "DELETE tokens/<pk>",
        "GET webhooks",
        "POST webhooks",
        "GET webhooks/<pk>",
        "PATCH webhooks/<pk>",
        "DELETE webhooks/<pk>",
        "POST webhooks/<pk>/rotate-secret",
        "POST webhooks/<pk>/test",
        "GET webhooks/<pk>/deliveries",
        "POST webhooks/<pk>/deliveries/<number>/resend",
        "POST shared-links",
        "DELETE shared-links/<pk>",
        "PATCH sharing-policy",
        "POST users",
        "PATCH users/<pk>",
        "POST users/<pk>/deactivate",
        "POST users/<pk>/password",
        "POST users/<pk>/unlock",
        "POST groups",
        "PATCH groups/<pk>",
        "DELETE groups/<pk>",
        "POST language-models",
        "PATCH language-models/<pk>",
        "DELETE language-models/<pk>",
        "POST language-models/<pk>/test",
        "PATCH language-limits",
        "DELETE trash/<pk>",
        "POST trash/<pk>/restore",
        "DELETE trash/<pk>/versions/<version>",
        "POST trash/<pk>/versions/<version>/restore",
        "DELETE trash/<kind>/<key>",
        "POST trash/<kind>/<key>/restore",
    ),
}
CALLS = {call: scope for scope, calls in _CALLS.items() for call in calls}
"""The scope of each call, as ``METHOD route``; the route is below ``/api/v1/``."""


def find_required_scope(method: str, route: str) -> Scope | None:
    """Return the scope that a call needs; None where no token may make it.

    Args:
        route: the pattern that its address matched, as the URL configuration spells it.
    """
    verb = "GET" if method == "HEAD" else method
    call = f"{verb} {_CONVERTER.sub('<', route.removeprefix('api/v1/'))}"
    return CALLS.get(call) or (Scope.READ if method in SAFE else None)
