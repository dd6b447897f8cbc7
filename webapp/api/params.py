"""Reading query parameters and bodies."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import QueryDict
from rest_framework.serializers import Serializer

from webapp.api.errors import InvalidError

MAX = 2**31 - 1


def parse_uuid(query: QueryDict, name: str) -> UUID | None:
    """A parameter as a UUID; None when it is absent or empty.

    Raises:
        InvalidError: it is something else.
    """
    text = query.get(name, "")
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise InvalidError(f"{name} is not a UUID.", hint=f"Take {name} from where it was listed.") from None


def parse_flag(query: QueryDict, name: str) -> bool:
    """Whether a parameter says yes."""
    return query.get(name, "") in {"1", "true"}


def parse_integer(query: QueryDict, name: str) -> int | None:
    """A parameter as a number from 0; None when it is absent or empty.

    Raises:
        InvalidError: it is something else.
    """
    text = query.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) > MAX:
        raise InvalidError(f"{name} is not a number.", hint=f"Give {name} as a whole number from 0.")
    return int(text)


def validate_form(form: Serializer[Any]) -> dict[str, Any]:
    """What a request sent, once it is checked.

    Raises:
        ValidationError: it does not fit.
    """
    form.is_valid(raise_exception=True)
    data: dict[str, Any] = form.validated_data
    return data
