"""What no address of the API may hold, refused before anything reads it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, JsonResponse

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
