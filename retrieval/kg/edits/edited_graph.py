"""A snapshot with edits on top of it, in memory: which edit can be applied, and with which effect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from retrieval.errors import EditError
from retrieval.kg.edits.effects import EditOutcome, Effect, FactRecord, NodeRecord
from retrieval.kg.edits.operations import (
    AddFact,
    ChangeFact,
    MergeEntities,
    Operation,
    RemoveFact,
    RenameEntity,
    RevertEffect,
    Triple,
)
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.annotations import Annotations
from retrieval.kg.snapshot.attributes import AttributeTable

#: The most facts that one operation moves: each is recorded, so that it can be undone.
FACTS_MOVED = 50_000
#: The attribute that keeps the name of an entity that was merged into another.
ALIAS = "alias"


class EditedGraph:
    """A snapshot, the facts removed from it, and the facts and entities added to it.

    Attributes:
        removed: ids of its facts that are gone.
        added: facts on top of it, by triple.
        nodes: entities that were changed, by label; None where the entity is gone.
    """

    def __init__(self, base: Snapshot) -> None:
        self.base = base
        self.removed: set[int] = set()
        self.added: dict[Triple, FactRecord] = {}
        self.nodes: dict[str, NodeRecord | None] = {}
        self._added_by_end: dict[str, dict[Triple, None]] = defaultdict(dict)
        self._annotations = Annotations.load(base.path, base.manifest)

    def apply_all(self, operations: Sequence[Operation]) -> list[EditOutcome]:
        """Apply operations in order. One that cannot be applied changes nothing, and its outcome says why."""
        outcomes = []
        for operation in operations:
            try:
                outcomes.append(EditOutcome(self.apply(operation)))
            except EditError as error:
                outcomes.append(EditOutcome(None, error.message))
        return outcomes

    def apply(self, operation: Operation) -> Effect:
        """Apply one operation.

        Returns:
            Its effect.

        Raises:
            EditError: it cannot be applied; nothing has changed.
        """
        effect = self._prepare(operation)
        self._require_applicable(effect)
        for fact in effect.removed:
            self._remove(fact.triple)
        for fact in effect.added:
            self.added[fact.triple] = fact
            for end in (fact.head, fact.tail):
                self._added_by_end[end][fact.triple] = None
        for node in effect.nodes_removed:
            self.nodes[node.label] = None
        for node in effect.nodes_added:
            self.nodes[node.label] = node
        return effect

    def get_fact(self, triple: Triple) -> FactRecord | None:
        """Return a fact with its attributes and passages; None where the graph does not hold it."""
        if triple in self.added:
            return self.added[triple]
        fact_id = self._find_base_fact(triple)
        return None if fact_id is None or fact_id in self.removed else self._read_fact(fact_id, triple)

    def get_node(self, label: str) -> NodeRecord | None:
        """Return an entity; None where the graph has none of this label."""
        if label in self.nodes:
            return self.nodes[label]
        entity = self.base.find_entity(label)
        if entity is None:
            return NodeRecord(label, "entity") if self._added_by_end.get(label) else None
        attributes = _list_attributes(self._annotations.entities, entity)
        is_lonely = self.base.get_degree(entity) == 0
        known = self._annotations.names
        names = [] if known is None else [(n.language, n.name, int(not n.is_main)) for n in known.list_names(entity)]
        iri = self.base.get_entity_iri(entity)
        return NodeRecord(label, self.base.get_kind(entity), iri, attributes, is_lonely, tuple(sorted(names)))

    def has_facts(self, label: str) -> bool:
        """Whether an entity is an end of any fact."""
        if self._added_by_end.get(label):
            return True
        entity = self.base.find_entity(label)
        if entity is None:
            return False
        ids = (fact for facts in (self.base.get_out_edges(entity), self.base.get_in_edges(entity)) for fact in facts)
        return any(int(fact) not in self.removed for fact in ids)

    def list_facts(self, label: str) -> list[FactRecord]:
        """Return the facts of an entity, as head and as tail.

        Raises:
            EditError: there are more than can be moved.
        """
        triples: dict[Triple, None] = dict(self._added_by_end.get(label, {}))
        facts = [self.added[triple] for triple in triples]
        entity = self.base.find_entity(label)
        if entity is None:
            return facts
        if self.base.get_degree(entity) > FACTS_MOVED:
            raise EditError(
                f"{label} has more than {FACTS_MOVED:,} facts, too many to be moved by hand.",
                hint="Merge the smaller entity into it, or change the files and upload them again.",
            )
        outgoing, incoming = self.base.get_out_edges(entity), self.base.get_in_edges(entity).tolist()
        for fact_id in dict.fromkeys([*outgoing, *incoming]):
            triple = self._read_triple(fact_id)
            if fact_id not in self.removed:
                facts.append(self._read_fact(fact_id, triple))
        return facts

    def _prepare(self, operation: Operation) -> Effect:
        match operation:
            case AddFact(fact):
                return self._prepare_add(fact)
            case RemoveFact(fact):
                return self._prepare_remove(fact)
            case ChangeFact(fact, replacement):
                return self._prepare_change(fact, replacement)
            case RenameEntity(entity, name):
                return self._prepare_rename(entity, name)
            case MergeEntities(entity, other):
                return self._prepare_merge(entity, other)
            case RevertEffect(_, effect):
                return effect.invert()

    def _prepare_add(self, fact: Triple) -> Effect:
        triple = self._resolve(fact)
        if self.get_fact(triple) is not None:
            raise EditError(f"The graph holds “{_render(triple)}” already.", hint="Nothing needs to be added.")
        return Effect(added=(FactRecord(*triple),))

    def _prepare_remove(self, fact: Triple) -> Effect:
        record = self._require_fact(fact)
        before, after = self._drop_attribute(record)
        return Effect(removed=(record,), nodes_removed=before, nodes_added=after)

    def _prepare_change(self, fact: Triple, replacement: Triple) -> Effect:
        record, triple = self._require_fact(fact), self._resolve(replacement)
        if triple == record.triple:
            raise EditError("The changed fact is the same as before.", hint="Change one of its parts.")
        if self.get_fact(triple) is not None:
            raise EditError(f"The graph holds “{_render(triple)}” already.", hint="Remove the wrong fact instead.")
        changed = FactRecord(*triple, record.attributes, record.passages)
        before, after = self._drop_attribute(record)
        if after and triple[:2] == record.triple[:2]:
            after = (replace(after[0], attributes=tuple(sorted({*after[0].attributes, (triple[1], triple[2])}))),)
        return Effect((record,), (changed,), before, after)

    def _prepare_rename(self, entity: str, name: str) -> Effect:
        node = self._require_entity(entity)
        if name == entity:
            raise EditError("The new name is the same as before.", hint="Give another name.")
        if self.get_node(name) is not None:
            raise EditError(f"The graph has {name} already.", hint=f"Merge {entity} into it instead.")
        facts = self.list_facts(entity)
        moved = tuple(fact.move(entity, name) for fact in facts)
        return Effect(tuple(facts), moved, (node,), (replace(node, label=name),))

    def _prepare_merge(self, entity: str, other: str) -> Effect:
        if entity == other:
            raise EditError(f"{entity} cannot be merged with itself.", hint="Choose another entity.")
        kept, merged = self._require_entity(entity), self._require_entity(other)
        removed: dict[Triple, FactRecord] = {}
        added: dict[Triple, FactRecord] = {}
        for fact in self.list_facts(other):
            removed[fact.triple] = fact
            moved = fact.move(other, entity)
            if {fact.head, fact.tail} == {entity, other}:
                continue
            known = added.get(moved.triple) or self.get_fact(moved.triple)
            combined = moved if known is None else known.combine(moved)
            if known is not None and combined == known:
                continue
            if known is not None and moved.triple not in added:
                removed[moved.triple] = known
            added[moved.triple] = combined
        aliases = set() if merged.kind == "cvt" else {(ALIAS, other)}
        attributes = tuple(sorted({*kept.attributes, *merged.attributes} | aliases))
        names = kept.merge_names(merged)
        node = replace(kept, iri=kept.iri or merged.iri, attributes=attributes, names=names)
        return Effect(tuple(removed.values()), tuple(added.values()), (kept, merged), (node,))

    def _require_applicable(self, effect: Effect) -> None:
        """Raise an EditError where something that goes is not there as recorded, or something that comes is there."""
        hint = "A later edit or import has changed it; undo that first."
        for fact in effect.removed:
            if self.get_fact(fact.triple) != fact:
                raise EditError(f"“{_render(fact.triple)}” is not in the graph as it was recorded.", hint=hint)
        leaving = {fact.triple for fact in effect.removed}
        for fact in effect.added:
            if fact.triple not in leaving and self.get_fact(fact.triple) is not None:
                raise EditError(f"The graph holds “{_render(fact.triple)}” already.", hint=hint)
        for node in effect.nodes_removed:
            if self.get_node(node.label) != node:
                raise EditError(f"{node.label} is not in the graph as it was recorded.", hint=hint)
        renamed = {node.label for node in effect.nodes_removed}
        for node in effect.nodes_added:
            if node.label not in renamed and self.get_node(node.label) is not None:
                raise EditError(f"The graph has {node.label} again.", hint=hint)

    def _remove(self, triple: Triple) -> None:
        if self.added.pop(triple, None) is not None:
            for end in (triple[0], triple[2]):
                self._added_by_end[end].pop(triple, None)
            return
        fact_id = self._find_base_fact(triple)
        assert fact_id is not None, "only facts that are there are removed"
        self.removed.add(fact_id)

    def _require_fact(self, fact: Triple) -> FactRecord:
        triple = self._resolve(fact)
        record = self.get_fact(triple)
        if record is None:
            raise EditError(
                f"The graph does not hold “{_render(triple)}”.", hint="It was changed or removed meanwhile."
            )
        return record

    def _require_entity(self, label: str) -> NodeRecord:
        node = self.get_node(label)
        if node is None:
            raise EditError(f"The graph has no {label}.", hint="It was renamed, merged or removed meanwhile.")
        if node.kind == "literal":
            raise EditError(f"{label} is a value, not an entity.", hint="Change the facts that have it instead.")
        return node

    def _resolve(self, fact: Triple) -> Triple:
        """Return the fact with the name of its relation where the shown label of one relation was given."""
        head, relation, tail = fact
        if self.base.find_relation(relation) is None:
            by_label = [r for r in range(self.base.num_relations) if self.base.get_relation_label(r) == relation]
            if len(by_label) == 1:
                relation = self.base.get_relation_name(by_label[0])
        return (head, relation, tail)

    def _drop_attribute(self, fact: FactRecord) -> tuple[tuple[NodeRecord, ...], tuple[NodeRecord, ...]]:
        """Return the head before and after the attribute that says the same as a fact is dropped; nothing for none."""
        node = self.get_node(fact.head)
        if node is None:
            return (), ()
        left = tuple((k, v) for k, v in node.attributes if (k, v.strip()) != (fact.relation, fact.tail))
        return ((), ()) if left == node.attributes else ((node,), (replace(node, attributes=left),))

    def _find_base_fact(self, triple: Triple) -> int | None:
        head, tail = self.base.find_entity(triple[0]), self.base.find_entity(triple[2])
        relation = self.base.find_relation(triple[1])
        if head is None or relation is None or tail is None:
            return None
        return self.base.find_fact(head, relation, tail)

    def _read_triple(self, fact_id: int) -> Triple:
        base = self.base
        return (
            base.get_entity_label(int(base.heads[fact_id])),
            base.get_relation_name(int(base.relations[fact_id])),
            base.get_entity_label(int(base.tails[fact_id])),
        )

    def _read_fact(self, fact_id: int, triple: Triple) -> FactRecord:
        passages = self._annotations.passages
        names = [] if passages is None else passages.get_fact_passages(fact_id).tolist()
        return FactRecord(
            *triple,
            _list_attributes(self._annotations.facts, fact_id),
            tuple(sorted(passages.get_name(i) for i in names)) if passages is not None else (),
        )


def _list_attributes(table: AttributeTable | None, owner: int) -> tuple[tuple[str, str], ...]:
    return () if table is None else tuple(table.list_pairs(owner))


def _render(triple: Triple) -> str:
    return " · ".join(triple)
