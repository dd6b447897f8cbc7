"""Reading providers: those of the page, and the one of the environment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.http import Http404
from django.utils import timezone

from retrieval.environment import LLMSettings
from retrieval.types import Usage
from webapp.api.errors import InvalidError, NotConfiguredError
from webapp.language_models.models import Provider, Spending, SpendingLimits

ENVIRONMENT = 0
"""The id of the provider that the environment sets."""

SETTINGS = (
    *("context_length", "prompt_price", "completion_price", "requests_per_minute", "constraints"),
    *("silence_timeout", "total_timeout", "loading_timeout", "max_tokens", "temperature"),
)
"""Fields that a provider has in common with ``retrieval.environment.LLMSettings``."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A provider, wherever it was set up. ``encrypted_key`` is None for the environment's, whose key is in it."""

    id: int
    name: str
    model: str
    base_url: str
    key_set: bool
    enabled: bool = True
    default: bool = False
    context_length: int = 0
    prompt_price: float | None = None
    completion_price: float | None = None
    requests_per_minute: int = 0
    constraints: str = "none"
    silence_timeout: float = 20.0
    total_timeout: float = 120.0
    loading_timeout: float = 120.0
    max_tokens: int = 1024
    temperature: float = 0.0
    changed_at: datetime | None = None

    @property
    def source(self) -> str:
        """``environment`` or ``page``."""
        return "environment" if self.id == ENVIRONMENT else "page"


def list_models() -> list[LanguageModel]:
    """The environment's first, then those of the page by name."""
    rows = [_build_from_row(row) for row in Provider.objects.all()]
    environment_model = _build_from_environment(default=not any(row.default for row in rows))
    return [*([environment_model] if environment_model else []), *rows]


def find(key: int) -> LanguageModel:
    """One of them.

    Raises:
        Http404: there is none of this id.
    """
    for model in list_models():
        if model.id == key:
            return model
    raise Http404


def get_default() -> LanguageModel | None:
    """The one that is used unless another is named; None when there is none."""
    return next((model for model in list_models() if model.default and model.enabled), None)


def resolve_model(key: int | None, instead: str) -> LanguageModel:
    """The one of this id, or the default.

    Raises:
        NotConfiguredError: none is set up; ``instead`` says what else can be done.
        InvalidError: there is none of this id, or it is switched off.
    """
    if key is None:
        default_model = get_default()
        if default_model is None:
            raise NotConfiguredError(
                "No language model is set up.",
                hint=f"An administrator can add one, or set LLM_BASE_URL and LLM_MODEL; or {instead}.",
            )
        return default_model
    chosen = next((model for model in list_models() if model.id == key and model.enabled), None)
    if chosen is None:
        raise InvalidError(f"No language model {key} can be used.", hint="Choose one of the list.")
    return chosen


def get_limits() -> SpendingLimits:
    """The limits; none at first."""
    return SpendingLimits.objects.first() or SpendingLimits()


def get_today() -> date:
    """The day that is counted now (UTC)."""
    return timezone.now().date()


def get_usage(user_id: int | None, day: date | None = None) -> Usage:
    """What a user's runs and jobs have used in a day."""
    if user_id is None:
        return Usage()
    row = Spending.objects.filter(user_id=user_id, day=day or get_today()).first()
    return to_usage(row) if row else Usage()


def to_usage(row: Spending) -> Usage:
    """A row as the engine counts."""
    return Usage(row.llm_calls, row.prompt_tokens, row.completion_tokens, cost=row.cost)


def _build_from_environment(*, default: bool) -> LanguageModel | None:
    llm = settings.CLEW.llm
    if llm is None:
        return None
    return LanguageModel(
        ENVIRONMENT,
        llm.model,
        llm.model,
        llm.base_url,
        bool(llm.api_key),
        default=default,
        **_get_settings(llm),
    )


def _build_from_row(row: Provider) -> LanguageModel:
    return LanguageModel(
        row.pk,
        row.name,
        row.model,
        row.base_url,
        bool(row.encrypted_key),
        row.enabled,
        row.default and row.enabled,
        changed_at=row.changed_at,
        **_get_settings(row),
    )


def _get_settings(provider: LLMSettings | Provider) -> dict[str, Any]:
    return {name: getattr(provider, name) for name in SETTINGS}
