"""How files are to be read, as requests say it."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from retrieval.kg.model.data_model import ModelChoices
from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.rows_layout import ROLES
from webapp.api.fields import PlainText, Stored

FORMAT_CHOICES = ["auto", *FORMATS]
MODEL_BYTES = 1_000_000
"""How long the JSON of a data model may be, in UTF-8."""


@extend_schema_field({"type": "object", "additionalProperties": {"oneOf": [{"type": "integer"}, {"type": "string"}]}})
class ColumnsField(serializers.JSONField):
    """Which columns are head, relation and tail: by position from 0, or by the header's name."""

    default_error_messages = {"columns": "Name the columns head, relation and tail, each by position or name."}

    def to_internal_value(self, data: Any) -> dict[str, int | str]:
        """Check and return them."""
        try:
            value = super().to_internal_value(json.loads(data) if isinstance(data, str) else data)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            self.fail("columns")
        if (
            not isinstance(value, dict)
            or set(value) != set(ROLES)
            or any(isinstance(column, bool) or not isinstance(column, (int, str)) for column in value.values())
            or any("\0" in str(column) for column in value.values())
        ):
            self.fail("columns")
        return value


@extend_schema_field({"type": "object", "additionalProperties": True})
class ModelField(Stored):
    """A data model, or corrections of one: a whole model or a part, as :class:`ModelChoices` reads them."""

    default_error_messages = {
        "model": "A data model is a JSON object.",
        "long": f"A data model may have {MODEL_BYTES:,} bytes.",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Check and return it.

        Raises:
            ConfigError: its parts are not those of a model.
        """
        try:
            value = super().to_internal_value(json.loads(data) if isinstance(data, str) else data)
            size = len(json.dumps(value, ensure_ascii=False).encode())
        except (ValueError, RecursionError):
            self.fail("model")
        if not isinstance(value, dict):
            self.fail("model")
        if size > MODEL_BYTES:
            self.fail("long")
        ModelChoices.from_json(value)
        return value


class ReadingSerializer(serializers.Serializer[object]):
    """What is said of files beyond their bytes; what is left out is guessed."""

    format = serializers.ChoiceField(choices=FORMAT_CHOICES, default="auto")
    delimiter = PlainText(max_length=10, allow_blank=True, default="", trim_whitespace=False)
    header = serializers.BooleanField(allow_null=True, default=None)
    encoding = PlainText(max_length=40, allow_blank=True, default="")
    columns = ColumnsField(allow_null=True, default=None)
    model = ModelField(allow_null=True, default=None, help_text="corrections of the data model; tables only")
