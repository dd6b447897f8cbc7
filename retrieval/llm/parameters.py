"""The optional fields of a chat request, without those that an endpoint refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from retrieval.environment import LLMSettings

if TYPE_CHECKING:
    import openai

    from retrieval.llm.constraints import Constraint

RENAMED = {"max_tokens": "max_completion_tokens"}
"""Fields that some models accept by another name only, as OpenAI's reasoning models do."""

WORDS_MAX = 500
"""Characters of an endpoint's own error text that are kept."""

_WRITTEN_AS = {"extra_body": "grammar"}
_LOADING = re.compile(r"\bloading\b", re.IGNORECASE)
_refused: dict[tuple[str, str], frozenset[str]] = {}


def get_refused(settings: LLMSettings) -> frozenset[str]:
    """Return the fields that this model has refused so far, as this process knows."""
    return _refused.get((settings.base_url, settings.model), frozenset())


def save_refused(settings: LLMSettings, fields: frozenset[str]) -> None:
    """Stop sending these fields to this model."""
    _refused[settings.base_url, settings.model] = fields


def build_optional_fields(settings: LLMSettings, constraint: Constraint, refused: Collection[str]) -> dict[str, Any]:
    """Return the fields beside model and messages; refused ones are renamed where they can be, else left out."""
    fields = {
        "stream_options": {"include_usage": True},
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        **constraint.build_fields(settings),
    }
    return {
        RENAMED[name] if name in refused else name: value
        for name, value in fields.items()
        if name not in refused or name in RENAMED
    }


def find_refused(error: openai.APIStatusError, sent: Collection[str]) -> str | None:
    """Return the sent field that an error names as its parameter, or in its text; None where it names none."""
    fields = {_WRITTEN_AS.get(field, field): field for field in sent if field not in RENAMED.values()}
    if error.param:
        return fields.get(str(error.param).partition(".")[0])
    words = re.findall(r"\w+", json.dumps(error.body, default=str))
    return next((fields[word] for word in words if word in fields), None)


def is_loading(error: openai.APIStatusError) -> bool:
    """Whether an endpoint says that its model is still being loaded."""
    return _LOADING.search(extract_endpoint_message(error)) is not None


def extract_endpoint_message(error: Exception, api_key: str = "") -> str:
    """Return what an endpoint says of its error, without the key that it was sent."""
    body: object = getattr(error, "body", None)
    while isinstance(body, Mapping):
        inner = next((body[key] for key in ("message", "error", "detail") if body.get(key)), None)
        body = inner if inner is not None else json.dumps(dict(body), default=str)
    text = " ".join(str(body or "").split())
    text = text.replace(api_key, "(key)") if api_key else text
    return text if len(text) <= WORDS_MAX else f"{text[:WORDS_MAX]} …"
