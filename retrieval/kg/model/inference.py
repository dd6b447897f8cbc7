"""From tables to a data model: kinds, names, keys, references and kinds inside tables, with a person's corrections.

Inference runs twice over the names: columns that turn out to refer to other tables name nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrieval.errors import ConfigError
from retrieval.kg.model.code_lists import CodeList, find_code_list
from retrieval.kg.model.code_values import find_code_type
from retrieval.kg.model.data_model import CODE_TYPES, NO_CHOICES, CodeType, KindChoice, ModelChoices
from retrieval.kg.model.embedding import EmbeddedKind, find_embedded_kinds, name_embedded
from retrieval.kg.model.heading_evidence import FELLOW
from retrieval.kg.model.kind_nouns import drop_shared_words
from retrieval.kg.model.naming import ACCEPTED, find_number, infer_labels, rank_names
from retrieval.kg.model.references import (
    TOLERANT,
    FoundReference,
    build_chosen_reference,
    find_references,
    select_keys,
)
from retrieval.kg.model.source_table import SourceTable
from retrieval.kg.model.table_schema import TableSchema, is_kind_name
from retrieval.kg.snapshot.relation_names import format_relation_name

#: What may part the values of a cell, surest first.
_LIST_MARKS = (";", "|", "\n", ",", "/")
#: Columns offered as names.
_OFFERED = 6
#: What a row is called that is a part of a thing of the same noun.
_LINE = "line"


@dataclass
class InferredTable:
    """What was inferred of one table.

    Attributes:
        schema: the table, what names and numbers its rows, and what they are called.
        name_candidates: columns that could name the rows, best first.
        references: by position of a column, what its values refer to.
        code_types: by position of a column, of which type its international codes are.
        rejected: references that a person does not want.
        embedded: kinds inside the table, with what their things are called by key.
        referred_kinds: by position of a column, the kind inside another table that its values are keys of.
        rejected_kinds: kinds inside the table that a person does not want.
        code_list: what codes of other tables mean, if it is a list of that.
        joined_columns: the two references of a join table (many-to-many).
    """

    schema: TableSchema
    name_candidates: tuple[int, ...]
    references: dict[int, FoundReference] = field(default_factory=dict)
    rejected: list[FoundReference] = field(default_factory=list)
    embedded: list[tuple[EmbeddedKind, Mapping[str, str]]] = field(default_factory=list)
    referred_kinds: dict[int, tuple[EmbeddedKind, Mapping[str, str]]] = field(default_factory=dict)
    code_types: dict[int, CodeType] = field(default_factory=dict)
    rejected_kinds: list[tuple[EmbeddedKind, Mapping[str, str]]] = field(default_factory=list)
    code_list: CodeList | None = None
    joined_columns: tuple[int, int] | None = None

    @property
    def table(self) -> SourceTable:
        """The rows."""
        return self.schema.table

    def list_value_columns(self) -> list[int]:
        """Positions of columns whose values neither name anything nor refer to something."""
        keys = (kind.key for kind, _ in self.embedded)
        taken = {*self.schema.names, *self.references, *self.referred_kinds, *keys}
        return [position for position in range(len(self.table.header)) if position not in taken]


def infer_tables(tables: Sequence[SourceTable], choices: ModelChoices = NO_CHOICES) -> list[InferredTable]:
    """Infer what all tables hold, each with what was chosen by a person.

    Raises:
        ConfigError: a choice names a column that does not exist.
    """
    _check_choices(tables, choices)
    for table in tables:
        table.convert_decimals()
        table.list_marks = _apply_list_choices(table, choices)
    row_tables = [table for table in tables if table.ids is None and table.noun]
    for table, noun in zip(row_tables, drop_shared_words([table.noun for table in row_tables]), strict=True):
        table.noun = noun
    nouns = [table.noun for table in tables]
    schemas = [_infer_schema(table, nouns, choices, ()) for table in tables]
    references = find_references([schema for schema, _ in schemas if schema.table.ids is None])
    referring = {(reference.table, reference.column) for reference in references}
    again = [
        _infer_schema(table, nouns, choices, columns) if columns else schema
        for table, schema in zip(tables, schemas, strict=True)
        for columns in [[position for name, position in referring if name == table.name]]
    ]
    if [(schema.names, schema.number) for schema, _ in again] != [(s.names, s.number) for s, _ in schemas]:
        schemas, references = again, find_references([schema for schema, _ in again if schema.table.ids is None])
    chosen_keys = {name for name, choice in choices.kinds.items() if choice.key is not None}
    select_keys([schema for schema, _ in schemas], references, chosen_keys)
    inferred = [InferredTable(schema, candidates) for schema, candidates in schemas]
    for inferred_table in inferred:
        if inferred_table.table.ids is not None:
            continue
        inferred_table.code_list = find_code_list(inferred_table.table)
        inferred_table.references = {
            reference.column: reference for reference in references if reference.table == inferred_table.table.name
        }
        _apply_reference_choices(inferred_table, [schema for schema, _ in schemas], choices)
        _add_embedded_kinds(inferred_table, choices)
    _find_kind_references(inferred, choices)
    _relabel_lines(inferred, choices)
    for inferred_table in inferred:
        inferred_table.code_types = _find_code_types(inferred_table, choices)
    referred = {reference.target for inferred_table in inferred for reference in inferred_table.references.values()}
    for inferred_table in inferred:
        if inferred_table.table.name not in referred:
            inferred_table.joined_columns = _find_joined_columns(inferred_table)
    return inferred


def _find_joined_columns(inferred_table: InferredTable) -> tuple[int, int] | None:
    """The two references of a join table; None of tables with names or other columns."""
    columns, schema = sorted(inferred_table.references), inferred_table.schema
    others = {*range(len(inferred_table.table.header))} - {*columns} - {schema.key, schema.number}
    if len(columns) != 2 or others or schema.names or inferred_table.embedded or inferred_table.code_list:
        return None
    repeats = all(inferred_table.table.profiles[column].uniqueness < 1 for column in columns)
    return (columns[0], columns[1]) if repeats else None


def _find_code_types(inferred_table: InferredTable, choices: ModelChoices) -> dict[int, CodeType]:
    """The columns of international codes, by a person's choice or by their values."""
    table, code_types = inferred_table.table, dict[int, CodeType]()
    for position in inferred_table.list_value_columns():
        profile = table.profiles[position]
        choice = choices.columns.get((table.name, profile.heading))
        if choice is not None and choice.type is not None:
            chosen = next((code_type for code_type in CODE_TYPES if code_type == choice.type), None)
        else:
            chosen = find_code_type(profile, table)
        if chosen is not None and not (choice is not None and choice.is_ignored):
            code_types[position] = chosen
    return code_types


