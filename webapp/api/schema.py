"""What drf-spectacular does not see by itself of the OpenAPI schema."""

from __future__ import annotations

from typing import Any


def tuple_of(*types: str) -> dict[str, Any]:
    """The schema of a JSON array with one item of each JSON type.

    OpenAPI 3.0 cannot give each place a type of its own; ``x-tuple`` does, for who makes types of the schema.
    """
    items = [{"type": name} for name in dict.fromkeys(types)]
    return {
        "type": "array",
        "items": items[0] if len(items) == 1 else {"oneOf": items},
        "minItems": len(types),
        "maxItems": len(types),
        "x-tuple": list(types),
    }


RELATION_PATH = {"type": "array", "items": tuple_of("string", "boolean")}


def answered_whole(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing: an answer has all its fields; only what a client sends may leave some out."""
    for name, component in result["components"]["schemas"].items():
        if "properties" in component and not name.endswith("Request"):
            component["required"] = list(component["properties"])
    return result
