"""Errors of the web application, and the one mapping from errors to HTTP answers.

Every answer is ``{"error": {code, message, hint, fields?}}``.
"""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DataError, OperationalError
from django.http import Http404
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework import exceptions
from rest_framework.response import Response

from retrieval.errors import (
    CheckpointError,
    ClewError,
    ConfigError,
    DamagedError,
    EditError,
    EndpointError,
    EvaluationError,
    LLMError,
    MethodError,
    NotIndexedError,
    ProgramError,
    QuestionError,
    SourceError,
    StorageFullError,
    TrainingDataError,
    UnknownEntityError,
)

logger = logging.getLogger(__name__)


class BadLoginError(ClewError):
    """User name or password is wrong."""

    code = "bad_login"


class RateLimitError(ClewError):
    """A limit of what one client may do is reached.

    Attributes:
        policy: name of the limit in ``RateLimit`` headers.
        retry_after: seconds after which another try makes sense.
    """

    code = "throttled"
    policy = "requests"

    def __init__(self, message: str, *, hint: str = "", retry_after: int = 5) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class TooManyLoginsError(RateLimitError):
    """Too many wrong passwords in a short time."""

    code = "too_many_logins"
    policy = "logins"


class AnswerTimeoutError(ClewError):
    """A call waited for a run as long as it may, and gave it up."""

    code = "timed_out"


class ServerBusyError(ClewError):
    """More is asked at once than the server takes on."""

    code = "server_busy"


class TooManyUploadsError(RateLimitError):
    """A person sends, or has looked at, too many files at once."""

    code = "too_many_uploads"
    policy = "uploads"


class TooManyRunsError(RateLimitError):
    """A person has more runs waiting than is fair to others."""

    code = "too_many_runs"
    policy = "runs"


class TooManyJobsError(RateLimitError):
    """A person has more jobs waiting than is fair to others."""

    code = "too_many_jobs"
    policy = "jobs"


class QueueUnavailableError(ClewError):
    """The queue that wakes the workers does not answer; what was asked for is kept and sent later."""

    code = "queue_unavailable"


class CsrfError(ClewError):
    """A session request without the right CSRF token."""

    code = "bad_csrf"


class ForbiddenError(ClewError):
    """The user's role, or whose thing it is, does not allow this."""

    code = "forbidden"


class PasswordChangeError(ForbiddenError):
    """The password was made for the person, who must choose one first."""

    code = "password_change_needed"


class NotAllowedError(ForbiddenError):
    """The operator has not allowed to import from there."""

    code = "not_allowed"


class InvalidError(ClewError):
    """A request that makes no sense, although each field alone is well formed."""

    code = "invalid"


class KeyNeededError(InvalidError):
    """A key must be entered again."""

    code = "key_needed"


class NotComparableError(ClewError):
    """Reports that cannot stand side by side."""

    code = "not_comparable"


class ConflictError(ClewError):
    """Something is not in the state that this needs."""

    code = "conflict"


class GraphNotReadyError(ConflictError):
    """The graph is still importing, or its import failed."""

    code = "graph_not_ready"


class NotImportedError(ConflictError):
    """The graph lives in an endpoint, and this needs a version of it that was imported."""

    code = "not_imported"


class LastAdminError(ConflictError):
    """Nobody could administer the installation any more."""

    code = "last_admin"


class NameTakenError(ConflictError):
    """Something of this name exists."""

    code = "name_taken"


class VersionGoneError(ConflictError):
    """The version of a graph that something was made on was deleted."""

    code = "version_gone"


class ConfirmError(ClewError):
    """Deleting needs the name typed."""

    code = "confirm_needed"


class TooLargeError(ClewError):
    """An upload over the limit."""

    code = "too_large"


class QuotaError(TooLargeError):
    """More than a user may keep."""

    code = "over_quota"


class BusyError(ClewError):
    """Somebody else is at it just now."""

    code = "busy"


class GoneError(ClewError):
    """It was there, and is not any more."""

    code = "gone"


class ChecksumError(ClewError):
    """Other bytes came than were sent."""

    code = "bad_checksum"


class ProtocolError(ClewError):
    """Another version of a protocol than is spoken here."""

    code = "wrong_protocol"


class StorageAwayError(ClewError):
    """The object storage does not answer."""

    code = "storage_away"


class NotConfiguredError(ClewError):
    """A part that was not set up was asked for."""

    code = "llm_not_configured"


class ModelNotFoundError(ClewError):
    """No graph and method are meant by the name of a chat model."""

    code = "model_not_found"


class LinkNotFoundError(ClewError):
    """No shared link has this token."""

    code = "not_found"


class NoModelError(ClewError):
    """A version of a graph was made without a data model."""

    code = "no_model"


class NoPassagesError(ClewError):
    """Text is needed, and the graph has none."""

    code = "no_passages"


