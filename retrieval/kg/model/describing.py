"""What was inferred of tables as a data model that a person reads: columns, examples in sentences, and warnings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.kg.model.data_model import (
    Column,
    ColumnChoice,
    ColumnType,
    DataModel,
    Kind,
    ModelChoices,
    ModelWarning,
    Reference,
)
from retrieval.kg.model.embedding import EmbeddedKind
from retrieval.kg.model.examples import EXAMPLES, NamedThing, write_example, write_joined_example
from retrieval.kg.model.inference import InferredTable
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.values import UNITS
from retrieval.lexicon.nouns import to_singular

_UNIT = re.compile(r"[(\[]\s*([^()\[\]]{1,12})\s*[)\]]\s*$")
#: What stands for a unit without being a word for one.
_SIGNS = frozenset({"%", "pct", "percent", "lbs"})
#: Values of a reference to show that are not there.
_UNMATCHED = 5
#: Rows with one kind of problem that a warning lists.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class TableProblem:
    """A row that could not be used: the line, why, and its text."""

    line: int
    message: str
    text: str


def describe_model(
    inferred: Sequence[InferredTable],
    choices: ModelChoices,
    things: Mapping[str, Sequence[NamedThing | None]],
    problems: Mapping[str, Sequence[TableProblem]],
    *,
    is_sampled: bool = False,
) -> DataModel:
    """The data model of all tables.

    Args:
        inferred: what was inferred of them.
        choices: a person's corrections.
        things: by table, what became of the first rows; by the name of a kind inside a table, its first things.
        problems: by table, rows that could not be used.
        is_sampled: whether only the beginning of a file was read.
    """
    referring = _count_referring(inferred)
    kinds: list[Kind] = []
    references: list[Reference] = []
    warnings: list[ModelWarning] = []
    for inferred_table in inferred:
        name = inferred_table.table.name
        warnings += _warn_of_problems(inferred_table, problems.get(name, ()))
        kinds.append(_describe_kind(inferred_table, choices, things.get(name, ()), referring[name]))
        for kind, names in inferred_table.embedded:
            kinds.append(_describe_embedded(inferred_table, kind, names, choices, things.get(kind.name, ())))
            references.append(_describe_kind_reference(inferred_table, kind.key, kind, names))
        references += [
            replace(_describe_kind_reference(inferred_table, kind.key, kind, names), is_used=False)
            for kind, names in inferred_table.rejected_kinds
        ]
        for column, (kind, names) in inferred_table.referred_kinds.items():
            described = _describe_kind_reference(inferred_table, column, kind, names)
            other = next(one.table for one in inferred if one.table.name == kind.table)
            references.append(replace(described, target_column=other.header[kind.key]))
            if described.matched < described.filled:
                warnings.append(_warn_of_unmatched(described))
        for reference in (*inferred_table.references.values(), *inferred_table.rejected):
            target = next(other for other in inferred if other.table.name == reference.target)
            described = Reference(
                table=name,
                column=inferred_table.table.header[reference.column],
                target=reference.target,
                target_column=target.table.header[reference.target_column],
                label=format_relation_name(reference.label),
                matched=reference.matched,
                filled=reference.filled,
                unmatched=reference.unmatched,
                is_used=reference not in inferred_table.rejected,
            )
            references.append(described)
            if described.is_used and described.matched < described.filled:
                warnings.append(_warn_of_unmatched(described))
    return DataModel(tuple(kinds), tuple(references), tuple(warnings), is_sampled)


def _describe_kind(
    inferred_table: InferredTable,
    choices: ModelChoices,
    things: Sequence[NamedThing | None],
    referring: Mapping[int, Counter[str]],
) -> Kind:
    schema, header = inferred_table.schema, inferred_table.table.header
    label = schema.nouns[0] if schema.nouns else "row"
    inside = {position for kind, _ in inferred_table.embedded for position in kind.columns[1:]}
    examples = [
        write_joined_example(thing) if inferred_table.joined_columns
        else write_example(thing, label, referring.get(row, Counter()))
        for row, thing in enumerate(things[: 4 * EXAMPLES]) if thing is not None
    ]  # fmt: skip
    return Kind(
        table=inferred_table.table.name,
        label=label,
        count=len(inferred_table.table.rows),
        name=tuple(
            header[position] for position in (schema.names or () if schema.number is None else (schema.number,))
        ),
        key=header[schema.key] if schema.key is not None else None,
        columns=tuple(
            _describe_column(inferred_table, profile, choices)
            for profile in inferred_table.table.profiles
            if profile.position not in inside
        ),
        name_candidates=tuple(header[position] for position in inferred_table.name_candidates),
        examples=tuple(examples[:EXAMPLES]),
    )


def _describe_column(inferred_table: InferredTable, profile: ColumnProfile, choices: ModelChoices) -> Column:
    choice = choices.columns.get((inferred_table.table.name, profile.heading), ColumnChoice())
    column_type: ColumnType = inferred_table.code_types.get(profile.position) or profile.type
    if profile.position in inferred_table.table.list_marks and profile.position not in inferred_table.schema.names:
        column_type = "list"
    return Column(
        name=profile.heading,
        label=choice.label or profile.label,
        type=choice.type or column_type,
        filled=profile.filled,
        distinct=profile.distinct,
        samples=profile.first_rows,
        unit=find_unit(profile) if choice.unit is None else choice.unit,
        is_ignored=bool(choice.is_ignored),
    )


def find_unit(profile: ColumnProfile) -> str:
    """The unit that a heading gives: ``m`` of ``Depth (m)`` and of ``depth_m``; empty where it gives none."""
    if match := _UNIT.search(profile.heading):
        return match[1]
    words = profile.heading.replace("_", " ").split()
    last = words[-1].casefold() if len(words) > 1 else ""
    is_unit = last in _SIGNS or any(form in UNITS and UNITS[form][0] for form in (last, to_singular(last)))
    return words[-1] if is_unit and profile.type == "number" else ""


def _describe_embedded(
    inferred_table: InferredTable,
    kind: EmbeddedKind,
    names: Mapping[str, str],
    choices: ModelChoices,
    things: Sequence[NamedThing | None],
) -> Kind:
    header, profiles = inferred_table.table.header, inferred_table.table.profiles
    return Kind(
        table=kind.name,
        label=kind.called,
        count=len(names),
        name=tuple(header[position] for position in kind.names or (kind.key,)),
        key=header[kind.key],
        columns=tuple(
            _describe_column(inferred_table, profiles[position], choices) for position in (*kind.columns, *kind.shared)
        ),
        name_candidates=tuple(header[position] for position in kind.names),
        examples=tuple(write_example(thing, kind.called, Counter()) for thing in things[:EXAMPLES] if thing),
    )


def _describe_kind_reference(
    inferred_table: InferredTable, position: int, kind: EmbeddedKind, names: Mapping[str, str]
) -> Reference:
    """A reference of a column to a kind inside its own table, or another."""
    column = inferred_table.table.header[position]
    values = [str(row[position]) for row in inferred_table.table.rows if row[position]]
    missing = dict.fromkeys(value for value in values if value not in names)
    return Reference(
        table=inferred_table.table.name,
        column=column,
        target=kind.name,
        target_column=column,
        label=kind.called,
        matched=sum(value in names for value in values),
        filled=len(values),
        unmatched=tuple(missing)[:_UNMATCHED],
    )


def _count_referring(inferred: Sequence[InferredTable]) -> Mapping[str, Mapping[int, Counter[str]]]:
    """By table and row, how many rows of which kinds refer to it."""
    counts: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for inferred_table in inferred:
        label = inferred_table.schema.nouns[0] if inferred_table.schema.nouns else "row"
        for reference in inferred_table.references.values():
            for _, value in inferred_table.table.iterate_values(reference.column):
                if value in reference.rows:
                    counts[reference.target][reference.rows[value]][label] += 1
    return counts


def _warn_of_unmatched(reference: Reference) -> ModelWarning:
    missing = reference.filled - reference.matched
    shown = ", ".join(reference.unmatched)
    verb = "is" if missing == 1 else "are"
    more = " and others" if missing > len(reference.unmatched) else ""
    return ModelWarning(
        reference.table,
        f"{missing:,} of {reference.filled:,} values of {reference.column} {verb} not in {reference.target}:"
        f" {shown}{more}.",
    )


def _warn_of_problems(inferred_table: InferredTable, problems: Sequence[TableProblem]) -> list[ModelWarning]:
    """One warning for each reason why rows were left out."""
    by_reason: dict[str, list[TableProblem]] = defaultdict(list)
    for problem in problems:
        by_reason[problem.message].append(problem)
    rows = len(inferred_table.table.rows) + len(problems)
    return [
        ModelWarning(
            inferred_table.table.name,
            f"{len(problems_alike):,} of {rows:,} rows of {inferred_table.table.name} cannot be used: {reason}.",
            tuple((problem.line, problem.text) for problem in problems_alike[:_LISTED]),
        )
        for reason, problems_alike in by_reason.items()
    ]
