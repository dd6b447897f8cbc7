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
from retrieval.kg import integrity, soundness
from retrieval.kg.details import Details, content_hash
from retrieval.kg.labels import LabelIndex
from retrieval.kg.manifest import REBUILD, read_manifest
from retrieval.kg.mirrors import mirrors
from retrieval.kg.storage import StringTable, load_array
from retrieval.types import Hop, Node, NodeKind, RelationStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from retrieval.kg.passages import PassageTable
    from retrieval.kg.restriction import RestrictedSnapshot
    from retrieval.kg.table import TripleTable
    from retrieval.types import Progress

ABOUT = 200
#: Keys of groups between two that are kept in memory.
_STRIDE = 4096
KINDS: tuple[NodeKind, ...] = ("entity", "cvt", "literal")


class Snapshot:
    """A graph opened for reading. See the module's docstring; ids are positions in the label tables.

    Attributes:
        heads, relations, tails: int32 [T], the facts sorted by (head, relation, tail).
        out_offsets, in_offsets: int64 [E+1], CSR bounds per entity.
        in_order: int32 [T], fact ids sorted by (tail, relation, head).
        in_heads: int32 [T], ``heads[in_order]`` stored side by side.
        out_groups, in_groups: runs of facts of one entity and one relation (:class:`Groups`).
        kinds: uint8 [E], positions in ``KINDS``.
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
        return (
            f"Snapshot({self.path.name}: {m.triples} triples, {m.entities} entities, {m.relations} relations)"
        )

    def require_sound(self, *, whole: bool = False) -> None:
        """Make sure that the files are what was written; cheap where nothing changed since that was last asked.

        Args:
            whole: also of large files that the thread behind has not come to yet, see :mod:`retrieval.kg.integrity`.

        Raises:
            DamagedError: they are not.
        """
        if not self.path.is_dir():
            return  # it made way; what is open keeps its pages
        if integrity.is_sealed(self.path):
            integrity.require(self.path, behind=not whole)
        else:
            soundness.require(self.path)

    @property
    def hash(self) -> str:
        """The manifest's content hash."""
        return self.manifest.content_hash

    @cached_property
    def labels(self) -> LabelIndex:
        """Finds entities by name: exact, alias, prefix, misspelt. Opened on first use."""
        return LabelIndex(self)

    @cached_property
    def _details(self) -> Details:
        return Details.load(self.path, self.manifest)

    @property
    def passages(self) -> PassageTable | None:
        """The documents in pieces, or None where the graph has none. Opened on first use."""
        return self._details.passages

    def entity_attributes(self, entity: int) -> Mapping[str, str]:
        """What is known of an entity beside its facts, by key; values of one key are joined by ``; ``."""
        table = self._details.entities
        return {} if table is None else table.of(entity)

    def about(self, entity: int) -> str:
        """What kind of thing an entity is, by its type and description, at most ``ABOUT`` characters; may be empty."""
        attributes = self.entity_attributes(entity)
        said = [attributes[key] for key in ("type", "description") if key in attributes]
        text = ": ".join(said)
        return text if len(text) <= ABOUT else text[: ABOUT - 1].rstrip() + "…"

    def fact_attributes(self, fact: int) -> Mapping[str, str]:
        """What is known of a fact beside its ends, by key; values of one key are joined by ``; ``."""
        table = self._details.facts
        return {} if table is None else table.of(fact)

    @cached_property
    def mirrors(self) -> np.ndarray:
        """What stands for each directed relation and its mirror image, int64 [2 R]; see :mod:`retrieval.kg.mirrors`.

        Computed on first use, in one pass over the facts.
        """
        return mirrors(self)

    @property
    def num_entities(self) -> int:
        """E, the number of entities."""
        return self.manifest.entities

    @property
    def num_relations(self) -> int:
        """R, the number of relations; directed relation ids run to 2 R."""
        return self.manifest.relations

    @property
    def num_triples(self) -> int:
        """T, the number of facts; arc ids run to 2 T."""
        return self.manifest.triples

    def entity_label(self, entity: int) -> str:
        """The label of an entity, as shown and as found by ``find_entity``."""
        return self.entity_labels[entity]

    def entity_iri(self, entity: int) -> str:
        """The IRI of an entity that came from RDF, else an empty string."""
        return self._iris[entity] if len(self._iris) else ""

    def kind(self, entity: int) -> NodeKind:
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

    def node(self, entity: int) -> Node:
        """The entity as shown to a person."""
        return Node(int(entity), self.entity_labels[entity], self.kind(entity))

    def relation_name(self, relation: int) -> str:
        """The relation as the KG spells it."""
        return self._relation_name_list[self._relation(relation)]

    def relation_label(self, relation: int) -> str:
        """The relation humanised (``languages spoken``)."""
        return self._relation_labels[self._relation(relation)]

    def relation_step(self, relation: int, inverse: bool = False) -> RelationStep:
        """One step of a relation path, for events and evidence."""
        number = self._relation(relation)
        return RelationStep(self._relation_name_list[number], self._relation_labels[number], inverse)

    def find_entity(self, label: str) -> int | None:
        """The entity of exactly this label, or None."""
        return self.entity_labels.find(label)

    def find_relation(self, name: str) -> int | None:
        """The relation of exactly this name, or None."""
        return self.relation_names.find(name)

    def out_edges(self, entity: int) -> range:
        """Ids of the facts that leave ``entity``."""
        return range(*self._bounds(self.out_offsets, entity))

    def in_edges(self, entity: int) -> np.ndarray:
        """Ids of the facts that enter ``entity``, sorted by (relation, head)."""
        start, stop = self._bounds(self.in_offsets, entity)
        return self.in_order[start:stop]

    def degree(self, entity: int) -> int:
        """In-degree plus out-degree."""
        bounds = (self._bounds(offsets, entity) for offsets in (self.out_offsets, self.in_offsets))
        return sum(stop - start for start, stop in bounds)

    def degrees(self, entities: np.ndarray | Iterable[int]) -> np.ndarray:
        """Degrees of several entities, int64 [n]."""
        ids = np.asarray(entities if isinstance(entities, np.ndarray) else list(entities), dtype=np.int64)
        out = self.out_offsets[ids + 1] - self.out_offsets[ids]
        degrees: np.ndarray = out + self.in_offsets[ids + 1] - self.in_offsets[ids]
        return degrees

    def find_fact(self, head: int, relation: int, tail: int) -> int | None:
        """The id of a fact, or None. Ids out of range are simply not found."""
        if not (0 <= head < self.num_entities and 0 <= relation < self.num_relations):
            return None
        start, stop = self.out_groups.bounds_of(head, relation)
        i = start + int(np.searchsorted(self.tails[start:stop], tail))
        return i if i < stop and int(self.tails[i]) == tail else None

    def has(self, head: int, relation: int, tail: int) -> bool:
        """Whether the KG holds the fact."""
        return self.find_fact(head, relation, tail) is not None

    def hop(self, arc: int) -> Hop:
        """An arc as a hop: fact ``arc`` walked forward, or fact ``arc - T`` walked backward."""
        inverse = arc >= self.num_triples
        fact = arc - self.num_triples if inverse else arc
        if not 0 <= fact < len(self.heads):
            raise DamagedError(f"The graph's files are damaged (there is no fact {fact}).")
        head, tail = int(self.heads[fact]), int(self.tails[fact])
        source, target = (tail, head) if inverse else (head, tail)
        step = self.relation_step(int(self.relations[fact]), inverse)
        return Hop(self.node(source), step, self.node(target), verified=True)

    def restrict(self, facts: np.ndarray | Iterable[int]) -> RestrictedSnapshot:
        """This graph with only some of its facts, in memory: the same ids and labels, an own adjacency and hash.

        Args:
            facts: ids of facts, in any order; repeats count once. None at all is allowed.

        Raises:
            SnapshotError: an id is out of range.
        """
        from retrieval.kg.restriction import RestrictedSnapshot  # noqa: PLC0415 - it is built on this module

        return RestrictedSnapshot(self, facts)

    def relation_counts(self) -> np.ndarray:
        """Facts per relation, int64 [R]."""
        return np.bincount(self.relations, minlength=self.num_relations)

    def _relation(self, relation: int) -> int:
        if not 0 <= relation < len(self._relation_name_list):
            raise DamagedError(f"The graph's files are damaged (there is no relation {relation}).")
        return relation

    def _bounds(self, offsets: np.ndarray, entity: int) -> tuple[int, int]:
        """Where the facts of an entity begin and end in ``offsets``."""
        if not 0 <= entity < len(offsets) - 1:
            raise DamagedError(f"The graph's files are damaged (there is no entity {entity}).")
        start, stop = int(offsets[entity]), int(offsets[entity + 1])
        if not 0 <= start <= stop <= self.num_triples:
            raise DamagedError(f"The graph's files are damaged (the facts of entity {entity} have no place).")
        return start, stop

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
        for name, (found, wanted) in expected.items():
            if found != wanted:
                raise DamagedError(f"The graph's files are damaged ({name} has {found} items, not {wanted}).")


