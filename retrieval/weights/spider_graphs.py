"""Spider's databases as graphs: a row becomes a node with a kind, a column a relation, a foreign key a relation too."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

#: Columns that name rows: so many have a value, so many of the values differ.
_NAMED, _DIFFERENT = 0.9, 0.6
_FIRST_NAMES = ("first name", "fname", "forename")
_LAST_NAMES = ("last name", "lname", "surname", "family name")
Fact = tuple[str, str, str]


@dataclass(slots=True)
class Table:
    """A table: its columns by their number in the database, as they are called in words, and its rows."""

    title: str
    columns: list[int]
    names: list[str]
    types: list[str]
    key: list[int]
    rows: list[tuple[Any, ...]]
    labels: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """What one row is."""
        return _make_singular(self.title)

    def get_place(self, column: int) -> int:
        """The place of a column in a row."""
        return self.columns.index(column)

    def get_row_key(self, number: int) -> str | None:
        """The value of the primary key where it is a single column."""
        if len(self.key) != 1:
            return None
        value = self.rows[number][self.get_place(self.key[0])]
        return None if value is None else format_cell(value)


def format_cell(value: Any) -> str:
    """A value of a cell as it is written."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return re.sub(r"\s+", " ", str(value)).strip()


def read_tables(connection: sqlite3.Connection, schema: dict[str, Any]) -> list[Table]:
    """The tables of a database with all their rows."""
    tables = []
    for number, original in enumerate(schema["table_names_original"]):
        columns = [column for column, (table, _) in enumerate(schema["column_names_original"]) if table == number]
        names = ",".join(f'"{schema["column_names_original"][column][1]}"' for column in columns)
        rows = connection.execute(f'SELECT {names} FROM "{original}"').fetchall()
        words = [schema["column_names"][column][1].lower() for column in columns]
        types = [schema["column_types"][column] for column in columns]
        key = [column for column in columns if column in schema["primary_keys"]]
        tables.append(Table(schema["table_names"][number], columns, words, types, key, rows))
    return tables


def build_facts(tables: Sequence[Table], keys: dict[int, int]) -> list[Fact]:
    """The facts of a database, ``keys`` its foreign keys: what a column refers to."""
    things = [table for table in tables if not _is_join_table(table, keys)]
    _label_rows(things, keys)
    ends: dict[int, dict[str, str]] = defaultdict(dict)
    owner = {column: table for table in tables for column in table.columns}
    for column in set(keys.values()):
        table = owner[column]
        for row, label in zip(table.rows, table.labels, strict=False):
            if row[table.get_place(column)] is not None:
                ends[column].setdefault(format_cell(row[table.get_place(column)]).casefold(), label)
    facts = dict[Fact, None]()
    for table in tables:
        if _is_join_table(table, keys):
            first, second = table.columns
            for row in table.rows:
                head, tail = (
                    ends[keys[column]].get(format_cell(cell).casefold())
                    for column, cell in zip((first, second), row, strict=True)
                )
                if head and tail:
                    facts[head, table.title.replace("_", " ").lower(), tail] = None
            continue
        naming = _find_naming_columns(table, keys)
        for row, label in zip(table.rows, table.labels, strict=True):
            facts[label, "type", table.kind] = None
            for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
                if (
                    cell is None
                    or not format_cell(cell)
                    or (naming == (place,) and table.names[place] in ("name", "title"))
                ):
                    continue
                if column not in keys:
                    facts[label, table.names[place], format_cell(cell)] = None
                    continue
                end = ends[keys[column]].get(format_cell(cell).casefold())
                relation = re.sub(r"\s*(id|code|number)$", "", table.names[place]).strip()
                if end is not None:
                    facts[label, relation or owner[keys[column]].kind, end] = None
    return list(facts)


def _is_join_table(table: Table, keys: dict[int, int]) -> bool:
    """Whether a table only says which rows of two others belong together."""
    return len(table.columns) == 2 and all(column in keys for column in table.columns)


def _find_naming_columns(table: Table, keys: dict[int, int]) -> tuple[int, ...]:
    """The places of the columns that name rows: first and last name, or one; none where the key must do."""
    first, last = (
        [place for place, name in enumerate(table.names) if name in names] for names in (_FIRST_NAMES, _LAST_NAMES)
    )
    if first and last:
        return first[0], last[0]
    free = [place for place, column in enumerate(table.columns) if column not in keys and _is_distinctive(table, place)]
    kind = table.kind.split()[-1:]
    for place in free:
        name = table.names[place]
        if name in ("name", "title", table.kind) or name.endswith(" title"):
            return (place,)
        if name.endswith(" name") and kind and kind[0] in name:
            return (place,)
    for place in free:
        if table.types[place] == "text" and ("name" in table.names[place] or "description" in table.names[place]):
            return (place,)
    return ()


def _is_distinctive(table: Table, place: int) -> bool:
    values = [row[place] for row in table.rows if row[place] not in (None, "")]
    return bool(values) and len(values) >= _NAMED * len(table.rows) and len(set(values)) >= _DIFFERENT * len(values)


def _label_rows(tables: Sequence[Table], keys: dict[int, int]) -> None:
    """Give every row a label of its own; namesakes are distinguished by their kind, else by their key."""
    rows_by_label: dict[str, list[tuple[Table, int, str]]] = defaultdict(list)
    for table in tables:
        naming = _find_naming_columns(table, keys)
        table.labels = [""] * len(table.rows)
        for number, row in enumerate(table.rows):
            label = " ".join(format_cell(row[column]) for column in naming if row[column] is not None).strip()
            label = label or f"{table.kind} {table.get_row_key(number) or number + 1}"
            rows_by_label[label.casefold()].append((table, number, label))
    for namesakes in rows_by_label.values():
        kinds, taken = Counter(table.kind for table, _, _ in namesakes), set[str]()
        for place, (table, number, name) in enumerate(namesakes):
            label = name
            if len(kinds) > 1 and kinds[table.kind] == 1:
                label = f"{name} ({table.kind})" if place else name
            elif len(namesakes) > 1:
                label = f"{name} ({table.get_row_key(number) or number + 1})"
            while label.casefold() in taken:
                label += " #2"
            taken.add(label.casefold())
            table.labels[number] = label


def _make_singular(title: str) -> str:
    word = title.replace("_", " ").lower().strip()
    if word.endswith(("uses", "sses", "xes", "ches", "shes")) and not word.endswith(("houses", "causes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