def _add_embedded_kinds(inferred_table: InferredTable, choices: ModelChoices) -> None:
    """Find the kinds inside a table; its rows are lines of a kind that is called as they are: order lines."""
    table, schema, references = inferred_table.table, inferred_table.schema, inferred_table.references
    unsure = {column for column, reference in references.items() if reference.evidence == FELLOW}
    for unlabelled in find_embedded_kinds(table, {*schema.names, *references} - unsure):
        if unlabelled.key in unsure and unlabelled.noun not in schema.nouns:
            continue  # another row, in a role: the parent region of a region
        if unlabelled.key == schema.key:
            continue  # the rows themselves, some of which are met twice
        references.pop(unlabelled.key, None)
        kind = replace(unlabelled, label=choices.kinds.get(unlabelled.name, KindChoice()).label or "")
        embedded = kind, name_embedded(table, kind)
        if not _is_wanted(kind.key, table, choices):
            inferred_table.rejected_kinds.append(embedded)
            continue
        inferred_table.embedded.append(embedded)
        if kind.called in schema.nouns and not choices.kinds.get(table.name, KindChoice()).label:
            _drop_noun(schema, kind.called)


def _relabel_lines(inferred: Sequence[InferredTable], choices: ModelChoices) -> None:
    """Call rows without names lines if they refer to things with the same noun: spell lines of monsters, and spells."""
    by_name = {inferred_table.table.name: inferred_table.schema for inferred_table in inferred}
    for inferred_table in inferred:
        schema, name = inferred_table.schema, inferred_table.table.name
        targets = [by_name[reference.target] for reference in inferred_table.references.values()]
        if schema.names or choices.kinds.get(name, KindChoice()).label:
            continue
        for target in targets:
            if target is not schema and target.names and schema.nouns and schema.nouns[0] in target.nouns[:1]:
                _drop_noun(schema, schema.nouns[0])


def _drop_noun(schema: TableSchema, noun: str) -> None:
    """Call rows by their other nouns or, without any, lines: order lines instead of orders."""
    schema.nouns = [other for other in schema.nouns if other != noun] or [f"{noun} {_LINE}"]


def _find_kind_references(inferred: Sequence[InferredTable], choices: ModelChoices) -> None:
    """Find columns with the heading of the key of a kind inside another table, most values of which are there."""
    for other, kind, names in [(table, *embedded) for table in inferred for embedded in table.embedded]:
        heading = other.table.profiles[kind.key].heading_words
        for inferred_table in inferred:
            table, references = inferred_table.table, inferred_table.references
            taken = {*inferred_table.schema.names, *(embedded.key for embedded, _ in inferred_table.embedded)}
            # A reference to the lines of what is numbered was only by chance.
            taken |= {column for column, reference in references.items() if reference.target != other.table.name}
            for profile in table.profiles if other is not inferred_table and table.ids is None else ():
                choice = choices.references.get((table.name, profile.heading))
                is_free = profile.position not in taken and (choice is None or choice.target == kind.name)
                if profile.heading_words != heading or not is_free or not _is_wanted(profile.position, table, choices):
                    continue
                matched = sum(value in names for _, value in table.iterate_values(profile.position))
                if matched and matched >= TOLERANT * profile.filled:
                    references.pop(profile.position, None)
                    inferred_table.referred_kinds.setdefault(profile.position, (kind, names))


