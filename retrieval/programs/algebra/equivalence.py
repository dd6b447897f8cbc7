"""When two programs ask for the same, however they are written. Standard library only."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.operations import And, Arithmetic, Constant, Holds, Operation, Or, Program
from retrieval.programs.algebra.program_json import to_json

_TURNED = {
    Comparison.MORE: Comparison.LESS,
    Comparison.AT_LEAST: Comparison.AT_MOST,
}
#: The sides of these may be exchanged.
_UNORDERED = (Operation.DIFFERENCE, Operation.DAYS, Operation.SUM, Operation.PRODUCT)


def is_equivalent(left: Program, right: Program) -> bool:
    """Whether two programs of one snapshot are the same but for the order of what has none.

    The order of what is joined by *and* or *or*, of the two sides of a difference, sum or product, and of those of a
    comparison does not count, nor do repetitions and how a constant was spelt. Programs that give the same and ask
    otherwise are not equivalent: "the capital of Chad" and "the largest city of Chad".
    """
    return normalize_program(left) is normalize_program(right)


def normalize_program(program: Program) -> Program:
    """The one of all equivalent programs that stands for them; equivalent ones give the same object while it lives."""
    values = {field.name: _normalize_value(getattr(program, field.name)) for field in fields(program)}  # type: ignore[arg-type]
    plain: Program = type(program)(**values)
    match plain:
        case Constant():
            return Constant(round(plain.value, 9), plain.kind, plain.dimension)
        case And() | Or():
            return _normalize_join(plain)
        case Arithmetic(operation, left, right) if operation in _UNORDERED:
            first, second = sorted((left, right), key=_make_sort_key)
            return Arithmetic(operation, first, second)
        case Holds(left, comparison, right):
            if comparison in _TURNED:
                return Holds(right, _TURNED[comparison], left)
            if comparison in (Comparison.EQUAL, Comparison.NOT_EQUAL):
                first, second = sorted((left, right), key=_make_sort_key)
                return Holds(first, comparison, second)
    return plain


def _normalize_value(value: Any) -> Any:
    if isinstance(value, Program):
        return normalize_program(value)
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return tuple(map(_normalize_value, value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _normalize_value(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **changed)
    return value


def _normalize_join(program: And | Or) -> Program:
    """A chain of *and*, or of *or*, in one order and without repetitions."""
    kind = type(program)
    joined: Program | None = None
    for part in sorted(set(_list_operands(program, kind)), key=_make_sort_key):
        joined = part if joined is None else kind(joined, part)
    assert joined is not None, "a join has two sides"
    return joined


def _list_operands(program: Program, kind: type[And | Or]) -> list[Program]:
    if isinstance(program, And | Or) and type(program) is kind:
        return [*_list_operands(program.left, kind), *_list_operands(program.right, kind)]
    return [program]


def _make_sort_key(program: Program) -> str:
    return repr(to_json(program))
