"""Reasoning paths drawn as the papers draw them: triple by triple, from the model's own probabilities.

The first triple is drawn from the softmax over the triples that leave the topic; every further one from eq. 11's
softmax over the triples that begin where the last one ended, and STOP (REL-RAG App. B, RAPL section 4.3).
Draws that have come the same way so far share one row, so that hundreds of them cost little more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from retrieval.errors import check
from retrieval.methods.paths.walker import Frontier, Walker, WalkOptions, compute_logsumexp
from retrieval.nn.query import EncodedQuestions, Texts

#: Arcs of one entity and directed relation that can be drawn; each stands for its share of a larger hub.
_ARCS = 512


@dataclass(frozen=True, slots=True)
class Drawn:
    """A reasoning path that was drawn.

    Attributes:
        topic: position of its topic.
        arcs: at least one.
        relations: the directed relation of each.
        probability: of drawing it.
        count: how often it was drawn.
        stuck: it ended where nothing led on, without the choice.
    """

    topic: int
    arcs: tuple[int, ...]
    relations: tuple[int, ...]
    probability: float
    count: int
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class _Rows:
    """Walks under way, those that came the same way together: arcs so far, log-probability, number of draws."""

    front: Frontier
    arcs: np.ndarray
    relations: np.ndarray
    log: np.ndarray
    count: np.ndarray


@torch.inference_mode()
def draw(
    walker: Walker,
    topics: Sequence[int],
    texts: Texts,
    *,
    firsts: int,
    each: int,
    rng: np.random.Generator,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Drawn]:
    """Draw paths with replacement; distinct ones, in no particular order.

    A walk that nothing leads on from has to stop there. Where other draws along the same relations could choose, it is
    left out: "the actors' other films" is not answered by the actors who made none.

    Args:
        topics: n entity ids.
        texts: the question as seen from each topic.
        firsts: first triples drawn from each topic.
        each: paths drawn from each of them.
    """
    questions, front = walker.start(topics, texts)
    ids, count = np.array(topics, np.int64), len(topics)
    none = np.zeros((count, 0), np.int64)
    rows = _Rows(front, none, none, np.zeros(count), np.full(count, firsts))
    finished: list[Drawn] = []
    for level in range(walker.max_hops):
        check(cancelled)
        options = walker.list_options(questions, rows.front, ids, _ARCS)
        stop = options.stop if level else np.full(len(rows.count), -np.inf)
        taken, ended = _draw(options, rows, stop, rng)
        finished += ended
        rows = _expand_rows(walker, questions, options, rows, taken)
        if level == 0:
            rows = replace(rows, count=rows.count * each)
        if not len(rows.count):
            break
    stuck = np.zeros(len(rows.count), bool)
    return _select_chosen(finished + _build_drawn(rows, np.arange(len(rows.count)), rows.log, rows.count, stuck))


def _select_chosen(drawn: list[Drawn]) -> list[Drawn]:
    """The paths that ended by choice, and those that were stuck where none of their relations could choose."""
    free = {(path.topic, path.relations[:i]) for path in drawn for i in range(len(path.relations))}
    free |= {(path.topic, path.relations) for path in drawn if not path.stuck}
    return [path for path in drawn if not path.stuck or (path.topic, path.relations) not in free]


def _draw(
    options: WalkOptions, rows: _Rows, stop: np.ndarray, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], list[Drawn]]:
    """Draw each row's next step ``rows.count`` times: the options taken with log and count, and those that stop."""
    n = len(rows.count)
    # STOP is one more option of each row, after the arcs; a walk that cannot go on stops.
    row = np.concatenate([options.row, np.arange(n)])
    logits = np.concatenate([options.logits + np.log(options.weight), stop]).astype(np.float64)
    stuck = np.bincount(options.row, minlength=n) == 0
    logits[len(options.row) :][stuck] = 0.0
    order = np.argsort(row, kind="stable")
    log = logits - compute_logsumexp(logits, row, n)[row]
    shares = np.cumsum(np.exp(log[order]))
    ends = shares[np.searchsorted(row[order], np.arange(n), side="right") - 1]
    starts = np.concatenate([[0.0], ends[:-1]])
    owner = np.repeat(np.arange(n), rows.count)
    where = starts[owner] + rng.random(len(owner)) * (ends - starts)[owner]
    drawn = order[np.minimum(np.searchsorted(shares, where, side="right"), len(order) - 1)]
    option, count = np.unique(drawn, return_counts=True)
    going = option < len(options.row)
    # An arc that stands for several was drawn with their mass; its own probability is one share of it.
    option_log = log.copy()
    option_log[: len(options.row)] -= np.log(options.weight)
    taken = {"option": option[going], "log": rows.log[row[option[going]]] + option_log[option[going]]}
    taken["count"] = count[going]
    stopped = row[option[~going]]
    ended = _build_drawn(rows, stopped, rows.log[stopped] + option_log[option[~going]], count[~going], stuck[stopped])
    return taken, ended


def _expand_rows(
    walker: Walker, questions: EncodedQuestions, options: WalkOptions, rows: _Rows, taken: dict[str, np.ndarray]
) -> _Rows:
    option = taken["option"]
    arcs = np.column_stack([rows.arcs[options.row[option]], options.arc[option]])
    relations = np.column_stack([rows.relations[options.row[option]], options.relation[option]])
    front = walker.take_options(questions, rows.front, options, option)
    return _Rows(front, arcs, relations, taken["log"], taken["count"])


def _build_drawn(rows: _Rows, which: np.ndarray, log: np.ndarray, count: np.ndarray, stuck: np.ndarray) -> list[Drawn]:
    """The rows as paths; a walk that never began is none."""
    if not rows.arcs.shape[1]:
        return []
    return [
        Drawn(
            topic=int(rows.front.topic[i]),
            arcs=tuple(rows.arcs[i].tolist()),
            relations=tuple(rows.relations[i].tolist()),
            probability=float(np.exp(min(p, 0.0))),
            count=c,
            stuck=s,
        )
        for i, p, c, s in zip(which.tolist(), log.tolist(), count.tolist(), stuck.tolist(), strict=True)
    ]
