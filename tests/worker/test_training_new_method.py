"""The method of the guide "Add a method" is asked, trained and evaluated through the API like any other."""

import pytest

from retrieval.types import QuestionRecord
from tests.support.guides import method_added
from webapp.answers.models import Run
from webapp.experiments.models import Report
from webapp.jobs.models import Job, JobState
from webapp.questions.services import save_question_set
from worker import answering, evaluation, training


@pytest.fixture
def method(tmp_path):
    with method_added(tmp_path) as name:
        yield name


@pytest.fixture
def questions(tiny_graph, users):
    asked = [
        QuestionRecord(f"q{i}", f"what is spoken in {place}?", (place,), (language,), split=split)
        for i, (place, language, split) in enumerate(
            [("Germany", "German", "train"), ("France", "French", "dev"), ("Switzerland", "German", "test")]
        )
    ]
    return save_question_set(name="Q", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


def test_the_method_of_the_guide_is_known_trained_asked_and_evaluated(api, method, tiny_graph, questions):
    analyst = api("analyst")
    shown = {one["id"]: one for one in analyst.get("/api/v1/status").json()["methods"]}[method]
    assert (shown["label"], shown["trained"], shown["available"]) == ("Votes of words", True, True)
    settings = {one["name"] for one in analyst.get(f"/api/v1/methods/{method}").json()["settings"]}
    assert settings >= {"buckets", "learning_rate", "epochs", "seed"}

    body = {"method": method, "question_set": questions.pk, "config": {"epochs": 1}}
    job = analyst.post(f"/api/v1/graphs/{tiny_graph.pk}/train", body, format="json").json()
    training.train(job["id"])
    made = Job.objects.get(pk=job["id"])
    assert (made.state, made.error_message) == (JobState.DONE, "")
    checkpoint = made.result["checkpoint"]

    body = {"graph": tiny_graph.pk, "question": "What is spoken in Germany?", "method": method}
    run = analyst.post("/api/v1/runs", {**body, "checkpoint": checkpoint}, format="json").json()
    answering.answer(run["id"])
    assert Run.objects.get(pk=run["id"]).answers[:1] == ["German"]

    body = {"graph": tiny_graph.pk, "question_set": questions.pk, "method": method, "split": "test"}
    report = analyst.post("/api/v1/reports", {**body, "checkpoint": checkpoint}, format="json").json()
    evaluation.evaluate(report["job"]["id"])
    found = Report.objects.get(pk=report["report"]["id"]).summary
    assert (found["method"], found["n"], found["metrics"]["hit"]) == (method, 1, 1.0)
