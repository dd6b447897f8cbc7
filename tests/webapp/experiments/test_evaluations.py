"""Evaluations: started, resumed, and refused with the reason."""

import pytest

from retrieval.errors import ClewError
from tests.webapp.experiments.report_calls import URL, start
from webapp.experiments.models import Report
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job
from webapp.language_models import services as language_models
from webapp.questions.models import QuestionSet


def test_an_evaluation_is_queued_with_what_was_asked_for(started, tiny_graph, question_set, checkpoint, redis):
    trained = checkpoint(adopted=True)
    answer = started(budget=20, seed=7, limit=100, topics="linked", subgraphs="whole", answers="in-graph")
    assert answer.status_code == 202, answer.content
    report, job = answer.json()["report"], answer.json()["job"]
    assert (report["graph_name"], report["snapshot"]) == ("Tiny", tiny_graph.snapshot.hash)
    assert (report["question_set"], report["question_set_name"], report["split"]) == (
        question_set.pk,
        "Tiny questions",
        "dev",
    )
    assert (report["method"], report["checkpoint"], report["fingerprint"]) == (
        "rel-rag-path",
        trained.pk,
        "f" * 8,
    )
    assert (report["reasoner"], report["budget"], report["seed"], report["limit"]) == (
        "extractive",
        20,
        7,
        100,
    )
    assert (report["topics"], report["subgraphs"], report["options"]) == ("linked", "whole", {})
    assert (report["answers"], report["foreign"], report["judgements"]) == ("in-graph", "zero-shot", [])
    assert (report["state"], report["job"], report["n"], report["metrics"]) == ("queued", job["id"], None, {})
    assert (job["kind"], job["title"]) == ("evaluate", "Evaluate rel-rag-path on Tiny questions (dev)")
    assert redis.llen("clew:celery:long") == 1


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"split": "test"}, "bad_training_data", "no question in its split test"),
        ({"split": "all of it"}, "invalid", "train, dev, test, all"),
        ({"split": ""}, "invalid", "split"),
        ({"method": "guess"}, "unknown_method", "guess"),
        ({"reasoner": "oracle"}, "invalid", "oracle"),
        ({"reasoner": "llm"}, "llm_not_configured", "LLM_BASE_URL"),
        ({"budget": 0}, "invalid", "budget"),
        ({"limit": 0}, "invalid", "limit"),
        ({"seed": -1}, "invalid", "seed"),
        ({"topics": "guessed"}, "invalid", "topics"),
        ({"subgraphs": "half"}, "invalid", "subgraphs"),
        ({"answers": "some"}, "invalid", "answers"),
        ({"foreign": "guess"}, "invalid", "foreign"),
        ({"foreign": "ask"}, "invalid", "no checkpoint that could be asked"),
        ({"judgements": ["guess"]}, "invalid", "judgements"),
        ({"judgements": "judge"}, "invalid", "judgements"),
        ({"judgements": ["judge"] * 5}, "invalid", "judgements"),
        ({"judgements": ["judge"]}, "llm_not_configured", "have nothing judged"),
        ({"judgements": ["faithfulness"], "llm": 9}, "invalid", "No language model 9"),
        ({"options": {"no_such": 1}}, "bad_config", "no_such"),
        ({"options": []}, "invalid", "options"),
    ],
)
def test_what_cannot_be_evaluated(started, fields, code, says):
    answer = started(**fields)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, code)
    assert says in error["message"] + error["hint"]
    assert (Report.objects.count(), Job.objects.count()) == (0, 0)


def test_judgements_and_a_checkpoint_of_another_graph_are_kept_with_the_report(started, users, checkpoint):
    values = {"name": "Local", "base_url": "http://localhost:1/v1", "model": "small", "api_key": ""}
    model = language_models.create_provider(values=values, user=users["admin"])
    trained = checkpoint()
    answer = started(checkpoint=trained.pk, foreign="ask", judgements=["faithfulness", "judge", "judge"], llm=model.pk)
    assert answer.status_code == 202, answer.content
    report = answer.json()["report"]
    assert (report["foreign"], report["judgements"]) == ("ask", ["judge", "faithfulness"])
    assert (report["reasoner"], report["llm"]) == ("extractive", "Local")
    assert started(llm=model.pk).json()["report"]["llm"] == "", "nothing asks it"


