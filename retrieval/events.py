"""The closed set of events that a run emits.

Each event is one frozen dataclass whose ``type`` is fixed. On the wire an event is
``{run, seq, at, type, ...fields}``: ``seq`` counts from 1 without gaps, ``at`` is ISO 8601 in UTC.
The engine yields the payloads; whoever stores them adds ``run``, ``seq`` and ``at``.

The OpenAPI schema holds them (``webapp/answers/event_schema.py``), and the pages' types are made of that: adding or
changing a field here is a protocol change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Literal, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json, to_jsonable_python

from retrieval.results import (
    Answer,
    AnswerLimit,
    AnswerTable,
    Citation,
    NoAnswer,
    ProgramReading,
    ProgramStep,
    RankedValue,
    Span,
    TableCell,
    TableColumn,
)
from retrieval.types import (
    AgentAction,
    Denoted,
    EvidenceChain,
    Hop,
    LinkedEntity,
    Node,
    Passage,
    Pulled,
    RelationStep,
    RetrievedPassage,
    Usage,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The worker has begun. Names everything needed to repeat the run.

    ``llm`` is the language model that may be asked, ``prompts`` the version and the hash of each prompt by its name.
    A graph that lives in an endpoint, at the address ``endpoint``, has no snapshot: ``snapshot`` is empty.
    """

    type: ClassVar[str] = "run.started"
    question: str
    method: str
    reasoner: str
    snapshot: str
    checkpoint: str | None
    encoder: str
    budget: int
    seed: int
    llm: str | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionRewritten:
    """A follow-up as a question that stands on its own; everything behind this event is about that question.

    ``shown`` is the same as people read it; ``denoted`` are words of ``question`` that stand for nodes.
    """

    type: ClassVar[str] = "question.rewritten"
    question: str
    shown: str
    denoted: tuple[Denoted, ...]
    took_ms: float


@dataclass(frozen=True, slots=True)
class QuestionLinked:
    """Topic entities are known. ``unmatched`` are phrases that look like names and were not found."""

    type: ClassVar[str] = "question.linked"
    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    took_ms: float


@dataclass(frozen=True, slots=True)
class RouterDecided:
    """The router chose a method for this question, and why."""

    type: ClassVar[str] = "router.decided"
    method: str
    reason: str
    scores: dict[str, float]
    took_ms: float


@dataclass(frozen=True, slots=True)
class SubgraphExtracted:
    """The candidate subgraph around the topic entities; ``pulled`` where it comes from an endpoint."""

    type: ClassVar[str] = "subgraph.extracted"
    topics: tuple[Node, ...]
    entities: int
    triples: int
    max_hops: int
    strategy: str
    took_ms: float
    pulled: Pulled | None = None


@dataclass(frozen=True, slots=True)
class PathRetrieved:
    """One reasoning path. ``index`` counts from 1. ``at_ms`` is the time since the run started."""

    type: ClassVar[str] = "path.retrieved"
    index: int
    hops: tuple[Hop, ...]
    score: float
    at_ms: float


