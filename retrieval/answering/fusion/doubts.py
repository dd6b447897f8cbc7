"""Outcomes that are low guesses however likely the model finds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import Walk, walk

if TYPE_CHECKING:
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.programs.grounding.schema import Schema
    from retrieval.programs.understanding import Understanding


def is_doubtful(schema: Schema, outcome: CandidateOutcome, read: Understanding | None) -> bool:
    """Whether an outcome may well be the opposite of what was asked, or mix what several tables say."""
    return _guesses_truth(outcome, read) or _mixes_row_kinds(schema, outcome, read)


def _guesses_truth(outcome: CandidateOutcome, read: Understanding | None) -> bool:
    """Whether the best program says yes of a relation that is only near in meaning to a word: so are opposites, such as
    "failed" and a column "successful".
    """
    if read is None or not outcome.programs:
        return False
    features = read.meanings[outcome.programs[0]].candidate.features
    return bool(features.get("s.flag")) and bool(features.get("s.similar"))


def _mixes_row_kinds(schema: Schema, outcome: CandidateOutcome, read: Understanding | None) -> bool:
    """Whether an outcome is reached through numbered rows of several kinds, and no single kind gives all of it: who
    works in a department by one table, who manages it by another.
    """
    return any(
        _differ_by_kind(schema, rows, relation, size) for rows, relation, size in _list_second_steps(outcome, read)
    )


def _list_second_steps(outcome: CandidateOutcome, read: Understanding | None) -> Iterator[tuple[np.ndarray, int, int]]:
    """Every step but the first of the best program or, without one, of the likeliest relation path: the nodes that it
    starts at (int64), its directed relation, and the number of nodes that it leads to.
    """
    if read is not None and outcome.programs:
        for part in walk(read.meanings[outcome.programs[0]].candidate.program):
            if isinstance(part, Walk) and isinstance(part.source, Walk):
                compute = read.executor.compute_nodes
                yield compute(part.source), part.relation, len(compute(part))
    elif outcome.reaches:
        reach = outcome.reaches[0]
        for rows, relation, targets in zip(reach.levels, reach.path[1:], reach.levels[1:], strict=False):
            yield rows, relation, len(targets)


def _differ_by_kind(schema: Schema, rows: np.ndarray, relation: int, size: int) -> bool:
    if not len(rows) or not schema.surrogates[0][rows].all():
        return False
    members = [common for kind in schema.kinds if len(common := find_common(schema.list_members(kind), rows))]
    sources, targets = schema.columns.list_arcs(relation)
    reached = [len(np.unique(targets[np.isin(sources, some)])) for some in members]
    return len(members) > 1 and max(reached) < size
