"""The only exception that the client raises."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """A call was refused or failed, or there was no answer.

    Attributes:
        status: HTTP status; 0 where no response came, or where a run or job failed after it was accepted.
        code: stable name of the error, such as ``not_found``; ``docs/contracts.md`` and the schema have them.
        message: what went wrong and what to do about it, in the server's words.
    """

    def __init__(self, message: str, *, code: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status


def build_error(error: Any, status: int = 0) -> ApiError:
    """Return the exception of an error as the API writes it: code, message, hint and perhaps fields."""
    error = error if isinstance(error, dict) else {}
    parts = [error.get("message") or f"Clew answers with status {status}.", error.get("hint")]
    parts += [f"{name}: {text}" for name, text in (error.get("fields") or {}).items()]
    return ApiError(" ".join(part for part in parts if part), code=error.get("code") or "error", status=status)


def build_connection_error(url: str, error: Exception) -> ApiError:
    """Return the exception of a server that does not answer."""
    message = f"Clew does not answer at {url} ({type(error).__name__}). Start it with `clew up`, or correct the URL."
    return ApiError(message, code="no_response")
