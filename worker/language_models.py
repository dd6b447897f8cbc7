"""Language models as the workers ask them: which, how often, how much, and trying one out."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from celery import shared_task
from django.conf import settings
from django.db import connection
from django.http import Http404

from retrieval.environment import LLMSettings
from retrieval.errors import ClewError, ConfigError, LLMError, OverBudgetError
from retrieval.llm import pacing
from retrieval.llm.asking import ask
from retrieval.llm.metering import Limit, Meter, use_meter
from retrieval.types import Usage
from webapp.api.concurrency import release_connection
from webapp.api.redis import get_redis_client
from webapp.jobs import queue
from webapp.language_models import encryption, selectors, services
from webapp.language_models.models import Provider, SpendingLimits

logger = logging.getLogger(__name__)
TEST_MESSAGE = "Answer with one short sentence: what is the capital of Switzerland?"


def get_settings(key: int) -> LLMSettings:
    """The language model of this id.

    Raises:
        ConfigError: it was deleted, or its key cannot be read.
    """
    try:
        model = selectors.find(key)
    except Http404:
        raise ConfigError(
            "The language model that this was to ask was deleted.", hint="Ask again with another one."
        ) from None
    if key == selectors.ENVIRONMENT:
        secret = settings.CLEW.llm.api_key if settings.CLEW.llm else ""
    else:
        sealed = Provider.objects.get(pk=key).encrypted_key
        secret = encryption.decrypt(sealed) if sealed else ""
    return LLMSettings(
        model.base_url,
        model.model,
        secret,
        name=model.name,
        **{name: getattr(model, name) for name in selectors.SETTINGS},
    )


def get_default_settings() -> LLMSettings | None:
    """The language model that is used unless another is named; None when there is none."""
    model = selectors.get_default()
    return get_settings(model.id) if model else None


class UserMeter(Meter):
    """Counts what a run or a job uses, in its user's day too, and keeps both within their limits.

    Requests under way at the same moment do not see each other: a day may end over its limit by as many replies.
    Threads ask at once and end: what they counted with is given back at once, or the database's pool would lose a
    connection with each of them.
    """

    def __init__(
        self, user_id: int | None, limit: Limit, whose: str, limits: SpendingLimits, *, spent: Usage | None = None
    ) -> None:
        super().__init__(limit, whose=whose, spent=spent)
        self.user_id = user_id
        self.day_limit = Limit(limits.user_day_tokens, limits.user_day_cost)

    def check_budget(self, settings: LLMSettings, prompt_tokens: int) -> int:
        """See :class:`metering.Metering`."""
        longest = super().check_budget(settings, prompt_tokens)
        if self.user_id is None or self.day_limit == Limit():
            return longest
        spent = selectors.get_usage(self.user_id)
        release_connection()
        day = Meter(self.day_limit, whose="this user's day", spent=spent)
        try:
            return min(longest, day.check_budget(settings, prompt_tokens))
        except OverBudgetError as refusal:
            raise self.mark_refused(refusal) from None

    def count(self, usage: Usage) -> None:
        """See :class:`metering.Metering`."""
        super().count(usage)
        if self.user_id is not None:
            services.count(user_id=self.user_id, usage=usage)
            release_connection()


def make_run_meter(user_id: int | None, spent: Mapping[str, Any] | None = None, *, has_model: bool = True) -> UserMeter:
    """What a run may use, with what it used before it paused or was taken up (:func:`convert_to_json`).

    Without a language model the limits are not looked up.
    """
    limits = selectors.get_limits() if has_model else SpendingLimits()
    before = {name: value for name, value in (spent or {}).items() if name != "over_budget"}
    return UserMeter(user_id, Limit(limits.run_tokens, limits.run_cost), "this run", limits, spent=Usage(**before))


def make_job_meter(user_id: int | None, limit: Limit | None = None) -> UserMeter:
    """What a job may use: its own limit, where it has one, and its user's day."""
    return UserMeter(user_id, limit or Limit(), "this job", selectors.get_limits())


def convert_to_json(meter: Meter) -> dict[str, Any]:
    """What a run used, as its row keeps it."""
    usage = {name: value for name, value in asdict(meter.usage).items() if name != "triples"}
    return {**usage, "over_budget": meter.refusal is not None}


class SharedPace:
    """The pace of all worker processes together: each endpoint's and model's requests of a minute, in Redis."""

    # Times are the server's, so that machines need not agree on theirs. Returns milliseconds to wait.
    SCRIPT = """
    local now = redis.call('TIME')
    local ms = now[1] * 1000 + math.floor(now[2] / 1000)
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ARGV[2])
    if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
        redis.call('ZADD', KEYS[1], ms, ARGV[3])
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return 0
    end
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    return math.max(1, oldest[2] + ARGV[2] - ms)
    """

    def compute_delay(self, settings: LLMSettings) -> float:
        """See :class:`pacing.Pace`."""
        if not settings.requests_per_minute:
            return 0.0
        key = f"clew:llm-pace:{settings.base_url} {settings.model}"
        window = int(pacing.WINDOW_S * 1000)
        wait = get_redis_client().eval(
            self.SCRIPT, 1, key, str(settings.requests_per_minute), str(window), str(uuid4())
        )
        return float(wait) / 1000


def save_failure(settings: LLMSettings, error: LLMError) -> None:
    """Keep an endpoint's own words about an error for administrators."""
    if error.detail:
        services.keep_failure(settings.base_url, settings.model, f"{error.message} {error.detail}")


@shared_task(name=queue.TEST_MODEL, acks_late=False)
def test_model(test: str) -> None:
    """Ask a language model one question and keep what came back, as it came."""
    wanted = services.read_test(test)
    if wanted is None or wanted["state"] != "waiting":
        return
    meter = Meter(Limit(tokens=2000), whose="a test")
    began = time.perf_counter()
    outcome: dict[str, Any]
    try:
        with use_meter(meter):
            model = get_settings(wanted["llm"])
            reply = ask(model, [{"role": "user", "content": TEST_MESSAGE}])
        outcome = {"state": "done", "reply": reply.text}
        services.clear_failure(model.base_url, model.model)
    except ClewError as error:
        broken = {"code": error.code, "message": error.message, "hint": error.hint}
        words = error.detail if isinstance(error, LLMError) else ""
        outcome = {"state": "failed", "error": broken, "endpoint_words": words}
    except Exception:
        logger.exception("the test of a language model broke")
        hint = "The log of the answers worker has the details."
        broken = {"code": "internal", "message": "Something inside Clew broke.", "hint": hint}
        outcome = {"state": "failed", "error": broken}
    finally:
        connection.close()
    took = round((time.perf_counter() - began) * 1000, 1)
    services.keep_test(test, {"latency_ms": took, "usage": convert_to_json(meter), **outcome})
