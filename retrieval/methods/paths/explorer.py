"""A beam over relation paths, scored by a trained path model. Deterministic.

A state of the beam is a relation path with a few of the entities it reaches; all states of all topics go
one step further together. The probability of the next relation is the mass that eq. 11's softmax gives
to its arcs, pooled over the entities of the state; of the first relation it is what eq. 14 trained, compared
by the mean over its arcs, so that a relation of a thousand arcs does not win by number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.common.arc_groups import list_groups
from retrieval.methods.paths.walker import Frontier, Walker, compute_logsumexp
from retrieval.nn.query import EncodedQuestions, Texts
from retrieval.types import RelationPath


@dataclass(frozen=True, slots=True)
class Beam:
    """How wide the search is.

    Attributes:
        width: relation paths walked on per topic and level.
        entities: entities kept for each of them, about.
        arcs: arcs scored per entity and directed relation; only entities behind them can be walked on from, and
            with few of them a relation that few entities have (MetaQA's languages) is not seen: of 150 dev questions
            about them a half-trained model answers 0.91 with 16, and 0.97 with 64.
        least: a relation path less probable than this share of one is dropped.
    """

    width: int = 8
    entities: int = 24
    arcs: int = 64
    least: float = 1e-5


@dataclass(frozen=True, slots=True)
class _State:
    """A relation path under way: ``log`` is the log-probability of having come so far, ``support`` the logit of its
    first relation, which eq. 14 trains by itself and not against the others."""

    topic: int
    relations: tuple[int, ...]
    log: float
    support: float = 0.0


@dataclass(frozen=True, slots=True)
class _Level:
    """The states under way, their walks, and which state each walk is of."""

    states: list[_State]
    owners: np.ndarray
    front: Frontier

    def find_returns(self, topics: np.ndarray) -> list[bool]:
        """Whether each state's walks all stand at their topic."""
        away = self.owners[self.front.entity != topics[self.front.topic]]
        back: list[bool] = (~np.isin(np.arange(len(self.states)), away)).tolist()
        return back


@torch.inference_mode()
def search_relation_paths(
    walker: Walker,
    topics: Sequence[int],
    texts: Texts,
    beam: Beam,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[list[RelationPath]]:
    """The most probable relation paths of each topic, most probable first.

    Args:
        topics: n entity ids.
        texts: the question as seen from each topic.
    """
    questions, front = walker.start(topics, texts)
    level = _Level([_State(i, (), 0.0) for i in range(len(topics))], np.arange(len(topics)), front)
    starts = np.array(topics, np.int64)
    finished: list[tuple[_State, float, bool]] = []
    for _ in range(walker.max_hops):
        check(cancelled)
        if not level.states:
            break
        back = level.find_returns(starts)
        level, ended = _take_step(walker, beam, level, questions, starts)
        finished += [(state, log, back[place]) for place, (state, log) in enumerate(ended)]
    finished += zip(level.states, [state.log for state in level.states], level.find_returns(starts), strict=True)
    paths: list[list[RelationPath]] = [[] for _ in topics]
    for state, log, returns in finished:
        if log > np.log(beam.least):
            path = RelationPath(
                int(topics[state.topic]),
                state.relations,
                float(np.exp(log)),
                support=state.support,
                returns=returns,
            )
            paths[state.topic].append(path)
    return [sorted(each, key=lambda path: (-path.score, path.relations)) for each in paths]


def _take_step(
    walker: Walker, beam: Beam, level: _Level, questions: EncodedQuestions, topics: np.ndarray
) -> tuple[_Level, list[tuple[_State, float]]]:
    """One step of every state: those that go on, and those that stop here."""
    states, owners, front = level.states, level.owners, level.front
    first, relations = not states[0].relations, 2 * walker.snapshot.num_relations
    options = walker.list_options(questions, front, topics, beam.arcs)
    distinct, group = np.unique(owners[options.row] * relations + options.relation, return_inverse=True)
    state_of, relation_of = np.divmod(distinct, relations)
    mass = compute_logsumexp(options.logits + np.log(options.weight), group, len(distinct))
    ended: list[tuple[_State, float]] = []
    if first:
        mass -= np.log(np.bincount(group, weights=options.weight, minlength=len(distinct)))
        total = compute_logsumexp(mass, state_of, len(states))
    else:
        stop = compute_logsumexp(options.stop, owners, len(states))
        total = np.logaddexp(compute_logsumexp(mass, state_of, len(states)), stop)
        ended = [(s, s.log + float(stop[i] - total[i])) for i, s in enumerate(states)]
    scores = np.array([s.log for s in states])[state_of] + mass - total[state_of]
    chosen = _select_best(scores, np.array([state.topic for state in states])[state_of], beam)
    grown = [
        _State(
            states[state_of[g]].topic,
            (*states[state_of[g]].relations, int(relation_of[g])),
            float(scores[g]),
            float(mass[g]) if first else states[state_of[g]].support,
        )
        for g in chosen
    ]
    picked = [
        _sample_members(walker.snapshot, options.target, np.flatnonzero(group == g), beam.entities) for g in chosen
    ]
    which = np.concatenate(picked) if picked else np.zeros(0, np.int64)
    owners = np.repeat(np.arange(len(chosen)), [len(p) for p in picked])
    return _Level(grown, owners, walker.take_options(questions, front, options, which)), ended


def _sample_members(snapshot: Snapshot, targets: np.ndarray, members: np.ndarray, count: int) -> np.ndarray:
    """About ``count`` of the options ``members``, evenly spread, and one for each relation that leaves their targets.

    Without the latter a relation that few entities have (MetaQA's languages) would not be seen beyond a large set.
    """
    if len(members) <= count:
        return members
    owner, relation, _, _ = list_groups(snapshot, targets[members])
    _, first = np.unique(relation, return_index=True)
    having = np.unique(owner[first])
    even = np.arange(0, len(members), -(-len(members) // count))
    kept: np.ndarray = members[np.union1d(even, having[:: max(1, -(-len(having) // count))])]
    return kept


def _select_best(scores: np.ndarray, topic: np.ndarray, beam: Beam) -> list[int]:
    """The best options of each topic, in a fixed order."""
    chosen: list[int] = []
    for topic_id in np.unique(topic):
        members = np.flatnonzero((topic == topic_id) & (scores > np.log(beam.least)))
        chosen += members[np.argsort(-scores[members], kind="stable")][: beam.width].tolist()
    return chosen
