"""What every retriever offers the pipeline and the reasoners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from retrieval.config import InferenceOptions
from retrieval.errors import Cancelled
from retrieval.kg.restriction import RestrictedSnapshot
from retrieval.types import Method


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
    """

    topic: int
    relations: tuple[int, ...]
    score: float
    support: float | None = field(default=None, kw_only=True)
    doubted: bool | None = field(default=None, kw_only=True)


class Retriever(Protocol):
    """Finds reasoning paths for a question whose topic entities are linked.

    Attributes:
        method: the method's name.
        checkpoint: fingerprint of the checkpoint, None for the zero-shot retriever.
        simple: paths never come back to their topic entity; execute relation paths the same way
            (``search.execute(..., simple=retriever.simple)``).
        options: its settings for asking.
    """

    method: Method
    checkpoint: str | None
    simple: bool
    options: InferenceOptions

    def retrieve(
        self,
        question: str,
        topics: Sequence[int],
        *,
        budget: int = 100,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        """Stream distinct paths, the most probable relation paths first.

        The same arguments give the same stream. Topics without any triple give nothing.

        Args:
            question: as the person wrote it.
            topics: linked entities, each once.
            budget: most distinct triples (facts) in all paths together, at least 1.
            seed: of the sampling.
            mentions: the text each topic was linked from, aligned with ``topics``; the entity's label
                is looked for where none is given.
            cancelled: asked between pieces of work.

        Raises:
            Cancelled: ``cancelled()`` said so.
        """
        ...

    def relation_paths(
        self,
        question: str,
        topics: Sequence[int],
        *,
        limit: int = 16,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[RelationPath]:
        """At most ``limit`` relation paths of each topic, the most probable first within a topic.

        Deterministic; what the extractive reasoner executes and intersects.
        """
        ...

    def configured(self, options: InferenceOptions) -> Retriever:
        """This retriever with other settings for asking; ``config.parse_options`` makes them, of its own class."""
        ...

    def on(self, snapshot: RestrictedSnapshot) -> Retriever:
        """This retriever on some facts of its graph, as a question's own subgraph gives them.

        Cheap: texts are not encoded again. What the model computes from the graph (triple states, node features)
        is computed from the restricted one, as if nothing else existed.
        """
        ...


def check(cancelled: Callable[[], bool]) -> None:
    """Raise ``Cancelled`` when somebody pressed Stop."""
    if cancelled():
        raise Cancelled("Stopped.", hint="What was found until then is kept.")
