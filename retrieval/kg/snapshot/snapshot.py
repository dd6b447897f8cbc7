"""One immutable version of a knowledge graph: a directory of memory-mapped arrays.

Every fact once, sorted by (head, relation, tail), which makes the fact order itself the CSR
out-adjacency; ``in_order`` gives the CSR in-adjacency. Entity ids follow the byte order of the labels and
relation ids that of the names, so the same content has the same ids and hash whatever the input order.
Opening costs milliseconds; reading is safe from many threads and processes.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import DamagedError, SnapshotError
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.adjacency import Adjacency
from retrieval.kg.snapshot.annotations import Annotations, compute_content_hash
from retrieval.kg.snapshot.fact_sources import FactSource, FactSources
from retrieval.kg.snapshot.groups import Groups
from retrieval.kg.snapshot.inverse_relations import find_inverse_relations
from retrieval.kg.snapshot.labels import LabelIndex
from retrieval.kg.snapshot.manifest import REBUILD, read_manifest
from retrieval.kg.snapshot.relation_names import RDF_TYPE, TYPE
from retrieval.kg.snapshot.storage import StringTable, load_array
from retrieval.kg.typed_values import TypedValues
from retrieval.types import Hop, Node, NodeKind, RelationStep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retrieval.kg.snapshot.names import EntityNames
    from retrieval.kg.snapshot.passages import PassageTable

#: The longest description of an entity, in characters.
DESCRIPTION_LIMIT = 200
KINDS: tuple[NodeKind, ...] = ("entity", "cvt", "literal")


class Snapshot(Adjacency):
    """A graph opened for reading. See the module's docstring; ids are positions in the label tables.

    Attributes:
        kinds: uint8 [E], positions in ``KINDS``; for the others see :class:`Adjacency`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = read_manifest(path)
        self.require_sound()
        self.heads = load_array(path, "heads", "int32")
        self.relations = load_array(path, "relations", "int32")
        self.tails = load_array(path, "tails", "int32")
        self.out_offsets = load_array(path, "out_offsets", "int64")
        self.in_offsets = load_array(path, "in_offsets", "int64")
        self.in_order = load_array(path, "in_order", "int32")
        self.in_heads = load_array(path, "in_heads", "int32")
        self.out_groups = Groups.load(path, "out", self.manifest.relations)
        self.in_groups = Groups.load(path, "in", self.manifest.relations)
        self.kinds = load_array(path, "kinds", "uint8")
        self.entity_labels = StringTable.load(path, "entity_labels")
        self.relation_names = StringTable.load(path, "relation_names")
        self._iris = StringTable.load(path, "entity_iris")
        self._relation_labels = list(StringTable.load(path, "relation_labels"))
        self._relation_name_list = list(self.relation_names)
        self._check_sizes()

    def __reduce__(self) -> tuple[Callable[..., Snapshot], tuple[object, ...]]:
        return (Snapshot, (self.path,))

    def __repr__(self) -> str:
        m = self.manifest
        return f"Snapshot({self.path.name}: {m.triples} triples, {m.entities} entities, {m.relations} relations)"

    def require_sound(self, *, thorough: bool = False) -> None:
        """Make sure that the files are what was written; cheap where nothing changed since that was last asked.

        Args:
            thorough: also of large files that the thread behind has not come to yet, see
                :mod:`~retrieval.kg.snapshot.integrity`.

        Raises:
            DamagedError: they are not.
        """
        if not self.path.is_dir():
            return  # it made way; what is open keeps its pages
        if not integrity.is_sealed(self.path):
            raise integrity.make_damaged_error(self.path, [integrity.CHECKSUMS])
        integrity.require(self.path, behind=not thorough)

    @property
    def hash(self) -> str:
        """The manifest's content hash."""
        return self.manifest.content_hash

    @cached_property
    def labels(self) -> LabelIndex:
        """Finds entities by name: exact, alias, prefix, misspelt. Opened on first use."""
        return LabelIndex(self)

    @cached_property
    def _annotations(self) -> Annotations:
        return Annotations.load(self.path, self.manifest)

    @property
    def passages(self) -> PassageTable | None:
        """The documents in pieces, or None where the graph has none. Opened on first use."""
        return self._annotations.passages

    def get_entity_attributes(self, entity: int) -> Mapping[str, str]:
        """What is known of an entity beside its facts, by key; values of one key are joined by ``; ``."""
        table = self._annotations.entities
        return {} if table is None else table.get_attributes(entity)

    @property
    def names(self) -> EntityNames | None:
        """The names of entities by language, or None where no language is known. Opened on first use."""
        return self._annotations.names

    def describe_entity(self, entity: int) -> str:
        """What kind of thing an entity is: its type and description, cut to ``DESCRIPTION_LIMIT``; may be empty."""
        attributes = self.get_entity_attributes(entity)
        parts = [attributes[key] for key in ("type", "description") if key in attributes]
        text = ": ".join(parts)
        return text if len(text) <= DESCRIPTION_LIMIT else text[: DESCRIPTION_LIMIT - 1].rstrip() + "…"

    def get_fact_attributes(self, fact: int) -> Mapping[str, str]:
        """What is known of a fact beside its ends, by key; values of one key are joined by ``; ``."""
        table = self._annotations.facts
        return {} if table is None else table.get_attributes(fact)

    @cached_property
    def fact_sources(self) -> FactSources | None:
        """Where facts come from, or None where that was not recorded. Opened on first use."""
        return FactSources.load(self.path, self.manifest.triples)

    def get_fact_source(self, fact: int) -> FactSource | None:
        """The file and row, or the edit, that a fact comes from; None where nobody knows."""
        return None if self.fact_sources is None else self.fact_sources.get_source(fact)

    @cached_property
    def typed_values(self) -> TypedValues:
        """The nodes that are numbers, dates or times."""
        typed = TypedValues(
            load_array(self.path, "value_nodes", "int32"),
            load_array(self.path, "values", "float64"),
            load_array(self.path, "value_kinds", "uint8"),
        )
        if not len(typed.nodes) == len(typed.values) == len(typed.kinds):
            raise integrity.make_damaged_error(self.path, ["values.npy"])
        return typed

    @cached_property
    def inverse_relations(self) -> np.ndarray:
        """What stands for each directed relation and its inverse, int64 [2 R].

        See :func:`retrieval.kg.snapshot.inverse_relations.find_inverse_relations`.

        Computed on first use, in one pass over the facts.
        """
        return find_inverse_relations(self)

    def get_entity_label(self, entity: int) -> str:
        """The label of an entity, as shown and as found by ``find_entity``."""
        return self.entity_labels[entity]

    def get_kind_wording(self, label: str) -> str:
        """The wording of a kind that no node stands for: its label, where the snapshot is not renamed."""
        return label

    def get_entity_iri(self, entity: int) -> str:
        """The IRI of an entity that came from RDF, else an empty string."""
        return self._iris[entity] if len(self._iris) else ""

    def get_kind(self, entity: int) -> NodeKind:
        """``entity``, ``cvt`` (mediator without a name of its own) or ``literal``."""
        kind = int(self.kinds[entity]) if 0 <= entity < len(self.kinds) else -1
        if not 0 <= kind < len(KINDS):
            raise DamagedError(f"The graph's files are damaged (there is no kind of entity {entity}).")
        return KINDS[kind]

    @property
    def has_iris(self) -> bool:
        """Whether entities have IRIs."""
        return len(self._iris) > 0

    @cached_property
    def has_names(self) -> bool:
        """Whether any entity has a name of its own."""
        return bool((self.kinds != KINDS.index("cvt")).any())

    @cached_property
    def kind_relation(self) -> int | None:
        """The relation that gives kinds for sure: ``rdf:type``, or the types of rows and nodes; None without these."""
        attributes = self._annotations.entities
        has_types = attributes is not None and attributes.keys.find(TYPE) is not None
        known = [self.find_relation(name) for name in ((RDF_TYPE, TYPE) if has_types else (RDF_TYPE,))]
        counts = self.count_facts_by_relation()
        return max((r for r in known if r is not None), key=lambda r: counts[r], default=None)

    def get_node(self, entity: int) -> Node:
        """The entity as shown to a person."""
        return Node(int(entity), self.entity_labels[entity], self.get_kind(entity))

    def get_relation_name(self, relation: int) -> str:
        """The relation as the KG spells it."""
        return self._relation_name_list[self._check_relation(relation)]

    def get_relation_label(self, relation: int) -> str:
        """The relation humanised (``languages spoken``)."""
        return self._relation_labels[self._check_relation(relation)]

    def get_relation_step(self, relation: int, inverse: bool = False) -> RelationStep:
        """One step of a relation path, for events and evidence."""
        number = self._check_relation(relation)
        return RelationStep(self._relation_name_list[number], self._relation_labels[number], inverse)

    def find_entity(self, label: str) -> int | None:
        """The entity of exactly this label, or None."""
        return self.entity_labels.find(label)

    def find_relation(self, name: str) -> int | None:
        """The relation of exactly this name, or None."""
        return self.relation_names.find(name)

    def get_hop(self, arc: int) -> Hop:
        """An arc as a hop: fact ``arc`` walked forward, or fact ``arc - T`` walked backward."""
        inverse = arc >= self.num_triples
        fact = arc - self.num_triples if inverse else arc
        if not 0 <= fact < len(self.heads):
            raise DamagedError(f"The graph's files are damaged (there is no fact {fact}).")
        head, tail = int(self.heads[fact]), int(self.tails[fact])
        source, target = (tail, head) if inverse else (head, tail)
        step = self.get_relation_step(int(self.relations[fact]), inverse)
        return Hop(self.get_node(source), step, self.get_node(target), verified=True)

    def _check_relation(self, relation: int) -> int:
        if not 0 <= relation < len(self._relation_name_list):
            raise DamagedError(f"The graph's files are damaged (there is no relation {relation}).")
        return relation

    def _check_sizes(self) -> None:
        m = self.manifest
        expected = {
            "heads": (len(self.heads), m.triples),
            "relations": (len(self.relations), m.triples),
            "tails": (len(self.tails), m.triples),
            "in_order": (len(self.in_order), m.triples),
            "in_heads": (len(self.in_heads), m.triples),
            "out_offsets": (len(self.out_offsets), m.entities + 1),
            "in_offsets": (len(self.in_offsets), m.entities + 1),
            "kinds": (len(self.kinds), m.entities),
            "entity_labels": (len(self.entity_labels), m.entities),
            "relation_names": (len(self._relation_name_list), m.relations),
            "relation_labels": (len(self._relation_labels), m.relations),
        }
        for name, (size, wanted) in expected.items():
            if size != wanted:
                raise DamagedError(f"The graph's files are damaged ({name} has {size} items, not {wanted}).")


def open(path: Path | str) -> Snapshot:
    """Open a snapshot by memory map.

    Raises:
        DamagedError: the directory is missing, foreign or damaged.
        SnapshotError: it is of another format version.
    """
    return Snapshot(Path(path))


def verify(snapshot: Snapshot) -> None:
    """Read everything and compare with the manifest's hash. Slow for big graphs.

    Raises:
        SnapshotError: the content is not what was written.
    """
    facts = (snapshot.heads, snapshot.relations, snapshot.tails)
    annotations = Annotations.load(snapshot.path, snapshot.manifest)
    if compute_content_hash(snapshot.entity_labels, snapshot.relation_names, facts, annotations) != snapshot.hash:
        raise SnapshotError(f"The content of {snapshot.path.name} does not match its hash.", hint=REBUILD)
