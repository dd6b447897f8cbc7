"""Where the language model is and how patiently it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from retrieval.errors import ConfigError
from retrieval.types import Usage


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """An OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, llama.cpp).

    Attributes:
        base_url: address up to and including ``/v1``.
        model: name the endpoint knows the model by.
        api_key: empty for endpoints that want none.
        connect_timeout: seconds to reach the endpoint.
        silence_timeout: seconds without a new piece of text before it is called hung.
        total_timeout: seconds for one reply, all told.
        retries: further attempts after a connection error, a rate limit or a server error (5xx), each only
            while nothing of the reply has come.
        backoff: seconds before the first retry; doubled for each next one.
        max_tokens: longest reply.
        temperature: 0 makes replies as repeatable as the endpoint allows.
        name: what people call it; the model's name when empty.
        context_length: tokens of prompt and reply together that the model can read; 0 when it is not known.
        prompt_price, completion_price: of a million tokens; None when they are not known.
        requests_per_minute: most requests in any minute; 0 for no limit.
    """

    base_url: str
    model: str
    api_key: str = ""
    connect_timeout: float = 5.0
    silence_timeout: float = 20.0
    total_timeout: float = 120.0
    retries: int = 2
    backoff: float = 0.5
    max_tokens: int = 1024
    temperature: float = 0.0
    name: str = ""
    context_length: int = 0
    prompt_price: float | None = None
    completion_price: float | None = None
    requests_per_minute: int = 0

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ConfigError(
                f"LLM_BASE_URL is {self.base_url!r}.",
                hint="Give an address such as http://localhost:11434/v1.",
            )
        if not self.model:
            raise ConfigError("LLM_MODEL is empty.", hint="Name the model that the endpoint serves.")

    @property
    def title(self) -> str:
        """What people call it."""
        return self.name or self.model

    def priced(self, calls: int, prompt_tokens: int, completion_tokens: int) -> Usage:
        """What requests used, with their cost where both prices are known."""
        cost = None
        if self.prompt_price is not None and self.completion_price is not None:
            cost = (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1e6
        return Usage(calls, prompt_tokens, completion_tokens, cost=cost)

    @classmethod
    def from_mapping(cls, values: Mapping[str, str]) -> LLMSettings | None:
        """Settings from ``LLM_BASE_URL``, ``LLM_MODEL`` and ``LLM_API_KEY``; None when no address is given.

        Raises:
            ConfigError: the address is no address, or no model is named.
        """
        base_url = values.get("LLM_BASE_URL", "").strip()
        if not base_url:
            return None
        return cls(base_url, values.get("LLM_MODEL", "").strip(), values.get("LLM_API_KEY", "").strip())
