"""What is said of a language model's server that fails."""

from __future__ import annotations

import contextlib
from email.utils import parsedate_to_datetime
from time import time

from retrieval.environment import LLMSettings
from retrieval.errors import LLMError, LLMKeyError, LLMTimeoutError
from retrieval.llm.parameters import (
    extract_endpoint_message,
)


class BrokenOffError(Exception):
    """The stream broke after it had begun."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


def list_transport_errors() -> tuple[type[Exception], ...]:
    """What the HTTP client raises in mid-stream, where openai does not wrap it, and malformed chunks."""
    import httpx2  # noqa: PLC0415 - openai's own HTTP client

    return (httpx2.HTTPError, ValueError, AttributeError, TypeError)


def read_retry_after(error: Exception) -> float:
    """Seconds that an endpoint asks to be left alone (``Retry-After``: seconds or a date); 0 when it does not say."""
    response = getattr(error, "response", None)
    header = response.headers.get("retry-after", "") if response is not None else ""
    with contextlib.suppress(ValueError):
        return max(0.0, float(header))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    return 0.0


def build_slow_error(settings: LLMSettings) -> LLMTimeoutError:
    """The error of a reply that did not begin in time."""
    return LLMTimeoutError(
        f"The language model took longer than {settings.total_timeout:g} s.",
        hint="Use a faster model, or allow more time (LLM_TOTAL_TIMEOUT, or the model's settings).",
    )


def build_silent_error(settings: LLMSettings) -> LLMTimeoutError:
    """The error of a reply that broke off in silence."""
    return LLMTimeoutError(
        f"The language model at {settings.base_url} was silent for {settings.silence_timeout:g} s.",
        hint="Check that the endpoint is not overloaded, or allow more (LLM_SILENCE_TIMEOUT, or the model's settings).",
    )


def build_loading_error(error: Exception, settings: LLMSettings) -> LLMTimeoutError:
    """The error of a model that did not finish loading."""
    return LLMTimeoutError(
        f"The language model at {settings.base_url} was still loading after {settings.loading_timeout:g} s.",
        hint="Ask again later, or allow more time (LLM_LOADING_TIMEOUT, or the model's settings).",
        detail=extract_endpoint_message(error, settings.api_key),
    )


def explain(error: Exception, settings: LLMSettings, wait: float = 0.0) -> LLMError:
    """The error as a person can act on it; never the key, never a traceback."""
    import openai  # noqa: PLC0415

    where, detail = (
        f"The language model at {settings.base_url}",
        extract_endpoint_message(error, settings.api_key),
    )
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return LLMKeyError(f"{where} refuses the key.", hint="Check LLM_API_KEY, or the provider's key.", detail=detail)
    if isinstance(error, openai.NotFoundError):
        return LLMError(
            f"{where} knows no model {settings.model!r}.",
            hint="Check LLM_MODEL and that LLM_BASE_URL ends in /v1.",
            detail=detail,
        )
    if isinstance(error, openai.RateLimitError):
        when = f"Wait {wait:.0f} s" if wait > settings.longest_wait else "Wait"
        return LLMError(f"{where} allows no more requests now.", hint=f"{when}, or raise the limit.", detail=detail)
    if isinstance(error, openai.APIStatusError):
        hint = "An administrator sees the endpoint's words by testing it (Language models)."
        return LLMError(f"{where} answers with error {error.status_code}.", hint=hint, detail=detail)
    if isinstance(error, openai.APIConnectionError):
        return LLMError(f"{where} cannot be reached.", hint="Start it, or correct LLM_BASE_URL.")
    return LLMError(f"{where} broke off its reply.", hint="Look at its log, then ask again.")
