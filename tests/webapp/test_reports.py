"""Evaluation reports: started, read, drilled into, downloaded, compared, resumed, deleted."""

import json

import pytest

from retrieval.errors import ClewError
from webapp.experiments import reports
from webapp.experiments.models import Report, ReportQuestion
from webapp.graphs import files
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet

URL = "/api/v1/reports"
METRICS = {"hit": 0.75, "exact_set": 0.5, "path_recall": None}


def row(key, outcome, predicted, hops=1):
    """A row of the engine's report, as far as this application reads it."""
    hit, right = float("Berlin" in predicted), float(predicted == ["Berlin"])
    return {
        "id": key,
        "question": f"question {key}?",
        "answers": ["Berlin"],
        "predicted": predicted,
        "hops": hops,
        "outcome": outcome,
        **dict.fromkeys(("hit", "hit_at_1", "precision", "recall", "f1"), hit),
        "exact_set": right,
        "counts": [int(hit), len(predicted), 1],
        "answer_recall": hit,
        "path_recall": None,
        "triples": 5,
    }


ROWS = [
    row("q1", "right", ["Berlin"]),
    row("q2", "partial", ["Berlin", "Bonn"], hops=2),
    row("q3", "wrong", ["Bonn"]),
    row("q4", "no_answer", []),
]


def made(rows, **manifest):
    """An engine's report, as far as this application reads it."""
    counts = dict.fromkeys(("right", "partial", "wrong", "no_answer", "failed"), 0)
    for one in rows:
        counts[one["outcome"]] += 1
    return {
        "n": len(rows),
        "metrics": METRICS,
        "intervals": {"hit": [0.5, 1.0]},
        "breakdowns": {"hops": {"1": {"n": 3, **METRICS}}},
        "outcomes": counts,
        "no_answers": {"unanswerable": 0},
        "latency_ms": {"p50": 2.0, "p95": 9.0},
        "retrieval_ms": {"p50": 1.0, "p95": 4.0},
        "usage": {"llm_calls": 0, "tokens": 0},
        "own_subgraphs": {"questions": 0},
        "coverage": {"questions": len(rows)},
        "manifest": {"questions": "same", "code_version": "1", **manifest},
        "per_question": rows,
    }


def start(client, graph, questions, **fields):
    body = {"graph": graph.pk, "question_set": questions.pk, "split": "dev", **fields}
    return client.post(URL, body, format="json")


@pytest.fixture
def started(api, tiny_graph, question_set):
    """``started(**fields)`` is the answer to an analyst who starts an evaluation with these fields."""
    return lambda **fields: start(api("analyst"), tiny_graph, question_set, **fields)


@pytest.fixture
def finished(tiny_graph, question_set, users):
    """``finished(rows)`` is a report whose job is done, with its files."""

    def make(rows=ROWS, questions="same", **fields):
        evaluation = reports.Evaluation(split="dev", **fields)
        report = reports.start_report(
            graph=tiny_graph, question_set=question_set, evaluation=evaluation, user=users["analyst"]
        )
        whole = made(rows, questions=questions)
        reports.save_report(report=report, made=whole)
        path = files.local_path(files.report_name(tiny_graph.pk, report.pk))
        path.mkdir(parents=True)
        (path / "report.json").write_text(json.dumps(whole))
        (path / "report.md").write_text("# Report\n")
        (path / "report.html").write_text("<h1>Report</h1>\n")
        report.refresh_from_db()
        return report

    return make


def test_an_evaluation_is_queued_with_what_was_asked_for(
    started, tiny_graph, question_set, checkpoint, redis
):
    trained = checkpoint()
    answer = started(budget=20, seed=7, limit=100, topics="linked", subgraphs="whole")
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
    assert (report["state"], report["job"], report["n"], report["metrics"]) == ("queued", job["id"], None, {})
    assert (job["kind"], job["title"]) == ("evaluate", "Evaluate rel-rag-path on Tiny questions (dev)")
    assert redis.llen("clew:celery:jobs") == 1


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