def _infer_schema(
    table: SourceTable, nouns: Sequence[str], choices: ModelChoices, referring: Sequence[int]
) -> tuple[TableSchema, tuple[int, ...]]:
    choice = choices.kinds.get(table.name, KindChoice())
    others = {noun for noun in nouns if noun and noun != table.noun}
    ranked = rank_names(table, others, referring)
    names = ranked[0][1] if ranked and ranked[0][0] >= ACCEPTED else ()
    if table.is_named:
        names = (0,)
    elif codes := find_code_list(table):
        names = (codes.meaning,)
    inferred_names = names
    if choice.name is not None:
        names = tuple(table.header.index(name) for name in choice.name)
    number = None if table.ids is not None else find_number(table, others)
    if number is not None and names == (number,) != inferred_names:
        names = ()  # rows are called by their kind and number
    number = None if names else number
    if number in referring:
        number = None
    if table.ids is not None:
        return TableSchema(table, [choice.label or table.noun or "node"], names, None), _list_candidates(ranked)
    # The heading of a name that a person chose says what the name is, not what the things are.
    headed = names if names == inferred_names else ()
    labels = [
        label for label in infer_labels(table, headed, number)
        if label == table.noun or not is_kind_name(label.split(), [*others])
    ]  # fmt: skip
    called = [choice.label, *labels[1:]] if choice.label else labels
    schema = TableSchema(table, called, names, number, inferred_nouns=labels, other_nouns=others)
    if choice.key is not None:
        schema.key = table.header.index(choice.key) if choice.key else None
    return schema, _list_candidates(ranked)


def _list_candidates(ranked: Sequence[tuple[float, tuple[int, ...]]]) -> tuple[int, ...]:
    return tuple(columns[0] for _, columns in ranked if len(columns) == 1)[:_OFFERED]


def _apply_list_choices(table: SourceTable, choices: ModelChoices) -> Mapping[int, str]:
    """What parts the values of cells, as a person wants it: by the first mark that a column has."""
    marks = dict(table.list_marks)
    for position, heading in enumerate(table.header):
        choice = choices.columns.get((table.name, heading))
        if choice is not None and choice.type == "text":
            marks.pop(position, None)
        elif choice is not None and choice.type == "list" and not table.profiles[position].lists:
            cells = [cell for row in table.rows if isinstance(cell := row[position], str)]
            used_mark = next((mark for mark in _LIST_MARKS if any(mark in cell for cell in cells)), "")
            marks |= {position: used_mark} if used_mark and position not in marks else {}
    return marks


def _apply_reference_choices(
    inferred_table: InferredTable, schemas: Sequence[TableSchema], choices: ModelChoices
) -> None:
    """Make the references of a table those that a person wants."""
    by_name = {schema.table.name: schema for schema in schemas}
    for (name, column), choice in choices.references.items():
        target = by_name.get(choice.target)
        if name != inferred_table.table.name or target is None:
            continue
        position = inferred_table.table.header.index(column)
        inferred = inferred_table.references.pop(position, None)
        target_column = target.table.header.index(choice.target_column)
        is_same_label = inferred is not None and choice.label == format_relation_name(inferred.label)
        label = inferred.label if inferred is not None and is_same_label else choice.label
        reference = build_chosen_reference(inferred_table.schema, position, target, target_column, label)
        if choice.is_used:
            inferred_table.references[position] = reference
        else:
            inferred_table.rejected.append(reference)


def _is_wanted(column: int, table: SourceTable, choices: ModelChoices) -> bool:
    choice = choices.references.get((table.name, table.header[column]))
    return choice is None or choice.is_used


def _check_choices(tables: Sequence[SourceTable], choices: ModelChoices) -> None:
    """Raise a ConfigError for choices about columns that a table of this name does not have."""
    headers = {table.name: set(table.header) for table in tables}
    used = [(name, column) for name, choice in choices.kinds.items()
            for column in (*(choice.name or ()), *filter(None, [choice.key]))]  # fmt: skip
    used += [*choices.references]
    used += [(choice.target, choice.target_column) for choice in choices.references.values() if choice.is_used]
    for name, column in used:
        if name in headers and column not in headers[name]:
            raise ConfigError(
                f"The data model names the column {column!r}, which {name} does not have.",
                hint=f"Its columns are: {', '.join(sorted(headers[name]))[:500]}.",
            )
