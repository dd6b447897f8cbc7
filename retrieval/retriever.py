"""What every retriever offers the pipeline and the reasoners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from retrieval.config import InferenceOptions
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET
from retrieval.types import FoundPath, RelationPath


class Retriever(Protocol):
    """Finds reasoning paths for a question whose topic entities are linked.

    Attributes:
        method: the method's name.
        checkpoint: fingerprint of the checkpoint, None for the zero-shot retriever.
        simple: paths never come back to their topic entity; execute relation paths the same way
            (``search.execute(..., simple=retriever.simple)``).
        options: its settings for asking.
        max_hops: longest relation path that it finds.
    """

    method: str
    checkpoint: str | None
    simple: bool
    options: InferenceOptions
    max_hops: int

    def retrieve(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        budget: int = DEFAULT_BUDGET,
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

    def rank_relation_paths(
        self,
        question: Question,
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

    def score_triples(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[int, float] | None:
        """Facts that were ranked one by one, the best first, with scores in [0, 1]; None where paths are."""
        ...

    def apply_options(self, options: InferenceOptions) -> Retriever:
        """This retriever with other settings for asking; ``config.parse_options`` makes them, of its own class."""
        ...

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Retriever:
        """This retriever on some facts of its graph, as a question's own subgraph gives them.

        Cheap: texts are not encoded again. What the model computes from the graph (triple states, node features)
        is computed from the restricted one, as if nothing else existed.
        """
        ...
