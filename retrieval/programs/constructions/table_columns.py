"""Programs of one number or thing of each row, put beside each other as the columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.operations import EVERY, Count, Fold, Having, Key, Program, Top, Walk, walk
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import (
    Attribute,
    Column,
    DatePart,
    Grouping,
    Measure,
    Table,
    Tally,
)

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.schema import Schema

#: From this share on the nodes of a set have a date, or what a relation leads to.
_MOSTLY = 0.5


class TableColumns:
    """Converts programs to columns of tables."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def convert(self, program: Program | None) -> Table | None:
        """A program of one column as a table of it: a number of each, the first of each, what each leads to."""
        match program:
            case Top(source, key, _, _, count, per) if count == EVERY and per is None:
                return Table(source, (_make_column(key),))
            case Top(source, key, largest, rank, count, per) if per is not None and rank == count == 1:
                return Table(source, (Attribute((), best=key, largest=largest),), (Grouping(per),))
            case Walk(Top(source, key, largest, 1, 1, per), relation) if per is not None:
                return Table(source, (Attribute((relation,), best=key, largest=largest),), (Grouping(per),))
            case Walk(source, relation):
                return Table(source, (Attribute((relation,)),))
            case Table() as table if not table.order:
                return table
        return None

    def join(self, columns: Sequence[Sequence[Table]]) -> Iterator[tuple[Table, tuple[int, ...]]]:
        """Tables of one of the readings of each column, which have the same rows, with the readings' places."""
        for first_place, first in enumerate(columns[0]):
            places, joined = [first_place], list(first.columns)
            for others in columns[1:]:
                place = next((n for n, other in enumerate(others) if self._has_same_rows(first, other)), None)
                if place is None:
                    break
                places.append(place)
                joined += others[place].columns
            else:
                yield replace(first, columns=tuple(dict.fromkeys(joined))), tuple(places)

    def _has_same_rows(self, first: Table, second: Table) -> bool:
        if first.groups != second.groups or first.conditions != second.conditions:
            return False
        nodes = [self.executor.compute_nodes(table.source) for table in (first, second)]
        return len(nodes[0]) == len(nodes[1]) and bool((nodes[0] == nodes[1]).all())

    def has_rows(self, table: Table) -> bool:
        """Whether a table has any row."""
        rows = self.executor.run(table)
        return isinstance(rows, Rows) and len(rows) > 0

    def filter_rows(self, table: Table, source: Program) -> Table | None:
        """A table of all of a kind, of some of it alone; None where these are no such rows."""
        nodes, every = self.executor.compute_nodes(source), self.executor.compute_nodes(table.source)
        own_rows = table.groups == (Grouping(),) and len(nodes) and is_among(nodes, every).all()
        return replace(table, source=source) if own_rows else None

    def group_by_period(self, program: Program, part: DatePart, stems: frozenset[str]) -> Iterator[Table]:
        """A number or set, and a number of each thing, told of each period of time.

        Args:
            program: how many or how much in all, or of each of some things.
            part: of the dates that the periods are told by.
            stems: of the words that may say which dates.
        """
        groups: tuple[Grouping, ...] = ()
        column: Column = Tally()
        match program:
            case Top(owners, key, _, _, count, per) if (
                count == EVERY and per is None and len(key.path) > key.counted ^ 1
            ):
                back = key.path if key.counted else key.path[:-1]
                source = key.among or reduce(Walk, back, owners)
                groups = (Grouping(tuple(self.schema.get_inverse(relation) for relation in reversed(back))),)
                if not key.counted:
                    column = Measure(replace(key, path=key.path[-1:], among=None, folding=None), key.folding)
            case Count(source):
                pass
            case Fold(how, source, key):
                column = Measure(key, how)
            case Having(relation) if (forward := self._get_measured(relation)) is not None:
                source, column = Having(forward), Measure(Key((forward,)), Folding.SUM)
            case _:
                source = program
        for path in self._find_date_paths(source, part, stems):
            yield Table(source, (column,), (*groups, Grouping(path, part)))

    def _get_measured(self, relation: int) -> int | None:
        """The relation of which numbers are asked for, where they are the numbers that it leads to: sales, profits."""
        forward = self.schema.get_inverse(relation)
        return forward if forward in self.schema.measures.numbers_by_id else None

    def _find_date_paths(self, source: Program, part: DatePart, stems: frozenset[str]) -> list[tuple[int, ...]]:
        """Paths to the dates of most of a set, those that words name, and short ones, first.

        A number has none; relations that give years lead to dates only where the periods are years.
        """
        nodes = self.executor.run(source)
        if not isinstance(nodes, np.ndarray) or not len(nodes) or self.executor.columns.are_values(nodes):
            return []
        compared = {
            r for inner in walk(source) if isinstance(key := getattr(inner, "key", None), Key) for r in key.path
        }
        ranked = list[tuple[float, float, tuple[int, ...]]]()
        for path in self._list_dated_paths(nodes, part):
            mentions = len(stems & set(self.schema.relations[path[-1]].stems)) + (path[-1] in compared)
            ranked.append((-mentions, len(path), path))
        return [path for *_, path in sorted(ranked)]

    def _list_dated_paths(self, nodes: np.ndarray, part: DatePart) -> Iterator[tuple[int, ...]]:
        columns = self.executor.columns
        dated = [
            relation for relation in self.schema.value_relations
            if (kind := columns.get_value_type(relation)) is not None
            and (kind.kind is ValueKind.DATE or (kind.year and part is DatePart.YEAR))
        ]  # fmt: skip
        yield from ((relation,) for relation in dated if self._is_shared(nodes, relation))
        for step in self.schema.single:
            if columns.get_value_type(step) is None and self._is_shared(nodes, step):
                reached = self.executor.walk(nodes, step)
                yield from ((step, relation) for relation in dated if self._is_shared(reached, relation))

    def _is_shared(self, nodes: np.ndarray, relation: int) -> bool:
        owners = self.executor.columns.list_sources(relation)
        return len(find_common(nodes, owners)) >= _MOSTLY * len(nodes)


def _make_column(key: Key) -> Column:
    return Tally(key.path, key.among) if key.counted else Measure(key)