@dataclass(frozen=True, slots=True)
class PassagesRetrieved:
    """The passages of the text that were found, the best first. ``strategy`` says how."""

    type: ClassVar[str] = "passages.retrieved"
    passages: tuple[RetrievedPassage, ...]
    strategy: str
    took_ms: float


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One step of an agent that explores the graph.

    ``current`` are the entities it stands at, ``hops`` the facts it selected and ``dropped`` those it looked at
    and left (the best of them). ``window`` counts the facts it looked at, ``focus`` those it holds now.
    ``sufficient`` is what it says of them: enough to answer, or None when it does not judge.

    Graph-S3 also says ``chosen``, what was done, among ``alternatives``, what could have been done instead (at most 12,
    best first), ``by`` whom it was chosen, what an exploration brought to be ``seen`` (at most 60 of them), and whether
    the step was ``valid``: one that was not changed nothing, and the observation says why.
    """

    type: ClassVar[str] = "agent.step"
    step: int
    thought: str
    action: str
    observation: str
    hops: tuple[Hop, ...]
    window: int
    focus: int
    took_ms: float
    current: tuple[Node, ...] = ()
    dropped: tuple[Hop, ...] = ()
    sufficient: bool | None = None
    chosen: AgentAction | None = None
    alternatives: tuple[AgentAction, ...] = ()
    by: Literal["policy", "person"] = "policy"
    seen: tuple[Hop, ...] = ()
    valid: bool = True


@dataclass(frozen=True, slots=True)
class RunPaused:
    """The run waits for a person after step ``step``; ``alternatives`` are what could come next, best first.

    Not an end: it goes on in the same log.
    """

    type: ClassVar[str] = "run.paused"
    step: int
    message: str
    alternatives: tuple[AgentAction, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentRewound:
    """Somebody took steps back: those after ``to_step`` count no more; 0 takes back all."""

    type: ClassVar[str] = "agent.rewound"
    to_step: int
    by: Literal["person"] = "person"


@dataclass(frozen=True, slots=True)
class SimilarityExpanded:
    """A jump between entities that are similar and not connected, made after step ``step``."""

    type: ClassVar[str] = "similarity.expanded"
    source: Node
    target: Node
    score: float
    step: int = 0


@dataclass(frozen=True, slots=True)
class ChainsBuilt:
    """The retrieved paths, reorganised into evidence chains. ``triples`` counts distinct facts."""

    type: ClassVar[str] = "chains.built"
    chains: tuple[EvidenceChain, ...]
    paths: int
    triples: int
    took_ms: float


@dataclass(frozen=True, slots=True)
class ProgramExecuted:
    """The question was read as a program, and that was executed over the graph.

    ``read`` is the program, ``others`` what else the question may mean, best first; ``by`` says whom it comes from.
    ``ranked`` are the values that a ranking compared, answers first, then runners-up. ``sparql`` and ``cypher``
    give the same on the same data.
    """

    type: ClassVar[str] = "program.executed"
    read: ProgramReading
    steps: tuple[ProgramStep, ...]
    others: tuple[ProgramReading, ...]
    ranked: tuple[RankedValue, ...]
    sparql: str
    cypher: str
    took_ms: float
    by: Literal["reader", "person", "model"] = "reader"


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """A piece of the answer text as the language model writes it."""

    type: ClassVar[str] = "answer.delta"
    text: str


@dataclass(frozen=True, slots=True)
class AnswerFinal:
    """The end of a run that went well: answers, or a typed no-answer (exactly one of the two).

    ``text`` is what a language model wrote. ``sentence`` says the answers in English where nothing else does: None
    beside a text, for guesses, for answers read from passages, and in runs of earlier versions. ``table`` holds the
    answers with what else was asked for of each, where they are rows of several columns; ``answers`` are then what the
    rows are of: the things, or the groups. ``unused`` are the words of the question that the answers leave out, in its
    order: those of the program's question as it was read, of a follow-up ``question.rewritten``'s. ``limit`` is there
    where a limit on wrong answers was set: what it withholds is marked as guesses.
    """

    type: ClassVar[str] = "answer.final"
    answers: tuple[Answer, ...]
    no_answer: NoAnswer | None
    text: str
    warnings: tuple[str, ...]
    usage: Usage
    took_ms: float
    sentence: str | None = None
    table: AnswerTable | None = None
    unused: tuple[Span, ...] = ()
    limit: AnswerLimit | None = None

    @property
    def confidence(self) -> float | None:
        """Of the best answer, whatever gave it: a program, relation paths, passages or an agent; None without any."""
        return max((answer.score for answer in self.answers), default=None)


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The end of a run that broke. What was streamed before is kept."""

    type: ClassVar[str] = "run.failed"
    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """The end of a run that somebody stopped. What was found is kept and marked incomplete."""

    type: ClassVar[str] = "run.cancelled"
    message: str
    paths: int


Event = (
    RunStarted
    | QuestionRewritten
    | QuestionLinked
    | RouterDecided
    | SubgraphExtracted
    | PathRetrieved
    | PassagesRetrieved
    | AgentStep
    | RunPaused
    | AgentRewound
    | SimilarityExpanded
    | ChainsBuilt
    | ProgramExecuted
    | AnswerDelta
    | AnswerFinal
    | RunFailed
    | RunCancelled
)

EVENT_TYPES: dict[str, type[Event]] = {
    cls.type: cls
    for cls in (
        RunStarted,
        QuestionRewritten,
        QuestionLinked,
        RouterDecided,
        SubgraphExtracted,
        PathRetrieved,
        PassagesRetrieved,
        AgentStep,
        RunPaused,
        AgentRewound,
        SimilarityExpanded,
        ChainsBuilt,
        ProgramExecuted,
        AnswerDelta,
        AnswerFinal,
        RunFailed,
        RunCancelled,
    )
}

TERMINAL_TYPES = frozenset({AnswerFinal.type, RunFailed.type, RunCancelled.type})


_PARTS = (
    *(AgentAction, Answer, AnswerLimit, AnswerTable, Citation, Denoted, EvidenceChain, Hop, LinkedEntity, NoAnswer),
    *(Node, Passage, ProgramReading, ProgramStep, RankedValue, TableCell, TableColumn),
    *(Pulled, RelationStep, RetrievedPassage, Span, Usage),
)
for _cls in (*EVENT_TYPES.values(), *_PARTS):
    _cls.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[union-attr]  # read by pydantic alone


def to_payload(event: Event) -> dict[str, Any]:
    """The event as plain JSON types, ``type`` first, without ``run``, ``seq`` and ``at``."""
    return {"type": event.type, **to_jsonable_python(event)}


def from_payload(payload: dict[str, Any]) -> Event:
    """Read what :func:`to_payload` wrote. The envelope's ``run``, ``seq`` and ``at`` may be present.

    Raises:
        ValueError: the type is unknown, or a field is missing, extra or of the wrong shape.
    """
    body = {k: v for k, v in payload.items() if k not in {"run", "seq", "at", "type"}}
    name = payload.get("type")
    cls = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        known = ", ".join(EVENT_TYPES)
        raise ValueError(f"unknown event type {name!r}; known types: {known}")
    event: Event = from_plain(cls, body)
    return event


def to_plain(value: Any) -> Any:
    """A part of an event, such as an ``AgentAction``, as plain JSON types."""
    return to_jsonable_python(value)


def from_plain(cls: type[T], value: Any) -> T:
    """Read a part of an event that :func:`to_plain` wrote.

    Raises:
        ValueError: a field is missing, extra or of the wrong shape.
    """
    try:
        part: T = _get_adapter(cast(Any, cls)).validate_json(to_json(value), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, (cls.__name__, *first["loc"])))
        raise ValueError(f"{where}: {first['msg']}") from error
    return part


@cache
def _get_adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)
