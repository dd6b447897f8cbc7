"""Serializer fields that refuse what the database cannot hold, and fields that are computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework import serializers


class PlainText(serializers.CharField):
    """Text without lone surrogates, which JSON can spell and UTF-8 cannot. (NUL is refused by the parent.)"""

    default_error_messages = {"not_unicode": "This is not valid Unicode text."}

    def to_internal_value(self, data: Any) -> str:
        """Check and return the text."""
        value = super().to_internal_value(data)
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail("not_unicode")
        return value


class Stored(serializers.JSONField):
    """JSON that PostgreSQL can keep: no NUL, no lone surrogate, no infinite number."""

    default_error_messages = {"not_kept": "This JSON cannot be kept: {why}."}

    def to_internal_value(self, data: Any) -> Any:
        """Check and return it."""
        value = super().to_internal_value(data)
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except ValueError as error:
            self.fail("not_kept", why=error)
        if rb"\u0000" in text:
            self.fail("not_kept", why="it holds NUL")
        return value


class ErrorSerializer(serializers.Serializer[object]):
    """What went wrong and what to do next."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)


class Computed(serializers.Field[Any, Any, Any, Any]):
    """What a function finds of a row, shown by another field or serializer.

    Args:
        shape: shows what was found; a field also says what is in the schema.
        read: finds it; None stays None.
        as_stored: it is shown as it is, since it was stored as the shape shows it.
    """

    def __init__(self, shape: Any, read: Callable[[Any], Any], *, as_stored: bool = False) -> None:
        super().__init__(source="*", read_only=True)
        self.shape, self.read, self.as_stored = shape, read, as_stored
        set_override(self, "field", shape)

    def to_representation(self, value: Any) -> Any:
        """What ``read`` finds of the row ``value``, shown."""
        content = self.read(value)
        return content if content is None or self.as_stored else self.shape.to_representation(content)


def render_row_error(row: Any) -> dict[str, str] | None:
    """The error columns of a row as the API shows them."""
    if not row.error_code:
        return None
    return {"code": row.error_code, "message": row.error_message, "hint": row.error_hint}


class RowError(Computed):
    """What went wrong with a row and what to do next; null where nothing did."""

    def __init__(self, read: Callable[[Any], Any] = render_row_error) -> None:
        super().__init__(ErrorSerializer(allow_null=True), read, as_stored=True)
