"""ReG's reorganisation of retrieved triples into chains (ReG 4.2 and D.4): expand, merge answers, merge entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.evidence.expand import ChainStep, Walk, expand
from retrieval.evidence.reach import Reach, from_walks, merge_entities, merge_parallel
from retrieval.types import Triple

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def merge_chains(
    snapshot: Snapshot,
    facts: Mapping[int, float],
    topics: Sequence[int],
    *,
    max_length: int | None,
    turning: bool = True,
    parallel: bool = False,
) -> list[Reach]:
    """Merged chains of retrieved triples, best first, those of topics that meet side by side.

    A chain is as probable as its weakest triple. A triple that no chain holds stands for itself, last: what is said of
    an answer and leads on from no topic, to compare answers by (ReG 4.1's answer-centric neighbourhoods).

    Args:
        facts: ids of the retrieved facts, each with a score in [0, 1].
        topics: distinct topic entities.
        max_length: L, most hops of a chain; None for no limit.
        turning: chains may change direction, because retrieved triples are walked both ways.
        parallel: unify parallel triples first (:func:`merge_parallel`).

    Returns:
        Reaches whose levels hold what the retrieved triples reach, and nothing else of the graph.
    """
    scores = {
        Triple(int(snapshot.heads[fact]), int(snapshot.relations[fact]), int(snapshot.tails[fact])): score
        for fact, score in sorted(facts.items(), key=lambda item: -item[1])
    }
    scores, units = merge_parallel(scores) if parallel else (scores, [])
    scored = [
        (walk, min(scores[step.fact] for step in walk))
        for walk in expand(scores, topics, max_length, mixed=turning)
        # A turning chain may come back to where it began, and then says nothing.
        if all(step.target != walk[0].source for step in walk)
    ]
    held = {step.fact for walk, _ in scored for step in walk}
    loose: list[tuple[Walk, float]] = [
        ((ChainStep(fact),), score) for fact, score in scores.items() if fact not in held and fact.head != fact.tail
    ]
    return merge_entities(from_walks(snapshot, scored, units), topics) + from_walks(snapshot, loose, units)
