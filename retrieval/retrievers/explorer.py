"""A beam over relation paths, scored by a trained path model. Deterministic.

A state of the beam is a relation path with a few of the entities it reaches; all states of all topics go
one step further together. The probability of the next relation is the mass that eq. 11's softmax gives
to its arcs, pooled over the entities of the state; of the first relation it is what eq. 14 trained, compared
by the mean over its arcs, so that a relation of a thousand arcs does not win by number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from retrieval.kg.snapshot import Snapshot
from retrieval.nn.query import Asked, Texts
from retrieval.retrievers.arc_groups import arcs_at, groups, spread
from retrieval.retrievers.base import RelationPath, check
from retrieval.retrievers.path_model import PathModel
from retrieval.retrievers.states import States


@dataclass(frozen=True, slots=True)
class Beam:
    """How wide the search is.

    Attributes:
        width: relation paths walked on per topic and level.
        entities: entities kept for each of them.
        arcs: arcs scored per entity and directed relation; only entities behind them can be walked on from, and
            with few of them a relation that few entities have (MetaQA's languages) is not seen: 4 and 12
            entities give 0.960 exact sets of 3 hops, 16 and 24 give 0.993.
        least: a relation path less probable than this share of one is dropped.
    """

    width: int = 8
    entities: int = 24
    arcs: int = 16
    least: float = 1e-5


@dataclass(frozen=True, slots=True)
class _State:
    """A relation path under way: ``log`` is the log-probability of having come so far."""

    topic: int
    relations: tuple[int, ...]
    log: float


@dataclass(frozen=True, slots=True)
class _Front:
    """The entities of all states: which state each belongs to, and its focus and sum of taken states."""

    state: np.ndarray
    entity: np.ndarray
    focus: Tensor
    taken: Tensor


class Explorer:
    """Finds the most probable relation paths of a question.

    Args:
        snapshot: the graph.
        model: in evaluation mode.
        states: of the snapshot's arcs.
        relations: text features of the directed relations, float32 [2R, d].
        simple: walks never come back to their topic.
        max_hops: longest path; a path of that length stops there.
        beam: how wide.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        model: PathModel,
        states: States,
        relations: np.ndarray,
        *,
        simple: bool,
        max_hops: int,
        beam: Beam | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.model = model
        self.states = states
        self.relations = torch.from_numpy(relations)
        self.simple = simple
        self.max_hops = max_hops
        self.beam = beam or Beam()

    def on(self, snapshot: Snapshot, states: States) -> Explorer:
        """The same search on another graph of the same relations, whose states are given."""
        other = copy(self)
        other.snapshot, other.states = snapshot, states
        return other

    @torch.inference_mode()
    def explore(
        self, topics: Sequence[int], texts: Texts, cancelled: Callable[[], bool] = lambda: False
    ) -> list[RelationPath]:
        """Relation paths of all topics, most probable first within a topic.

        Args:
            topics: n entity ids.
            texts: the question as seen from each topic.
            cancelled: asked between levels.
        """
        query = self.model.query
        asked = query.read(texts)
        states = [_State(i, (), 0.0) for i in range(len(topics))]
        ids = np.array(topics, np.int64)
        everyone = torch.arange(len(topics))
        front = _Front(
            everyone.numpy(), ids, query.focus(asked, everyone, asked.z_q), torch.zeros_like(asked.z_q)
        )
        found: list[tuple[int, tuple[int, ...], float]] = []
        for level in range(self.max_hops):
            check(cancelled)
            if not states:
                break
            states, front, ended = self._step(states, front, ids, asked)
            found += [(s.topic, s.relations, log) for s, log in ended]
            if level + 1 == self.max_hops:
                found += [(s.topic, s.relations, s.log) for s in states]
        paths = [
            RelationPath(int(topics[topic]), relations, float(np.exp(log)))
            for topic, relations, log in found
            if log > np.log(self.beam.least)
        ]
        return sorted(paths, key=lambda path: (topics.index(path.topic), -path.score, path.relations))

    def _step(
        self, states: list[_State], front: _Front, topics: np.ndarray, asked: Asked
    ) -> tuple[list[_State], _Front, list[tuple[_State, float]]]:
        """One level: the states that go on, their entities, and the paths that stop here."""
        snapshot, first = self.snapshot, not states[0].relations
        topic_of_state = np.array([state.topic for state in states])
        owner, relation, starts, sizes = groups(snapshot, front.entity)
        group, positions, weight = spread(starts, sizes, self.beam.arcs)
        arcs, targets = arcs_at(snapshot, positions, relation[group])
        row = owner[group]
        if self.simple:
            keep = targets != topics[topic_of_state[front.state[row]]]
            group, arcs, targets, weight, row = (a[keep] for a in (group, arcs, targets, weight, row))
        vectors = self.states.of(arcs)
        asking = torch.from_numpy(topic_of_state[front.state])
        queries = self.model.query.queries(front.focus)
        logits = np.einsum("nh,nh->n", queries.numpy()[row], vectors)
        texts = self.model.query.text_scores(asked, asking, front.focus, self.relations)
        if texts is not None:
            logits += texts.numpy()[row, relation[group]]
        options = front.state[row] * (2 * snapshot.num_relations) + relation[group]
        distinct, option = np.unique(options, return_inverse=True)
        mass = _logsumexp(logits + np.log(weight), option, len(distinct))
        option_state, option_relation = np.divmod(distinct, 2 * snapshot.num_relations)
        ended: list[tuple[_State, float]] = []
        if first:
            mass -= np.log(np.bincount(option, weights=weight, minlength=len(distinct)))
            total = _logsumexp(mass, option_state, len(states))
        else:
            stop = (queries * self.model.query.stop_states(asked.z_q[asking], front.taken)).sum(1)
            stop_mass = _logsumexp(stop.numpy(), front.state, len(states))
            total = np.logaddexp(_logsumexp(mass, option_state, len(states)), stop_mass)
            ended = [(s, s.log + float(stop_mass[i] - total[i])) for i, s in enumerate(states)]
        scores = np.array([s.log for s in states])[option_state] + mass - total[option_state]
        chosen = self._best(scores, topic_of_state[option_state])
        grown = [
            _State(
                states[option_state[o]].topic,
                (*states[option_state[o]].relations, int(option_relation[o])),
                float(scores[o]),
            )
            for o in chosen
        ]
        after = self._advance(
            front, chosen, asked, topic_of_state, option=option, row=row, targets=targets, vectors=vectors
        )
        return grown, after, ended

    def _best(self, scores: np.ndarray, topic: np.ndarray) -> list[int]:
        """The best options of each topic, in a fixed order."""
        chosen: list[int] = []
        for one in np.unique(topic):
            members = np.flatnonzero((topic == one) & (scores > np.log(self.beam.least)))
            chosen += members[np.argsort(-scores[members], kind="stable")][: self.beam.width].tolist()
        return chosen

    def _advance(
        self,
        front: _Front,
        chosen: list[int],
        asked: Asked,
        topic_of_state: np.ndarray,
        *,
        option: np.ndarray,
        row: np.ndarray,
        targets: np.ndarray,
        vectors: np.ndarray,
    ) -> _Front:
        """Walk along the chosen options, to a few entities each, spread over the entities they leave."""
        picked: list[np.ndarray] = []
        for o in chosen:
            members = np.flatnonzero(option == o)
            step = max(1, -(-len(members) // self.beam.entities))
            picked.append(members[::step])
        which = np.concatenate(picked) if picked else np.zeros(0, np.int64)
        state = np.repeat(np.arange(len(chosen)), [len(p) for p in picked])
        before = torch.from_numpy(row[which])
        took = torch.from_numpy(vectors[which])
        memory = self.model.query.advance(front.focus[before], took)
        asking = torch.from_numpy(topic_of_state[front.state])[before]
        focus = self.model.query.focus(asked, asking, memory)
        return _Front(state, targets[which], focus, front.taken[before] + took)


def _logsumexp(values: np.ndarray, segments: np.ndarray, count: int) -> np.ndarray:
    """log sum exp of each segment; -inf where a segment is empty. float64 [count]."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, segments, values)
    safe = np.where(np.isfinite(top), top, 0.0)
    summed = np.bincount(segments, weights=np.exp(values - safe[segments]), minlength=count)
    with np.errstate(divide="ignore"):
        logs: np.ndarray = np.log(summed)
    return logs + safe
