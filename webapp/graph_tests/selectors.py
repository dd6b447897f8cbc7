"""Reading tests and rounds."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from webapp.accounts.models import User
from webapp.api.access import filter_visible
from webapp.graph_tests.models import Cause, GraphTest, TestPolicy, TestResult, TestRound
from webapp.graphs.models import Graph


def list_tests(graph: Graph) -> QuerySet[GraphTest]:
    """A graph's tests, oldest first; not what people watch."""
    return GraphTest.objects.filter(graph=graph, watcher=None).select_related("created_by")


def list_watches(user: User) -> QuerySet[GraphTest]:
    """What a person watches, what changed first, then the newest; not of graphs that they do not see any more."""
    rows = filter_visible(GraphTest.objects.filter(watcher=user), user)
    return rows.select_related("graph").order_by("-unread", "-created_at", "-id")


def find_last_results(tests: Iterable[GraphTest]) -> dict[int, TestResult]:
    """The last result of each test, by the test's id."""
    keys = [test.pk for test in tests]
    rows = TestResult.objects.filter(test__in=keys).exclude(round__cause=Cause.HISTORY).select_related("round")
    return {result.test_id: result for result in rows.order_by("test_id", "-at", "-pk").distinct("test_id")}


def list_rounds() -> QuerySet[TestRound]:
    """Rounds of tests, newest first."""
    rows = TestRound.objects.select_related("job", "created_by", "graph", "checkpoint")
    return rows.exclude(cause=Cause.HISTORY)


def list_results(round: TestRound) -> QuerySet[TestResult]:
    """What its tests answered, those that were deleted since too; oldest test first."""
    return TestResult.objects.filter(round=round, test__watcher=None).select_related("test")


def should_hold(graph: Graph) -> bool:
    """Whether failing tests hold a new version or checkpoint back."""
    return TestPolicy.objects.filter(graph=graph, hold=True).exists()
