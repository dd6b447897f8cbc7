"""Candidate pools: the paths between topics and answers that a rationalizer chooses from, merged.

A candidate stands for all paths of one relation path from one start; what merging saved is counted
(ReG, Table 1). Three pools: ``shortest`` (REL-RAG), ``reg`` (ReG 4.1, D.2) and ``rapl`` (RAPL 4.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from retrieval.errors import ConfigError
from retrieval.kg import search
from retrieval.kg.search import paths, walks
from retrieval.kg.snapshot import Snapshot
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Role

#: RAPL looks at paths up to so much longer than the shortest.
RAPL_SLACK = 2
_FAR = 127
#: At most so many paths are counted, and partial paths held, where only enumeration counts them.
_COUNTED, _ROWS = 10_000, 200_000


@dataclass(frozen=True, slots=True)
class PathCandidate:
    """All paths of one relation path from one start.

    Attributes:
        role: ``path`` from a topic to an answer; ``topic-fact`` (P_q) or ``answer-fact`` (P_a), one step.
        start: a topic; of an ``answer-fact``, the representative answer.
        relations: directed relation ids.
        arcs: one path of it, for showing.
    """

    role: Role
    start: int
    relations: tuple[int, ...]
    arcs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of a question, paths first.

    Attributes:
        candidates: merged.
        raw: paths before merging, each topic and each answer by itself.
        truncated: ``raw`` is at least so many; a bound cut the count short.
    """

    candidates: tuple[PathCandidate, ...]
    raw: int
    truncated: bool = False


MakePool = Callable[[Snapshot, Grounded, int], Pool]


def build_shortest_pool(snapshot: Snapshot, question: Grounded, max_hops: int) -> Pool:
    """All shortest paths of every topic and answer, those of one relation path merged (REL-RAG, App. B)."""
    chains, raw = _find_shortest_chains(snapshot, question, max_hops)
    candidates = [
        PathCandidate("path", topic, chain, _find_instance(snapshot, topic, chain, ends))
        for topic, topic_chains in chains.items()
        for chain, ends in topic_chains.items()
    ]
    return Pool(tuple(candidates), raw)


def build_reg_pool(snapshot: Snapshot, question: Grounded, max_hops: int) -> Pool:
    """P = P_sp + P_q + P_a of ReG 4.1, with answer merging and relation-chain merging (D.2).

    The representative answer is the one whose shortest relation paths are shared by most answers (the
    lowest id among equals). A fact around a topic that is itself a shortest path is listed as that.
    """
    chains, raw = _find_shortest_chains(snapshot, question, max_hops)
    answer = _select_representative(question, chains)
    candidates = [
        PathCandidate("path", topic, chain, _find_instance(snapshot, topic, chain, np.array([answer])))
        for topic, topic_chains in chains.items()
        for chain, ends in topic_chains.items()
        if answer in ends
    ]
    listed = {(candidate.start, candidate.relations) for candidate in candidates}
    for topic in question.topics:
        around = list_fact_candidates(snapshot, "topic-fact", topic)
        candidates += [fact for fact in around if (topic, fact.relations) not in listed]
    candidates += list_fact_candidates(snapshot, "answer-fact", answer)
    raw += sum(snapshot.get_degree(entity) for entity in (*question.topics, *question.answers))
    return Pool(tuple(candidates), raw)


def build_rapl_pool(snapshot: Snapshot, question: Grounded, max_hops: int) -> Pool:
    """All paths from each topic to an answer of length in [d_min, d_min + 2] (RAPL 4.1), merged by relation
    path. ``d_min`` is the topic's distance to its nearest answer; no path visits an entity twice, and none is
    longer than ``max_hops``."""
    answers = np.array(question.answers, np.int64)
    candidates: list[PathCandidate] = []
    raw, truncated = 0, False
    for topic in question.topics:
        away = paths.compute_distances(snapshot, [topic], max_hops)[answers]
        shortest = int(min((d for d in away.tolist() if d), default=_FAR))
        if shortest > max_hops:
            continue
        longest = min(shortest + RAPL_SLACK, max_hops)
        near = paths.compute_distances(snapshot, answers, longest)
        keep = partial(_keep_reaching, near, longest, topic)
        chains = _find_chains(snapshot, topic, answers, longest, keep)
        for chain, ends in chains.items():
            arcs = _find_instance(snapshot, topic, chain, ends)
            if arcs:
                candidates.append(PathCandidate("path", topic, chain, arcs))
        every = paths.find_paths(snapshot, [topic], answers, max_hops=longest, cap=_COUNTED, max_rows=_ROWS)
        raw, truncated = raw + len(every), truncated or every.truncated
    return Pool(tuple(candidates), raw, truncated)


POOLS: Mapping[str, MakePool] = MappingProxyType(
    {"shortest": build_shortest_pool, "reg": build_reg_pool, "rapl": build_rapl_pool}
)


def get(name: str) -> MakePool:
    """The pool of that name.

    Raises:
        ConfigError: there is none.
    """
    if name not in POOLS:
        raise ConfigError(f"No candidates are called {name!r}.", hint=f"There are: {', '.join(POOLS)}.")
    return POOLS[name]


Chains = dict[tuple[int, ...], np.ndarray]


