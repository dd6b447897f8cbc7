"""What the sentence of a program is written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.programs.rendering.sentences.phrase_writing import write_members
from retrieval.programs.rendering.sentences.phrases import make_phrase
from retrieval.programs.rendering.sentences.values import format_label

if TYPE_CHECKING:
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.rendering.program_wording import ProgramDescriber
    from retrieval.results import Answer, RankedValue
    from retrieval.types import EvidenceChain


@dataclass(frozen=True, slots=True)
class AnsweredProgram:
    """A program with its answers.

    Attributes:
        describer: writes parts of the program in words, and has run it.
        answers: nodes of a set, or one number or truth.
        chains: the facts behind the answers.
        ranked: the values of a ranking, answers first.
    """

    describer: ProgramDescriber
    program: Program
    answers: tuple[Answer, ...]
    chains: tuple[EvidenceChain, ...] = ()
    ranked: tuple[RankedValue, ...] = ()

    @property
    def names(self) -> list[str]:
        """The answers as people write them."""
        return [format_label(answer.label) for answer in self.answers]

    @property
    def label(self) -> str:
        """The number or truth that the program gives."""
        return self.answers[0].label

    def count(self, source: Program) -> int:
        """How many nodes a part of the program has."""
        return self.describer.executor.count_nodes(source)

    def write_source(self, source: Program) -> str:
        """What something is computed of: ``53 countries in Africa``; the number alone of what has no noun phrase."""
        phrase, count = make_phrase(self.describer, source), self.count(source)
        return write_members(phrase, count) if phrase is not None and not phrase.name_count else f"{count:,}"
