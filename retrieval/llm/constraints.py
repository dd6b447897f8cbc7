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


THOUGHT, ANSWER = 400, 80
"""Characters of reasons before a verdict, and of an answer, that a reply is held to: a small model would not end."""

ENTRIES = 30
"""Entries of a list that a reply is held to, at most: a small model would go on for ever."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a reply may be: JSON of a schema, or text of a grammar."""

    schema: Mapping[str, Any] | None = None
    grammar: str = ""

    def build_fields(self, settings: LLMSettings) -> dict[str, Any]:
        """What is added to a request; nothing where the endpoint does not understand it."""
        if self.schema is not None and settings.constraints in {"schema", "grammar"}:
            json_schema = {"name": "reply", "schema": _rename_definitions(self.schema), "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": json_schema}}
        if self.grammar and settings.constraints == "grammar":
            return {"extra_body": {"grammar": self.grammar}}
        return {}


_DEFINITIONS, _SAFE = "#/$defs/", "def-"
"""Definitions become rules of a grammar, and llama.cpp has rules of its own such as ``number`` and ``root``: no
definition may be called like one of these."""


def _rename_definitions(schema: Any) -> Any:
    """Return the schema with a prefix before the name of each definition."""
    if isinstance(schema, list):
        return [_rename_definitions(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    renamed = {key: _rename_definitions(value) for key, value in schema.items()}
    if isinstance(renamed.get("$defs"), dict):
        renamed["$defs"] = {_SAFE + name: value for name, value in renamed["$defs"].items()}
    reference = renamed.get("$ref")
    if isinstance(reference, str) and reference.startswith(_DEFINITIONS):
        renamed["$ref"] = _DEFINITIONS + _SAFE + reference.removeprefix(_DEFINITIONS)
    return renamed


UNCONSTRAINED = Constraint()


def make_json_object(**properties: Mapping[str, Any]) -> Constraint:
    """A JSON object with exactly these fields, each described by JSON Schema."""
    return Constraint(
        {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


def make_object_list(fields: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """The schema of a list of objects with exactly these fields, at most ``ENTRIES``."""
    item = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {"type": "array", "items": item, "maxItems": ENTRIES}


def make_answer_lines(names: Iterable[str]) -> Constraint:
    """``ans: NAME`` lines of these names alone, each once and in their order, or the line ``ans: not available``.

    Their order keeps a small model from saying one name for ever.

    Args:
        names: what may be answered; the first ``NAMES`` of them.
    """
    return _make_lines("ans: ", names, "not available")


def make_chosen_lines(candidates: Iterable[str], *, before: str = "", heading: str = "") -> Constraint:
    """Lines that are some of these, each once and in their order, or ``none``.

    Args:
        candidates: what may be chosen; the first ``NAMES`` of them.
        before: what each line begins with.
        heading: the line above them.
    """
    return _make_lines(before, candidates, "none", heading)


def make_number_schema(count: int) -> Mapping[str, Any]:
    """The schema of a number from 1 to ``count``: listed while they are few, since llama.cpp reads no bounds."""
    if count <= NAMES:
        return {"type": "integer", "enum": list(range(1, max(count, 1) + 1))}
    return {"type": "integer", "minimum": 1, "maximum": count}


def make_choice(*words: str) -> Constraint:
    """One of these words and nothing else."""
    return Constraint(grammar=f"root ::= {' | '.join(_format_literal(word) for word in words)}\n")


def make_pairs(left: int, right: int) -> Constraint:
    """Some thinking aloud, then ``{"pairs": [[1, 2], ...]}``: of each given number at most one right one, in order.

    Args:
        left: how many numbers stand on the left, at least 1.
        right: and how many on the right, at least 1.
    """
    numbers = " | ".join(_format_literal(str(number)) for number in range(1, right + 1))
    rules = [
        'root ::= thought "\\n" "{\\"pairs\\": [" from-1? "]}"',
        f"thought ::= [^{{}}]{{1,{THOUGHT}}}",
        f"right ::= {numbers}",
    ]
    for number in range(1, left + 1):
        more = f' (", " from-{number + 1})? | from-{number + 1}' if number < left else ""
        rules.append(f'from-{number} ::= "[{number}, " right "]"{more}')
    return Constraint(grammar="\n".join(rules) + "\n")


def make_answers_and_verdict(verdict: str) -> Constraint:
    """One to five ``ans:`` lines of any words, then a sentence that ends in Yes or No."""
    return Constraint(
        grammar=f'root ::= line line? line? line? line? "\\n" {_format_literal(verdict)} ("Yes" | "No") "."\n'
        f'line ::= "ans: " [^\\n]{{1,{ANSWER}}} "\\n"\n'
    )


def _make_lines(before: str, names: Iterable[str], none: str, heading: str = "") -> Constraint:
    """Lines of some names, or what is said where there is none."""
    offered = list(dict.fromkeys(name for name in names if name))[:NAMES]
    rules, begun = (
        [f"none ::= {_format_literal(before + none)}"],
        f"{_format_literal(before)} " if before else "",
    )
    for i, name in enumerate(offered):
        last = i + 1 == len(offered)
        rules.append(f"from-{i} ::= {begun}{_format_literal(name)}" + ("" if last else f" after-{i} | from-{i + 1}"))
        if not last:
            rules.append(f'after-{i} ::= ("\\n" from-{i + 1})?')
    root = "none | from-0" if offered else "none"
    root = f"root ::= {_format_literal(heading + chr(10))} ({root})" if heading else f"root ::= {root}"
    return Constraint(grammar="\n".join([root, *rules]) + "\n")


def _format_literal(text: str) -> str:
    """A name as a GBNF literal; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)
