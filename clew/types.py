"""What the API returns, as far as the client's users read it; a test compares these types with the OpenAPI schema.

Responses have more fields than these: ``GET /api/v1/schema`` describes them all.
"""

from __future__ import annotations

from typing import Any, TypedDict


class Error(TypedDict):
    """What went wrong and what to do next."""

    code: str
    message: str
    hint: str


class Graph(TypedDict):
    """A knowledge graph; ``state`` is ``ready`` once it can be asked."""

    id: int
    name: str
    description: str
    state: str
    entities: int
    relations: int
    triples: int
    passages: int
    examples: list[str]
    error: Error | None


class Job(TypedDict):
    """Work in the background; ``overall`` is the share that is done, from 0 to 1."""

    id: int
    kind: str
    state: str
    message: str
    overall: float
    eta_s: float | None
    error: Error | None


class QuestionSet(TypedDict):
    """Questions with their right answers, to evaluate or train on."""

    id: int
    name: str
    graph: int
    questions: int


class Queue(TypedDict):
    """A review queue."""

    id: int
    name: str
    graph: int
    state: str
    items: int


class ReportDetail(TypedDict):
    """An evaluation; ``metrics`` are shares from 0 to 1, ``n`` counts the questions."""

    id: int
    graph: int
    question_set: int | None
    split: str
    method: str
    state: str
    n: int | None
    metrics: dict[str, float | None]
    error: Error | None


class Run(TypedDict):
    """A question that was asked."""

    id: str
    question: str
    graph: int
    method: str
    state: str
    answers: list[str]
    error: Error | None


class Node(TypedDict):
    """An entity."""

    id: int
    label: str


class RelationStep(TypedDict):
    """A relation; ``label`` is its name as people read it."""

    name: str
    label: str
    inverse: bool


class Hop(TypedDict):
    """A step of a path as walked; ``verified`` says that the graph has the fact."""

    source: Node
    step: RelationStep
    target: Node
    verified: bool


class RetrievedPath(TypedDict):
    """A path from an entity of the question; a higher score is better."""

    score: float
    hops: list[Hop]


class RetrievedTriple(TypedDict):
    """A fact."""

    head: Node
    relation: RelationStep
    tail: Node
    score: float


class Passage(TypedDict):
    """A piece of a document."""

    id: int
    name: str
    title: str
    text: str
    document: str
    url: str


class RetrievedPassage(TypedDict):
    """A passage with its score."""

    passage: Passage
    score: float


class Retrieval(TypedDict):
    """What was retrieved for a question, each list best first; ``problem`` says why there is nothing."""

    question: str
    method: str
    paths: list[RetrievedPath]
    triples: list[RetrievedTriple]
    passages: list[RetrievedPassage]
    problem: str


class AskRequest(TypedDict, total=False):
    """Settings of a question; what is left out follows from the graph."""

    method: str | None
    checkpoint: int | None
    reasoner: str | None
    llm: int | None
    budget: int | None
    seed: int
    options: dict[str, Any]
    entities: list[int]
    program: dict[str, Any] | None
    follows: str | None


class RetrieveRequest(TypedDict, total=False):
    """Settings of a retrieval; ``budget`` is the largest number of distinct facts."""

    method: str | None
    checkpoint: int | None
    budget: int | None
    seed: int
    options: dict[str, Any]
    wait_s: float


class EvaluateRequest(TypedDict, total=False):
    """Settings of an evaluation."""

    method: str | None
    checkpoint: int | None
    reasoner: str | None
    llm: int | None
    budget: int | None
    seed: int
    split: str
    limit: int | None
    topics: str
    subgraphs: str


class UploadRequest(TypedDict, total=False):
    """Settings of an import; what is left out is detected."""

    description: str
    visibility: str
    format: str
    delimiter: str
    header: bool | None
    encoding: str
    model: dict[str, Any] | None


class EvidenceSource(TypedDict):
    """A fact of the evidence; ``source`` has the ``name`` of its file and the ``row`` in it."""

    head: str
    relation: str
    tail: str
    source: dict[str, Any] | None


Event = dict[str, Any]
"""An event of a run: ``type``, ``seq``, and the fields of its type (``docs/contracts.md``)."""
