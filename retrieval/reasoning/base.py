"""What every reasoner is: evidence in, pieces of text while it thinks, one verdict at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from retrieval.events import AnswerDelta
from retrieval.evidence.reach import Join, Reach
from retrieval.language.question import Question
from retrieval.reasoning.comparison import Compared
from retrieval.results import Answer, NoAnswer
from retrieval.types import EvidenceChain, LinkedEntity, Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


EVIDENCE_LIMIT = 24_000
"""Characters of evidence in a prompt where nothing else is said; the weakest is left out first."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything a reasoner may use.

    Attributes:
        snapshot: the graph that the ids mean.
        unmatched: phrases of the question that look like names and were not found.
        reaches: relation paths with the sets they reach; chain i shows reach i, so the first
            ``len(chains)`` reaches have a chain. Joined reaches come first.
        join: the intersection that was chosen for a question with several topics.
        compared: the comparison, when the question asks for one and the graph holds what is compared.
        facts: single facts that were selected, the best first; empty where paths were.
        read: what a language model reads, a line each, in their order; None where it reads the chains.
        characters: of what it reads, at most; None for no limit.
        warnings: what of the retrieved is not read.
        coverage: how well the best relation path fits the question, in [0, 1]; 1 when the retriever
            does not say.
        sure: how likely the best answer is, whatever its relation path is, others in proportion; None where their
            relation paths say it.
        computed: numbers that programs of the question give, each with how likely that program is what was asked.
        joins: topics are intersected; without, each one's relation paths answer by themselves.
        odds: slope and offset by which the log-odds of a relation path become those of its answers being right.
    """

    question: Question
    snapshot: Snapshot
    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    reaches: tuple[Reach, ...]
    chains: tuple[EvidenceChain, ...]
    join: Join | None = None
    compared: Compared | None = None
    coverage: float = 1.0
    sure: float | None = None
    odds: tuple[float, float] = (1.0, 0.0)
    facts: tuple[int, ...] = ()
    read: tuple[str, ...] | None = None
    characters: int | None = EVIDENCE_LIMIT
    warnings: tuple[str, ...] = ()
    computed: Mapping[float, float] = field(default_factory=dict)
    joins: bool = True


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a reasoner concluded: answers, or a typed no-answer (exactly one of the two)."""

    answers: tuple[Answer, ...] = ()
    no_answer: NoAnswer | None = None
    text: str = ""
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        if bool(self.answers) == (self.no_answer is not None):
            raise ValueError("a verdict has either answers or a no-answer")


class Reasoner(Protocol):
    """Turns evidence into answers. Holds no state of a question, so threads may share it.

    ``llm`` and ``prompts`` are what ``run.started`` says of the language model; None and empty without one.
    """

    name: str
    llm: str | None
    prompts: dict[str, str]

    def answer(self, evidence: Evidence, *, cancelled: Callable[[], bool]) -> Iterator[AnswerDelta | Conclusion]:
        """Yield pieces of text as they come, then one :class:`Conclusion`.

        Raises:
            LLMError: a language model is needed and cannot be used.
        """
        ...
