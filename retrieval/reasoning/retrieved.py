"""What was retrieved, as a reasoner reads it: chains, paths or triples, and nothing else of the graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from retrieval.config import EvidenceOptions
from retrieval.evidence.chains import LEVEL_LIMIT, build_chain
from retrieval.evidence.expand import ChainStep, Walk
from retrieval.evidence.reach import Join, Reach, from_walks
from retrieval.evidence.reorganise import merge_chains
from retrieval.evidence.verbalise import format_parallel, format_path
from retrieval.kg.snapshot import KINDS
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.reasoning.base import Evidence
from retrieval.types import FoundPath, Hop, RelationPath, Triple

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

Form = Literal["auto", "chains", "paths", "triples", "shuffled-triples"]
_MEDIATOR = KINDS.index("cvt")


@dataclass(slots=True)
class Retrieved:
    """What a retriever brought.

    Attributes:
        paths: in the order in which they came.
        facts: ids with scores in [0, 1], in the order in which they came.
    """

    paths: list[FoundPath] = field(default_factory=list)
    facts: dict[int, float] = field(default_factory=dict)


def prepare_evidence(
    evidence: Evidence, retrieved: Retrieved, options: EvidenceOptions, form: Form, *, seed: int
) -> Evidence:
    """The evidence as a language model reads it in a form other than ``auto``; as it is where nothing was retrieved.

    Args:
        form: chains (ReG 4.2), single paths (RAPL 4.3), single triples, or these in random order (RAPL 5.4).
        seed: of that order.
    """
    if not retrieved.facts:
        return evidence
    characters = options.characters_read or None
    if form == "paths":
        reaches = from_walks(evidence.snapshot, _to_walks(evidence.snapshot, retrieved.paths))
        lines = dict.fromkeys(_render_path(evidence.snapshot, path.arcs) for path in retrieved.paths)
        read = _replace_reaches(evidence, retrieved.facts, reaches, options.chains_read)
        return replace(read, read=tuple(lines), characters=characters, warnings=())
    read = replace(convert_to_chains(evidence, retrieved.facts, options), characters=characters)
    if form == "chains":
        return read
    order = list(retrieved.facts)
    if form == "shuffled-triples":
        np.random.default_rng(seed).shuffle(order)
    written = _render_triples(evidence.snapshot, order, parallel=options.merge_parallel)
    return replace(read, read=tuple(written), warnings=())


def convert_to_chains(evidence: Evidence, facts: Mapping[int, float], options: EvidenceOptions) -> Evidence:
    """The evidence as chains of the retrieved triples alone (ReG 4.2); as it is where none was retrieved.

    Args:
        evidence: of the same question.
        facts: the retrieved facts, each with a score in [0, 1].
    """
    topics = tuple(dict.fromkeys(linked.entity.id for linked in evidence.entities))
    reaches = merge_chains(
        evidence.snapshot, facts, topics, max_length=options.chain_length or None,
        turning=options.turning_chains, parallel=options.merge_parallel,
    )  # fmt: skip
    if not options.merge_parallel:
        return _replace_reaches(evidence, facts, reaches, options.chains_read)
    lines = [_render_chain(evidence.snapshot, reach) for reach in reaches]
    limit = options.chains_read or len(lines)
    shown = [*reaches, *(other for reach in reaches for other in _list_alternatives(reach))]
    return replace(_replace_reaches(evidence, facts, shown, limit), read=tuple(lines[:limit]))


def _replace_reaches(evidence: Evidence, facts: Mapping[int, float], reaches: Sequence[Reach], limit: int) -> Evidence:
    if not reaches:
        return evidence
    topics = tuple(dict.fromkeys(linked.entity.id for linked in evidence.entities))
    retrieved = RestrictedSnapshot(evidence.snapshot, np.array(sorted(facts), np.int64))
    join = None
    if evidence.joins and len(topics) > 1 and len(reaches[0].partners) == len(topics) - 1:
        members = tuple(range(len(topics)))
        join = Join(members, reaches[0].targets, prod(reaches[i].probability for i in members))
    kept = reaches[:limit] if limit else reaches
    cut = f"{len(kept)} of {len(reaches)} evidence chains are read, the best." if len(kept) < len(reaches) else ""
    return replace(
        evidence,
        reaches=tuple(reaches),
        chains=tuple(build_chain(retrieved, reach) for reach in kept),
        join=join,
        compared=None,
        warnings=(cut,) if cut else (),
    )


def _list_alternatives(reach: Reach) -> Iterator[Reach]:
    """The same chain by the other relations of one step at a time, for people to see."""
    for place, parallel in enumerate(reach.parallel):
        for relation in parallel[1:]:
            path = (*reach.path[:place], relation, *reach.path[place + 1 :])
            yield replace(reach, path=path, partners=())


def _render_chain(snapshot: Snapshot, reach: Reach) -> str:
    """A chain of unified triples, as a language model reads it."""
    relations = snapshot.num_relations
    steps = [
        [snapshot.get_relation_step(relation % relations, relation >= relations) for relation in parallel]
        for parallel in reach.parallel
    ]
    levels = [([snapshot.get_node(int(e)) for e in level[:LEVEL_LIMIT]], len(level)) for level in reach.levels]
    return format_parallel(snapshot.get_node(reach.topic), steps, levels)


def _render_triples(snapshot: Snapshot, facts: Sequence[int], *, parallel: bool) -> list[str]:
    """The facts in their order, a line each; parallel ones in the line of the first."""
    if not parallel:
        return list(dict.fromkeys(_render_path(snapshot, (fact,)) for fact in facts))
    unified: dict[tuple[int, int], list[Hop]] = {}
    for fact in facts:
        ends = int(snapshot.heads[fact]), int(snapshot.tails[fact])
        unified.setdefault(ends, []).append(snapshot.get_hop(fact))
    return [
        format_parallel(hops[0].source, [[hop.step for hop in hops]], [([hops[0].target], 1)])
        for hops in unified.values()
    ]


def collect_reaches(snapshot: Snapshot, retrieved: Retrieved, paths: Sequence[RelationPath]) -> list[Reach]:
    """What the retrieved paths themselves lead to, as the extractive reasoner reads them, best first.

    Args:
        paths: relation paths with their probabilities; a retrieved path of none of these has its own.
    """
    known = {(path.topic, path.relations): path.score for path in paths}
    reaches = []
    for reach in from_walks(snapshot, _to_walks(snapshot, retrieved.paths)):
        targets = reach.targets[snapshot.kinds[reach.targets] != _MEDIATOR]
        if len(targets):
            score = known.get((reach.topic, reach.path), reach.probability)
            reaches.append(replace(reach, levels=(*reach.levels[:-1], targets), probability=score))
    return sorted(reaches, key=lambda reach: -reach.probability)


def _to_walks(snapshot: Snapshot, paths: Sequence[FoundPath]) -> list[tuple[Walk, float]]:
    return [(tuple(_to_step(snapshot, arc) for arc in path.arcs), path.score) for path in paths]


def _to_step(snapshot: Snapshot, arc: int) -> ChainStep:
    fact = arc % snapshot.num_triples
    ends = int(snapshot.heads[fact]), int(snapshot.relations[fact]), int(snapshot.tails[fact])
    return ChainStep(Triple(*ends), inverse=arc >= snapshot.num_triples)


def _render_path(snapshot: Snapshot, arcs: Sequence[int]) -> str:
    return format_path([snapshot.get_hop(arc) for arc in arcs])
