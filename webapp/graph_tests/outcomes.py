"""What a test came to, apart from how it was asked: expected against given answers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.graph_tests.models import RoundOutcome

Fact = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """What an engine answered.

    Attributes:
        answers: labels, the best first.
        facts: the evidence, as labels (head, relation, tail).
        reason: of a typed no-answer, else empty.
        error: why nothing could be asked; empty where it could.
        took_ms: milliseconds.
        fingerprint: of the checkpoint; empty without one.
    """

    answers: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    reason: str = ""
    error: str = ""
    took_ms: float = 0.0
    method: str = ""
    fingerprint: str = ""


def normalize_label(label: str) -> str:
    """A label as it is compared: without regard to case, spaces and how its letters are composed."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def normalize_labels(labels: Iterable[str]) -> frozenset[str]:
    """Labels as they are compared."""
    return frozenset(map(normalize_label, labels))


def compute_outcome(expected: Sequence[str], answered: Answered) -> RoundOutcome:
    """Whether exactly what was expected came, in whatever order."""
    if answered.error:
        return RoundOutcome.ERROR
    return (
        RoundOutcome.PASSED if normalize_labels(expected) == normalize_labels(answered.answers) else RoundOutcome.FAILED
    )


def find_missing(expected: Sequence[str], answers: Sequence[str]) -> list[str]:
    """What was expected and did not come, in the order in which it is expected."""
    came = normalize_labels(answers)
    return [label for label in expected if normalize_label(label) not in came]
