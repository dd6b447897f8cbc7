"""Tables in words: their columns as nouns, and what they do in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.operations import Key, Operation
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Calculation,
    Column,
    DatePart,
    Grouping,
    Measure,
    Ordering,
    Table,
    Tally,
    get_column,
)
from retrieval.programs.algebra.table_types import infer_column_type, is_ordered_by_number
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.formatting import format_value
from retrieval.programs.rendering.wording import make_plural

if TYPE_CHECKING:
    from retrieval.programs.rendering.set_wording import SetDescriber

#: Nodes whose kinds are looked at.
_LOOKED_AT = 50
_PARTS = {DatePart.YEAR: "year", DatePart.MONTH: "month", DatePart.MONTH_OF_YEAR: "month"}
_CALCULATED = {
    Operation.DIFFERENCE: "{} − {}", Operation.DAYS: "days between {} and {}", Operation.SUM: "{} + {}",
    Operation.PRODUCT: "{} × {}", Operation.RATIO: "{} / {}", Operation.SHARE: "{} / {}",
}  # fmt: skip


def describe_column(describer: SetDescriber, table: Table, number: int) -> str:
    """What stands in a column, by its number, as a noun; with its unit where a relation is named with one."""
    match get_column(table, number):
        case Grouping(_, part) if part is not None:
            return _PARTS[part]
        case Grouping(path):
            return _describe_path(describer, table, path)
        case Attribute(path, of, best, largest):
            noun = _describe_path(describer, table, path if of is None else (*table.groups[of].path, *path))
            if of is not None and path:
                return f"{noun} of {describe_column(describer, table, of)}"
            if best is None:
                return noun
            superlative = describer.words.get_superlative(best, largest=largest)
            return f"{noun} with the {superlative} {describer.describe_key(best)}"
        case Measure(key):
            return describe_measure(describer, get_column(table, number), describer.describe_key(key))
        case Tally(path, among):
            noun = describer.words.describe_counted(Key(path)) if path else _describe_members(describer, table)
            return f"number of {noun}{describer.describe_restriction(among)}"
        case Calculation(operation, left, right):
            sides = [describe_column(describer, table, side) for side in (left, right) if side is not None]
            return describe_calculation(operation, sides)


def describe_measure(describer: SetDescriber, column: Grouping | Column, noun: str) -> str:
    """A column of keys whose noun is known: ``average price``, ``profit of those in 2021``."""
    assert isinstance(column, Measure)
    key, how = column.key, column.how
    noun = noun if how is None else f"{describer.words.get_folding_word(how, key)} {noun}"
    return noun if key.counted else f"{noun}{describer.describe_restriction(key.among)}"


def describe_calculation(operation: Operation, sides: list[str]) -> str:
    """What two columns come to, or one and its total, as a noun."""
    if operation is Operation.SHARE and len(sides) == 1:
        return f"share of {sides[0]}"
    return _CALCULATED[operation].format(sides[0], (*sides, "total")[1])


def describe_table(describer: SetDescriber, table: Table) -> str:
    """What a table does: ``for each category: number of products, at least 2, largest first``."""
    heads = [describe_column(describer, table, number) for number in range(len(table.groups) + len(table.columns))]
    groups, columns = heads[: len(table.groups)], heads[len(table.groups) :]
    listed = ", ".join(columns)
    if not groups:
        text = f"in all: {listed}"
    elif not columns:
        text = f"each {' with each '.join(groups)}"
    else:
        text = f"each with {listed}" if table.groups == (Grouping(),) else f"for each {' and '.join(groups)}: {listed}"
    tests = [
        f"{heads[condition.column]} {condition.comparison.value} {_describe_constant(describer, table, position)}"
        for position, condition in enumerate(table.conditions)
    ]
    orders = [f"{heads[part.column]} ({_describe_order(describer, table, part)})" for part in table.order]
    return "; ".join(
        [
            text,
            *([f"only {' and '.join(tests)}"] if tests else []),
            *([f"by {', then '.join(orders)}"] if orders else []),
            *([f"the first {table.limit:,}"] if table.limit is not None else []),
        ]
    )


def _describe_order(describer: SetDescriber, table: Table, ordering: Ordering) -> str:
    if not is_ordered_by_number(describer.columns, table, ordering.column):
        return "Z to A" if ordering.descending else "A to Z"
    kind = infer_column_type(describer.columns, table, ordering.column)
    if kind is not None and (kind.year or kind.kind is not ValueKind.NUMBER):
        return "latest first" if ordering.descending else "earliest first"
    return "largest first" if ordering.descending else "smallest first"


def _describe_constant(describer: SetDescriber, table: Table, position: int) -> str:
    condition = table.conditions[position]
    constant, kind = condition.value, infer_column_type(describer.columns, table, condition.column)
    if constant.text or kind is None or kind.kind is not constant.kind:
        return describer.describe_value(constant)
    return format_value(kind, constant.value)


def _describe_path(describer: SetDescriber, table: Table, path: tuple[int, ...]) -> str:
    """What a path leads to from the nodes of a table."""
    words = describer.words
    if path and not split_direction(words.snapshot, path[-1])[0]:
        return words.get_noun(path[-1])
    nodes = describer.executor.compute_nodes(table.source)
    ends = np.unique(describer.executor.compute_pairs(nodes[:_LOOKED_AT], path)[1])[:_LOOKED_AT]
    return describer.find_common_kind(ends) or (words.describe_path(path) if path else "name")


def _describe_members(describer: SetDescriber, table: Table) -> str:
    kind = describer.find_common_kind(describer.executor.compute_nodes(table.source)[:_LOOKED_AT])
    simple = describer.describe_simple(table.source)
    return make_plural(kind) if kind else "things" if simple is None else simple[0]
