"""Tables as nodes and attributes, by what was inferred of them: rows are called by their names and refer to each other.

A row is a node; each other cell is said of it under its heading, and a cell that refers to a row of another table is
that row. Where a row that is referred to by number is missing, it is called by its kind and number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.kg.model.code_lists import normalise
from retrieval.kg.model.data_model import ColumnChoice, ModelChoices
from retrieval.kg.model.describing import find_unit
from retrieval.kg.model.embedding import EmbeddedKind
from retrieval.kg.model.inference import InferredTable
from retrieval.kg.model.naming import find_name_languages
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.references import FoundReference
from retrieval.kg.model.source_table import Cell, SourceTable
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import BadRowError, PropertyRows, extract_values, name_type_property
from retrieval.kg.snapshot.relation_names import TYPE

#: The share of a column's values that a list of codes must explain.
_EXPLAINED = 0.9
#: Rows of a type from which on its columns count; and the share of them that makes a column filled, or else empty.
_COMMON_TYPE, _FILLED = 3, 0.9
#: The share of rows with names of another table from which both tables hold the same things.
_MOSTLY = 0.5


#: The relation and the thing or value of a cell, by the position of its column.
_Resolve = Callable[[int, str], list[tuple[str, str]]]


@dataclass
class _Row:
    """A row that can be used: its node, and the attributes of it by position of their column."""

    node: str
    attributes: list[tuple[int, str]]


class _TableRows:
    """The rows of one table, named, before what refers to others is resolved."""

    def __init__(self, inferred: InferredTable, choices: ModelChoices, log: ProblemLog) -> None:
        self.inferred, self.table, self.schema = inferred, inferred.table, inferred.schema
        self.rows = PropertyRows(log)
        self.named_rows: list[_Row | None] = []
        #: What columns are called in the graph; empty where they are left out of it.
        self.relations = [
            _name_relation(profile, choices.columns.get((self.table.name, profile.heading)))
            for profile in self.table.profiles
        ]
        types = next((position for position, name in enumerate(self.table.header) if name.casefold() == TYPE), -1)
        self.type_column = types if types >= 0 and _has_kinds(self.table, types, self.schema.nouns) else -1
        if types != self.type_column and self.relations[types] == self.table.header[types]:
            self.relations[types] = name_type_property(self.schema.nouns[0])
        languages = find_name_languages(self.table, self.schema.names)
        self.languages = {position: tag for position, tag in languages.items() if self.relations[position]}
        left_out = {self.type_column, *self.languages, *(self.schema.names if len(self.schema.names) == 1 else ())}
        self._attribute_columns = [
            position for position, relation in enumerate(self.relations) if relation and position not in left_out
        ]
        self._contents: dict[str, int] = {}
        self._usually_filled = sum(profile.coverage for profile in self.table.profiles)  # cells of a row
        for number, cells in enumerate(self.table.rows):
            try:
                self.named_rows.append(self._name_row(number, cells))
            except BadRowError as error:
                self.named_rows.append(None)
                shown = ", ".join("" if cell is None else str(cell) for cell in cells)
                log.add(self.table.lines[number], str(error), shown, error.kind)

    def _name_row(self, number: int, cells: Sequence[Cell]) -> _Row:
        """Name a row, and take its attributes.

        Raises:
            BadRowError: it has no name where others have one, and says little else, or what it says is too long.
        """
        names = self.schema.names
        parts = [_join(cells[position]) for position in names if cells[position]]
        if names and not parts and sum(map(bool, cells)) <= _MOSTLY * self._usually_filled:
            raise BadRowError(f"the {self.table.header[names[0]]} is empty", "blank")
        numbered = cells[self.schema.number] if self.schema.number is not None else None
        kind = self.schema.nouns[0] if self.schema.nouns else "row"
        name = " ".join(parts) or f"{kind} {numbered or number + 1}"
        attributes = [
            (position, text) for position in self._attribute_columns
            if (cell := cells[position])
            for text in self._split_cell(position, cell)
        ]  # fmt: skip
        content = hash(tuple(attributes))
        if self._contents.setdefault(name, content) != content:  # two of one name
            key = cells[self.schema.key] if self.schema.key not in (None, *names) else None  # type: ignore[index]
            name = f"{name} ({key or number + 1})"
        return _Row(name, attributes)

    def _split_cell(self, position: int, cell: str | list[str]) -> list[str]:
        mark = self.table.list_marks.get(position) if position not in self.schema.names else None
        if mark and isinstance(cell, str):
            cell = list(dict.fromkeys(part for text in cell.split(mark) if (part := text.strip())))
        return extract_values(self.table.header[position], cell)

    def find_explaining_list(self, position: int, others: Sequence[_TableRows]) -> Mapping[str, str]:
        """What values of a column mean by the list of codes of another table; empty where none explains them."""
        values = {value for row in self.named_rows if row for column, value in row.attributes if column == position}
        for other in others:
            codes = other.inferred.code_list if other is not self else None
            rows = codes.rows.get(normalise(self.table.header[position]), {}) if codes is not None else {}
            explained = {
                value: row.node for value in values
                if value.casefold() in rows and (row := other.named_rows[rows[value.casefold()]]) is not None
            }  # fmt: skip
            if values and len(explained) >= _EXPLAINED * len(values):
                return explained
        return {}

    def add_to_graph(self, tables: Mapping[str, _TableRows], limit: int | None) -> PropertyRows:
        """Add the first rows as nodes, with references resolved; None adds all, as names in languages need."""
        ways = {position: _Way(reference, tables[reference.target])
                for position, reference in self.inferred.references.items() if reference.target in tables}  # fmt: skip
        explaining = list(tables.values())
        lists = {position: meant for position in range(len(self.table.header)) if position not in ways
                 and (meant := self.find_explaining_list(position, explaining))}  # fmt: skip
        kinds = {kind.key: (kind, names) for kind, names in self.inferred.embedded} | self.inferred.referred_kinds
        inside = {position for kind, _ in self.inferred.embedded for position in kind.columns}
        field = self.inferred.code_list.field if self.inferred.code_list else -1

        #: Columns whose values are said as they are.
        plain = {position: relation for position, relation in enumerate(self.relations)
                 if not {position} & {field, *ways, *kinds, *lists, *inside}}  # fmt: skip

        def resolve_value(position: int, value: str) -> list[tuple[str, str]]:
            relation = self.relations[position]
            if position in ways:
                return [(ways[position].label(relation, self.table.header[position]), ways[position].find(value))]
            if position not in kinds:
                return [(relation, lists.get(position, {}).get(value, value))]
            kind, names = kinds[position]
            called = relation if relation != self.table.header[position] else kind.called
            if value in names:
                return [(called, names[value])]
            return [(called, kind.get_key_name(value))] if position not in inside else []

        if self.inferred.joined_columns is not None:
            self._add_joins(ways, self.inferred.joined_columns)
            return self.rows
        for number, row in enumerate(self.named_rows if self.languages else self.named_rows[:limit]):
            if row is None:
                continue
            types = [] if field >= 0 else [*self.schema.nouns]
            if self.type_column >= 0:
                cell = self.table.rows[number][self.type_column]
                types += cell if isinstance(cell, list) else [cell] if cell else []
            attributes = [(TYPE, kind) for kind in types]
            for position, value in row.attributes:
                if position in plain:
                    attributes.append((plain[position], value))
                elif position == field:
                    attributes.append((TYPE, value))
                elif position in kinds or position not in inside:
                    attributes += resolve_value(position, value)
            if self.table.is_ordered:
                self.rows.listed.append(row.node)
            self.rows.add_node(row.node, row.node, attributes, self.table.lines[number])
            self.rows.names += [
                (row.node, language, _join(cell)) for position, language in self.languages.items()
                if (cell := self.table.rows[number][position])
            ]  # fmt: skip
        for kind, names in self.inferred.embedded:
            self._add_embedded(kind, names, resolve_value)
        return self.rows

    def _add_joins(self, ways: Mapping[int, _Way], columns: tuple[int, int]) -> None:
        """Add a fact for each row of a join table, and no thing for the row: a playlist has a track."""
        first, second = columns
        relation = ways[second].label(self.relations[second], self.table.header[second])
        for cells, line in zip(self.table.rows, self.table.lines, strict=True):
            source, target = cells[first], cells[second]
            if isinstance(source, str) and isinstance(target, str) and source and target:
                node = ways[first].find(source)
                self.rows.add_node(node, node, [(relation, ways[second].find(target))], line)

    def _add_embedded(self, kind: EmbeddedKind, names: Mapping[str, str], resolve_value: _Resolve) -> None:
        """Add the things of a kind inside the table, once each."""
        met: set[str] = set()
        columns = [column for column in (kind.key, *kind.others, *kind.shared) if self.relations[column]]
        for cells, line in zip(self.table.rows, self.table.lines, strict=True):
            value = cells[kind.key]
            if not isinstance(value, str) or value in met or value not in names:
                continue
            met.add(value)
            attributes = [(TYPE, kind.called)]
            for column in columns:
                for text in self._split_cell(column, cell) if (cell := cells[column]) else ():
                    if column != kind.key:
                        attributes += resolve_value(column, text)
                    elif text != names[value]:
                        attributes.append((self.relations[column], text))
            self.rows.add_node(names[value], names[value], attributes, line)


@dataclass(frozen=True)
class _Way:
    """A reference, and the table that it leads to."""

    reference: FoundReference
    target: _TableRows

    def label(self, relation: str, heading: str) -> str:
        """What the relation is called: as a person said, else without its word for numbers."""
        return relation if relation != heading else self.reference.label

    def find(self, value: str) -> str:
        """The node of a value; where no row has it, its kind and number, or the value itself."""
        position = self.reference.rows.get(value)
        row = self.target.named_rows[position] if position is not None else None
        if row is not None:
            return row.node
        nouns = self.target.schema.nouns
        return f"{nouns[0]} {value}" if nouns and value.isdecimal() else value


def build_rows(
    inferred: Sequence[InferredTable],
    choices: ModelChoices,
    logs: Mapping[str, ProblemLog],
    limit: int | None = None,
) -> tuple[list[PropertyRows], dict[str, str]]:
    """The nodes of all tables, and nodes by the numbers of their rows, those that only one row has: edges of other
    files may name them so.

    Args:
        choices: corrections, for columns that are renamed or left out.
        logs: by table, takes rows that cannot be used.
        limit: rows of each table that become nodes; None for all.
    """
    tables = {
        inferred_table.table.name: _TableRows(inferred_table, choices, logs[inferred_table.table.name])
        for inferred_table in inferred
    }
    _separate_homonyms(tables)
    rows = [table.add_to_graph(tables, limit) for table in tables.values()]
    by_number: dict[str, str] = {}
    twice: set[str] = set()
    for table in tables.values():
        key = table.schema.key
        if key is None or table.table.profiles[key].uniqueness < 1 or table.inferred.joined_columns:
            continue
        for cells, row in zip(table.table.rows, table.named_rows, strict=True):
            number = str(cells[key])
            if row is not None and by_number.setdefault(number, row.node) != row.node:
                twice.add(number)
    is_whole = limit is None
    return rows, {number: node for number, node in by_number.items() if is_whole and number not in twice}


def _separate_homonyms(tables: Mapping[str, _TableRows]) -> None:
    """Add the kind to names that rows share with rows of tables that their table refers to: ``Gold (album)``.

    If several rows may refer to one, the two tables hold different kinds of things, unless most of the names are equal.
    """
    for name, table in tables.items():
        reached = _find_referred_tables(name, tables) - {name}
        taken = {row.node for other in reached for row in tables[other].named_rows if row is not None}
        homonyms = [row for row in table.named_rows if row is not None and row.node in taken]
        if table.schema.nouns and len(homonyms) < _MOSTLY * len(table.named_rows):
            for row in homonyms:
                row.node = f"{row.node} ({table.schema.nouns[0]})"


def _find_referred_tables(name: str, tables: Mapping[str, _TableRows]) -> set[str]:
    """The tables that a table refers to many-to-one, directly or through others."""
    referred: set[str] = set()
    waiting = [name]
    while waiting:
        table = tables[waiting.pop()]
        targets = {
            reference.target for position, reference in table.inferred.references.items()
            if table.table.profiles[position].uniqueness < 1 and reference.target in tables
        }  # fmt: skip
        waiting += targets - referred
        referred |= targets
    return referred


def _has_kinds(table: SourceTable, types: int, nouns: Sequence[str]) -> bool:
    """Whether a column ``type`` says what kind the things of a table are, and not what else they are like.

    It does if nothing else says it, if its values are kinds of what the table holds (fissure volcanoes of volcanoes),
    or if other columns are filled for things of one type and empty for those of another.
    """
    values = [_join(row[types]) for row in table.rows if row[types]]
    narrower = sum(value.casefold().endswith(tuple(noun.casefold() for noun in nouns)) for value in values)
    if not nouns or 2 * narrower >= len(values):
        return True
    rows_by_type: dict[str, list[list[Cell]]] = defaultdict(list)
    for row in table.rows:
        rows_by_type[_join(row[types] or "")].append(row)
    common = [rows for kind, rows in rows_by_type.items() if kind and len(rows) >= _COMMON_TYPE]
    shares = [[sum(bool(row[position]) for row in rows) / len(rows) for rows in common]
              for position in range(len(table.header)) if position != types]  # fmt: skip
    return any(max(share, default=0) >= _FILLED and min(share, default=1) <= 1 - _FILLED for share in shares)


def _name_relation(profile: ColumnProfile, choice: ColumnChoice | None) -> str:
    """What a column is called in the graph: its heading, or what a person said, with the unit; empty if left out."""
    if choice is None:
        return profile.heading
    if choice.is_ignored:
        return ""
    is_same = choice.label in (None, profile.label) and choice.unit in (None, find_unit(profile))
    unit = f" ({choice.unit})" if choice.unit and choice.unit not in (choice.label or profile.label) else ""
    return profile.heading if is_same else f"{choice.label or profile.label}{unit}"


def _join(cell: Cell) -> str:
    return "; ".join(cell) if isinstance(cell, list) else str(cell)
