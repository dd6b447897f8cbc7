"""Reports side by side: refused unless they asked the same questions; then metrics, and what was gained and lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from retrieval.metrics import bootstrap
from retrieval.metrics.scores import score_of_row
from webapp.api.errors import NotComparableError
from webapp.experiments.models import QuestionOutcome, Report, ReportQuestion

REPORTS_MAX = 8
GAINED, LOST, CHANGED = "gained", "lost", "changed"
CHANGES = (GAINED, LOST, CHANGED)
PAIRED_KEPT_S = 7 * 24 * 3600


def _describe_questions(report: Report) -> str:
    drawn = f", limit {report.limit} by seed {report.seed}" if report.limit else ""
    return f"{report.summary['n']:,} questions of {report.question_set_name}{drawn}"


_SAME: list[tuple[str, Callable[[Report], object], Callable[[Report], object]]] = [
    ("snapshot", lambda r: r.snapshot_hash, lambda r: f"{r.graph.name} {r.snapshot_hash[:8]}"),
    ("split", lambda r: r.split, lambda r: r.split),
    ("question set", lambda r: r.summary["manifest"]["questions"], _describe_questions),
    ("topics", lambda r: r.topics, lambda r: r.topics),
    ("subgraphs", lambda r: r.subgraphs, lambda r: r.subgraphs),
    ("budget", lambda r: r.budget, lambda r: str(r.budget)),
]
"""What must be the same: its name, its value, and its value for people (``retrieval.evaluation.compare`` has the
same rule for files)."""


def require_count(count: int) -> None:
    """Refuse to compare too few reports or too many.

    Raises:
        NotComparableError: it is not 2 to ``REPORTS_MAX``.
    """
    if not 2 <= count <= REPORTS_MAX:
        raise NotComparableError(f"{count} reports cannot be compared.", hint=f"Choose 2 to {REPORTS_MAX}.")


def require_comparable(reports: Sequence[Report]) -> None:
    """Refuse reports whose figures do not belong together.

    Raises:
        NotComparableError: one is not done, or they differ in what was asked.
    """
    for report in reports:
        if report.finished_at is None:
            raise NotComparableError(f"Report {report.pk} is not done: {report.state}.", hint="Compare it when it is.")
    for name, value, shown in _SAME:
        if len({value(report) for report in reports}) > 1:
            each = "; ".join(f"report {report.pk}: {shown(report)}" for report in reports)
            raise NotComparableError(
                f"These reports differ in their {name} ({each}).",
                hint=f"Compare reports of the same {name}.",
            )


@dataclass(frozen=True, slots=True)
class ReportPair:
    """How the second of two reports differs from the first, in questions."""

    a: int
    b: int
    gained: int
    lost: int
    changed: int


def compare_pairs(reports: Sequence[Report]) -> list[ReportPair]:
    """The first report against each of the others."""
    first, *others = reports
    return [
        ReportPair(first.pk, other.pk, *(find_differences(first, other, change).count() for change in CHANGES))
        for other in others
    ]


def list_metrics(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Each metric with its value and confidence interval in every report, as far as the reports have them."""
    names = list(dict.fromkeys(name for report in reports for name in report.summary["metrics"]))
    return [{"name": name, "values": [_get_value(report, name) for report in reports]} for name in names]


def _get_value(report: Report, name: str) -> dict[str, float | None]:
    low, high = report.summary.get("intervals", {}).get(name) or (None, None)
    return {"value": report.summary["metrics"].get(name), "low": low, "high": high}


def compare_paired(a: Report, b: Report) -> list[dict[str, Any]]:
    """How much better ``b`` is than ``a`` by each metric, with the 95% interval and p of a paired bootstrap.

    Takes a second or two for thousands of questions; reports never change, so it is kept.
    """
    key = f"paired:{a.pk}:{b.pk}"
    results: list[dict[str, Any]] | None = cache.get(key)
    if results is None:
        rows = {report.pk: dict(report.rows.values_list("key", "row")) for report in (a, b)}
        scores = [[score_of_row(rows[report.pk][name]) for name in rows[a.pk]] for report in (a, b)]
        results = [{"name": name, **asdict(value)} for name, value in bootstrap.compute_differences(*scores).items()]
        cache.set(key, results, PAIRED_KEPT_S)
    return results


def find_differences(a: Report, b: Report, change: str = "", text: str = "") -> QuerySet[ReportQuestion]:
    """Questions of ``b`` that went otherwise than in ``a``; ``other_row`` and ``other_outcome`` are those of ``a``.

    Args:
        a: the first report.
        b: the second one, of the same questions.
        change: ``gained`` (only ``b`` is right), ``lost`` (only ``a`` is) or ``changed`` (other answers); any of
            these when empty.
        text: a part of the question.
    """
    there = ReportQuestion.objects.filter(report=a, key=OuterRef("key"))
    rows = b.rows.annotate(
        other_row=Subquery(there.values("row")[:1]),
        other_outcome=Subquery(there.values("outcome")[:1]),
        other_hash=Subquery(there.values("predicted_hash")[:1]),
    )
    right, was_right = Q(outcome=QuestionOutcome.RIGHT), Q(other_outcome=QuestionOutcome.RIGHT)
    conditions = {
        GAINED: right & ~was_right,
        LOST: was_right & ~right,
        CHANGED: ~Q(other_hash=F("predicted_hash")),
    }
    wanted = conditions[change] if change else conditions[GAINED] | conditions[LOST] | conditions[CHANGED]
    rows = rows.filter(wanted)
    return rows.filter(question__icontains=text) if text else rows
