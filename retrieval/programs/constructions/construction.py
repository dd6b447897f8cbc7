"""The one interface of constructions: what spans a whole question is read in addition to its chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrieval.language.words import QuestionWords
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.anchor import Anchor


@dataclass(frozen=True, slots=True)
class ComposedQuestion:
    """A question whose chart is composed.

    Attributes:
        anchors: what its words may stand for.
        parts: those of its chart that cover it, best first.
        compose: the same of a part of the question, or of the question in other words.
    """

    question: QuestionWords
    anchors: Sequence[Anchor]
    parts: Sequence[Part]
    compose: Callable[[QuestionWords], list[Part]]


class Construction(Protocol):
    """Reads one kind of question, such as how long something took."""

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """The programs that the question may mean, each as a part that covers it; none where it is of another kind."""
        ...
