"""Responses that wait for something, and hold neither a thread nor the turn of their request meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from retrieval.errors import ClewError
from webapp.api.errors import get_status, render_error
from webapp.api.middleware import CompressJson
from webapp.api.views import server_error

logger = logging.getLogger(__name__)


def call_when_closed(response: HttpResponseBase, function: Callable[[], object]) -> None:
    """Have a function called, in a thread, once a response was sent or nobody is there to send it to."""
    response._resource_closers.append(function)  # type: ignore[attr-defined]  # as Django does for files


async def close_in_thread(response: HttpResponseBase) -> None:
    """Close a response that is not sent, also where the task that asks for it is cancelled once more."""
    await asyncio.shield(sync_to_async(response.close)())


class DeferredResponse(HttpResponse):
    """A response that the request handler awaits in the event loop, after middleware and view have returned.

    It is closed when the response that was made is, and when the client hangs up before that.

    Args:
        make: makes the response.
    """

    def __init__(self, make: Callable[[], Awaitable[HttpResponse]]) -> None:
        super().__init__()
        self._make = make

    async def resolve(self, request: HttpRequest) -> HttpResponseBase:
        """Make the response, with the headers that middleware gave to this one."""
        try:
            response = await self._make()
        except asyncio.CancelledError:
            await close_in_thread(self)
            raise
        except ClewError as error:
            response = JsonResponse(render_error(error.code, error.message, error.hint), status=get_status(error))
        except Exception:
            logger.exception("a deferred response broke")
            response = server_error(request)
        call_when_closed(response, self.close)
        for name, value in self.headers.items():
            if name != "Content-Length":  # of nothing
                response.headers.setdefault(name, value)
        return CompressJson(lambda _: response).process_response(request, response)
