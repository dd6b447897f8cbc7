"""One question to an endpoint, and the entities that it names there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET
from retrieval.linking.linker import LinkingResult
from retrieval.programs.remote.conversation import DenotedThere, TurnThere
from retrieval.types import LinkedEntity, Node


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """One question.

    Attributes:
        question: 1 to 1,000 characters.
        given: IRIs of topic entities chosen by the caller; used instead of what the question names.
        budget: most distinct facts retrieved.
        program: by names of the endpoint; run as it is in place of reading the question.
        follows: the question before, which this one may lean on.
        denoted: words of the question that are known to stand for entities.
    """

    question: Question
    given: tuple[str, ...] = ()
    budget: int = DEFAULT_BUDGET
    seed: int = 0
    program: dict[str, Any] | None = None
    follows: TurnThere | None = None
    denoted: tuple[DenotedThere, ...] = ()


class FixedLinker:
    """A linker of a question that is linked already."""

    def __init__(self, linked: LinkingResult) -> None:
        self._linked = linked

    def link(self, question: Question, topics: Sequence[int] = ()) -> LinkingResult:
        """What is known."""
        del question, topics
        return self._linked


def make_linked_entity(request: EndpointRequest, words: str, node: Node, *, picked: bool) -> LinkedEntity:
    """An entity that is named with some words, or was picked by the caller."""
    if picked:
        return LinkedEntity(node, node.label, -1, -1, 1.0, "given")
    start = request.question.text.find(words)
    return LinkedEntity(node, words, start, start + len(words) if start >= 0 else -1, 1.0, "exact")
