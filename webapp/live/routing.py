"""Addresses of the sockets, with the checks that come before them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlparse

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.urls import path

from webapp.accounts.authentication import user_of_token
from webapp.accounts.models import Scope
from webapp.live.consumers import JobsConsumer, NotThere, RunConsumer


class SameSite(OriginValidator):  # type: ignore[misc]  # channels has no types
    """Refuse pages of other sites. Scripts send no Origin and have no cookies to steal, so they may pass."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse without a consumer, which would open a connection to Redis only to leave it."""
        origin = dict(scope["headers"]).get(b"origin")
        if origin is None or self.validate_origin(urlparse(origin.decode("latin-1"))):
            await self.application(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.close"})


class Bearer:
    """Let scripts open sockets with ``Authorization: Bearer TOKEN``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Put the token's user into the scope."""
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        kind, _, token = header.partition(" ")
        if kind.lower() == "bearer":
            found = await database_sync_to_async(user_of_token)(token.strip())
            if found is not None and Scope.READ in found[1].scopes:
                scope = {**scope, "user": found[0]}
        return await self.inner(scope, receive, send)


_routes = URLRouter(
    [
        path("ws/runs/<uuid:run_id>", RunConsumer.as_asgi()),
        path("ws/jobs", JobsConsumer.as_asgi()),
        path("<path:anything>", NotThere.as_asgi()),
    ]
)
websocket_application = SameSite(AuthMiddlewareStack(Bearer(_routes)), settings.ALLOWED_HOSTS)
