"""Example sentences about the things of a kind, made from the rows of files or from a snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.kg.model.data_model import DataModel, Kind
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.relation_names import TYPE, format_relation_name
from retrieval.lexicon.nouns import to_plural

EXAMPLES = 3
"""Example sentences of a kind."""
#: Attributes of an example, kinds that refer to it, and the longest value shown, in characters.
_ATTRIBUTES, _REFERRING, _VALUE = 4, 2, 60
#: Facts of a thing that are read for an example.
_FACTS = 1_000


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A thing as it is in the graph, with its first attributes: key and value."""

    label: str
    attributes: Sequence[tuple[str, str]]


def write_joined_example(thing: NamedThing) -> str:
    """``Grunge has track Alive, track Black.``"""
    return f"{thing.label} has {', '.join(_write_attributes(thing))}."


def _write_attributes(thing: NamedThing) -> list[str]:
    return [f"{format_relation_name(key)} {_shorten(value)}" for key, value in thing.attributes][:_ATTRIBUTES]


def write_example(thing: NamedThing, kind: str, referring: Counter[str]) -> str:
    """``Alfreds Futterkiste is a customer: city Berlin, country Germany, 6 orders.``"""
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    phrases = _write_attributes(thing)
    phrases += [
        f"{count:,} {label if count == 1 else to_plural(label)}" for label, count in referring.most_common(_REFERRING)
    ]
    return f"{thing.label} is {article} {kind}{': ' if phrases else ''}{', '.join(phrases)}."


def add_snapshot_examples(model: DataModel, snapshot: Snapshot, kept: DataModel) -> DataModel:
    """The model with examples from a snapshot; kinds without things there keep theirs.

    Args:
        model: the model, which may have other labels and fewer columns than ``kept``.
        snapshot: the version.
        kept: the model of that version.
    """
    finder = _ThingFinder(snapshot, kept)
    kinds = []
    for kind, before in zip(model.kinds, kept.kinds, strict=True):
        examples = tuple(
            write_example(
                NamedThing(snapshot.get_entity_label(entity), finder.list_attributes(entity, before, kind, model)),
                kind.label,
                finder.count_referring(entity, kind, model),
            )
            for entity in finder.list_first_members(before.label)
        )
        kinds.append(replace(kind, examples=examples or kind.examples))
    return replace(model, kinds=tuple(kinds))


class _ThingFinder:
    """Finds the things of the kinds of a data model in the snapshot of its version."""

    def __init__(self, snapshot: Snapshot, kept: DataModel) -> None:
        self.snapshot = snapshot
        self.kept = kept
        self.kinds = {kind.table: kind for kind in kept.kinds}

    def list_first_members(self, label: str) -> list[int]:
        """The first entities of the kind of this label, in the order of their files where that is known."""
        run, origins = self._find_members(label), self.snapshot.fact_sources
        members = self.snapshot.in_heads[run]
        if origins is not None:
            facts = self.snapshot.in_order[run]
            members = members[np.lexsort((origins.rows[facts], origins.sources[facts]))]
        first: list[int] = members[:EXAMPLES].tolist()
        return first

    def list_attributes(self, entity: int, before: Kind, kind: Kind, model: DataModel) -> list[tuple[str, str]]:
        """The values of an entity by column, in the order of the columns."""
        values, thing = self._read_values(entity), self.snapshot.get_entity_label(entity)
        attributes: list[tuple[str, str]] = []
        for kept, column in zip(before.columns, kind.columns, strict=True):
            if column.is_ignored:
                continue
            relation = next(iter(model.list_reference_labels(kind.table, column.name)), column.relation)
            spellings = self.kept.list_relation_names(kind.table, kept)
            attributes += [
                (relation, value)
                for name, value in values
                if format_relation_name(name) in spellings and not (column.name in kind.name and value == thing)
            ]
        return attributes

    def count_referring(self, entity: int, kind: Kind, model: DataModel) -> Counter[str]:
        """The things that refer to an entity, by the label of their kind."""
        labels = {other.table: other.label for other in model.kinds}
        counts: Counter[str] = Counter()
        for reference in self.kept.references:
            if reference.is_used and reference.target == kind.table and reference.table in labels:
                members = self.snapshot.in_heads[self._find_members(self.kinds[reference.table].label)]
                for relation in self._find_relations(reference.label):
                    heads = self.snapshot.in_heads[slice(*self.snapshot.in_groups.find_run(entity, relation))]
                    counts[labels[reference.table]] += len(np.intersect1d(heads, members, assume_unique=True))
        return +counts

    def _find_members(self, label: str) -> slice:
        """The places of the facts that give things the kind of this label."""
        kind, relation = self.snapshot.find_entity(label), self.snapshot.kind_relation
        return (
            slice(0) if kind is None or relation is None else slice(*self.snapshot.in_groups.find_run(kind, relation))
        )

    def _read_values(self, entity: int) -> list[tuple[str, str]]:
        """The attributes of an entity, and its facts with other relations."""
        attributes = {**self.snapshot.get_entity_attributes(entity)}
        attributes.pop(TYPE, None)
        hops = [self.snapshot.get_hop(fact) for fact in self.snapshot.get_out_edges(entity)[:_FACTS]]
        facts = [(hop.step.name, hop.target.label) for hop in hops if hop.step.name not in {TYPE, *attributes}]
        return [*attributes.items(), *facts]

    def _find_relations(self, label: str) -> list[int]:
        """The relations of this label."""
        name = format_relation_name(label)
        return [
            relation
            for relation in range(self.snapshot.num_relations)
            if format_relation_name(self.snapshot.get_relation_name(relation)) == name
        ]


def _shorten(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[:_VALUE]}…"
