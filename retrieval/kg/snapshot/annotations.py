"""What a snapshot may hold beside its facts, and the hash over all of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot.attributes import AttributeTable
from retrieval.kg.snapshot.manifest import Manifest
from retrieval.kg.snapshot.names import EntityNames
from retrieval.kg.snapshot.passages import PassageTable
from retrieval.kg.snapshot.storage import StringTable


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a snapshot may hold beside its facts: passages, attributes of entities and of facts, names by language."""

    passages: PassageTable | None
    entities: AttributeTable | None
    facts: AttributeTable | None
    names: EntityNames | None = None

    @classmethod
    def load(cls, path: Path, manifest: Manifest) -> Annotations:
        """Open what the manifest says is there, and nothing where it names nothing."""
        m = manifest
        return cls(
            PassageTable.load(path, m.passages, m.triples) if m.passages else None,
            AttributeTable.load(path, "entity", m.entities, m.entity_attributes) if m.entity_attributes else None,
            AttributeTable.load(path, "fact", m.triples, m.fact_attributes) if m.fact_attributes else None,
            EntityNames(
                AttributeTable.load(path, "entity", m.entities, m.names, "name"),
                AttributeTable.load(path, "entity", m.entities, m.other_names, "other_name"),
            )
            if m.names
            else None,
        )

    def list_parts(self) -> list[tuple[str, PassageTable | AttributeTable | EntityNames]]:
        """What is there, by name."""
        by_name = [
            ("passages", self.passages),
            ("entity attributes", self.entities),
            ("fact attributes", self.facts),
            ("names", self.names),
        ]
        return [(name, part) for name, part in by_name if part is not None]


def compute_content_hash(
    entity_labels: StringTable,
    relation_names: StringTable,
    facts: Iterable[np.ndarray],
    annotations: Annotations,
) -> str:
    """sha256 over labels, names, the sorted facts, attributes and passages.

    Ids follow the labels' order, so this is canonical but for the order of passages, which is their source's.
    """
    digest = hashlib.sha256(b"clew-snapshot-1")
    for table in (entity_labels, relation_names):
        digest.update(np.ascontiguousarray(table.offsets, "<i8").data)
        digest.update(np.ascontiguousarray(table.blob).data)
    for column in facts:
        digest.update(np.ascontiguousarray(column, "<i4").data)
    for name, part in annotations.list_parts():
        digest.update(name.encode())
        for array in part.list_arrays():
            digest.update(len(array).to_bytes(8, "little"))
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
