"""Django's ASGI handler with one thread hop a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse

from webapp.api.deferred import DeferredResponse, close_in_thread
from webapp.api.errors import ServerBusyError, get_status, render_error
from webapp.project.turns import RequestTurns, get_lanes
from webapp.uploads.streams import KEY


class OneHopHandler(ASGIHandler):
    """Run middleware and view together in the request's thread.

    All views and most middleware are synchronous. Django's own handler goes from the event loop to the thread and
    back for each middleware, some twelve times a request, which costs more than the middleware themselves.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, RequestTurns] = WeakKeyDictionary()

    def load_middleware(self, is_async: bool = False) -> None:
        """Load them as a synchronous chain."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> Any:
        """The response, made in the request's thread when it is the request's turn.

        Uploads that are still arriving take no turn: their number is limited by themselves.
        """

        def make_response() -> HttpResponseBase:
            return self.get_response(request)

        answer = sync_to_async(make_response, thread_sensitive=True)
        if KEY in getattr(request, "scope", {}):
            response = await _await_thread(answer())
        else:
            turns = self._turns.setdefault(asyncio.get_running_loop(), RequestTurns())
            try:
                async with turns.take(get_lanes(request)):
                    response = await _await_thread(answer())
            except ServerBusyError as error:
                content = render_error(error.code, error.message, error.hint)
                return JsonResponse(content, status=get_status(error), headers={"Retry-After": "2"})
        if isinstance(response, DeferredResponse):
            response = await response.resolve(request)
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _read_in_thread(iter(response))
        return response


async def _await_thread(answer: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    """The response that a thread makes; it is closed where the client hangs up meanwhile, since nobody will send it."""
    made = asyncio.ensure_future(answer)
    try:
        return await asyncio.shield(made)
    except asyncio.CancelledError:
        await close_in_thread(await made)
        raise


async def _read_in_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """A file's pieces, each read in a thread, so that the event loop goes on meanwhile."""

    def read_next() -> bytes:
        return next(chunks, b"")

    while chunk := await sync_to_async(read_next)():
        yield chunk
