"""What no address of the API may hold, refused before anything reads it; and JSON compressed on its way out."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.middleware.gzip import GZipMiddleware

from webapp.api.errors import render_error


def plain_addresses(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse NUL in paths and query strings: no name has one, and PostgreSQL can neither keep nor look for it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            error = render_error("bad_request", "The address holds the character NUL.", "Take %00 out of it.")
            return JsonResponse(error, status=400)
        return get_response(request)

    return answer


class CompressJson(GZipMiddleware):
    """Gzip JSON for clients that take it.

    Nothing else is compressed: pages may hold a CSRF token (BREACH), downloads are often compressed already, and
    streams are to arrive piece by piece. The token in the JSON of a session is masked anew each time, and Django adds
    random bytes to what it compresses.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress an answer of JSON."""
        if response.streaming or not response.headers.get("Content-Type", "").startswith("application/json"):
            return response
        return super().process_response(request, response)
