"""An answer through time: what a test answered on each version of its graph, and which facts made the difference."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.graph_tests import fact_changes
from webapp.graph_tests.models import GraphTest, RoundOutcome, TestResult
from webapp.graph_tests.outcomes import Answered, Fact, find_missing, normalize_labels
from webapp.graphs import snapshots
from webapp.graphs.models import GraphVersion
from webapp.graphs.selectors import list_versions


@dataclass(slots=True)
class Moment:
    """One version, and what it answers.

    Attributes:
        result: the last one of the test on it; None where it was not asked.
        came: answers that the version before did not give.
        went: answers of the version before that it does not give.
        changed: whether the answer is another than that of the version before.
        added: facts behind the change that the version before lacks.
        removed: facts behind the change that it lacks.
    """

    version: GraphVersion
    result: TestResult | None = None
    came: list[str] = field(default_factory=list)
    went: list[str] = field(default_factory=list)
    changed: bool = False
    added: list[Fact] = field(default_factory=list)
    removed: list[Fact] = field(default_factory=list)


def list_moments(test: GraphTest) -> list[Moment]:
    """The versions of a test's graph, oldest first; each is compared with the one before it that was asked."""
    results: dict[int, TestResult] = {}
    rows = TestResult.objects.filter(test=test).exclude(outcome=RoundOutcome.ERROR)
    for row in rows.order_by("at", "pk"):
        results[row.number] = row
    moments = [
        Moment(version, results.get(version.version)) for version in list_versions(test.graph).order_by("version")
    ]
    before: Moment | None = None
    for moment in moments:
        if moment.result is not None:
            if before is not None and before.result is not None:
                _compare(before.version, before.result, moment, moment.result)
            before = moment
    return moments


def _compare(version: GraphVersion, before: TestResult, moment: Moment, now: TestResult) -> None:
    moment.changed = normalize_labels(before.answers) != normalize_labels(now.answers)
    if not moment.changed:
        return
    moment.came, moment.went = (
        find_missing(now.answers, before.answers),
        find_missing(before.answers, now.answers),
    )
    old, new = snapshots.open_snapshot(version.path), snapshots.open_snapshot(moment.version.path)
    changes = fact_changes.explain_change(old, new, to_answered(before), to_answered(now))
    moment.added, moment.removed = changes.added, changes.removed


def to_answered(row: TestResult) -> Answered:
    """A result as it was answered."""
    facts = tuple((head, relation, tail) for head, relation, tail in row.facts)
    return Answered(tuple(row.answers), facts, row.reason, row.message, row.took_ms, row.method, row.fingerprint)
