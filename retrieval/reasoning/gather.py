"""From relation paths to evidence: execute them, decide how topics combine, order and build the chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import Cancelled
from retrieval.evidence.chains import build_chain
from retrieval.evidence.reach import Join, Reach, apply_join, find_joins, walk
from retrieval.language.question import Question
from retrieval.reasoning.base import Evidence
from retrieval.reasoning.comparison import compare
from retrieval.reasoning.context import filter_by_context
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import RelationPath


@dataclass(frozen=True, slots=True)
class GatherSettings:
    """How much evidence is kept.

    Attributes:
        join_width: relation paths of each topic that are tried for an intersection.
        join_hop: prior of each hop after the first of a relation path that is intersected, in (0, 1]. Without
            it an untrained retriever answers "which countries border both X and Y" with what the neighbours
            of both became independent from. 0.1 takes it from 39 to 63 in 100 exact sets on the demo's dev
            questions of two topics, and changes no answer of a trained one.
        join_share: an intersection counts when its probability is at least this share of the product of
            the topics' best relation paths; below it, the topics do not belong together.
        joins: topics are intersected at all.
        chain_limit: most chains shown.
        chain_share: a chain is shown when its probability is at least this share of the best one's.
    """

    join_width: int = 6
    join_hop: float = 0.1
    join_share: float = 0.0
    joins: bool = True
    chain_limit: int = 6
    chain_share: float = 0.05


def collect_evidence(
    snapshot: Snapshot,
    question: Question,
    entities: Sequence[LinkedEntity],
    unmatched: Sequence[str],
    paths: Sequence[RelationPath],
    *,
    simple: bool,
    settings: GatherSettings,
    cancelled: Callable[[], bool],
    coverage: float = 1.0,
) -> Evidence:
    """Everything a reasoner needs, from what the retriever says about relation paths.

    Args:
        entities: linked topics.
        unmatched: phrases that were not linked.
        paths: relation paths of all topics with probabilities.
        simple: how the checkpoint executes relation paths. Then what the question names is not its answer either,
            unless it offers a choice.
        coverage: how well the best relation path fits the question. Topics that meet, or that can be
            compared, answer the question whatever it says.
    """
    reaches = execute_paths(snapshot, paths, simple=simple, cancelled=cancelled)
    return build_evidence(
        snapshot, question, entities, unmatched, reaches, simple=simple, settings=settings, coverage=coverage
    )


def execute_paths(
    snapshot: Snapshot, paths: Sequence[RelationPath], *, simple: bool, cancelled: Callable[[], bool]
) -> list[Reach]:
    """Relation paths with all that they reach in a graph, best first; see :func:`collect_evidence`."""
    reaches: list[Reach] = []
    for path in sorted(paths, key=lambda path: -path.score):
        if cancelled():
            raise Cancelled("The run was stopped.")
        reach = walk(snapshot, path.topic, path.relations, path.score, simple=simple)
        if len(reach.targets):
            reaches.append(reach)
    return reaches


def build_evidence(
    snapshot: Snapshot,
    question: Question,
    entities: Sequence[LinkedEntity],
    unmatched: Sequence[str],
    reaches: Sequence[Reach],
    *,
    simple: bool,
    settings: GatherSettings,
    coverage: float = 1.0,
) -> Evidence:
    """The evidence of relation paths whose targets are known, best first; see :func:`collect_evidence`."""
    named_entities = [] if not simple or question.has_choice else _list_named(entities)
    if len(named_entities) > 1:
        reaches = [reach for each in reaches if len((reach := _remove_entities(each, named_entities)).targets)]
    names = [name for linked in entities for name in (linked.mention, linked.entity.label)]
    reaches = filter_by_context(snapshot, question, names, reaches)
    topics = tuple(dict.fromkeys(linked.entity.id for linked in entities))
    compared = compare(snapshot, question, reaches, topics)
    join = None if compared else find_best_join(reaches, topics, settings)
    if compared is not None:
        reaches = [reaches[i] for i in compared.members] + [
            reach for i, reach in enumerate(reaches) if i not in compared.members
        ]
        compared = compare(snapshot, question, reaches, topics)
    certain = len(compared.members) if compared else len(join.members) if join else 0
    shown = apply_join(reaches, join) if join else reaches
    count = max(certain, _count_chains(reaches, settings))
    chains = tuple(build_chain(snapshot, reach) for reach in shown[:count])
    return Evidence(
        question=question,
        snapshot=snapshot,
        entities=tuple(entities),
        unmatched=tuple(unmatched),
        reaches=tuple(shown),
        chains=chains,
        join=join,
        compared=compared,
        coverage=coverage if join is None and compared is None else 1.0,
        joins=settings.joins,
    )


def _list_named(entities: Sequence[LinkedEntity]) -> list[int]:
    """What the question names; what a search began at by itself is linked with a score of 0."""
    return sorted({linked.entity.id for linked in entities if linked.score > 0})


def _remove_entities(reach: Reach, entities: Sequence[int]) -> Reach:
    """The reach without what the question names: who asks for Portugal's midfielders does not want Portugal."""
    kept = reach.targets[~np.isin(reach.targets, entities)]
    return reach if len(kept) == len(reach.targets) else replace(reach, levels=(*reach.levels[:-1], kept))


def find_best_join(reaches: Sequence[Reach], topics: Sequence[int], settings: GatherSettings) -> Join | None:
    """The most probable intersection over all topics, fewer hops preferred.

    None for one topic, when nothing is shared, or where none are made.
    """
    if len(topics) < 2 or not settings.joins:
        return None
    candidates = find_joins(reaches, topics, per_topic=settings.join_width, further_hop=settings.join_hop)
    if not candidates:
        return None
    ceiling = 1.0
    for topic in topics:
        ceiling *= max(reach.probability for reach in reaches if reach.topic == topic)
    return candidates[0] if candidates[0].probability >= settings.join_share * ceiling else None


def _count_chains(reaches: Sequence[Reach], settings: GatherSettings) -> int:
    if not reaches:
        return 0
    cut = settings.chain_share * max(reach.probability for reach in reaches)
    return min(settings.chain_limit, sum(reach.probability >= cut for reach in reaches))
