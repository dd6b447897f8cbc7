"""Answers outside the endpoints: unknown addresses, CSRF failures, crashes."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse

from webapp.api.errors import render_error


def handle_not_found(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """An address under ``/api/`` that is none."""
    return JsonResponse(render_error("not_found", "There is no such address.", "See /api/v1/schema."), status=404)


def server_error(request: HttpRequest) -> JsonResponse:
    """A defect of Clew's."""
    hint = "Try again; if it stays, look into the log of the web process and report it."
    return JsonResponse(render_error("internal", "Something broke inside Clew.", hint), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:
    """A session request without the right token."""
    hint = "Read the token from GET /api/v1/session and send it as X-CSRFToken."
    return JsonResponse(render_error("bad_csrf", "The CSRF token is missing or wrong.", hint), status=403)