def _find_shortest_chains(snapshot: Snapshot, question: Grounded, max_hops: int) -> tuple[dict[int, Chains], int]:
    """Per topic, the relation paths of its shortest paths with the answers each reaches; and how many
    shortest paths there are. An answer that is the topic itself has none."""
    answers = np.array(question.answers, np.int64)
    chains: dict[int, Chains] = {}
    raw = 0
    for topic in question.topics:
        away = paths.compute_distances(snapshot, [topic], max_hops)
        topic_chains: Chains = {}
        for length in range(1, max_hops + 1):
            ends = answers[away[answers] == length]
            if not len(ends):
                continue
            near = paths.compute_distances(snapshot, ends, length)
            topic_chains |= _find_chains(snapshot, topic, ends, length, partial(_keep_shortest, away, near, length))
            raw += _count_shortest(snapshot, topic, ends, away, length)
        chains[topic] = topic_chains
    return chains, raw


def _keep_shortest(away: np.ndarray, near: np.ndarray, length: int, hop: int, target: np.ndarray) -> np.ndarray:
    """Which targets of a hop lie on a path of ``length`` that is the shortest to its end."""
    kept: np.ndarray = (away[target] == hop) & (near[target] == length - hop)
    return kept


def _keep_reaching(near: np.ndarray, longest: int, topic: int, hop: int, target: np.ndarray) -> np.ndarray:
    """Which targets of a hop can still reach an end within ``longest``, and are not the topic."""
    kept: np.ndarray = (near[target] <= longest - hop) & (target != topic)
    return kept


def _find_chains(
    snapshot: Snapshot,
    topic: int,
    ends: np.ndarray,
    max_hops: int,
    keep: Callable[[int, np.ndarray], np.ndarray],
) -> Chains:
    """The relation paths of walks from ``topic`` through kept entities that end in ``ends``, shorter first,
    with the ends each reaches."""
    is_end = np.zeros(snapshot.num_entities, bool)
    is_end[ends] = True
    directed = 2 * snapshot.num_relations
    prefix, entity = np.zeros(1, np.int64), np.array([topic], np.int64)
    known: list[tuple[int, ...]] = [()]
    chains: Chains = {}
    for hop in range(1, max_hops + 1):
        owner, relation, target, _ = walks.find_arcs(snapshot, entity)
        useful = keep(hop, target)
        codes, place = np.unique(prefix[owner[useful]] * directed + relation[useful], return_inverse=True)
        known = [(*known[code // directed], code % directed) for code in codes.tolist()]
        rows = np.unique(place * snapshot.num_entities + target[useful])
        prefix, entity = np.divmod(rows, snapshot.num_entities)
        there = is_end[entity]
        for code in np.unique(prefix[there]).tolist():
            chains[known[code]] = entity[there & (prefix == code)]
        if not len(rows):
            break
    return chains


def _count_shortest(snapshot: Snapshot, topic: int, ends: np.ndarray, away: np.ndarray, length: int) -> int:
    """How many paths of ``length``, their shortest, lead from ``topic`` to ``ends``."""
    count = np.zeros(snapshot.num_entities)
    count[topic] = 1
    entities = np.array([topic], np.int64)
    for hop in range(1, length + 1):
        owner, _, target, _ = walks.find_arcs(snapshot, entities)
        further = away[target] == hop
        np.add.at(count, target[further], count[entities[owner[further]]])
        entities = np.unique(target[further])
    return int(count[ends].sum())


def _select_representative(question: Grounded, chains: Mapping[int, Chains]) -> int:
    """See :func:`build_reg_pool`."""
    votes = dict.fromkeys(question.answers, 0)
    for topic_chains in chains.values():
        for answer in question.answers:
            votes[answer] += max((len(ends) for ends in topic_chains.values() if answer in ends), default=0)
    return min(question.answers, key=lambda answer: (-votes[answer], answer))


def list_fact_candidates(snapshot: Snapshot, role: Role, entity: int) -> list[PathCandidate]:
    """One candidate for each directed relation that leaves an entity."""
    _, relations, _, arcs = walks.find_arcs(snapshot, np.array([entity], np.int64))
    distinct, first = np.unique(relations, return_index=True)
    return [
        PathCandidate(role, entity, (relation,), (int(arcs[index]),))
        for relation, index in zip(distinct.tolist(), first.tolist(), strict=True)
    ]


def _find_instance(snapshot: Snapshot, topic: int, chain: tuple[int, ...], ends: np.ndarray) -> tuple[int, ...]:
    """The first path of a chain, by arc ids, that visits no entity twice; empty when there is none."""
    total = snapshot.num_relations
    steps = [(r % total, r >= total) for r in chain]
    trace = search.compute_trace(snapshot, [topic], steps, ends, simple=True)
    leaving: list[dict[int, list[tuple[int, int]]]] = []
    for arcs in trace.arcs:
        sources, _, targets = walks.get_arc_ends(snapshot, arcs)
        out: dict[int, list[tuple[int, int]]] = {}
        for source, target, arc in zip(sources.tolist(), targets.tolist(), arcs.tolist(), strict=True):
            out.setdefault(source, []).append((arc, target))
        leaving.append(out)

    def walk(visited: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        depth = len(visited) - 1
        if depth == len(leaving):
            yield ()
            return
        for arc, target in leaving[depth].get(visited[-1], ()):
            if target not in visited:
                for rest in walk((*visited, target)):
                    yield (arc, *rest)

    return next(walk((topic,)), ())