# The first class that matches decides, so that the special come before the general.
STATUS: list[tuple[type[ClewError], int]] = [
    (BadLoginError, 401),
    (RateLimitError, 429),
    (NoModelError, 404),
    (ModelNotFoundError, 404),
    (LinkNotFoundError, 404),
    (CsrfError, 403),
    (ForbiddenError, 403),
    (ConflictError, 409),
    (EditError, 409),
    (NotIndexedError, 409),
    (DamagedError, 503),
    (GoneError, 410),
    (ProtocolError, 412),
    (TooLargeError, 413),
    (BusyError, 423),
    (ChecksumError, 460),
    (StorageAwayError, 503),
    (ServerBusyError, 503),
    (AnswerTimeoutError, 504),
    (QueueUnavailableError, 503),
    (StorageFullError, 507),
    (LLMError, 502),
    (InvalidError, 400),
    (NotComparableError, 400),
    (ConfirmError, 400),
    (NotConfiguredError, 400),
    (NoPassagesError, 400),
    (ConfigError, 400),
    (EndpointError, 502),
    (SourceError, 400),
    (QuestionError, 400),
    (ProgramError, 400),
    (UnknownEntityError, 400),
    (CheckpointError, 400),
    (TrainingDataError, 400),
    (EvaluationError, 400),
    (MethodError, 400),
    (ClewError, 500),
]

_DRF_CODES: list[tuple[type[exceptions.APIException], str, str]] = [
    (exceptions.NotAuthenticated, "not_authenticated", "Log in first."),
    (exceptions.AuthenticationFailed, "not_authenticated", "Log in again, or make a new token."),
    (exceptions.PermissionDenied, "forbidden", "Ask an administrator for a role that may do this."),
    (exceptions.NotFound, "not_found", "It may have been deleted; go back to the list."),
    (exceptions.MethodNotAllowed, "method_not_allowed", "See the schema for what this address accepts."),
    (
        exceptions.UnsupportedMediaType,
        "unsupported_media_type",
        "See the schema for what this address accepts.",
    ),
    (exceptions.ParseError, "bad_request", "The body is not what its Content-Type says."),
    (exceptions.Throttled, "throttled", "Wait a little and try again."),
]


def render_error(code: str, message: str, hint: str = "", fields: Any = None) -> dict[str, Any]:
    """An error as JSON."""
    error: dict[str, Any] = {"code": code, "message": message, "hint": hint}
    if fields is not None:
        error["fields"] = fields
    shown: dict[str, Any] = _replace_surrogates(error)
    return {"error": shown}


def _replace_surrogates(value: Any) -> Any:
    """An error as UTF-8 can have it: it may repeat a lone surrogate that was sent, which JSON can spell."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(inner) for key, inner in value.items()}
    return [_replace_surrogates(inner) for inner in value] if isinstance(value, list) else value


def get_status(error: ClewError) -> int:
    """The HTTP status of an error."""
    return next(status for cls, status in STATUS if isinstance(error, cls))


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler: every error, in the one shape."""
    if isinstance(error, ClewError):
        if get_status(error) >= 500:
            logger.error("%s: %s", error.code, error.message, exc_info=error)
        content = render_error(error.code, error.message, error.hint)
        return Response(content, status=get_status(error), headers=_build_limit_headers(error))
    if isinstance(error, RequestDataTooBig):
        return Response(render_error("too_large", "The request is too large."), status=413)
    if isinstance(error, (SuspiciousOperation, BadRequest)):
        return Response(render_error("bad_request", "The request is malformed."), status=400)
    if isinstance(error, DataError):
        logger.warning("a value that the database cannot hold", exc_info=error)
        message = "A value is larger or longer than can be kept, or holds a character that cannot."
        return Response(render_error("invalid", message, "Correct it and try again."), status=400)
    if isinstance(error, (OperationalError, RedisConnectionError)):
        logger.error("a server is not reachable", exc_info=error)
        message = "The database or the queue is not reachable just now."
        return Response(render_error("unavailable", message, "Try again in a moment."), status=503)
    if isinstance(error, FileNotFoundError):
        logger.error("a file is missing", exc_info=error)
        hint = f"An administrator finds out more with `{settings.COMMAND} doctor`."
        return Response(render_error("gone", "A file that this needs is missing on the server.", hint), status=410)
    if isinstance(error, OSError) and error.errno == 28:
        full = StorageFullError("There is no room left on the disk.", hint="Free some space and try again.")
        return Response(render_error(full.code, full.message, full.hint), status=507)
    return _handle_framework(error)


def _build_limit_headers(error: ClewError) -> dict[str, str]:
    """When to try again, of an error that ends by itself, with the limit as ``RateLimit`` headers name it."""
    if isinstance(error, RateLimitError):
        limit = f'"{error.policy}";r=0;t={error.retry_after}'
        return {"Retry-After": str(error.retry_after), "RateLimit": limit}
    return {}


def _handle_framework(error: Exception) -> Response | None:
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        message = f"{_get_first_message(fields)}"
        return Response(render_error("invalid", message, "Correct the named fields.", fields), status=400)
    if not isinstance(error, exceptions.APIException):
        return None
    scheme = getattr(error, "auth_header", None)
    headers = {"WWW-Authenticate": str(scheme)} if scheme else {}
    for cls, code, hint in _DRF_CODES:
        if isinstance(error, cls):
            return Response(render_error(code, str(error.detail), hint), status=error.status_code, headers=headers)
    return Response(render_error("error", str(error.detail)), status=error.status_code, headers=headers)


def _get_first_message(fields: Any) -> str:
    """The first message, with its field's name."""
    name, messages = next(iter(fields.items()))
    while isinstance(messages, (list, dict)) and messages:
        messages = messages[0] if isinstance(messages, list) else next(iter(messages.values()))
    return str(messages) if name == "non_field_errors" else f"{name}: {messages}"
