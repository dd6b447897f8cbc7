"""Programs as JSON, written and read."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    Condition,
    DatePart,
    Grouping,
    Measure,
    Ordering,
    Table,
    Tally,
    check_table,
)

NODES: dict[str, type[Program]] = {
    cls.__name__: cls
    for cls in (
        Entities, Having, Walk, And, Or, Except, Constant, Filter, TextFilter, Top, KeyOf, Count, Fold,
        Arithmetic, Exists, Holds, Table,
    )
}  # fmt: skip
#: What operations are described with.
_PARTS: dict[str, type] = {
    cls.__name__: cls for cls in (Key, Attribute, Measure, Tally, Calculation, Grouping, Condition, Ordering)
}
#: What stands in the lists of a table.
_LISTS: dict[str, tuple[type, ...]] = {
    "columns": (Attribute, Measure, Tally, Calculation),
    "groups": (Grouping,),
    "conditions": (Condition,),
    "order": (Ordering,),
}

_ENUMS: dict[str, type[StrEnum]] = {
    "comparison": Comparison,
    "how": Folding,
    "operation": Operation,
    "folding": Folding,
    "kind": ValueKind,
    "match": TextMatch,
    "part": DatePart,
}


def to_json(program: Any) -> dict[str, Any]:
    """A program, or a part such as a key, as JSON: ``{"op": name, ...}``; ids are those of the snapshot."""
    out: dict[str, Any] = {"op": type(program).__name__}
    for field in fields(program):
        value = getattr(program, field.name)
        if is_dataclass(value):
            value = to_json(value)
        elif isinstance(value, tuple):
            value = [to_json(item) if is_dataclass(item) else item for item in value]
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
        raise ValueError(f"A {type(parsed).__name__.lower()} is no program.")
    return parsed


#: Paths that may be left out.
_PATHS = ("per", "times", "less")
#: Parts whose path may be empty, and what may be left out.
_STAYING = (Attribute, Grouping, Tally)
_OPTIONAL = {
    Key: ("among", "folding"), Attribute: ("of", "best"), Measure: ("how", "of"), Tally: ("among",),
    Calculation: ("right",), Grouping: ("part",), Table: ("limit",), TextFilter: ("relation",),
}  # fmt: skip
_NUMBERS = ("relation", "rank", "count", "column", "of", "limit")

#: A program nested deeper is nobody's question.
_DEPTH = 40


def _from_json(data: Any, where: str, depth: int = 0) -> Any:
    if depth > _DEPTH:
        raise ValueError(f"The program is nested deeper than {_DEPTH} levels.")
    if not isinstance(data, dict) or not isinstance(data.get("op"), str):
        raise ValueError(f"{where} is no object with an 'op'.")
    if data["op"] == "Difference":  # as it was called before there were others
        data = {**data, "op": "Arithmetic", "operation": Operation.DIFFERENCE}
    cls: Any = _PARTS.get(data["op"]) or NODES.get(data["op"])
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
        made = cls(**values)
    except TypeError:
        missing = [name for name in known if name not in values]
        raise ValueError(f"{where}: {data['op']} lacks {missing[0]!r}.") from None
    if isinstance(made, Table):
        check_table(made)
    return made


def _parse_value(cls: Any, name: str, value: Any, where: str, depth: int) -> Any:
    if value is None and (name in _PATHS or name in _OPTIONAL.get(cls, ())):
        return None
    if name in _LISTS:
        if not isinstance(value, list):
            raise ValueError(f"{where} must be a list.")
        parts = tuple(_from_json(item, f"{where}.{place}", depth + 1) for place, item in enumerate(value))
        if not all(isinstance(part, _LISTS[name]) for part in parts):
            raise ValueError(f"{where} must be of {' or '.join(part.__name__ for part in _LISTS[name])}.")
        return parts
    if name in ("ids", "path", *_PATHS):
        if not isinstance(value, list) or not all(type(item) is int and item >= 0 for item in value):
            raise ValueError(f"{where} must be a list of ids.")
        if name != "ids" and not value and cls not in _STAYING:
            raise ValueError(f"{where} must name a relation.")
        return tuple(sorted(set(value))) if name == "ids" else tuple(value)
    if isinstance(value, dict):
        inner = _from_json(value, where, depth + 1)
        wanted = Key if name in ("key", "best") else Constant if cls is Condition else Program
        if not isinstance(inner, wanted):
            raise ValueError(f"{where} must be a {wanted.__name__.lower()}.")
        return inner
    if name in _ENUMS:
        try:
            return _ENUMS[name](value)
        except ValueError:
            raise ValueError(f"{where}: {value!r} is none of {', '.join(_ENUMS[name])}.") from None
    kinds = {
        "largest": bool, "descending": bool, "counted": bool, "text": str, "dimension": str,
        "value": (int, float), "factor": (int, float), **dict.fromkeys(_NUMBERS, int),
        **(dict.fromkeys(("left", "right"), int) if cls is Calculation else {}),
    }  # fmt: skip
    kind: Any = kinds.get(name)
    if kind is None or (name == "value" and cls is not Constant):
        raise ValueError(f"{where} must be a program.")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where}: {value!r} is of the wrong type.")
    if name in ("rank", "count") and value < 1:
        raise ValueError(f"{where} must be at least 1.")
    return value
