"""Programs as candidates: what one that was executed gives, how that fits the answers, and when two are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from retrieval.errors import ProgramError
from retrieval.events import ProgramExecuted, to_payload
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.metrics.scores import Scored
from retrieval.metrics.values import match_answers
from retrieval.programs.algebra.equivalence import is_equivalent
from retrieval.programs.rendering.names import from_named_json
from retrieval.types import Hop, Node
from webapp.review.domain.relation_paths import ENDS, HOPS
from webapp.review.models import CandidatePath

ANSWERS_MAX = 1000
"""Of what a program gives, so many labels are kept; the counts are of all."""
VALUE = -1
"""The id of a drawn answer that is no node of the graph: a number, or yes or no."""


def build_fields(
    executed: ProgramExecuted, gives: Sequence[str], hops: Sequence[Hop], answers: Sequence[str]
) -> dict[str, Any]:
    """The fields of a candidate that follow from a program which was executed on the queue's version of the graph.

    Args:
        executed: the program, its steps and what each kept.
        gives: labels of what it gives.
        hops: facts that prove it, to be drawn.
        answers: the right ones, as far as they are known.
    """
    kept = list(dict.fromkeys(gives))[:ANSWERS_MAX]
    last = executed.steps[-1] if executed.steps else None
    total = last.count if last is not None and last.result == "set" else len(kept)
    return {
        "topic": "",
        "path": [],
        "steps": [],
        "program": executed.read.program,
        "executed": to_payload(replace(executed, others=())),
        "gives": kept,
        "hops": [asdict(hop) for hop in dict.fromkeys(hops)][:HOPS],
        **fit(kept, max(total, len(kept)), answers),
    }


def fit(gives: Sequence[str], total: int, answers: Sequence[str]) -> dict[str, Any]:
    """How what a program gives fits the answers, names and values compared as evaluation does.

    Args:
        gives: labels, the first of them.
        answers: the right ones.
    """
    hits = len(_split(gives, answers)[0])
    wanted = len({normalize_name(label) for label in answers})
    return {
        "reached": total,
        "hits": hits,
        "precision": hits / total if total else 0.0,
        "recall": hits / wanted if wanted else 0.0,
    }


def draw_program(snapshot: Snapshot, candidate: CandidatePath, answers: Sequence[str]) -> dict[str, Any]:
    """The facts of a program, to be drawn, and which of what it gives is an answer, which not, and which is missed."""
    gives: list[str] = candidate.gives
    hits, missed = _split(gives, answers)
    parts = {
        "hit": [label for label in gives if label in hits],
        "extra": [label for label in gives if label not in hits],
        "missed": missed,
    }
    shown = {what: [asdict(_build_node(snapshot, label)) for label in labels[:ENDS]] for what, labels in parts.items()}
    return {"hops": candidate.hops, **shown}


def find_same_program(
    snapshot: Snapshot, candidates: Sequence[CandidatePath], program: dict[str, Any]
) -> CandidatePath | None:
    """The candidate that asks for the same as a program, whatever the order of what has none."""
    wanted = from_named_json(snapshot, program)
    for candidate in candidates:
        try:
            if candidate.program is not None and is_equivalent(from_named_json(snapshot, candidate.program), wanted):
                return candidate
        except ProgramError:  # a label of another version of the graph
            continue
    return None


def _split(gives: Sequence[str], answers: Sequence[str]) -> tuple[set[str], list[str]]:
    """The labels that are right, and the right answers that are missing."""
    right = {normalize_name(label): label for label in answers}
    matched = [
        scored.answer for scored in match_answers([Scored(label, 1.0) for label in gives], answers, normalize_name)
    ]
    hits = {label for label, name in zip(gives, matched, strict=True) if name in right}
    return hits, [label for name, label in right.items() if name not in matched]


def _build_node(snapshot: Snapshot, label: str) -> Node:
    entity = snapshot.find_entity(label)
    return Node(VALUE, label, "literal") if entity is None else snapshot.get_node(entity)
