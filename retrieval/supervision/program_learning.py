"""Learns how a graph's own questions are meant as programs, from questions with answers only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot.labels import normalise
from retrieval.metrics.values import same
from retrieval.programs.fitting import Example, fit
from retrieval.programs.parser import Candidate, Parser
from retrieval.programs.rendering.formatting import formatted
from retrieval.types import Progress

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.anchors.similarity import Encode
    from retrieval.programs.weights import Weights
    from retrieval.types import Question

FILE = "programs.json"
"""In a checkpoint: the weights that were learned with it."""
#: Questions that are read, at most; fewer with a right program than the second teach nothing.
_READ, _LEAST = 800, 20
#: How strongly weights are held to those that come with Clew.
_PULL = 0.001


def learn(
    snapshot: Snapshot,
    encode: Encode | None,
    questions: Sequence[Question],
    weights: Weights,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Weights | None:
    """Weights fitted to a graph's questions, features of its relations among them; None where they teach nothing.

    Args:
        snapshot: the graph.
        encode: texts to unit vectors.
        questions: for training, with answers.
        weights: where learning starts.
        progress: told of each question read.
        cancelled: asked before each.

    Raises:
        Cancelled: ``cancelled`` said so.
    """
    parser, examples = Parser(snapshot, encode, weights), list[Example]()
    chosen = questions[:: max(1, len(questions) // _READ)][:_READ]
    for done, question in enumerate(chosen):
        check(cancelled)
        candidates = parser.read(question.question, cancelled=cancelled).candidates
        right = tuple(is_right(parser, candidate, question.answers) for candidate in candidates)
        if any(right):
            examples.append(Example(tuple(candidate.features for candidate in candidates), right))
        progress(Progress("programs", done + 1, len(chosen), "questions"))
    if len(examples) < _LEAST:
        return None
    return fit(examples, weights, pull=_PULL)


def is_right(parser: Parser, candidate: Candidate, answers: Iterable[str]) -> bool:
    """Whether a program gives exactly these answers, numbers and names compared as people write them."""
    result, wanted = candidate.result, list(answers)
    if isinstance(result, bool):
        found = ["yes" if result else "no"]
    elif isinstance(result, np.ndarray):
        if len(result) > 2 * len(wanted) + 10:
            return False
        found = [parser.snapshot.entity_label(node) for node in result.tolist()]
    else:
        found = [] if math.isnan(result) else [formatted(parser.columns, candidate.program, result)]
    return all(any(_alike(one, other) for other in wanted) for one in found) and all(
        any(_alike(one, other) for one in found) for other in wanted
    )


def _alike(one: str, other: str) -> bool:
    return normalise(one) == normalise(other) or same(one, other)
