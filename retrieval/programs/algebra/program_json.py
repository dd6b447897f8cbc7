"""Programs as JSON, written and read."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from typing import Any

from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.operations import NODES, Constant, Key, Operation, Program, TextFilter

_ENUMS: dict[str, type[StrEnum]] = {
    "comparison": Comparison,
    "how": Folding,
    "operation": Operation,
    "folding": Folding,
    "kind": ValueKind,
    "match": TextMatch,
}


def to_json(program: Program | Key) -> dict[str, Any]:
    """As JSON: ``{"op": name, ...}``; ids are those of the snapshot."""
    out: dict[str, Any] = {"op": type(program).__name__}
    for field in fields(program):  # type: ignore[arg-type]
        value = getattr(program, field.name)
        if isinstance(value, Program | Key):
            value = to_json(value)
        elif isinstance(value, tuple):
            value = list(value)
        if value is not None or field.name == "relation":
            out[field.name] = value
    return out


def from_json(data: Any) -> Program:
    """What :func:`to_json` wrote.

    Raises:
        ValueError: it is no program, with what is wrong.
    """
    parsed = _from_json(data, "program")
    if not isinstance(parsed, Program):
        raise ValueError("A key is no program.")
    return parsed


#: Paths that may be left out.
_PATHS = ("per", "times", "less")


#: A program nested deeper is nobody's question.
_DEPTH = 40


def _from_json(data: Any, where: str, depth: int = 0) -> Program | Key:
    if depth > _DEPTH:
        raise ValueError(f"The program is nested deeper than {_DEPTH} levels.")
    if not isinstance(data, dict) or not isinstance(data.get("op"), str):
        raise ValueError(f"{where} is no object with an 'op'.")
    if data["op"] == "Difference":  # as it was called before there were others
        data = {**data, "op": "Arithmetic", "operation": Operation.DIFFERENCE}
    cls: Any = Key if data["op"] == "Key" else NODES.get(data["op"])
    if cls is None:
        raise ValueError(f"{where}: there is no operation {data['op']!r}; there are {', '.join(NODES)}.")
    known = {field.name: field for field in fields(cls)}
    unknown = set(data) - set(known) - {"op"}
    if unknown:
        raise ValueError(f"{where}: {data['op']} has no {sorted(unknown)[0]!r}.")
    values = {name: _parse_value(cls, name, data[name], f"{where}.{name}", depth) for name in known if name in data}
    if cls is Key and sum(bool(values.get(name)) for name in ("counted", "times", "less")) > 1:
        raise ValueError(f"{where}: a key is counted, or multiplied, or something is taken from it.")
    try:
        return cls(**values)  # type: ignore[no-any-return]
    except TypeError:
        missing = [name for name in known if name not in values]
        raise ValueError(f"{where}: {data['op']} lacks {missing[0]!r}.") from None


def _parse_value(cls: Any, name: str, value: Any, where: str, depth: int) -> Any:
    if name in _PATHS and value is None:
        return None
    if name in ("ids", "path", *_PATHS):
        if not isinstance(value, list) or not all(type(item) is int and item >= 0 for item in value):
            raise ValueError(f"{where} must be a list of ids.")
        if name != "ids" and not value:
            raise ValueError(f"{where} must name a relation.")
        return tuple(sorted(set(value))) if name == "ids" else tuple(value)
    if isinstance(value, dict):
        inner = _from_json(value, where, depth + 1)
        if isinstance(inner, Key) != (name == "key"):
            raise ValueError(f"{where} must be a {'key' if name == 'key' else 'program'}.")
        return inner
    if name in _ENUMS and value is not None:
        try:
            return _ENUMS[name](value)
        except ValueError:
            raise ValueError(f"{where}: {value!r} is none of {', '.join(_ENUMS[name])}.") from None
    kinds = {
        "relation": int, "rank": int, "count": int, "largest": bool, "counted": bool, "text": str, "dimension": str,
        "value": (int, float), "factor": (int, float),
    }  # fmt: skip
    kind: Any = kinds.get(name)
    if value is None and (name in ("among", "folding") or (name == "relation" and cls is TextFilter)):
        return None
    if kind is None or (name == "value" and cls is not Constant):
        raise ValueError(f"{where} must be a program.")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where}: {value!r} is of the wrong type.")
    if name in ("rank", "count") and value < 1:
        raise ValueError(f"{where} must be at least 1.")
    return value
