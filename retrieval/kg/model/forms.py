"""The forms that a data model is written in and read from: JSON, CSVW metadata and RML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from retrieval.errors import ConfigError
from retrieval.kg.model.csvw import is_csvw, read_csvw, write_csvw
from retrieval.kg.model.data_model import ModelChoices
from retrieval.kg.model.rml import is_rml, read_rml, write_rml

ModelForm = Literal["json", "csvw", "rml"]
#: Names and media types of files of each form.
FILES: Mapping[ModelForm, tuple[str, str]] = {
    "json": ("data-model.json", "application/json"),
    "csvw": ("csv-metadata.json", "application/csvm+json"),
    "rml": ("model.rml.ttl", "text/turtle"),
}


def write_model(model: Mapping[str, Any], form: ModelForm) -> str:
    """A model as JSON in another form, as text."""
    if form == "rml":
        return write_rml(model)
    return json.dumps(write_csvw(model) if form == "csvw" else model, ensure_ascii=False, indent=1)


def find_model(text: str) -> dict[str, Any] | None:
    """The model in the text of a file, as JSON; None where it is none.

    Raises:
        ConfigError: it is of a known form, and broken.
    """
    if is_rml(text):
        return read_rml(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if is_csvw(value):
        value = read_csvw(value)
    elif not _is_model(value):
        return None
    ModelChoices.from_json(value)
    return {name: value.get(name, []) for name in ("kinds", "references")}


def read_model_text(text: str) -> dict[str, Any]:
    """The model in the text of a file, as JSON.

    Raises:
        ConfigError: it is no model.
    """
    model = find_model(text)
    if model is None:
        raise ConfigError(
            "The file is no data model.",
            hint="Give a model as Clew lets you download it, CSVW metadata (csv-metadata.json) or an RML mapping.",
        )
    return model


def _is_model(value: object) -> bool:
    """Whether JSON is a model as Clew writes it: tables with columns, or references between tables."""
    if not isinstance(value, Mapping) or not value.keys() <= {"kinds", "references", "warnings", "is_sampled"}:
        return False
    rows = [*_list(value.get("kinds")), *_list(value.get("references"))]
    return bool(rows) and all(isinstance(row, Mapping) and "table" in row for row in rows)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
