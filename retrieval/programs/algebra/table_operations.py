"""Tables: rows of several columns, each row for a group of the nodes of a set. Standard library only.

By default each row is a node: "the names and ages of all singers" is ``Table(singers, (Attribute((age,)),))``. "The
average price per supplier, the dearest first" is ``Table(products, (Measure(Key((price,)), Folding.AVERAGE),),
groups=(Grouping((supplier,)),), order=(Ordering(1, True),))``.

Columns are numbered with the groups first: column 0 is what the first group is by.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import Constant, Key, Operation, Program


class DatePart(StrEnum):
    """What of a date rows are grouped by."""

    YEAR = "year"
    MONTH = "month"
    """Of a year: 2021-03."""
    MONTH_OF_YEAR = "month of year"
    """Of any year: March."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """What rows are groups by.

    Attributes:
        path: directed relations from the nodes to it; with none the nodes themselves. Nodes that it leads nowhere from
            are in no row, those that it leads to several from are in a row of each.
        part: of the dates, or years, that the path leads to.
    """

    path: tuple[int, ...] = ()
    part: DatePart | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column of nodes: those that a path leads to from the nodes of a row.

    Attributes:
        path: directed relations; with none the nodes themselves.
        of: the number of a grouping: from what the row is grouped by there, not from the nodes of the row.
        best: only from those of the row with the largest such key, all that share it: the dearest product.
        largest: else the smallest.
    """

    path: tuple[int, ...] = ()
    of: int | None = None
    best: Key | None = None
    largest: bool = True


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of numbers: the keys of the nodes of a row.

    Attributes:
        key: of each node.
        how: what they come to in a row; None takes the largest, where a row is one node.
        of: as of :class:`Attribute`.
    """

    key: Key
    how: Folding | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """A column of numbers: how many different nodes a path leads to from the nodes of a row.

    Attributes:
        path: directed relations; with none the nodes of the row are counted.
        among: only those of the counted nodes; None for all.
    """

    path: tuple[int, ...] = ()
    among: Program | None = None


@dataclass(frozen=True, slots=True)
class Calculation:
    """A column of numbers: what two columns before it come to, by their numbers.

    ``right`` None is the sum of the left column over all rows, before conditions and limit: ``SHARE`` of the total.
    Differences keep their sign, left minus right, but as days.
    """

    operation: Operation
    left: int
    right: int | None = None


Column = Attribute | Measure | Tally | Calculation


@dataclass(frozen=True, slots=True)
class Condition:
    """What rows must have: a column, by its number, that compares with a constant. An empty cell does not."""

    column: int
    comparison: Comparison
    value: Constant


@dataclass(frozen=True, slots=True)
class Ordering:
    """Rows by a column, by its number; empty cells come last. Names are ordered without regard to case."""

    column: int
    descending: bool = False


@dataclass(frozen=True, eq=False)
class Table(Program):
    """Rows: a row for each combination of what the nodes of ``source`` are grouped by; no grouping makes one row.

    ``conditions`` hold for all rows. ``limit`` rows are taken in the order, with all that share the last place; rows of
    no order are by the number of what they are grouped by, dates in time.
    """

    source: Program
    columns: tuple[Column, ...] = ()
    groups: tuple[Grouping, ...] = (Grouping(),)
    conditions: tuple[Condition, ...] = ()
    order: tuple[Ordering, ...] = ()
    limit: int | None = None


def get_column(table: Table, number: int) -> Grouping | Column:
    """What stands in a column, by its number."""
    return (*table.groups, *table.columns)[number]


def list_table_paths(table: Table) -> tuple[tuple[int, ...], ...]:
    """The paths of relations that a table reads from the nodes of its source, each once."""
    paths = [group.path for group in table.groups]
    for column in table.columns:
        match column:
            case Attribute(path, of, best):
                paths.append((*table.groups[of].path, *path) if of is not None else path)
                paths += [] if best is None else [best.path]
            case Measure(key, _, of):
                start = () if of is None else table.groups[of].path
                paths.append((*start, *key.path))
                factor = key.times or key.less
                paths += [] if factor is None else [(*start, *key.path[:-1], *factor)]
            case Tally(path):
                paths.append(path)
    return tuple(dict.fromkeys(path for path in paths if path))


def check_table(table: Table) -> None:
    """Refuse a table whose parts name columns or groups that it has not.

    Raises:
        ValueError: with what is wrong.
    """
    size, groups = len(table.groups) + len(table.columns), len(table.groups)
    if not size:
        raise ValueError("A table needs a column or a group.")
    for number, column in enumerate(table.columns, groups):
        match column:
            case Calculation(_, left, right):
                if not all(0 <= side < number for side in (left, right or 0)):
                    raise ValueError(f"Column {number} of the table can only be computed of columns before it.")
            case Attribute(of=of) | Measure(of=of) if of is not None:
                if not 0 <= of < groups or table.groups[of].part is not None:
                    raise ValueError(f"Column {number} of the table is of group {of}, which is none of nodes.")
    for number in (*(part.column for part in table.conditions), *(part.column for part in table.order)):
        if not 0 <= number < size:
            raise ValueError(f"The table has no column {number}; its columns are 0 to {size - 1}.")
    if table.limit is not None and table.limit < 1:
        raise ValueError("The limit of a table must be at least 1.")
