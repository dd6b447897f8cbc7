"""Constrained output: what a reply may be, for endpoints that can hold a model to it.

Two forms are in use: OpenAI's ``response_format`` with a JSON schema (OpenAI, vLLM, Ollama, llama.cpp), and llama.cpp's
own GBNF grammars. ``LLMSettings.constraints`` says which of them an endpoint understands; others get none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retrieval.environment import LLMSettings

NAMES = 500
"""Names that a grammar offers, at most; an endpoint compiles it for every request."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a reply may be: JSON of a schema, or text of a grammar."""

    schema: Mapping[str, Any] | None = None
    grammar: str = ""

    def fields(self, settings: LLMSettings) -> dict[str, Any]:
        """What is added to a request; nothing where the endpoint does not understand it."""
        if self.schema is not None and settings.constraints in {"schema", "grammar"}:
            named = {"name": "reply", "schema": self.schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        if self.grammar and settings.constraints == "grammar":
            return {"extra_body": {"grammar": self.grammar}}
        return {}


UNCONSTRAINED = Constraint()


def json_object(**properties: Mapping[str, Any]) -> Constraint:
    """A JSON object with exactly these fields, each described by JSON Schema."""
    return Constraint(
        {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


def answer_lines(names: Iterable[str], *, most: int = 40) -> Constraint:
    """``ans: NAME`` lines, one to ``most``, of these names alone, or the single line ``ans: not available``.

    Args:
        names: what may be answered; the first ``NAMES`` of them.
        most: lines, at most.
    """
    offered = list(dict.fromkeys(name for name in names if name))[:NAMES]
    none = 'none ::= "ans: not available"'
    if not offered:
        return Constraint(grammar=f"root ::= none\n{none}\n")
    choices = " | ".join(_literal(name) for name in offered)
    lines = f'root ::= none | line ("\\n" line){{0,{most - 1}}}\nline ::= "ans: " name'
    return Constraint(grammar=f"{lines}\nname ::= {choices}\n{none}\n")


def _literal(text: str) -> str:
    """A name as a GBNF literal; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)
