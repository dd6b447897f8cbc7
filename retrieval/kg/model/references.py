"""Columns whose values are keys or names of the rows of a table: what refers to what.

A column refers to another table's column of distinct values by the evidence of its heading and by how many of its
values are there. Evidence of a heading, the best that holds:

| the heading | evidence |
|---|---|
| is that of the target's column, and names the target's kind or role: ``supplierID`` of both | 3 |
| is the target's kind, with or without a word for numbers: ``customer``, ``home team id`` | 3 |
| is short for the kind: ``cust no`` | 2.5 |
| begins as the kind and ends in a preposition: ``ship via`` a shipper | 2 |
| is the kind, and the target's column is neither its key nor its name | 2 |
| is that of what numbers the target, and is met several times here: ``Gyle`` of a ``Gyle no.`` | 2 |
| says that another row of the same table is meant: ``manager id``, ``parent``, ``reports to`` | 2 |
| is the kind of its own rows, and its values lead to others of them: ``court`` of a court | 1.9 |
| is who did something, and the target is the only table of people that nothing else refers to | 1.5 |

With evidence of 2.5 and more half of the cells have to match, so that bad rows of the target break nothing; with less,
nine in ten. Without any, values that are words or codes refer where nine in ten match in one table alone: numbers of
rows match by chance, unless rows without a name have the numbers of rows with one, under the same heading, and these
are far apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.source_table import SourceTable
from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular

_PREPOSITIONS = get_words("reference_prepositions")
_FELLOWS = get_words("fellow_headings")
_PEOPLE = get_words("party_table_nouns")
#: What words for who does something, or whom something is done to, end in.
_DOERS = ("er", "or", "ee", "ent", "ist", "ian")
#: Cells that must match: by a heading that is sure, and by any other.
_TOLERANT, _STRICT = 0.5, 0.9
_SURE = 2.5
#: The fewest different values that show by themselves what they refer to, and the share of different values of a key.
_FEWEST, _KEYED = 2, 0.99
#: Letters of what is short for a kind.
_SHORT = 3
#: Evidence of a heading that is the kind of its own rows.
_FELLOW = 1.9
#: Numbers that agree with those of another table by no chance: how many, and how many times their count they span.
_MANY, _SPARSE = 20, 2
#: Values kept to show.
_SHOWN = 5


@dataclass
class TableSchema:
    """A table with what is known of it when references are looked for.

    Attributes:
        nouns: what its rows are called.
        names: positions of the columns that name them.
        number: the column that numbers them, if any.
        key: the column by which others refer to them, if any.
        targets: by position of each column of different values, the row of each.
        inferred_nouns: what headings may call them, whatever a person calls them.
    """

    table: SourceTable
    nouns: Sequence[str]
    names: tuple[int, ...]
    number: int | None
    key: int | None = None
    targets: dict[int, dict[str, int]] = field(default_factory=dict)
    inferred_nouns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.table.ids is not None:
            return  # edges lead to nodes
        for profile in self.table.profiles:
            if profile.filled > 1 and profile.uniqueness >= _KEYED and profile.type in ("text", "number"):
                self.targets[profile.position] = self.map_rows(profile.position)
        if len(self.names) == 1 and self.names[0] not in self.targets:
            self.targets[self.names[0]] = self.map_rows(self.names[0])
        if self.key is None:
            self.key = self._find_key()

    def map_rows(self, position: int) -> dict[str, int]:
        """The first row of each value of a column."""
        rows: dict[str, int] = {}
        for row, value in self.table.iterate_values(position, whole=True):
            rows.setdefault(value, row)
        return rows

    def _find_key(self) -> int | None:
        """The column by which others refer to a row: what its heading says, else codes, or what numbers the rows."""
        profiles = self.table.profiles
        unique = [profiles[position] for position in self.targets if profiles[position].coverage >= _STRICT]
        ids = [p for p in unique if p.heading_words[-1:] and p.heading_words[-1] in ID_WORDS]
        own_ids = [
            p for p in ids if len(p.heading_words) == 1 or _names_kind(p.heading_words[:-1], self.inferred_nouns)
        ]
        codes = [p for p in unique if p.codes >= _STRICT]
        references = own_ids or ids or codes or [p for p in unique if p.position == self.number]
        return references[0].position if references else None

    def is_identity(self, position: int) -> bool:
        """Whether a column of different values names the rows, is their key, or has a code for each."""
        profile = self.table.profiles[position]
        return position in (self.key, *self.names) or min(profile.codes, profile.coverage) >= _STRICT


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


def choose_keys(schemas: Sequence[TableSchema], references: Sequence[FoundReference], fixed: Collection[str]) -> None:
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
    candidates: list[FoundReference] = []
    for other in schemas:
        for position, rows in other.targets.items():
            if other is schema and position == profile.position:
                continue
            evidence = measure_heading(profile, schema, other, position)
            if not evidence and not (other.is_identity(position) and _has_most(distinct, rows)):
                continue
            reference = _build_reference(schema, profile, other, position, evidence=evidence)
            matches = reference.matched / reference.filled
            speaks = len(distinct) >= _FEWEST and (
                profile.words + profile.codes >= 0.5 or _extends(schema, profile, other, position)
            )
            needed = _TOLERANT if evidence >= _SURE else _STRICT
            if matches >= needed and (evidence or speaks):
                candidates.append(reference)
    return _choose(candidates, profile, schema)


def _has_most(values: Collection[str], rows: Collection[str]) -> bool:
    return sum(value in rows for value in values) >= _STRICT * len(values)


def _choose(candidates: list[FoundReference], profile: ColumnProfile, schema: TableSchema) -> FoundReference | None:
    """The candidate of most evidence; none where several tables have the values and no heading tells which is meant."""
    if not candidates:
        return None
    candidates.sort(key=lambda r: (-r.evidence, -r.matched, r.target == schema.table.name))
    best = candidates[0]
    if best.evidence:
        return best if best.evidence != _FELLOW or _leads_elsewhere(profile, schema, best) else None
    tables = {candidate.target for candidate in candidates}
    is_own_code = profile.type != "number" and profile.uniqueness >= _KEYED and len(best.rows) <= profile.distinct
    if len(tables) > 1 or is_own_code:
        return None
    return best if best.target != schema.table.name or _leads_elsewhere(profile, schema, best) else None


def _leads_elsewhere(profile: ColumnProfile, schema: TableSchema, reference: FoundReference) -> bool:
    """Whether values lead to other rows of the same table; another code of the row itself is no reference."""
    pairs = [(row, reference.rows.get(value)) for row, value in schema.table.iterate_values(profile.position)]
    return sum(row == target for row, target in pairs) < 0.5 * len(pairs)


def measure_heading(profile: ColumnProfile, schema: TableSchema, other: TableSchema, position: int) -> float:
    """How much a heading says that its column refers to a column of another table, see the module."""
    words, target = profile.heading_words, other.table.profiles[position]
    if not words:
        return 0.0
    numbered = len(words) > 1 and words[-1] in ID_WORDS
    role = _strip_id_word(profile)
    is_identity = position in (other.key, other.number, *other.names)
    theirs = target.heading_words
    their_role = theirs[:-1] if len(theirs) > 1 and theirs[-1] in ID_WORDS else theirs
    is_own = profile.position in (schema.key, schema.number)
    if other is schema:
        is_fellow = " ".join(role) in _FELLOWS or profile.label.split()[-1].casefold() in _PREPOSITIONS
        if not is_identity or is_own:
            return 0.0
        return 2.0 if is_fellow else _FELLOW if _names_kind(role, [schema.table.noun]) else 0.0
    if (
        is_identity
        and _names_kind(role, other.inferred_nouns)
        and not (is_own and _names_kind(role, schema.inferred_nouns))
    ):
        return 3.0
    if is_own:
        return 0.0
    if words == theirs and is_identity and len(words) > 1 and words[0] not in NAME_WORDS:
        return 3.0
    if is_identity and numbered and _is_short_for(role[-1], other.inferred_nouns):
        return 2.5
    if is_identity and words[-1] in _PREPOSITIONS and _is_short_for(words[0], other.inferred_nouns):
        return 2.0
    if _names_kind(role, other.inferred_nouns) and not is_own:
        return 2.0
    some_number = {words[-1], theirs[-1]} & ID_WORDS if theirs else set()
    if role == their_role and some_number and profile.uniqueness < 1 and profile.heading_words != ("id",):
        return 2.0
    return 0.0


def _strip_id_word(profile: ColumnProfile) -> tuple[str, ...]:
    """The words of a heading without a last one for numbers."""
    words = profile.heading_words
    return words[:-1] if len(words) > 1 and words[-1] in ID_WORDS else words


def _extends(schema: TableSchema, profile: ColumnProfile, other: TableSchema, position: int) -> bool:
    """Whether rows without a name continue those of a table that has one, under the same numbers: they are too far
    apart to agree by chance.
    """
    if schema.names or not other.names or profile.heading_words != other.table.profiles[position].heading_words:
        return False
    numbers = [int(value) for value in schema.map_rows(profile.position) if value.isdecimal()]
    return len(numbers) >= _MANY and max(numbers) - min(numbers) >= _SPARSE * len(numbers)


def _is_short_for(word: str, nouns: Sequence[str]) -> bool:
    """Whether a word is the beginning of one of the nouns: ``cust`` of a customer."""
    return len(word) >= _SHORT and any(noun.startswith(word) and noun != word for noun in nouns)


def _names_kind(role: Sequence[str], nouns: Sequence[str]) -> bool:
    """Whether words are one of the nouns, or end in one: ``home team`` of a team."""
    text = " ".join([*role[:-1], to_singular(role[-1])]) if role else ""
    return any(noun and (text == noun or text.endswith(f" {noun}")) for noun in nouns)


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
