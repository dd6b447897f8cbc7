"""The bytes of a request as they arrive, so that a broken connection costs none of those that had come."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as TooLate
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from webapp.api.concurrency import is_too_slow

PATHS = re.compile(r"/api/v1/uploads(/[0-9a-f-]{36})?$")
KEY = "clew.body"
PIECE = 1 << 18


class Arriving:
    """The body of an ASGI request, read by the thread that handles it.

    Ends early where the connection breaks. One that is silent for ``BODY_QUIET_S``, or brings too little for long, is
    taken for broken, so that its successor need not wait for it.
    """

    def __init__(self, receive: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._receive = receive
        self._loop = loop

    def __iter__(self) -> Iterator[bytes]:
        more, seen, began = True, 0, time.monotonic()
        while more and not is_too_slow(seen, time.monotonic() - began):
            waiting = asyncio.run_coroutine_threadsafe(self._receive(), self._loop)
            try:
                message = waiting.result(settings.BODY_QUIET_S)
            except TooLate:
                waiting.cancel()
                return
            if message["type"] != "http.request":
                return
            more = message.get("more_body", False)
            seen += len(message.get("body", b""))
            yield message.get("body", b"")


def wrap_application(application: Any, otherwise: Any) -> Any:
    """Wrap an ASGI application so that requests to ``uploads`` reach their view at once, their body still arriving.

    Django's own handler would first store the whole body, and drop it when the connection breaks.

    Args:
        application: Django's handler.
        otherwise: the application for all other requests.
    """

    async def dispatch_request(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not PATHS.match(scope["path"]):
            await otherwise(scope, receive, send)
            return
        began = False

        async def read_empty() -> dict[str, Any]:
            nonlocal began
            if began:  # Django listens for the connection's end, which the view will notice by itself
                await asyncio.Event().wait()
            began = True
            return {"type": "http.request", "body": b"", "more_body": False}

        body = Arriving(receive, asyncio.get_running_loop())
        await application({**scope, KEY: body}, read_empty, send)

    return dispatch_request


def read_body(request: HttpRequest) -> Iterator[bytes]:
    """The pieces of a request's body, as they come."""
    arriving = getattr(request, "scope", {}).get(KEY)
    if arriving is not None:
        return iter(arriving)
    return iter(lambda: request.read(PIECE), b"")
