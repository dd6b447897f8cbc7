"""Errors in the shape of the OpenAI API: ``{"error": {message, type, param, code}}``."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response

from retrieval.errors import ClewError
from webapp.api import errors

TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
"""The type of an error by its status; of others the class of the status decides."""


class RunFailedError(ClewError):
    """A run ended with an error, whose code this has."""

    code = "run_failed"

    def __init__(self, message: str, *, code: str = code, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


def render_chat_error(error: ClewError) -> dict[str, Any]:
    """An error of Clew's in that shape."""
    content = errors.render_error(error.code, error.message, error.hint)["error"]
    return _convert(content, errors.get_status(error), getattr(error, "param", None))


def handle_chat_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler for ``/v1``."""
    response = errors.handle(error, context)
    if response is not None:
        response.data = _convert(response.data["error"], response.status_code, getattr(error, "param", None))
    return response


def _convert(content: dict[str, Any], status: int, param: str | None) -> dict[str, Any]:
    kind = TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    message = f"{content['message']} {content['hint']}".strip()
    return {"error": {"message": message, "type": kind, "param": param, "code": content["code"]}}
