"""Fields of a data model in JSON, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.errors import ConfigError


def get_objects(value: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """The objects of a list, none where it is missing."""
    items = value.get(key, [])
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, Mapping) for item in items):
        raise make_error(f"{key} must be a list of objects")
    return items


def get_text(value: Mapping[str, Any], key: str) -> str:
    """A text that must be there."""
    text = find_text(value, key)
    if not text:
        raise make_error(f"{key} is missing")
    return text


def find_text(value: Mapping[str, Any], key: str) -> str | None:
    """A text, None where it is missing."""
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise make_error(f"{key} must be text")
    return text


def find_truth(value: Mapping[str, Any], key: str) -> bool | None:
    """True or false, None where it is missing."""
    truth = value.get(key)
    if truth is not None and not isinstance(truth, bool):
        raise make_error(f"{key} must be true or false")
    return truth


def make_error(reason: str) -> ConfigError:
    """The error of a model that cannot be read."""
    return ConfigError(
        f"The data model cannot be read: {reason}.", hint="Start from the model that the import page lets you download."
    )
