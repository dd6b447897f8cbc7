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

NAMES = 200
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


def answer_lines(names: Iterable[str]) -> Constraint:
    """``ans: NAME`` lines of these names alone, each once and in their order, or the line ``ans: not available``.

    Their order keeps a small model from saying one name for ever.

    Args:
        names: what may be answered; the first ``NAMES`` of them.
    """
    offered = list(dict.fromkeys(name for name in names if name))[:NAMES]
    rules = ['none ::= "ans: not available"']
    for i, name in enumerate(offered):
        last = i + 1 == len(offered)
        rules.append(
            f'from-{i} ::= "ans: " {_literal(name)}' + ("" if last else f" after-{i} | from-{i + 1}")
        )
        if not last:
            rules.append(f'after-{i} ::= ("\\n" from-{i + 1})?')
    root = "root ::= none | from-0" if offered else "root ::= none"
    return Constraint(grammar="\n".join([root, *rules]) + "\n")


def _literal(text: str) -> str:
    """A name as a GBNF literal; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)
