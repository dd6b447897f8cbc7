"""The algebra as a JSON schema, for endpoints that hold a reply to one: no other operation, and no other relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retrieval.language.amounts import Comparison, Folding, TextMatch
from retrieval.programs.algebra.operations import Operation

_SETS = ("Entities", "Walk", "Having", "And", "Or", "Except", "Filter", "TextFilter", "Top")
_NUMBERS = ("Constant", "KeyOf", "Count", "Fold", "Arithmetic")
_TRUTHS = ("Exists", "Holds")


def build_grammar(relations: Sequence[str]) -> dict[str, Any]:
    """The schema of ``{"program": ...}``.

    Args:
        relations: their words; each may be walked backwards too.
    """
    words = [sign + word for word in relations for sign in ("", "^")]
    relation: dict[str, Any] = {"type": "string", "enum": words} if words else {"type": "string"}
    path = {"type": "array", "items": relation, "minItems": 1}
    text, number = {"type": "string"}, {"type": "integer", "minimum": 1}
    comparison = {"type": "string", "enum": list(Comparison)}
    a_set, a_number, key = _make_reference("set"), _make_reference("number"), _make_reference("key")
    fields: dict[str, dict[str, Any]] = {
        "Entities": {"ids": {"type": "array", "items": text, "minItems": 1}},
        "Walk": {"source": a_set, "relation": relation},
        "Having": {"relation": relation},
        "And": {"left": a_set, "right": a_set},
        "Or": {"left": a_set, "right": a_set},
        "Except": {"source": a_set, "without": a_set},
        "Filter": {"source": a_set, "key": key, "comparison": comparison, "value": a_number},
        "TextFilter": {
            "source": a_set,
            "relation": {"anyOf": [relation, {"type": "null"}]},
            "match": {"type": "string", "enum": list(TextMatch)},
            "text": text,
        },
        "Top": {
            "source": a_set,
            "key": key,
            "largest": {"type": "boolean"},
            "rank": number,
            "count": number,
            "per": {"anyOf": [path, {"type": "null"}]},
        },
        "Constant": {"text": text},
        "KeyOf": {"source": a_set, "key": key},
        "Count": {"source": a_set},
        "Fold": {"how": {"type": "string", "enum": list(Folding)}, "source": a_set, "key": key},
        "Arithmetic": {
            "operation": {"type": "string", "enum": list(Operation)},
            "left": a_number,
            "right": a_number,
        },
        "Exists": {"source": a_set},
        "Holds": {"left": a_number, "comparison": comparison, "right": a_number},
    }
    among = {"anyOf": [a_set, {"type": "null"}]}
    return {
        **_make_object({"program": {"anyOf": [a_set, a_number, _make_reference("truth")]}}),
        "$defs": {
            "set": {"anyOf": [_make_operation(name, fields[name]) for name in _SETS]},
            "number": {"anyOf": [_make_operation(name, fields[name]) for name in _NUMBERS]},
            "truth": {"anyOf": [_make_operation(name, fields[name]) for name in _TRUTHS]},
            "key": _make_operation("Key", {"path": path, "counted": {"type": "boolean"}, "among": among}),
        },
    }


def _make_reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _make_operation(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return _make_object({"op": {"type": "string", "enum": [name]}, **fields})


def _make_object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
