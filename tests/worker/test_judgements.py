"""Reports with what a language model says of their answers, and of a checkpoint that is asked in another graph."""

import json

import pytest

from tests.support.llm_server import LLMServer
from webapp.experiments import reports
from webapp.graphs import files
from webapp.language_models import services
from worker import answerers, evaluation


def reply(body):
    said = body["messages"][-1]["content"]
    if "is_equivalent" in said:
        return '{"is_equivalent": false}'
    if '"pairs"' in said:
        return '{"pairs": []}'
    if "Correct Answer" in said:
        return "1"
    return "ans: Germany\nUsed the provided knowledge: Yes"


@pytest.fixture
def judging(users):
    with LLMServer(reply) as server:
        values = {"name": "Local", "base_url": server.url, "model": "small", "api_key": "sk-1"}
        server.provider = services.create_provider(values=values, user=users["admin"])
        yield server


def start(graph, questions, user, **values):
    asked = reports.EvaluationRequest(split="all", **values)
    return reports.start_report(graph=graph, question_set=questions, evaluation=asked, user=user)


def test_a_report_has_what_was_judged_and_its_page_shows_it(tiny_graph, question_set, users, judging, api):
    report = start(
        tiny_graph,
        question_set,
        users["analyst"],
        judgements=["faithfulness", "sufficiency", "judge", "verify"],
    )
    evaluation.evaluate(report.job_id)
    report.refresh_from_db()
    assert report.finished_at is not None, report.job.error_message
    assert (report.reasoner, report.llm_name) == ("extractive", "Local")
    assert report.summary["usage"]["llm_calls"] == 0, "answers are found without it"

    shown = api("viewer").get(f"/api/v1/reports/{report.pk}").json()
    assert shown["judgements"] == ["judge", "verify", "faithfulness", "sufficiency"]
    said = shown["judged"]
    assert (said["judge"]["llm_judge"], said["model"]) == (0.0, "Local")
    assert said["verify"]["hit"] == said["verify"]["by_names"]["hit"]
    assert said["faithfulness"]["hallucination_score"] == 1.0
    assert said["sufficiency"]["asked"] <= said["sufficiency"]["n"] == report.summary["n"]
    assert said["sufficiency"]["sufficient"] == said["sufficiency"]["asked"] / said["sufficiency"]["n"]
    assert said["usage"]["llm_calls"] == len(judging.requests) > 0
    row = api("viewer").get(f"/api/v1/reports/{report.pk}/questions").json()["results"][0]
    assert row["judged"]["right"] is False

    folder = files.ensure_local_path(files.build_report_name(report.graph_id, report.pk))
    kept = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert kept["judged"]["faithfulness"]["hallucination_score"] == 1.0
    assert "What a language model says of the answers" in (folder / "report.md").read_text(encoding="utf-8")
    assert not (folder / evaluation.REPLIES).exists()


def test_where_the_model_is_away_the_answers_are_kept_and_it_goes_on(tiny_graph, question_set, users, judging):
    services.update_provider(
        key=judging.provider.pk,
        values={"base_url": "http://127.0.0.1:1/v1", "api_key": "sk-1"},
        user=users["admin"],
    )
    report = start(tiny_graph, question_set, users["analyst"], judgements=["judge"])
    evaluation.evaluate(report.job_id)
    report.job.refresh_from_db()
    assert (report.job.state, report.job.error_code) == ("failed", "llm_unavailable")
    services.update_provider(
        key=judging.provider.pk, values={"base_url": judging.url, "api_key": "sk-1"}, user=users["admin"]
    )
    again = reports.resume_report(report=report, user=users["analyst"])
    evaluation.evaluate(again.job_id)
    report.refresh_from_db()
    assert report.summary["judged"]["judge"]["llm_judge"] == 0.0


def test_a_report_without_judgements_asks_nobody(tiny_graph, question_set, users, judging, api):
    report = start(tiny_graph, question_set, users["analyst"])
    evaluation.evaluate(report.job_id)
    assert judging.requests == []
    assert api("viewer").get(f"/api/v1/reports/{report.pk}").json()["judged"] is None


def test_a_checkpoint_of_another_graph_is_asked_itself_where_that_was_said(
    tiny_graph, question_set, users, checkpoint, monkeypatch
):
    trained, wanted = checkpoint(), []

    class Cache:
        def get(self, spec, llm=None, vocabulary=None):
            wanted.append((spec.asks_foreign, spec.checkpoint is not None, llm))

    monkeypatch.setattr(answerers, "get_cache", Cache)
    for foreign in ("zero-shot", "ask"):
        answerers.open_report_engine(
            start(tiny_graph, question_set, users["analyst"], checkpoint=trained, foreign=foreign)
        )
    assert wanted == [(False, True, None), (True, True, None)]
