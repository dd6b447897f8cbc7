"""A limit on wrong answers: calibrated for what answers a graph, kept with its version, applied to runs and reports."""

import pytest

from retrieval.errors import ConfigError
from retrieval.evaluation import calibration as engine
from retrieval.events import AnswerFinal, RunStarted
from retrieval.metrics.guarantee import CalibrationAnswer
from retrieval.results import Answer
from retrieval.types import Usage
from webapp.experiments import error_limits
from webapp.experiments.models import Calibration
from webapp.graph_tests import services as graph_tests
from webapp.graphs.models import GraphVersion
from webapp.jobs.models import Job, JobKind, JobState
from worker import answering, calibration

STARTED = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
FINAL = AnswerFinal((Answer("Germany", 0.9), Answer("France", 0.8)), None, "", (), Usage(), 1.0, "Germany and France.")
SURE = [CalibrationAnswer(0.9, right=True)] * 200 + [CalibrationAnswer(0.3, right=False)] * 200


@pytest.fixture
def limited(tiny_graph, users, monkeypatch):
    """``limited(at_most, answers)`` limits the tiny graph; its calibration finds these answers."""

    def set_limit(at_most_wrong, answers=SURE):
        monkeypatch.setattr(engine, "calibrate", lambda *_, **__: answers)
        error_limits.set_limit(graph=tiny_graph, at_most_wrong=at_most_wrong, user=users["admin"])
        return list(Job.objects.filter(graph=tiny_graph, kind=JobKind.CALIBRATE).order_by("pk"))

    return set_limit


def answer(run, scripted, events):
    scripted(STARTED, FINAL)
    answering.answer(str(run.pk))
    return events(run)[-1]


def test_without_a_limit_nothing_is_said(run, scripted, events):
    assert answer(run, scripted, events)["limit"] is None


def test_an_answer_from_the_threshold_on_is_given(run, limited, scripted, events):
    [job] = limited(5)
    calibration.calibrate(job.pk)
    final = answer(run, scripted, events)
    assert final["limit"] == {
        "at_most_wrong": 5, "confidence": 0.9, "threshold": 0.9, "questions": 400, "withheld": False,
    }  # fmt: skip
    assert (final["sentence"], [one["guess"] for one in final["answers"]]) == ("Germany and France.", [False, False])


def test_an_answer_below_the_threshold_is_the_best_guess(run, limited, scripted, events):
    [job] = limited(5, [CalibrationAnswer(0.95, right=True)] * 200)
    calibration.calibrate(job.pk)
    final = answer(run, scripted, events)
    assert (final["limit"]["threshold"], final["limit"]["withheld"], final["sentence"]) == (0.95, True, None)
    assert [(one["label"], one["guess"]) for one in final["answers"]] == [("Germany", True), ("France", True)]


@pytest.mark.parametrize("answers", [[], [CalibrationAnswer(0.9, right=False)] * 400])
def test_without_questions_or_with_wrong_answers_alone_nothing_is_sure_enough(run, limited, scripted, events, answers):
    [job] = limited(5, answers)
    calibration.calibrate(job.pk)
    limit = answer(run, scripted, events)["limit"]
    assert (limit["threshold"], limit["questions"], limit["withheld"]) == (None, len(answers), True)


def test_before_it_is_calibrated_and_with_other_settings_nothing_is_sure_enough(run, limited, scripted, events):
    limited(5)
    assert answer(run, scripted, events)["limit"]["withheld"] is True


def test_an_unusual_reasoner_is_not_what_was_calibrated(run, limited):
    [job] = limited(5)
    calibration.calibrate(job.pk)
    what = {"graph": run.graph, "snapshot_hash": run.snapshot_hash, "method": run.method, "fingerprint": ""}
    find = error_limits.find_run_guarantee
    usual = {"reasoner": "extractive", "changed": False, "at_most_wrong": 5}
    assert find(**what, **usual).threshold == 0.9
    assert find(**what, **(usual | {"reasoner": "llm"})) is None
    assert find(**what, **(usual | {"changed": True})) is None


def test_another_limit_needs_no_other_calibration(limited, tiny_graph):
    [job] = limited(5)
    assert [one.pk for one in limited(10)] == [job.pk]
    calibration.calibrate(job.pk)
    assert [one.pk for one in limited(20)] == [job.pk]
    assert limited(None)[0].state == JobState.DONE
    assert error_limits.get_limit(tiny_graph) is None


@pytest.mark.parametrize("limit", [0, 51])
def test_a_limit_out_of_range_changes_nothing(limited, tiny_graph, limit):
    limited(5)
    with pytest.raises(ConfigError, match="cannot be guaranteed"):
        limited(limit)
    assert error_limits.get_limit(tiny_graph) == 5


def test_removing_the_limit_stops_its_calibration(limited):
    limited(5)
    [job] = limited(None)
    assert job.state == JobState.CANCELLED


def test_a_version_that_changes_meanwhile_is_calibrated_in_the_place_of_the_one_before(limited, tiny_graph):
    [first] = limited(5)
    before = tiny_graph.snapshot
    tiny_graph.snapshot = GraphVersion.objects.create(
        graph=tiny_graph, version=2, hash="other", path=before.path, entities=1, relations=1, triples=1
    )
    tiny_graph.save()
    error_limits.calibrate_where_limited(graph=tiny_graph, user=None)
    second = Job.objects.filter(kind=JobKind.CALIBRATE).latest("pk")
    first.refresh_from_db()
    assert (first.state, second.params["snapshot"]) == (JobState.CANCELLED, "other")
    # One that was running all the same keeps nothing.
    Job.objects.filter(pk=first.pk).update(state=JobState.QUEUED)
    calibration.calibrate(first.pk)
    first.refresh_from_db()
    assert (list(first.result), Calibration.objects.count()) == (["skipped"], 0)
    calibration.calibrate(second.pk)
    assert Calibration.objects.get().snapshot == tiny_graph.snapshot


def test_tests_of_the_graph_are_reviewed_questions(tiny_graph, users):
    tests = [
        graph_tests.NewTest("What borders Switzerland?", ["Germany"]),
        graph_tests.NewTest("What is Atlantis?"),
        graph_tests.NewTest("And?", ["Bern"], entities=["Switzerland"]),
    ]
    graph_tests.add(graph=tiny_graph, tests=tests, user=users["admin"])
    assert [(one.question, one.answers) for one in calibration.list_reviewed(tiny_graph)] == [
        ("What borders Switzerland?", ("Germany",)),
        ("What is Atlantis?", ()),
    ]
