"""Django's ASGI handler with one thread hop a request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse


class OneHopHandler(ASGIHandler):
    """Run middleware and view together in the request's thread.

    All views and most middleware are synchronous. Django's own handler goes from the event loop to the thread and
    back for each middleware, some twelve times a request, which costs more than the middleware themselves.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Load them as a synchronous chain."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> Any:
        """The response, made in the request's thread."""

        def respond() -> HttpResponseBase:
            return self.get_response(request)

        response = await sync_to_async(respond, thread_sensitive=True)()
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _in_thread(iter(response))
        return response


async def _in_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """A file's pieces, each read in a thread, so that the event loop goes on meanwhile."""

    def following() -> bytes:
        return next(chunks, b"")

    while chunk := await sync_to_async(following)():
        yield chunk
