"""The events of a run in the OpenAPI schema, as pydantic describes the engine's dataclasses.

The front end's types are made of that schema, so the sockets' events and the calls' answers have one source.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from retrieval.diagnosis.findings import WhyNot
from retrieval.events import EVENT_TYPES
from retrieval.types import AgentAction
from webapp.api.schema import READER_NAME, link_component

ENVELOPE = {
    "description": "What every event carries besides its own fields. `seq` counts from 1 without gaps.",
    "type": "object",
    "properties": {
        "run": {"type": "string", "format": "uuid"},
        "seq": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
    },
}


def with_events(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing: ``Event`` is a closed union, and ``AgentAction`` is what calls take and answer too.

    Parts that serializers write likewise, such as ``Node``, are the engine's.
    """
    schemas = result["components"]["schemas"]
    events: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        (name, "serialization", TypeAdapter(cls)) for name, cls in EVENT_TYPES.items()
    ]
    answered = TypeAdapter.json_schemas(events, ref_template=link_component("{model}")["$ref"])[1]
    sent: dict[str, Any] = TypeAdapter(AgentAction).json_schema(ref_template=link_component("{model}Request")["$ref"])
    why_not: dict[str, Any] = TypeAdapter(WhyNot).json_schema(
        mode="serialization", ref_template=link_component("{model}")["$ref"]
    )
    for name in ("Node", "Answer"):
        answered["$defs"][name]["properties"]["name"] = READER_NAME
    answered["$defs"] = why_not.pop("$defs") | {"WhyNot": why_not} | answered["$defs"]
    parts = answered["$defs"] | {f"{name}Request": schema for name, schema in sent.pop("$defs").items()}
    for name, schema in parts.items():
        if name in schemas and schemas[name]["properties"].keys() != schema["properties"].keys():
            raise ValueError(f"{name} is a part of events and another component of the schema; rename that one")
    schemas.update(parts, AgentActionRequest=sent, Envelope=ENVELOPE)
    for name, cls in EVENT_TYPES.items():
        event = schemas[cls.__name__]
        event["properties"] = {"type": {"type": "string", "const": name}, **event["properties"]}
        del event["additionalProperties"]  # the envelope's fields stand beside its own
    schemas["Event"] = {
        "description": schemas["Event"]["description"],
        "allOf": [
            link_component("Envelope"),
            {"oneOf": [link_component(cls.__name__) for cls in EVENT_TYPES.values()]},
        ],
    }
    return result