class Groups:
    """Runs of facts that share an entity and a relation, in one direction.

    ``keys`` is int64 [G], ``entity * R + relation``, ascending; ``starts`` is int64 [G+1], positions in the
    fact order (out) or in ``in_order`` (in).
    """

    def __init__(self, keys: np.ndarray, starts: np.ndarray, relations: int) -> None:
        self.keys = keys
        self.starts = starts
        self.relations = relations

    @classmethod
    def load(cls, path: Path, direction: str, relations: int) -> Groups:
        """Open the groups of ``direction`` (``out`` or ``in``)."""
        keys = load_array(path, f"{direction}_group_keys", "int64")
        starts = load_array(path, f"{direction}_group_starts", "int64")
        if len(starts) != len(keys) + 1:
            raise integrity.damaged(path, [f"{direction}_group_starts.npy"])
        return cls(keys, starts, relations)

    @cached_property
    def _marks(self) -> np.ndarray:
        """Every ``_STRIDE``-th key, so that a search of a large file touches one place of it; read on first use."""
        return self.keys[::_STRIDE].copy()

    def _find(self, key: int) -> int:
        """The first position whose key is at least ``key``."""
        if len(self.keys) <= _STRIDE:
            return int(np.searchsorted(self.keys, key))
        low = max(int(np.searchsorted(self._marks, key)) - 1, 0) * _STRIDE
        return low + int(np.searchsorted(self.keys[low : low + _STRIDE + 1], key))

    def bounds_of(self, entity: int, relation: int) -> tuple[int, int]:
        """Positions [start, stop) of one entity's facts of one relation; empty when it has none."""
        key = entity * self.relations + relation
        i = self._find(key)
        if i == len(self.keys) or int(self.keys[i]) != key:
            return 0, 0
        return int(self.starts[i]), int(self.starts[i + 1])

    def bounds(self, entities: np.ndarray, relation: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``bounds_of`` for many entities (and relations, one each): starts and lengths, int64 [n] each."""
        if not len(self.keys):
            zeros = np.zeros(len(entities), np.int64)
            return zeros, zeros
        wanted = entities.astype(np.int64) * self.relations + relation
        i = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        starts = self.starts[i]
        lengths = np.where(self.keys[i] == wanted, self.starts[i + 1] - starts, 0)
        return starts, lengths

    def of_entity(self, entity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One entity's relations with the start and length of each run, ascending by relation."""
        first = self._find(entity * self.relations)
        last = self._find((entity + 1) * self.relations)
        starts = self.starts[first : last + 1]
        return self.keys[first:last] - entity * self.relations, starts[:-1], np.diff(starts)


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
    details = Details.load(snapshot.path, snapshot.manifest)
    if content_hash(snapshot.entity_labels, snapshot.relation_names, facts, details) != snapshot.hash:
        raise SnapshotError(f"The content of {snapshot.path.name} does not match its hash.", hint=REBUILD)


def build(
    table: TripleTable, out: Path | str, *, progress: Callable[[Progress], None] | None = None
) -> Snapshot:
    """Build the snapshot of ``table`` in ``out`` (written beside it, then renamed into place).

    Raises:
        EmptySourceError: the table holds neither a fact nor a passage.
        SourceError: two passages have one name.
        SnapshotError: ``out`` exists and is not a snapshot.
    """
    from retrieval.kg.building import build_snapshot  # noqa: PLC0415 - polars is only needed to build

    build_snapshot(table, Path(out), progress=progress)
    return Snapshot(Path(out))