def test_what_is_not_there_is_404(started):
    assert started(checkpoint=9).status_code == 404
    assert started(question_set=99).status_code == 404


def test_checkpoints_that_do_not_fit_are_refused_by_name(started, tiny_graph, checkpoint):
    def refused(**values):
        answer = started(checkpoint=checkpoint(**values).pk, method="rel-rag-path")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "bad_checkpoint")
        return error["message"]

    elsewhere = Graph.objects.create(name="Elsewhere")
    old = tiny_graph.snapshots.create(version=2, hash="old", path="p", entities=1, relations=1, triples=1)
    assert refused(graph=elsewhere).endswith("was trained on the graph Elsewhere.")
    assert "version 2 of Tiny" in refused(snapshot=old)
    assert "is of the method rapl, not rel-rag-path" in refused(method="rapl")
    assert "was trained with the encoder other" in refused(encoder="other")
    assert started().json()["report"]["checkpoint"] is None


def test_a_question_set_of_another_graph_is_refused(api, tiny_graph):
    other = QuestionSet.objects.create(name="Other", graph=Graph.objects.create(name="Elsewhere"))
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


def test_a_finished_report_shows_its_figures(api, finished):
    report = finished()
    shown = api("viewer").get(f"{URL}/{report.pk}").json()
    assert (shown["state"], shown["n"], shown["metrics"], shown["intervals"]) == (
        "done",
        4,
        METRICS,
        {"hit": [0.5, 1.0]},
    )
    assert shown["breakdowns"]["hops"]["1"]["n"] == 3
    assert shown["outcomes"] == {"right": 1, "partial": 1, "wrong": 1, "no_answer": 1, "failed": 0}
    assert (shown["latency_ms"]["p95"], shown["retrieval_ms"]["p50"]) == (9.0, 1.0)
    assert (shown["manifest"]["code_version"], shown["created_by"]) == ("1", "analyst")


def test_reports_are_listed_by_what_they_are_of(api, tiny_graph, question_set, finished, checkpoint):
    trained = checkpoint(method="rel-rag-path")
    first, second = finished(), finished(checkpoint=trained)
    client = api("viewer")

    def listed(**query):
        return [report["id"] for report in client.get(URL, query).json()["results"]]

    assert listed() == [second.pk, first.pk]
    assert listed(graph=tiny_graph.pk, question_set=question_set.pk, method="rel-rag-path", split="dev") == (
        listed()
    )
    assert listed(checkpoint=trained.pk) == [second.pk, first.pk]
    assert listed(split="test") == listed(method="rapl") == listed(graph=tiny_graph.pk + 1) == []
    assert client.get(URL, {"graph": "x"}).status_code == 400


def test_failing_questions_are_found(api, finished):
    url = f"{URL}/{finished().pk}/questions"
    client = api("viewer")

    def found(**query):
        return [question["id"] for question in client.get(url, query).json()["results"]]

    assert found() == ["q1", "q2", "q3", "q4"]
    assert found(outcome="wrong") == ["q3"]
    assert found(outcome="partial,no_answer") == ["q2", "q4"]
    assert found(hops=2) == ["q2"]
    assert found(q="QUESTION Q4") == ["q4"]
    assert found(page_size=2, page=2) == ["q3", "q4"]
    assert client.get(url).json()["results"][2] == ROWS[2]
    assert client.get(url, {"outcome": "bad"}).json()["error"]["hint"].startswith("Choose one of: right")


