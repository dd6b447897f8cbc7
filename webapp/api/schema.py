"""What drf-spectacular does not see by itself of the OpenAPI schema."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from pydantic import TypeAdapter


class DataclassAnswer(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # it has no types
    """An answer that is a dataclass of the engine, as pydantic describes it: ``responses=Diff``."""

    names = {"Schema": "GraphSchema"}
    """What the API calls a dataclass, where not by its own name."""

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return isinstance(target, type) and is_dataclass(target)

    def get_name(self, auto_schema: Any, direction: Any) -> str:
        """The component's."""
        name: str = self.target.__name__
        return self.names.get(name, name)

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Its schema; those of its parts are components of their own."""
        adapter: TypeAdapter[Any] = TypeAdapter(self.target)
        schema = adapter.json_schema(mode="serialization", ref_template=link_component("{model}")["$ref"])
        for name, inner in schema.pop("$defs", {}).items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]  # it has no types
                name, ResolvedComponent.SCHEMA, inner, name
            )
            auto_schema.registry.register_on_missing(component)
        return schema


def describe_tuple(*types: str) -> dict[str, Any]:
    """The schema of a JSON array with one item of each JSON type."""
    return {
        "type": "array",
        "prefixItems": [{"type": name} for name in types],
        "items": False,
        "minItems": len(types),
        "maxItems": len(types),
    }


def link_component(name: str) -> dict[str, Any]:
    """A component of the schema, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What ``schema`` describes, or null."""
    return {"oneOf": [schema, {"type": "null"}]}


RELATION_PATH = {"type": "array", "items": describe_tuple("string", "boolean")}


READER_NAME = {
    "type": "string",
    "description": "of an entity in the reader's language, where it differs from the label",
    "x-absent": True,
}
"""The schema of a name that is left out where it is the label."""


def answered_whole(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing: an answer has all its fields but those marked ``x-absent``; what a client sends may leave some
    out.
    """
    for name, component in result["components"]["schemas"].items():
        if "properties" in component and not name.endswith("Request"):
            component["required"] = [
                field for field, schema in component["properties"].items() if not schema.get("x-absent")
            ]
    return result
