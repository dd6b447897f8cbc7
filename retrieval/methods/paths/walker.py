"""Walks that a trained path model scores: where they stand, and what they can do next."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from retrieval.kg.search.walks import is_reverse, mark_simple_arcs
from retrieval.kg.snapshot import Snapshot
from retrieval.methods.common.arc_groups import get_arcs_at, list_groups, sample_positions
from retrieval.methods.paths.model import PathModel
from retrieval.methods.paths.states import States
from retrieval.nn.query import EncodedQuestions, Texts


@dataclass(frozen=True, slots=True)
class Frontier:
    """n walks under way.

    Attributes:
        topic: which topic each began at, a position, int64 [n].
        entity: where it stands, int64 [n].
        relation: the directed relation of its last step, -1 before the first, int64 [n].
        focus: what the query is made of, [n, H].
        taken: sum of the states of the triples taken, [n, H].
    """

    topic: np.ndarray
    entity: np.ndarray
    relation: np.ndarray
    focus: Tensor
    taken: Tensor


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """The m arcs that the walks of a front can take next.

    Attributes:
        row: which walk, int64 [m].
        relation, arc, target: int64 [m].
        weight: how many arcs of its entity and relation each stands for, float32 [m].
        vectors: triple states, float32 [m, H].
        logits: scores of eq. 11, float32 [m].
        stop: score of STOP for each walk, float32 [n].
    """

    row: np.ndarray
    relation: np.ndarray
    arc: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    vectors: np.ndarray
    logits: np.ndarray
    stop: np.ndarray


class Walker:
    """What a trained path model says of the next steps of walks.

    Args:
        model: in evaluation mode.
        relations: text features of the directed relations, float32 [2R, d].
        simple: walks never come back to their topic.
        max_hops: longest walk; one of that length stops there.
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
    ) -> None:
        self.snapshot = snapshot
        self.model = model
        self.states = states
        self.relations = torch.from_numpy(relations)
        self.simple = simple
        self.max_hops = max_hops

    def apply_restriction(self, snapshot: Snapshot, states: States) -> Walker:
        """The same model on another graph of the same relations, whose states are given."""
        other = copy(self)
        other.snapshot, other.states = snapshot, states
        return other

    def start(self, topics: Sequence[int], texts: Texts) -> tuple[EncodedQuestions, Frontier]:
        """The questions as the model reads them, one seen from each topic, and a walk at each topic."""
        query = self.model.query
        questions, rows = query.read(texts), torch.arange(len(topics))
        focus = query.compute_focus(questions, rows, questions.z_q)
        unmoved = np.full(len(topics), -1, np.int64)
        return questions, Frontier(
            rows.numpy(), np.array(topics, np.int64), unmoved, focus, torch.zeros_like(questions.z_q)
        )

    def list_options(self, questions: EncodedQuestions, front: Frontier, topics: np.ndarray, limit: int) -> WalkOptions:
        """Everything that can be done next.

        Args:
            topics: entity ids of the topics.
            limit: arcs scored per entity and directed relation, evenly spread.
        """
        query, snapshot = self.model.query, self.snapshot
        owner, relation, starts, sizes = list_groups(snapshot, front.entity)
        group, positions, weight = sample_positions(starts, sizes, limit)
        row, relation = owner[group], relation[group]
        arc, target = get_arcs_at(snapshot, positions, relation)
        if self.simple:
            reverse = is_reverse(snapshot, relation, front.relation[row])
            keep = mark_simple_arcs(
                snapshot, front.entity[row], target, topics[front.topic[row]], group, reverse=reverse
            )
            row, relation, arc, target, weight = (a[keep] for a in (row, relation, arc, target, weight))
        vectors = self.states.get_states(arc)
        rows = torch.from_numpy(front.topic)
        queries = query.compute_queries(front.focus)
        logits = np.einsum("nh,nh->n", queries.numpy()[row], vectors)
        texts = query.compute_text_scores(questions, rows, front.focus, self.relations)
        if texts is not None:
            logits += texts.numpy()[row, relation]
        stop = (queries * query.stop_states(questions.z_q[rows], front.taken)).sum(1)
        return WalkOptions(row, relation, arc, target, weight, vectors, logits, stop.numpy())

    def take_options(
        self, questions: EncodedQuestions, front: Frontier, options: WalkOptions, chosen: np.ndarray
    ) -> Frontier:
        """The walks that take the chosen options, in their order."""
        query = self.model.query
        row, took = options.row[chosen], torch.from_numpy(options.vectors[chosen])
        before, topic = torch.from_numpy(row), front.topic[row]
        memory = query.update_memory(front.focus[before], took)
        focus = query.compute_focus(questions, torch.from_numpy(topic), memory)
        return Frontier(topic, options.target[chosen], options.relation[chosen], focus, front.taken[before] + took)


def compute_logsumexp(values: np.ndarray, segments: np.ndarray, count: int) -> np.ndarray:
    """log sum exp of each segment; -inf where a segment is empty. float64 [count]."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, segments, values)
    safe = np.where(np.isfinite(top), top, 0.0)
    summed = np.bincount(segments, weights=np.exp(values - safe[segments]), minlength=count)
    with np.errstate(divide="ignore"):
        logs: np.ndarray = np.log(summed)
    return logs + safe
