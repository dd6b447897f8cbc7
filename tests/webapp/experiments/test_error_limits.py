"""The limit on wrong answers over the API: what is offered, what is refused."""

import pytest

from retrieval.metrics.guarantee import CalibrationAnswer
from webapp.experiments import error_limits
from webapp.jobs.models import Job, JobKind

pytestmark = pytest.mark.usefixtures("owned_graph")


def url(graph):
    return f"/api/v1/graphs/{graph.pk}/error-limit"


def put(api, graph, value):
    return api("admin").put(url(graph), {"at_most_wrong": value}, format="json")


def test_a_graph_without_a_limit_offers_nothing_that_was_not_calibrated(api, tiny_graph):
    shown = api("viewer").get(url(tiny_graph)).json()
    assert (shown["at_most_wrong"], shown["job"], shown["guarantee"], shown["offered"]) == (None, None, None, [])


def test_a_limit_is_set_calibrated_and_removed(api, tiny_graph):
    shown = put(api, tiny_graph, 5).json()
    job = Job.objects.get(kind=JobKind.CALIBRATE)
    assert (shown["at_most_wrong"], shown["job"], shown["guarantee"]) == (5, job.pk, None)
    error_limits.save_calibration(
        version=tiny_graph.snapshot,
        method=shown["method"],
        fingerprint="",
        answers=[CalibrationAnswer(0.8, right=True, reviewed=i < 3) for i in range(100)],
    )
    shown = api("viewer").get(url(tiny_graph)).json()
    assert shown["guarantee"] == {
        **{"at_most_wrong": 5, "threshold": 0.8, "questions": 100, "reviewed": 3, "tested": 50},
        **{"answered": 50, "wrong": 0, "needed": 45, "too_few": False},
    }
    assert [(one["at_most_wrong"], one["too_few"]) for one in shown["offered"]] == [
        (1, True), (2, True), (5, False), (10, False), (20, False),
    ]  # fmt: skip
    assert put(api, tiny_graph, None).json()["guarantee"] is None


@pytest.mark.parametrize("value", [0, 51, -1, 2.5, "many"])
def test_a_limit_that_makes_no_sense_is_refused(api, tiny_graph, value):
    answer = put(api, tiny_graph, value)
    assert answer.status_code == 400
    assert error_limits.get_limit(tiny_graph) is None


def test_calibrating_again_takes_what_was_reviewed_since(api, tiny_graph):
    method = put(api, tiny_graph, 5).json()["method"]
    error_limits.save_calibration(version=tiny_graph.snapshot, method=method, fingerprint="", answers=[])
    Job.objects.update(state="done")
    answer = api("admin").post(url(tiny_graph))
    assert (answer.status_code, answer.json()["job"]) == (202, Job.objects.latest("pk").pk)
