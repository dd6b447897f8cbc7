"""Language models as the API shows and takes them."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import urlsplit

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from retrieval.environment import CONSTRAINTS, LLM_RANGES, PLUGIN
from retrieval.plugins import PROVIDERS, list_names
from webapp.api.fields import ErrorSerializer, PlainText
from webapp.language_models import services
from webapp.language_models.models import Action, ProviderChange
from webapp.language_models.selectors import LanguageModel

ADMIN_FIELDS = (
    "base_url",
    "key_set",
    "prompt_price",
    "completion_price",
    "requests_per_minute",
    "constraints",
    *LLM_RANGES,
    "changed_at",
    "failure",
)


class Amount(serializers.FloatField):
    """A finite number, from 0 on and perhaps null as amounts of money are; it may be left out."""

    def __init__(self, **options: Any) -> None:
        fixed = {"required": False, "allow_null": True, "min_value": 0, "max_value": 1e9}
        super().__init__(**{**fixed, **options})

    def to_internal_value(self, data: Any) -> float:
        """Check and return the number."""
        value = super().to_internal_value(data)
        if not math.isfinite(value):
            self.fail("invalid")
        return value


class ModelFailureSerializer(serializers.Serializer[object]):
    """When a model failed last, and what its endpoint said."""

    at = serializers.DateTimeField()
    words = serializers.CharField()


class LanguageModelSerializer(serializers.Serializer[object]):
    """A language model; what only administrators see is null to others."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    model = serializers.CharField()
    source = serializers.ChoiceField(choices=["environment", "page"])  # type: ignore[assignment]
    enabled = serializers.BooleanField()
    default = serializers.BooleanField()
    context_length = serializers.IntegerField()
    base_url = serializers.CharField(allow_null=True)
    key_set = serializers.BooleanField(allow_null=True)
    prompt_price = serializers.FloatField(allow_null=True)
    completion_price = serializers.FloatField(allow_null=True)
    requests_per_minute = serializers.IntegerField(allow_null=True)
    constraints = serializers.ChoiceField(choices=CONSTRAINTS, allow_null=True)
    silence_timeout = serializers.FloatField(allow_null=True)
    total_timeout = serializers.FloatField(allow_null=True)
    loading_timeout = serializers.FloatField(allow_null=True)
    max_tokens = serializers.IntegerField(allow_null=True)
    temperature = serializers.FloatField(allow_null=True)
    changed_at = serializers.DateTimeField(allow_null=True)
    failure = serializers.SerializerMethodField()

    @extend_schema_field(ModelFailureSerializer(allow_null=True))
    def get_failure(self, model: LanguageModel) -> dict[str, str] | None:
        """Return the latest error in the endpoint's own words."""
        return services.read_failure(model.base_url, model.model) if self.context.get("admin") else None

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Leave out what is for administrators, unless the context says that one reads."""
        shown: dict[str, Any] = super().to_representation(instance)
        return shown if self.context.get("admin") else {**shown, **dict.fromkeys(ADMIN_FIELDS)}


def _get_range(name: str) -> dict[str, Any]:
    least, most = LLM_RANGES[name]
    return {"min_value": least, "max_value": most}


def _make_amount(name: str) -> Amount:
    return Amount(allow_null=False, **_get_range(name))


class ProviderSerializer(serializers.Serializer[object]):
    """What an administrator enters. ``api_key`` is never shown again."""

    name = PlainText(max_length=100)
    base_url = PlainText(max_length=500)
    model = PlainText(max_length=200)
    api_key = PlainText(max_length=1000, required=False, allow_blank=True)
    context_length = serializers.IntegerField(required=False, min_value=0, max_value=100_000_000)
    prompt_price = Amount()
    completion_price = Amount()
    requests_per_minute = serializers.IntegerField(required=False, min_value=0, max_value=1_000_000)
    constraints = serializers.ChoiceField(choices=CONSTRAINTS, required=False)
    silence_timeout = _make_amount("silence_timeout")
    total_timeout = _make_amount("total_timeout")
    loading_timeout = _make_amount("loading_timeout")
    max_tokens = serializers.IntegerField(required=False, **_get_range("max_tokens"))
    temperature = _make_amount("temperature")
    enabled = serializers.BooleanField(required=False)
    default = serializers.BooleanField(required=False)

    def validate_base_url(self, value: str) -> str:
        """An address of a web server, without a key in it, or an installed plug-in."""
        if value.startswith(PLUGIN):
            if value.removeprefix(PLUGIN) not in (names := list_names(PROVIDERS)):
                known = ", ".join(names) or "none"
                raise serializers.ValidationError(f"No such plug-in is installed here; there is: {known}.")
            return value
        try:
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            raise serializers.ValidationError("Give an address such as http://localhost:11434/v1.")
        if parts.username or parts.password or parts.query:
            raise serializers.ValidationError("Enter the key in its own field, not in the address.")
        return value.rstrip("/")

    def validate_context_length(self, value: int) -> int:
        """0, or enough to ask something."""
        if 0 < value < 512:
            raise serializers.ValidationError("At least 512 tokens are needed; 0 means that it is not known.")
        return value


class LLMUsageSerializer(serializers.Serializer[object]):
    """What was used of language models."""

    llm_calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True)


class StartedModelTestSerializer(serializers.Serializer[object]):
    """A test that was begun."""

    test = serializers.UUIDField()


class ModelTestSerializer(serializers.Serializer[object]):
    """How far a test is."""

    state = serializers.ChoiceField(choices=["waiting", "done", "failed"])
    reply = serializers.CharField(allow_blank=True)
    endpoint_words = serializers.CharField(allow_blank=True)
    latency_ms = serializers.FloatField(allow_null=True)
    usage = LLMUsageSerializer(allow_null=True)
    error = ErrorSerializer(allow_null=True)


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "array", "prefixItems": [{}, {}], "items": False}}
)
class ChangedFields(serializers.JSONField):
    """Each field that changed: before and after."""


class ModelChangeSerializer(serializers.ModelSerializer[ProviderChange]):
    """Who did what."""

    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    action = serializers.ChoiceField(choices=Action.choices)
    fields = ChangedFields()  # type: ignore[assignment]  # a field of this name hides the base's list of fields

    class Meta:
        model = ProviderChange
        fields = ["at", "user", "name", "action", "fields"]


class LimitsSerializer(serializers.Serializer[object]):
    """Limits; null for none."""

    run_tokens = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=10**12)
    run_cost = Amount()
    user_day_tokens = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=10**12)
    user_day_cost = Amount()


class UserUsageSerializer(serializers.Serializer[object]):
    """A user and what was used."""

    user = serializers.CharField()
    usage = LLMUsageSerializer()


class DayUsageSerializer(serializers.Serializer[object]):
    """What was used in a day: by the user who asks, and, for administrators, by everyone."""

    day = serializers.DateField()
    mine = LLMUsageSerializer()
    users = UserUsageSerializer(many=True)
