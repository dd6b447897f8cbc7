"""Frozen dataclasses that the stages exchange. Standard library only: the web process imports this.

Entity and relation ids are int32 positions in one snapshot's label tables and mean nothing outside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

NodeKind = Literal["entity", "cvt", "literal"]


@dataclass(frozen=True, slots=True)
class Node:
    """An entity as shown to a person. ``kind`` is ``cvt`` for mediator nodes without a name of their own."""

    id: int
    label: str
    kind: NodeKind = "entity"


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact (head, relation, tail) by ids of one snapshot."""

    head: int
    relation: int
    tail: int


@dataclass(frozen=True, slots=True)
class RelationStep:
    """One step of a relation path.

    Attributes:
        name: the relation as the KG spells it (``location.country.languages_spoken``).
        label: humanised for people (``languages spoken``).
        inverse: walked against the direction of the fact.
    """

    name: str
    label: str
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path as walked, ``source -> target``.

    The fact behind it is (source, relation, target), or (target, relation, source) when ``step.inverse``.
    ``verified`` is True only after the fact was found in the snapshot.
    """

    source: Node
    step: RelationStep
    target: Node
    verified: bool


@dataclass(frozen=True, slots=True)
class AgentAction:
    """What an agent does in one step, or could do (Graph-S3 section 3.1.1).

    Attributes:
        kind: ``explore`` looks at the facts around entities, ``choose`` keeps facts of what was explored last and
            leaves the others, ``finish`` answers from what is kept.
        entities: of explore; at most 20 listed of ``count``.
        relations: of choose: all facts of these relations, as walked from the explored entities.
        triples: of choose: these facts alone.
        facts: how many facts it shows or keeps.
        score: the policy's probability of it, None where the policy has none.
        count: how many entities are explored.
        front: of explore: all that choice ``front`` reached, counted from 1; 0 is the topics. None when only the
            listed entities are meant.
    """

    kind: Literal["explore", "choose", "finish"]
    entities: tuple[Node, ...] = ()
    relations: tuple[RelationStep, ...] = ()
    triples: tuple[Hop, ...] = ()
    facts: int = 0
    score: float | None = None
    count: int = 0
    front: int | None = None


@dataclass(frozen=True, slots=True)
class LinkedEntity:
    """A mention in the question and the entity it was linked to.

    ``start`` and ``end`` are character offsets in the question, -1 when the caller named the entity.
    ``score`` is in [0, 1]. ``alternatives`` are other entities the mention might mean, best first.
    """

    entity: Node
    mention: str
    start: int
    end: int
    score: float
    source: Literal["exact", "alias", "fuzzy", "vector", "given"]
    alternatives: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Denoted:
    """Characters [start, end) of a question that stand for nodes, ids ascending."""

    start: int
    end: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was answered: what a follow-up leans on.

    Attributes:
        question: as it was read: a follow-up as it stands on its own.
        topics: entities that it names, in its order.
        answers: nodes that answered it, best first.
        program: what it was read as, by names; None where it was answered otherwise.
        denoted: words of ``question`` that stand for nodes.
    """

    question: str
    topics: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()
    program: dict[str, Any] | None = field(default=None, hash=False)
    denoted: tuple[Denoted, ...] = ()


