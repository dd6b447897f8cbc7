"""Changes of a kept data model that need no files: labels of kinds and relations, units, columns left out."""

from __future__ import annotations

from dataclasses import replace

from retrieval.errors import ConfigError
from retrieval.kg.model.data_model import Column, ColumnChoice, DataModel, Kind, KindChoice, ModelChoices, Reference


def update_labels(model: DataModel, choices: ModelChoices) -> DataModel:
    """The model with the labels, units and left-out columns of ``choices``; kinds that change lose their examples.

    Raises:
        ConfigError: something else is chosen, which only the files can tell.
    """
    references = tuple(_rename_reference(reference, choices) for reference in model.references)
    known = {(reference.table, reference.column) for reference in model.references}
    for (table, column), choice in choices.references.items():
        if choice.is_used and (table, column) not in known:
            raise _make_error(f"what {column} of {table} refers to")
    renamed = {ref.table for ref, before in zip(references, model.references, strict=True) if ref != before}
    kinds = tuple(_rename_kind(kind, choices) for kind in model.kinds)
    kinds = tuple(
        after if after == before and after.table not in renamed else replace(after, examples=())
        for before, after in zip(model.kinds, kinds, strict=True)
    )
    return replace(model, kinds=kinds, references=references)


def _rename_reference(reference: Reference, choices: ModelChoices) -> Reference:
    choice = choices.references.get((reference.table, reference.column))
    if choice is None or not (choice.is_used or reference.is_used):
        return reference
    target = choice.target, choice.target_column, choice.is_used
    if target != (reference.target, reference.target_column, reference.is_used):
        raise _make_error(f"what {reference.column} of {reference.table} refers to")
    return replace(reference, label=choice.label or reference.label)


def _rename_kind(kind: Kind, choices: ModelChoices) -> Kind:
    choice = choices.kinds.get(kind.table, KindChoice())
    if choice.name is not None and choice.name != kind.name:
        raise _make_error(f"the names of {kind.table}")
    if choice.key is not None and choice.key != (kind.key or ""):
        raise _make_error(f"the key of {kind.table}")
    columns = tuple(
        _rename_column(kind, column, choices.columns.get((kind.table, column.name), ColumnChoice()))
        for column in kind.columns
    )
    return replace(kind, label=choice.label or kind.label, columns=columns)


def _rename_column(kind: Kind, column: Column, choice: ColumnChoice) -> Column:
    if choice.type not in (None, column.type):
        raise _make_error(f"the type of {column.name} of {kind.table}")
    if column.is_ignored and choice.is_ignored is False:
        raise _make_error(f"{column.name} of {kind.table}, which was left out,")
    return replace(
        column,
        label=choice.label or column.label,
        unit=column.unit if choice.unit is None else choice.unit,
        is_ignored=column.is_ignored or bool(choice.is_ignored),
    )


def _make_error(subject: str) -> ConfigError:
    return ConfigError(
        f"The files of this graph are not kept, and {subject} cannot be changed without them.",
        hint="Upload the files again, to replace the graph; labels, units and columns to leave out need no files.",
    )
