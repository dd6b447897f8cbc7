"""Columns whose values are keys or names of the rows of a table: what refers to what.

A column refers to another table's column of distinct values by the evidence of its heading and by how many of its
values are there. What a heading is evidence of: :mod:`~retrieval.kg.model.heading_evidence`.

With evidence of 2.5 and more half of the cells have to match, so that bad rows of the target break nothing; with less,
85 %. A heading of the kind and the word for numbers of its key (``order id`` beside an order's ``id``) refers there
even if nothing matches: these rows are missing. Without any evidence, values that are words, codes or hashes refer
where 85 % match in one table alone. Names must be those of another table, and ten or a quarter of them: a property is
often called as some thing is. Numbers of rows match by chance, unless rows without a name have the numbers of
rows with one, under the same heading, and these are far apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.kg.model.heading_evidence import EXACT, FELLOW, measure_heading
from retrieval.kg.model.naming import ID_WORDS
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.table_schema import TableSchema
from retrieval.lexicon import get_words

_PEOPLE = get_words("party_table_nouns")
#: What words for who does something, or whom something is done to, end in.
_DOERS = ("er", "or", "ee", "ent", "ist", "ian")
#: Cells that must match: by a heading that is sure, and by any other.
TOLERANT, _STRICT = 0.5, 0.85
_SURE = 2.5
#: The fewest different values that show by themselves what they refer to, and the share of different values of a key.
_FEWEST, _KEYED = 2, 0.99
#: The fewest different names of another table that values without a heading for it are, and the share of its names that
#: does too; the share of words from which a column holds names.
_NAMED, _SHARE, _WORDED = 10, 0.25, 0.5
#: Numbers that agree with those of another table by no chance: how many, and how many times their count they span.
_MANY, _SPARSE = 20, 2
#: Values kept to show.
_SHOWN = 5


@dataclass(frozen=True)
class FoundReference:
    """A reference between columns of two tables, with the rows that values refer to."""

    table: str
    column: int
    target: str
    target_column: int
    label: str
    matched: int
    filled: int
    unmatched: tuple[str, ...]
    evidence: float
    rows: Mapping[str, int]


def find_references(schemas: Sequence[TableSchema]) -> list[FoundReference]:
    """The references of all tables, at most one for each column."""
    references: list[FoundReference] = []
    for schema in schemas:
        for profile in schema.table.profiles:
            if reference := _find_reference(schema, profile, schemas):
                references.append(reference)
    known = {(reference.table, reference.column) for reference in references}
    taken = {reference.target for reference in references}
    for schema in schemas:
        for profile in schema.table.profiles:
            if (schema.table.name, profile.position) not in known:
                references += _find_doer(schema, profile, [s for s in schemas if s.table.name not in taken])
    return references


def select_keys(schemas: Sequence[TableSchema], references: Sequence[FoundReference], fixed: Collection[str]) -> None:
    """Make the column that others refer to most the key of its table; one that refers to another table is none.

    Args:
        schemas: of all tables.
        references: between them.
        fixed: tables whose key a person chose.
    """
    referring = {(reference.table, reference.column) for reference in references if reference.table != reference.target}
    for schema in schemas:
        name = schema.table.name
        if name in fixed or schema.table.ids is not None:
            continue
        met = Counter(r.target_column for r in references if r.target == name and (r.evidence or r.table == name))
        if met:
            schema.key = max(met, key=lambda position: (met[position], position == schema.key))
        elif (name, schema.key) in referring:
            schema.key = None


def _find_reference(
    schema: TableSchema, profile: ColumnProfile, schemas: Sequence[TableSchema]
) -> FoundReference | None:
    if profile.filled == 0 or profile.links >= _STRICT or profile.dates >= _STRICT or profile.position in schema.names:
        return None
    distinct = {value for _, value in schema.table.iterate_values(profile.position)}
    candidates, unmatched = list[FoundReference](), list[FoundReference]()
    for other in schemas:
        for position, rows in other.targets.items():
            if other is schema and position == profile.position:
                continue
            evidence = measure_heading(profile, schema, other, position)
            if not evidence and not (other.is_identity(position) and _has_most(distinct, rows)):
                continue
            reference = _build_reference(schema, profile, other, position, evidence=evidence)
            matches = reference.matched / reference.filled
            speaks = (
                len(distinct) >= _FEWEST
                and profile.truths < _STRICT
                and (
                    profile.words + profile.codes + profile.hashes >= 0.5
                    or _is_extension(schema, profile, other, position)
                )
            )
            needed = TOLERANT if evidence >= _SURE else _STRICT
            if matches >= needed and (evidence or (speaks and _may_be_named(distinct, schema, other, position))):
                candidates.append(reference)
            elif evidence == EXACT and position == other.key and _has_its_id_word(profile, other, position):
                unmatched.append(reference)
    return _select(candidates, profile, schema) or (unmatched[0] if len(unmatched) == 1 else None)


def _may_be_named(values: Collection[str], schema: TableSchema, other: TableSchema, position: int) -> bool:
    """Whether values that are names of rows are no chance: many, or a good share of all names, of another table."""
    if position not in other.names or other.table.profiles[position].words < _WORDED:
        return len(other.names) < 2 or position not in other.names  # a given name alone names nobody
    return other is not schema and len(values) >= min(_NAMED, _SHARE * len(other.table.rows))


def _has_its_id_word(profile: ColumnProfile, other: TableSchema, position: int) -> bool:
    """Whether two headings end in the same word for numbers."""
    words, theirs = profile.heading_words[-1:], other.table.profiles[position].heading_words[-1:]
    return words == theirs and {*words} <= ID_WORDS


def _has_most(values: Collection[str], rows: Collection[str]) -> bool:
    return sum(value in rows for value in values) >= _STRICT * len(values)


def _select(candidates: list[FoundReference], profile: ColumnProfile, schema: TableSchema) -> FoundReference | None:
    """The candidate of most evidence; none where several tables have the values and no heading tells which is meant."""
    if not candidates:
        return None
    candidates.sort(key=lambda r: (-r.evidence, -r.matched, r.target == schema.table.name))
    best = candidates[0]
    if best.evidence:
        return best if best.evidence != FELLOW or _leads_elsewhere(profile, schema, best) else None
    tables = {candidate.target for candidate in candidates}
    is_own_code = (
        profile.type != "number"
        and profile.uniqueness >= _KEYED
        and (len(best.rows) <= profile.distinct or schema.is_id(profile))
    )
    if len(tables) > 1 or is_own_code:
        return None
    return best if best.target != schema.table.name or _leads_elsewhere(profile, schema, best) else None


def _leads_elsewhere(profile: ColumnProfile, schema: TableSchema, reference: FoundReference) -> bool:
    """Whether values lead to other rows of the same table; another code of the row itself is no reference."""
    pairs = [(row, reference.rows.get(value)) for row, value in schema.table.iterate_values(profile.position)]
    return sum(row == target for row, target in pairs) < 0.5 * len(pairs)


def _is_extension(schema: TableSchema, profile: ColumnProfile, other: TableSchema, position: int) -> bool:
    """Whether rows without a name continue those of a table that has one, under the same numbers: they are too far
    apart to agree by chance.
    """
    if schema.names or not other.names or profile.heading_words != other.table.profiles[position].heading_words:
        return False
    numbers = [int(value) for value in schema.map_rows(profile.position) if value.isdecimal()]
    return len(numbers) >= _MANY and max(numbers) - min(numbers) >= _SPARSE * len(numbers)


def _find_doer(schema: TableSchema, profile: ColumnProfile, left: Sequence[TableSchema]) -> list[FoundReference]:
    """A column of who did something, where one table of people is left that has a row for each number."""
    words = profile.heading_words
    is_doer = len(words) > 1 and words[-1] == "id" and words[-2].endswith(_DOERS)
    if not is_doer or profile.position in (schema.key, schema.number):
        return []
    values = {value for _, value in schema.table.iterate_values(profile.position)}
    complete = [
        other for other in left
        if other is not schema and other.key is not None and set(other.inferred_nouns) & _PEOPLE
        and values <= other.targets.get(other.key, {}).keys()
    ]  # fmt: skip
    if len(complete) != 1 or complete[0].key is None:
        return []
    return [_build_reference(schema, profile, complete[0], complete[0].key, evidence=1.5)]


def build_chosen_reference(
    schema: TableSchema, column: int, other: TableSchema, position: int, label: str | None = None
) -> FoundReference:
    """A reference that a person asked for, whatever matches."""
    reference = _build_reference(schema, schema.table.profiles[column], other, position, evidence=_SURE)
    return replace(reference, label=label) if label else reference


def _build_reference(
    schema: TableSchema, profile: ColumnProfile, other: TableSchema, position: int, *, evidence: float
) -> FoundReference:
    values = [value for _, value in schema.table.iterate_values(profile.position)]
    rows = other.targets.get(position) or other.map_rows(position)
    missing = [value for value in values if value not in rows]
    return FoundReference(
        schema.table.name,
        profile.position,
        other.table.name,
        position,
        _get_label(profile, other),
        len(values) - len(missing),
        len(values),
        tuple(dict.fromkeys(missing))[:_SHOWN],
        evidence,
        rows,
    )


def _get_label(profile: ColumnProfile, other: TableSchema) -> str:
    """What the relation is called: the heading without its word for numbers; the kind where there is nothing else."""
    words = profile.label.split()
    is_numbered = len(words) > 1 and words[-1].casefold() in ID_WORDS
    text = " ".join(words[:-1]) if is_numbered else profile.heading
    return (other.nouns[0] if other.nouns else text) if text.casefold() in ID_WORDS else text
