"""A snapshot whose relations and kinds are called as a question calls them: a view, in memory, of the same files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retrieval.kg.snapshot.labels import LabelIndex
from retrieval.kg.snapshot.snapshot import Snapshot
from retrieval.types import RelationStep


@dataclass(frozen=True, slots=True)
class Renaming:
    """Wordings in place of labels.

    Attributes:
        relations: (relation id, wording), ascending.
        kinds: (label of a kind, wording), ascending.
    """

    relations: tuple[tuple[int, str], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.relations or self.kinds)


class RenamedSnapshot(Snapshot):
    """A snapshot under a renaming; ids, facts and files are the base's.

    Steps of relation paths keep the base's labels, so that the same fact looks the same in every answer.

    Attributes:
        base: the snapshot with its labels.
    """

    def __init__(self, base: Snapshot, renaming: Renaming) -> None:
        self.__dict__.update(base.__dict__)
        self.base, self.renaming = base, renaming
        self._relation_labels = list(base._relation_labels)
        for relation, wording in renaming.relations:
            self._relation_labels[relation] = wording
        self._kind_wordings = dict(renaming.kinds)
        wordings = {base.find_entity(label): wording for label, wording in renaming.kinds}
        self._entity_wordings = {entity: wording for entity, wording in wordings.items() if entity is not None}

    def __reduce__(self) -> tuple[Callable[..., Snapshot], tuple[object, ...]]:
        return (RenamedSnapshot, (self.base, self.renaming))

    @cached_property
    def labels(self) -> LabelIndex:
        """The base's: names of entities do not change."""
        return self.base.labels

    @cached_property
    def inverse_relations(self) -> np.ndarray:
        """The base's: facts tell, not labels."""
        return self.base.inverse_relations

    def get_entity_label(self, entity: int) -> str:
        """The label of an entity; of a renamed kind its wording."""
        return self._entity_wordings.get(entity) or super().get_entity_label(entity)

    def get_kind_wording(self, label: str) -> str:
        """The wording of a kind that is inferred from names."""
        return self._kind_wordings.get(label, label)

    def get_relation_step(self, relation: int, inverse: bool = False) -> RelationStep:
        """One step of a relation path, with the base's label."""
        return self.base.get_relation_step(relation, inverse)
