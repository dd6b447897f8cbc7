"""Writing providers and limits, each change with its author; counting what is spent; testing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from retrieval.types import Usage
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, KeyNeededError, NameTakenError
from webapp.api.redis import get_redis_client
from webapp.jobs import queue
from webapp.language_models import encryption, selectors
from webapp.language_models.models import Action, Provider, ProviderChange, SpendingLimits

TEST_KEPT_S = 600
FAILURE_KEPT_S = 7 * 24 * 3600
LIMITS = ("run_tokens", "run_cost", "user_day_tokens", "user_day_cost")


def create_provider(*, values: Mapping[str, Any], user: User) -> Provider:
    """Add a provider. The first one, where the environment sets none, is the default.

    Raises:
        NameTakenError: there is one of this name.
    """
    provider = Provider()
    values = {**values}
    if selectors.get_default() is None and values.get("enabled", True):
        values["default"] = True
    _save(provider, values, user, Action.CREATED)
    return provider


def update_provider(*, key: int, values: Mapping[str, Any], user: User) -> Provider:
    """Change what is named; an empty ``api_key`` takes the key away.

    Raises:
        ConflictError: it is the environment's.
        KeyNeededError: it moves to another server, which would be sent the key of the one before.
        NameTakenError: another has this name.
    """
    provider = _require_editable(key)
    moved = _parse_server(values.get("base_url", provider.base_url)) != _parse_server(provider.base_url)
    if moved and provider.encrypted_key and "api_key" not in values:
        raise KeyNeededError(
            f"{provider.name} is at another server now, which is not sent the key of the one before.",
            hint="Enter its key again, or leave it empty to use none.",
        )
    _save(provider, values, user, Action.CHANGED)
    return provider


def _parse_server(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def delete_provider(*, key: int, user: User) -> None:
    """Delete a provider. Runs and reports that used it stay, and still name it.

    Raises:
        ConflictError: it is the environment's.
    """
    provider = _require_editable(key)
    with transaction.atomic():
        ProviderChange.objects.create(user=user, name=provider.name, action=Action.DELETED)
        provider.delete()


def _require_editable(key: int) -> Provider:
    selectors.find(key)
    if key == selectors.ENVIRONMENT:
        raise ConflictError(
            "This language model is set by the environment.",
            hint="Change LLM_BASE_URL, LLM_MODEL and LLM_API_KEY.",
        )
    return Provider.objects.get(pk=key)


def _save(provider: Provider, values: Mapping[str, Any], user: User, action: Action) -> None:
    fields: dict[str, Any] = {}
    for name, value in values.items():
        if name == "api_key":
            fields["api_key"] = ["set" if provider.encrypted_key else "", "set" if value else ""]
            provider.encrypted_key = encryption.encrypt(value) if value else ""
        elif provider.pk is None or getattr(provider, name) != value:
            fields[name] = [None if provider.pk is None else getattr(provider, name), value]
            setattr(provider, name, value)
    try:
        with transaction.atomic():
            if provider.default:
                Provider.objects.exclude(pk=provider.pk).filter(default=True).update(default=False)
            provider.save()
            ProviderChange.objects.create(user=user, name=provider.name, action=action, fields=fields)
    except IntegrityError:
        raise NameTakenError(f"There is a language model named {provider.name}.", hint="Choose another name.") from None


def update_limits(*, values: Mapping[str, Any], user: User) -> SpendingLimits:
    """Change the limits that are named; None takes one away."""
    with transaction.atomic():
        limits, _ = SpendingLimits.objects.select_for_update().get_or_create(pk=1)
        fields = {n: [getattr(limits, n), v] for n, v in values.items() if getattr(limits, n) != v}
        for name, value in values.items():
            setattr(limits, name, value)
        limits.save()
        ProviderChange.objects.create(user=user, name="limits", action=Action.LIMITS, fields=fields)
    return limits


def count(*, user_id: int, usage: Usage, day: date | None = None) -> None:
    """Add to what a user has used in a day. Several processes may do so at once."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO language_models_spending AS s
                   (user_id, day, llm_calls, prompt_tokens, completion_tokens, cost)
            VALUES (%s, %s, %s, %s, %s, %s)
            ON CONFLICT (user_id, day) DO UPDATE SET
                   llm_calls = s.llm_calls + excluded.llm_calls,
                   prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
                   completion_tokens = s.completion_tokens + excluded.completion_tokens,
                   cost = CASE WHEN s.cost IS NULL AND excluded.cost IS NULL THEN NULL
                               ELSE coalesce(s.cost, 0) + coalesce(excluded.cost, 0) END
            """,
            [
                user_id,
                day or selectors.get_today(),
                usage.llm_calls,
                usage.prompt_tokens,
                usage.completion_tokens,
                usage.cost,
            ],
        )


# --- testing: the web process asks, a worker calls the model, the answer lies in Redis for ten minutes --------------


def start_test(*, key: int, user: User) -> str:
    """Have a worker ask the model something; the test's id."""
    model = selectors.find(key)
    test = str(uuid4())
    keep_test(test, {"state": "waiting", "llm": key})
    ProviderChange.objects.create(user=user, name=model.name, action=Action.TESTED)
    queue.enqueue(queue.TEST_MODEL, test)
    return test


def keep_test(test: str, what: Mapping[str, Any]) -> None:
    """Record how far a test is."""
    empty = {"reply": "", "latency_ms": None, "usage": None, "error": None, "endpoint_words": ""}
    get_redis_client().set(f"clew:llm-test:{test}", json.dumps({**empty, **what}), ex=TEST_KEPT_S)


def read_test(test: str) -> dict[str, Any] | None:
    """How far a test is; None when there is none, or it was too long ago."""
    kept = get_redis_client().get(f"clew:llm-test:{test}")
    return json.loads(kept) if kept else None


# --- failures: what an endpoint said last of an error, for administrators -------------------------------------------


def keep_failure(base_url: str, model: str, words: str) -> None:
    """Record what an endpoint said of its latest error."""
    failure = {"at": timezone.now().isoformat(), "words": words}
    get_redis_client().set(_build_failure_key(base_url, model), json.dumps(failure), ex=FAILURE_KEPT_S)


def clear_failure(base_url: str, model: str) -> None:
    """Drop what was recorded: the endpoint works again."""
    get_redis_client().delete(_build_failure_key(base_url, model))


def read_failure(base_url: str, model: str) -> dict[str, str] | None:
    """Return when a model failed last and what its endpoint said; None where it did not lately."""
    kept = get_redis_client().get(_build_failure_key(base_url, model))
    return json.loads(kept) if kept else None


def _build_failure_key(base_url: str, model: str) -> str:
    return f"clew:llm-failure:{base_url} {model}"
