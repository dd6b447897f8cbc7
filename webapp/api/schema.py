"""What drf-spectacular does not see by itself of the OpenAPI schema."""

from __future__ import annotations

from typing import Any


def tuple_of(*types: str) -> dict[str, Any]:
    """The schema of a JSON array with one item of each JSON type."""
    return {
        "type": "array",
        "prefixItems": [{"type": name} for name in types],
        "items": False,
        "minItems": len(types),
        "maxItems": len(types),
    }


def part(name: str) -> dict[str, Any]:
    """A component of the schema, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What ``schema`` describes, or null."""
    return {"oneOf": [schema, {"type": "null"}]}


RELATION_PATH = {"type": "array", "items": tuple_of("string", "boolean")}


def answered_whole(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing: an answer has all its fields; only what a client sends may leave some out."""
    for name, component in result["components"]["schemas"].items():
        if "properties" in component and not name.endswith("Request"):
            component["required"] = list(component["properties"])
    return result
