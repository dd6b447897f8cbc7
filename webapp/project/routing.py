"""Addresses of the sockets, with the checks that come before them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.urls import path

from webapp.accounts.authentication import find_token_user
from webapp.accounts.models import Scope
from webapp.answers.consumers import RunsConsumer
from webapp.graphs.consumers import JobsConsumer
from webapp.live.consumers import BoundedSockets, NotThere

PORTS = {"http": 80, "https": 443}


class SameSite:
    """Refuse pages of other sites, and of other ports of this one, which may be anybody's.

    Scripts send no Origin and have no cookies to steal, so they may pass.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse without a consumer, which would open a connection to Redis only to leave it."""
        headers = {name: value.decode("latin-1").lower() for name, value in scope["headers"]}
        origin = headers.get(b"origin")
        if origin is None or _is_ours(origin, headers.get(b"host", "")):
            await self.inner(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.close"})


def _is_ours(origin: str, host: str) -> bool:
    """Whether a page of this origin came from here: by the name and the port that this was asked for."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        requested = urlsplit(f"{parts.scheme}://{host}")
        same = (parts.hostname, parts.port or PORTS[parts.scheme]) == (
            requested.hostname,
            requested.port or PORTS[parts.scheme],
        )
    except (ValueError, KeyError):
        return False
    return same and validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


class Bearer:
    """Let scripts open sockets with ``Authorization: Bearer TOKEN``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Put the token's user into the scope."""
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        kind, _, token = header.partition(" ")
        if kind.lower() == "bearer":
            credentials = await database_sync_to_async(find_token_user)(token.strip())
            if credentials is not None and Scope.READ in credentials[1].scopes:
                scope = {**scope, "user": credentials[0], "token": credentials[1].pk}
        return await self.inner(scope, receive, send)


ROUTES = [
    path("ws/runs", RunsConsumer.as_asgi()),
    path("ws/runs/<uuid:run_id>", RunsConsumer.as_asgi()),
    path("ws/jobs", JobsConsumer.as_asgi()),
    path("<path:anything>", NotThere.as_asgi()),
]
websocket_application = SameSite(BoundedSockets(AuthMiddlewareStack(Bearer(URLRouter(ROUTES)))))
