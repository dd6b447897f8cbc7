"""Providers of language models, limits, what was spent, and who changed what."""

from __future__ import annotations

from dataclasses import fields

from django.conf import settings
from django.db import models

from retrieval.environment import LLMSettings
from webapp.accounts.models import Role, User
from webapp.api.access import EVERYBODY, NOBODY, AccessControlled, Person

DEFAULTS = {field.name: field.default for field in fields(LLMSettings)}


class Provider(AccessControlled):
    """A language model behind an OpenAI-compatible endpoint. ``encrypted_key`` is empty without a key.

    Prices are of a million tokens, null where they are not known; ``requests_per_minute`` is 0 for no limit. The other
    settings are those of ``retrieval.environment.LLMSettings``; time-outs are seconds.
    """

    name = models.CharField(max_length=100, unique=True)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=200)
    encrypted_key = models.TextField(blank=True)
    context_length = models.PositiveIntegerField(default=0)
    prompt_price = models.FloatField(null=True)
    completion_price = models.FloatField(null=True)
    requests_per_minute = models.PositiveIntegerField(default=0)
    constraints = models.CharField(max_length=10, default=DEFAULTS["constraints"])
    silence_timeout = models.FloatField(default=DEFAULTS["silence_timeout"])
    total_timeout = models.FloatField(default=DEFAULTS["total_timeout"])
    loading_timeout = models.FloatField(default=DEFAULTS["loading_timeout"])
    max_tokens = models.PositiveIntegerField(default=DEFAULTS["max_tokens"])
    temperature = models.FloatField(default=DEFAULTS["temperature"])
    enabled = models.BooleanField(default=True)
    default = models.BooleanField(default=False)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["default"], condition=models.Q(default=True), name="one_default_provider")
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Everybody who is logged in."""
        return EVERYBODY if isinstance(user, User) else NOBODY


class Action(models.TextChoices):
    """What an administrator did."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    TESTED = "tested"
    LIMITS = "limits"


class ProviderChange(AccessControlled):
    """Who did what to a provider or to the limits. ``fields`` is {field: [before, after]}; never a key itself."""

    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=100)
    action = models.CharField(max_length=16, choices=Action)
    fields = models.JSONField(default=dict)

    class Meta:
        db_table = "language_models_change"
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.name}"

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Administrators."""
        return EVERYBODY if isinstance(user, User) and user.has_role(Role.ADMIN) else NOBODY


class SpendingLimits(AccessControlled):
    """The one row of limits. Null is no limit; a day is one of UTC."""

    run_tokens = models.PositiveBigIntegerField(null=True)
    run_cost = models.FloatField(null=True)
    user_day_tokens = models.PositiveBigIntegerField(null=True)
    user_day_cost = models.FloatField(null=True)

    class Meta:
        db_table = "language_models_limits"

    def __str__(self) -> str:
        return "limits"


class Spending(AccessControlled):
    """What a user's runs and jobs have used of language models in a day. ``cost`` is null until a price was known."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    llm_calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="spending_of_a_day")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.day}"

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Administrators."""
        return EVERYBODY if isinstance(user, User) and user.has_role(Role.ADMIN) else NOBODY