@pytest.mark.parametrize(
    ("wanted", "media"), [("json", "application/json"), ("md", "text/markdown"), ("html", "text/html")]
)
def test_a_report_is_downloaded_whole(api, tiny_graph, finished, wanted, media):
    report = finished()
    answer = api("viewer").get(f"{URL}/{report.pk}/download", {"format": wanted})
    lies = files.local_path(files.report_name(tiny_graph.pk, report.pk)) / f"report.{wanted}"
    assert b"".join(answer.streaming_content) == lies.read_bytes()
    assert answer["Content-Type"] == f"{media}; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="report-{report.pk}.{wanted}"'


def test_downloads_that_cannot_be(api, started, finished):
    assert api("viewer").get(f"{URL}/{finished().pk}/download", {"format": "pdf"}).status_code == 400
    lost = finished()
    files.local_path(files.report_name(lost.graph_id, lost.pk)).joinpath("report.md").unlink()
    answer = api("viewer").get(f"{URL}/{lost.pk}/download", {"format": "md"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    queued = started().json()["report"]["id"]
    answer = api("viewer").get(f"{URL}/{queued}/download")
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "It is not done: queued.")
    assert api("viewer").get(f"{URL}/{queued}/questions").json()["count"] == 0


def test_a_report_outlives_its_question_set_and_checkpoint(api, question_set, finished, checkpoint):
    trained = checkpoint()
    report = finished(checkpoint=trained)
    question_set.delete()
    trained.delete()
    shown = api("viewer").get(f"{URL}/{report.pk}").json()
    assert (shown["question_set"], shown["question_set_name"]) == (None, "Tiny questions")
    assert (shown["checkpoint"], shown["fingerprint"]) == (None, "f" * 8)
    assert (shown["manifest"]["questions"], shown["n"]) == ("same", 4)
    assert api("viewer").get(f"{URL}/{report.pk}/questions").json()["count"] == 4


BETTER = [
    row("q1", "wrong", ["Bonn"]),
    row("q2", "right", ["Berlin"], hops=2),
    row("q3", "wrong", ["Cologne"]),
    row("q4", "no_answer", []),
]


def test_reports_are_compared(api, finished):
    a, b = finished(), finished(BETTER)
    shown = api("viewer").get(f"{URL}/compare", {"ids": f"{a.pk},{b.pk}"}).json()
    assert [report["id"] for report in shown["reports"]] == [a.pk, b.pk]
    assert shown["metrics"][0] == {"name": "hit", "values": [{"value": 0.75, "low": 0.5, "high": 1.0}] * 2}
    assert shown["metrics"][2] == {
        "name": "path_recall",
        "values": [{"value": None, "low": None, "high": None}] * 2,
    }
    assert shown["pairs"] == [{"a": a.pk, "b": b.pk, "gained": 1, "lost": 1, "changed": 3}]


def test_a_difference_is_told_from_chance(api, finished):
    a, b, c = finished(), finished(BETTER), finished([row(f"q{i}", "right", ["Berlin"]) for i in range(1, 5)])
    client, url = api("viewer"), f"{URL}/compare/paired"

    def found(*pair):
        answer = client.get(url, {"ids": ",".join(str(report.pk) for report in pair)})
        return {one.pop("name"): one for one in answer.json()}

    assert found(a, b)["exact_set"]["value"] == 0.0
    better = found(a, c)["exact_set"]
    assert (better["value"], better["high"]) == (0.75, 1.0)
    assert 0 < better["low"] <= 0.5
    assert better["p"] < 0.25
    assert found(c, a)["exact_set"]["value"] == -0.75
    assert "path_recall" not in found(a, c)
    ReportQuestion.objects.all().delete()
    assert found(a, c)["exact_set"] == better  # reports never change, so it is kept
    assert client.get(url, {"ids": f"{a.pk},{b.pk},{c.pk}"}).json()["error"]["code"] == "invalid"


def test_what_was_gained_and_lost_is_shown_question_by_question(api, finished):
    a, b = finished(), finished(BETTER)
    url = f"{URL}/compare/questions"

    def found(**query):
        answer = api("viewer").get(url, {"ids": f"{a.pk},{b.pk}", **query})
        return answer.json()["results"]

    assert [(d["id"], d["change"]) for d in found()] == [("q1", "lost"), ("q2", "gained"), ("q3", "changed")]
    assert [d["id"] for d in found(change="gained")] == ["q2"]
    assert [d["id"] for d in found(change="lost")] == ["q1"]
    assert [d["id"] for d in found(change="changed")] == ["q1", "q2", "q3"]
    assert [d["id"] for d in found(q="q3")] == ["q3"]
    lost = found(change="lost")[0]
    assert (lost["a"], lost["b"], lost["answers"]) == (ROWS[0], BETTER[0], ["Berlin"])
    three = api("viewer").get(url, {"ids": f"{a.pk},{b.pk},{finished().pk}"})
    assert three.json()["error"]["code"] == "invalid"
    assert api("viewer").get(url, {"ids": f"{a.pk},{b.pk}", "change": "x"}).status_code == 400


@pytest.mark.parametrize(
    ("fields", "differs"),
    [
        ({"questions": "others"}, "question set"),
        ({"topics": "linked"}, "topics"),
        ({"subgraphs": "whole"}, "subgraphs"),
        ({"budget": 20}, "budget"),
    ],
)
def test_reports_of_different_things_are_not_compared(api, finished, fields, differs):
    a, b = finished(), finished(**fields)
    answer = api("viewer").get(f"{URL}/compare", {"ids": f"{a.pk},{b.pk}"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "not_comparable")
    assert error["message"].startswith(f"These reports differ in their {differs} (report {a.pk}: ")
    assert error["hint"] == f"Compare reports of the same {differs}."


def test_other_snapshots_and_splits_are_named(api, finished):
    a, b = finished(), finished()

    def message():
        return api("viewer").get(f"{URL}/compare", {"ids": f"{a.pk},{b.pk}"}).json()["error"]["message"]

    Report.objects.filter(pk=b.pk).update(split="test")
    assert message() == f"These reports differ in their split (report {a.pk}: dev; report {b.pk}: test)."
    Report.objects.filter(pk=b.pk).update(snapshot_hash="0123456789")
    assert "differ in their snapshot" in message()
    assert message().endswith(f"report {b.pk}: Tiny 01234567).")


def test_what_cannot_be_compared(api, started, finished):
    report, queued = finished(), started().json()["report"]["id"]

    def refused(ids):
        answer = api("viewer").get(f"{URL}/compare", {"ids": ids})
        return answer.status_code, answer.json()["error"]["code"]

    assert (
        refused("")
        == refused(f"{report.pk}")
        == refused(f"{report.pk},{report.pk}")
        == (400, "not_comparable")
    )
    assert refused(f"{report.pk},{queued}") == (400, "not_comparable")
    assert refused(",".join(map(str, range(1, 10)))) == (400, "not_comparable")
    assert refused("a,b") == (400, "invalid")
    assert refused(f"{report.pk},999") == (404, "not_found")


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
    trained = checkpoint()
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


def test_a_deleted_report_takes_everything_along(api, tiny_graph, finished):
    report = finished()
    assert api("analyst").delete(f"{URL}/{report.pk}").status_code == 204
    assert (Report.objects.count(), ReportQuestion.objects.count()) == (0, 0)
    assert not files.local_path(files.report_name(tiny_graph.pk, report.pk)).exists()


def test_deleting_a_report_that_is_being_made_stops_its_job(api, started):
    report = started().json()["report"]["id"]
    assert api("analyst").delete(f"{URL}/{report}").status_code == 204
    assert Job.objects.get().state == "cancelled"


def test_a_graph_takes_its_reports_along(tiny_graph, finished):
    finished()
    graphs.purge_graph(graph=tiny_graph)
    assert (Report.objects.count(), ReportQuestion.objects.count()) == (0, 0)
    assert not files.local_path(f"reports/{tiny_graph.pk}").exists()
