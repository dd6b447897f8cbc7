"""What the answerers of one graph share, and what each is opened with."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.answer_cache import Retelling
from retrieval.answering.wordings import RENAMED
from retrieval.kg.snapshot.renaming import RenamedSnapshot, Renaming
from retrieval.linking import relation_index
from retrieval.linking.entity_index import EntityIndex
from retrieval.linking.linker import Linker
from retrieval.linking.passage_index import PassageIndex
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.supervision import program_learning as learning

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.answering.settings import AnsweringSettings
    from retrieval.answering.spec import AnswererSpec
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder
    from retrieval.reasoning.base import Reasoner


ENCODED_AT_ONCE = 4096
"""Names that are encoded while somebody waits, at most: some seconds of one core."""


class GraphParts:
    """One open graph and what is found in it by text; each part is opened when an answerer first asks for it.

    Args:
        base: the parts of the graph under its labels, where ``snapshot`` is renamed; its indexes are shared.
    """

    def __init__(self, snapshot: Snapshot, encoder: Encoder, base: GraphParts | None = None) -> None:
        self.snapshot = snapshot
        self.encoder = encoder
        self._base = base
        self._programs: dict[Path, ProgramReader] = {}
        self._renamed: OrderedDict[Renaming, GraphParts] = OrderedDict()

    @cached_property
    def index(self) -> EntityIndex:
        """Entities by name and meaning."""
        return EntityIndex.open(self.snapshot, self.encoder) if self._base is None else self._base.index

    @cached_property
    def passages(self) -> PassageIndex:
        """Passages by meaning and words.

        Raises:
            SnapshotError: the graph has none.
        """
        return PassageIndex.open(self.snapshot, self.encoder) if self._base is None else self._base.passages

    def rename(self, renaming: Renaming) -> GraphParts:
        """The parts of the same graph under a renaming; the last few are kept for all answerers."""
        parts = self._renamed.setdefault(
            renaming, GraphParts(RenamedSnapshot(self.snapshot, renaming), self.encoder, self)
        )
        self._renamed.move_to_end(renaming)
        while len(self._renamed) > RENAMED:
            self._renamed.popitem(last=False)
        return parts

    @cached_property
    def untrained(self) -> ZeroShotRetriever:
        """Ranks relation paths for all methods without a checkpoint."""
        return ZeroShotRetriever(self.snapshot, self.encoder)

    @cached_property
    def retelling(self) -> Retelling:
        """What methods without a checkpoint answered lately."""
        return Retelling()

    def get_program_reader(self, checkpoint: Path | None) -> ProgramReader:
        """Reads questions that need an operator: as was learned with a checkpoint, else as all graphs are read."""
        learned = None if checkpoint is None else checkpoint / learning.FILE
        weights = PROGRAMS if learned is None or not learned.is_file() else learned
        if weights not in self._programs:
            self._programs[weights] = ProgramReader(self.snapshot, self._encode, weights)
        return self._programs[weights]

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of texts; those of thousands of relations are the index's, and none before it stands."""
        if len(texts) <= ENCODED_AT_ONCE:
            return self.encoder.encode(texts)
        count = self.snapshot.num_relations
        if list(texts) == [self.snapshot.get_relation_label(relation) for relation in range(count)]:
            kept = relation_index.find(self.snapshot, self.encoder.name)
            if kept is not None:
                return kept[:count]
        return np.zeros((0, self.encoder.dim), np.float32)

    @cached_property
    def linker(self) -> Linker:
        """Finds the entities that a question names."""
        return Linker(self.snapshot, self.index, self.encoder)


@dataclass(frozen=True, slots=True)
class Opening:
    """What an answerer is opened with.

    Attributes:
        parts: shared by the answerers of one graph.
        llm: the language model, when one is configured.
        settings: of answerers that answer through relation paths.
    """

    spec: AnswererSpec
    parts: GraphParts
    reasoner: Reasoner
    llm: LLMSettings | None = None
    settings: AnsweringSettings | None = None