def test_what_is_not_there_is_404(started):
    assert started(checkpoint=9).status_code == 404
    assert started(question_set=99).status_code == 404


def test_checkpoints_that_do_not_fit_are_refused_by_name(started, tiny_graph, checkpoint):
    def refused(**values):
        answer = started(checkpoint=checkpoint(**values).pk, method="rel-rag-path")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "bad_checkpoint")
        return error["message"]

    elsewhere = Graph.objects.create(name="Elsewhere", visibility="public")
    old = tiny_graph.snapshots.create(version=2, hash="old", path="p", entities=1, relations=1, triples=1)
    assert refused(graph=elsewhere).endswith("was trained on the graph Elsewhere.")
    assert "version 2 of Tiny" in refused(snapshot=old)
    assert "is of the method rapl, not rel-rag-path" in refused(method="rapl")
    assert "was trained with the encoder other" in refused(encoder="other")
    assert started(method="rel-rag-path").json()["report"]["checkpoint"] is None


def test_a_question_set_of_another_graph_is_refused(api, tiny_graph):
    other = QuestionSet.objects.create(name="Other", graph=Graph.objects.create(name="Elsewhere", visibility="public"))
    assert start(api("analyst"), tiny_graph, other).json()["error"]["message"] == (
        "The question set Other is about Elsewhere."
    )
    unready = start(api("analyst"), other.graph, other)
    assert (unready.status_code, unready.json()["error"]["code"]) == (409, "graph_not_ready")


def test_viewers_read_and_start_nothing(api, tiny_graph, question_set, finished):
    report = finished()
    client = api("viewer")
    assert start(client, tiny_graph, question_set).status_code == 403
    assert client.post(f"{URL}/{report.pk}/resume").status_code == 403
    assert client.delete(f"{URL}/{report.pk}").status_code == 403
    assert client.get(f"{URL}/{report.pk}").status_code == 200
    assert api(None).get(URL).status_code == 401


def test_a_stopped_evaluation_is_gone_on_with(api, started):
    first = started().json()
    url = f"{URL}/{first['report']['id']}/resume"
    assert api("analyst").post(url).json()["error"]["code"] == "conflict"
    api("analyst").post(f"/api/v1/jobs/{first['job']['id']}/cancel")
    assert api("viewer").get(f"{URL}/{first['report']['id']}").json()["state"] == "cancelled"
    answer = api("analyst").post(url)
    assert answer.status_code == 202
    assert answer.json()["job"]["id"] != first["job"]["id"]
    assert (answer.json()["report"]["id"], answer.json()["report"]["state"]) == (
        first["report"]["id"],
        "queued",
    )


def test_a_finished_report_is_not_made_again(api, finished):
    answer = api("analyst").post(f"{URL}/{finished().pk}/resume")
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "This report is done already.")


def test_what_has_gone_cannot_be_gone_on_with(api, tiny_graph, started, question_set, checkpoint):
    trained = checkpoint(adopted=True)
    made = started().json()
    report = Report.objects.get(pk=made["report"]["id"])
    jobs.fail(job_id=made["job"]["id"], error=ClewError("It broke.", hint="Try again."))
    shown = api("viewer").get(f"{URL}/{report.pk}").json()
    assert (shown["state"], shown["error"]["message"]) == ("failed", "It broke.")

    def refused():
        answer = api("analyst").post(f"{URL}/{report.pk}/resume")
        return answer.status_code, answer.json()["error"]["message"]

    Report.objects.update(snapshot_hash="older")
    assert refused() == (409, "The version of Tiny that this was made on was deleted.")
    Report.objects.update(snapshot_hash=tiny_graph.snapshot.hash)
    trained.delete()
    assert refused() == (409, "The checkpoint of this report was deleted.")
    question_set.delete()
    assert refused() == (400, "The question set Tiny questions of this report was deleted.")
