"""What things are called: by a name, by a number after their kind, or by no more than what they are rows of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.language.amounts import ValueKind
from retrieval.language.words import find_target_words, get_label_stems, remove_unit
from retrieval.programs.algebra.operations import Entities, Walk
from retrieval.programs.grounding.observations import list_type_stems

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.language.words import QuestionWords
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.grounding.relation_types import RelationInfo

#: Names that are numbers with a mark before them: "ORD-0017", "T12".
_NUMBERED = re.compile(r"[a-z]{0,5}[-_#. ]?\d{1,9}")
#: What rows are called that are of no kind.
_ROW = "row"
#: Nodes that are looked at, and the share of them that must bear the name that is said.
_SAMPLE, _NEARLY_ALL = 40, 0.9
#: A column that rows are called by repeats each value at most so many times, on average.
_FEW = 2


class Called(Protocol):
    """A graph, its relations and kinds, as :class:`~retrieval.programs.grounding.schema.GraphSchema` describes them."""

    snapshot: Snapshot
    columns: Columns
    relations: list[RelationInfo]
    kinds: dict[int, int]
    listing: int | None

    @property
    def surrogates(self) -> tuple[np.ndarray, dict[int, int]]:
        """What :func:`find_surrogates` finds."""

    @property
    def told(self) -> dict[str, int]:
        """Nouns of kinds that names tell, each with the directed relation that its members have."""

    def list_members(self, kind: int) -> np.ndarray:
        """Nodes of a kind."""

    def find_peers(self, directed: int) -> Program | None:
        """All nodes of the sort of those that a relation leaves."""


def find_naming_relations(schema: Called) -> frozenset[int]:
    """Relations that say what things are called, of some of them only and by no other word than they bear:
    the "name" of "Jordan (1510)", told from another Jordan.
    """
    relations = set[int]()
    for info in schema.relations:
        if info.stems[-1:] != ("name",) or not info.facts:
            continue
        heads, tails = schema.columns.list_arcs(info.id)
        step = max(1, len(heads) // _SAMPLE)
        pairs = list(zip(heads[::step].tolist(), tails[::step].tolist(), strict=True))
        same = sum(
            _normalize_name(schema.snapshot, head) == _normalize_name(schema.snapshot, tail) for head, tail in pairs
        )
        fellows = schema.find_peers(info.id)
        kinds = fellows.source.ids if isinstance(fellows, Walk) and isinstance(fellows.source, Entities) else ()
        some = sum(schema.kinds.get(kind, 0) for kind in kinds) > info.heads
        if some and same >= _NEARLY_ALL * len(pairs):
            relations.add(info.id)
    return frozenset(relations)


def find_surrogates(schema: Called) -> tuple[np.ndarray, dict[int, int]]:
    """Rows that are called after their kind or by a number, "player 7", "ORD-0017", bool [E]; and of each kind the
    relation that says whose or what they are: to something of its own for each of them, or called as they are.
    """
    snapshot, columns = schema.snapshot, schema.columns
    mask, naming = np.zeros(snapshot.num_entities, bool), dict[int, int]()
    groups = [(snapshot.get_entity_label(kind), schema.list_members(kind)) for kind in schema.kinds]
    groups += [(noun, columns.list_sources(relation)) for noun, relation in schema.told.items()]
    groups += [(_ROW, _find_rows_of_no_kind(schema))]
    for noun, members in groups:
        sample = members[:: max(1, len(members) // _SAMPLE)].tolist()
        labels = [snapshot.get_entity_label(node).casefold() for node in sample]
        valued = columns.kinds[members].any()
        if labels and not valued and all(is_number_of(label, noun.casefold()) for label in labels):
            mask[members] = True
    for kind in schema.kinds:
        members = schema.list_members(kind)
        kind_stems = set(get_label_stems(snapshot.get_entity_label(kind)))
        for info in schema.relations if mask[members].all() else ():
            if info.facts != info.heads or not np.isin(members, columns.list_sources(info.id)).all():
                continue
            heads, tails = columns.list_arcs(info.id)
            ends = tails[np.isin(heads, members)]
            whose = info.leaves < 1.0 and info.facts == info.tails
            described = set(info.stems) <= kind_stems and info.heads <= _FEW * info.tails
            called = described or "name" in info.stems
            if (whose or called) and not (mask[ends].any() or columns.kinds[ends].any()):
                naming[kind] = info.id
                break
    return mask, naming


def _find_rows_of_no_kind(schema: Called) -> np.ndarray:
    """Rows of tables that are members of no kind."""
    if schema.listing is None:
        return np.zeros(0, np.int64)
    of_kinds = [schema.list_members(kind) for kind in schema.kinds]
    return np.setdiff1d(schema.columns.list_sources(schema.listing), np.concatenate([np.zeros(0, np.int64), *of_kinds]))


def find_requested_columns(schema: Called, question: QuestionWords, rows: np.ndarray) -> list[int]:
    """The columns that a question asks for where its answer is rows without names.

    "Which year saw the most births" asks for columns called year, else for those whose values are years; "when" for
    the only date or year. A question for the kind of the rows asks for no column.
    """
    if not len(rows) or not schema.surrogates[0][rows].all():
        return []
    if question.kind == "when":
        return _find_date(schema, rows)
    stems = {question.words[n].stem for n in find_target_words(question)}
    label = schema.snapshot.get_entity_label(int(rows[0])).casefold()
    nouns = [noun for noun in schema.told if label.startswith(f"{noun.casefold()} ")]
    nouns += [schema.snapshot.get_entity_label(kind) for kind in schema.kinds if rows[0] in schema.list_members(kind)]
    if any(stems & set(get_label_stems(noun)) for noun in nouns):
        return []
    relations = [info.id for info in schema.relations if stems & set(get_label_stems(_find_head(info.label))[-1:])]
    if not relations:
        types = ((info.id, schema.columns.get_value_type(info.id)) for info in schema.relations)
        relations = [relation for relation, kind in types if kind is not None and stems & list_type_stems(kind)]
    return [relation for relation in relations if np.isin(rows, schema.columns.list_sources(relation)).all()]


def _find_date(schema: Called, rows: np.ndarray) -> list[int]:
    """The column of dates, or else of years, that all rows have; empty if there are several."""
    types = ((info.id, schema.columns.get_value_type(info.id)) for info in schema.relations)
    timely = [(r, kind.year) for r, kind in types if kind is not None and (kind.year or kind.kind is ValueKind.DATE)]
    timely = [(r, year) for r, year in timely if np.isin(rows, schema.columns.list_sources(r)).all()]
    dates = [r for r, year in timely if not year] or [r for r, _ in timely]
    return dates if len(dates) == 1 else []


def _find_head(label: str) -> str:
    """A relation's name up to its head noun: without what follows "of", and without a unit."""
    return remove_unit(label).casefold().partition(" of ")[0]


def _normalize_name(snapshot: Snapshot, node: int) -> str:
    return snapshot.get_entity_label(node).casefold().split(" (")[0].strip()


def is_number_of(label: str, kind: str) -> bool:
    """Whether a name says no more than which of its kind something is."""
    return label.startswith(f"{kind} ") or _NUMBERED.fullmatch(label) is not None
