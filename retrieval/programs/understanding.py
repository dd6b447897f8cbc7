"""What a question was understood to ask: the best program, how sure that is, and what else it may mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from retrieval import thresholds
from retrieval.language.question import Question
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Entities, Having, Walk, walk
from retrieval.programs.scoring.candidates import Candidate

if TYPE_CHECKING:
    import numpy as np

    from retrieval.programs.grounding.schema import Schema
    from retrieval.programs.rendering.vocabulary import RdfVocabulary


#: Other meanings that are shown.
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Meaning:
    """A program that a question may mean.

    Attributes:
        candidate: the program, with what it gives.
        evidence: what speaks for and against it, whatever else the question may mean.
        named: entities that the program names, each with the characters [start, end) of its mention.
        refused: it is no answer, see :func:`retrieval.programs.calibration.is_refused`.
        unread: characters [start, end) of the words that say something and that the program leaves out.
    """

    candidate: Candidate
    evidence: Mapping[str, float]
    named: tuple[tuple[int, int, int], ...]
    refused: bool
    unread: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question was understood to ask.

    Attributes:
        best: the program that answers it.
        confidence: how likely that is what was asked, in [0, 1], calibrated.
        others: what else it may mean, best first.
        named: entities that the program names, each with the characters [start, end) of its mention.
        by: whom the program comes from.
        says_nothing: nothing was read but names, and no word of the graph comes near what else was said.
        vocabulary: of the RDF that holds the graph, where it has its own.
        meanings: the best programs that the question may mean, the likeliest first.
        wanted: nodes of the sort that the question's noun says, int64 ascending; None where it says none.
        unread: characters [start, end) of the words that say something and that the best program leaves out.
    """

    best: Candidate
    confidence: float
    others: tuple[Candidate, ...]
    executor: Executor
    schema: Schema
    named: tuple[tuple[int, int, int], ...] = ()
    by: Literal["reader", "person", "model"] = "reader"
    says_nothing: bool = False
    vocabulary: RdfVocabulary | None = None
    meanings: tuple[Meaning, ...] = ()
    wanted: np.ndarray | None = None
    unread: tuple[tuple[int, int], ...] = ()

    def select_meaning(self, index: int, sure: float) -> Self:
        """The same with another of its meanings as the best, and how sure that is, in [0, 1]."""
        chosen = self.meanings[index]
        others = tuple(meaning.candidate for meaning in self.meanings if meaning is not chosen)[:SHOWN]
        return replace(
            self, best=chosen.candidate, confidence=sure, others=others, named=chosen.named, unread=chosen.unread
        )

    @property
    def is_path(self) -> bool:
        """Whether relation paths could say the same: a walk from a name, of those of an induced kind or of any."""
        program = self.best.program
        if isinstance(program, And):
            either = (program.left, program.right)
            program = next((side for side in either if not isinstance(side, Having)), program)
        while isinstance(program, Walk):
            program = program.source
        return isinstance(program, Entities)

    @property
    def walked(self) -> tuple[int, ...]:
        """The directed relations that the program walks."""
        return tuple(part.relation for part in walk(self.best.program) if isinstance(part, Walk))

    def has_other_nodes(self, topics: Collection[int]) -> bool:
        """Whether the program leans on other nodes than topics and kinds: paths from the topics leave these out."""
        program = self.best.program
        nodes = {node for part in walk(program) if isinstance(part, Entities) for node in part.ids}
        return not nodes <= set(topics) | set(self.schema.kinds)

    def mark_as_written(self, question: Question) -> Self:
        """The same as a language model's, with the entities that the question calls as the graph does."""
        label, lowered = self.executor.snapshot.get_entity_label, question.folded
        nodes = (node for part in walk(self.best.program) if isinstance(part, Entities) for node in part.ids)
        positions = {node: lowered.find(label(node).casefold()) for node in nodes}
        mentions = tuple((node, start, start + len(label(node))) for node, start in positions.items() if start >= 0)
        return replace(self, confidence=thresholds.WRITTEN_PROGRAM, named=mentions, by="model")
