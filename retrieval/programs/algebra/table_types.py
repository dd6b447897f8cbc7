"""What the numbers of a table's columns are. Standard library only."""

from __future__ import annotations

from dataclasses import replace

from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.columns import Columns, ValueType, get_difference_type
from retrieval.programs.algebra.operations import Operation
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    DatePart,
    Grouping,
    Measure,
    Table,
)

_YEAR = ValueType(ValueKind.NUMBER, year=True)


def infer_column_type(columns: Columns, table: Table, number: int) -> ValueType | None:
    """What the numbers of a column are; None of counts, of names, and where values have no unit in common."""
    if number < len(table.groups):
        return _infer_group_type(columns, table.groups[number])
    match table.columns[number - len(table.groups)]:
        case Attribute(path):
            return columns.get_value_type(path[-1]) if path else None
        case Measure(key, how):
            kind = columns.get_key_type(key)
            return kind and (replace(kind, age=False, year=False) if how is Folding.AVERAGE else kind)
        case Calculation(operation, left, right):
            first = infer_column_type(columns, table, left)
            second = first if right is None else infer_column_type(columns, table, right)
            return _infer_calculated_type(operation, first, second)
    return None


def is_ordered_by_number(columns: Columns, table: Table, number: int) -> bool:
    """Whether the cells of a column have an order of their own, as numbers and dates have; others go by their names."""
    if number >= len(table.groups):
        column = table.columns[number - len(table.groups)]
        return not isinstance(column, Attribute) or infer_column_type(columns, table, number) is not None
    return infer_column_type(columns, table, number) is not None or table.groups[number].part is not None


def _infer_group_type(columns: Columns, group: Grouping) -> ValueType | None:
    match group.part:
        case DatePart.YEAR:
            return _YEAR
        case DatePart.MONTH:
            return ValueType(ValueKind.DATE)
        case DatePart.MONTH_OF_YEAR:
            return None
    return columns.get_value_type(group.path[-1]) if group.path else None


def _infer_calculated_type(operation: Operation, left: ValueType | None, right: ValueType | None) -> ValueType | None:
    match operation:
        case Operation.SHARE:
            return None
        case Operation.DAYS:
            return ValueType(ValueKind.NUMBER, "", "days")
        case Operation.DIFFERENCE:
            known = left or right
            return known and get_difference_type(known)
        case Operation.RATIO if left is not None and right is not None:
            if left.dimension == right.dimension and left.dimension:
                return None
            unit = f"{left.unit}/{right.unit}" if right.unit else left.unit
            return ValueType(ValueKind.NUMBER, "", unit, left.factor / right.factor)
        case Operation.RATIO:
            return left
    return left or right