@dataclass(frozen=True, slots=True)
class Pulled:
    """How a candidate subgraph was pulled from an endpoint, which has no version that could be asked again.

    Attributes:
        at: when, ISO 8601 in UTC; earlier than the run when it was kept from another.
        hash: of what was pulled: the same hash is the same facts.
        queries: sent for it.
        truncated: a limit cut something off.
    """

    at: str
    hash: str
    queries: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A reasoning path, from a topic entity along arcs of the snapshot.

    Attributes:
        topic: the entity the path starts at.
        arcs: directed arc ids (docs/contracts.md): ``a < T`` is fact a walked forward, ``a >= T`` fact
            ``a - T`` walked backward. At least one.
        score: the retriever's probability of the path for this question and topic, in (0, 1].
    """

    topic: int
    arcs: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A relation path from a topic entity and its probability.

    Attributes:
        topic: the entity the path starts at.
        relations: directed relation ids: ``r`` forward, ``R + r`` inverse. At least one.
        score: probability that this relation path, then STOP, answers the question from this topic,
            in (0, 1]. Over all paths of one topic the scores sum to at most 1.
        support: how surely the question asks for this path, whatever else the topic has, on the method's own scale;
            None where it only compares what the topic has.
        doubted: the support is less than what questions that have an answer give; None where that is not known.
        returns: where it leads back to the topic and nowhere else, the topic is its answer.
    """

    topic: int
    relations: tuple[int, ...]
    score: float
    support: float | None = field(default=None, kw_only=True)
    doubted: bool | None = field(default=None, kw_only=True)
    returns: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class EvidenceChain:
    """Paths of one relation path from one topic entity, merged (ReG D.4.2, multi-answer merging).

    Attributes:
        source: the topic entity.
        steps: the relation path.
        levels: entities reached after each step, at most ``LEVEL_LIMIT`` listed of ``level_counts``.
        level_counts: how many entities each level really has.
        hops: the hops between the listed entities, each verified against the snapshot.
        score: probability of the relation path for this question, in [0, 1].
        merged_with: indices of the chains whose targets were intersected with this one's.
    """

    source: Node
    steps: tuple[RelationStep, ...]
    levels: tuple[tuple[Node, ...], ...]
    level_counts: tuple[int, ...]
    hops: tuple[Hop, ...]
    score: float
    merged_with: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document.

    Attributes:
        id: position among the snapshot's passages.
        name: id as the source spells it.
        title: title of the document, or of the section.
        text: what it says.
        document: name of the document it was cut from; empty when it is a document of its own.
        url: where the document came from, as far as that is known.
    """

    id: int
    name: str
    title: str
    text: str
    document: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage that a retriever ranked. ``facts`` counts the retrieved facts it is the source of."""

    passage: Passage
    score: float
    facts: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run cost: language-model calls and tokens, triples retrieved.

    ``cost`` is in the currency of the model's price, None where no price is known. ``reasoning_tokens`` are those of
    the completion that the endpoint says were thought and not written; 0 where it does not say.
    """

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    triples: int = 0
    cost: float | None = None
    reasoning_tokens: int = 0

    def add(self, other: Usage) -> Usage:
        """Both together. The cost is what is known of it."""
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.triples + other.triples,
            sum(known) if known else None,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """A row of an input file that could not be used. ``line`` counts from 1; 0 means the whole file.

    ``kind`` is one of ``PROBLEM_KINDS``, for counting.
    """

    file: str
    line: int
    message: str
    text: str = ""
    kind: str = "row"


#: What can be wrong with a row: it has the wrong shape or breaks its format (``row``), a name in it is empty
#: (``blank``), its bytes are not text of the file's encoding (``encoding``); or its file was read already (``repeat``).
PROBLEM_KINDS = ("row", "blank", "encoding", "repeat")


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What was read of one file.

    Attributes:
        name: what its owner calls it; a file of an archive is ``archive/path``.
        format: as which it was read.
        rows: good rows.
        problems: rows that could not be used.
        kinds: those by ``PROBLEM_KINDS``, (kind, count), kinds that occur.
        encoding: of its text, as it was read.
        same_as: the file that has the same content and was read in its place; empty where there is none.
    """

    name: str
    format: str
    rows: int
    problems: int
    kinds: tuple[tuple[str, int], ...] = ()
    encoding: str = "utf-8"
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the files of a graph.

    Attributes:
        triples, entities, relations, passages: of the graph.
        duplicates: facts that were given more than once, each further time counted.
        self_loops: facts from an entity to itself.
        dangling: entities that were declared and are in no fact.
        blank_labels: rows left out because a name in them is empty.
        odd_encodings: files whose text is not UTF-8 throughout.
        problems: rows left out, blank ones among them.
        files: each file by itself.
    """

    triples: int
    entities: int
    relations: int
    passages: int
    duplicates: int
    self_loops: int
    dangling: int
    blank_labels: int
    odd_encodings: int
    problems: int
    files: tuple[SourceReport, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question of a question set, as its file has it.

    ``relation_paths`` are relation names only, from a topic to an answer that need not be given, walked in
    directions that are not known (RoG's planning data); some of them may be wrong. ``passages`` are names of
    the passages that support the answer. ``program`` is what the question asks, by names of the graph; ``operators``
    are what it needs, in the set's own words (``count``, ``superlative``); ``also`` are other answer sets that count as
    right. ``rows`` are the cells of the table that answers it, as texts.
    """

    id: str
    question: str
    topic_entities: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    paths: tuple[tuple[tuple[str, str, str], ...], ...] = ()
    triples: tuple[tuple[str, str, str], ...] = ()
    relation_paths: tuple[tuple[str, ...], ...] = ()
    passages: tuple[str, ...] = ()
    hops: int | None = None
    split: str | None = None
    program: dict[str, Any] | None = field(default=None, hash=False)
    operators: tuple[str, ...] = ()
    also: tuple[tuple[str, ...], ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work has come. ``total`` is 0 when it is not known."""

    stage: str
    done: int
    total: int
    unit: str = "items"
    message: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
