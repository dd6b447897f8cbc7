"""What a request asked the workers for while the queue was away: it is kept, sent later, and the answer says so."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase, JsonResponse

from webapp.api.errors import QueueUnavailableError, get_status, render_error

Unsent = tuple[str, int | str]
"""``run`` or ``job``, and its id."""

_kept: ContextVar[list[Unsent] | None] = ContextVar("unsent", default=None)


def register_unsent(kind: str, key: int | str | UUID) -> None:
    """Remember that the workers could not be told of something, where a request asked for it."""
    kept = _kept.get()
    if kept is not None:
        kept.append((kind, key if isinstance(key, int) else str(key)))


def is_in_request() -> bool:
    """Whether this is done for a request, not by a worker or a command."""
    return _kept.get() is not None


def middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 503 with the ids of what is kept, where the workers could not be told."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        kept: list[Unsent] = []
        token = _kept.set(kept)
        try:
            response = get_response(request)
        finally:
            _kept.reset(token)
        return _render_unsent(kept) if kept and response.status_code < 400 else response

    return answer


def _render_unsent(kept: list[Unsent]) -> JsonResponse:
    error = QueueUnavailableError(
        "The queue is not reachable just now. What you asked for is kept.",
        hint="It begins by itself when the queue is back; there is no need to ask again.",
    )
    content: dict[str, Any] = render_error(error.code, error.message, error.hint)
    for kind, key in kept:
        content.setdefault(kind, key)  # the first: its page leads to the others
    return JsonResponse(content, status=get_status(error))
