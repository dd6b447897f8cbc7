"""Reports: shown, listed, drilled into, downloaded, deleted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.webapp.experiments.report_calls import METRICS, ROWS, URL
from webapp.experiments.models import Report, ReportQuestion
from webapp.graphs import files, trash
from webapp.graphs import services as graphs
from webapp.jobs.models import Job


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
    assert listed(graph=tiny_graph.pk, question_set=question_set.pk, method="rel-rag-path", split="dev") == (listed())
    assert listed(checkpoint=trained.pk) == [second.pk]
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
    lies = files.ensure_local_path(files.build_report_name(tiny_graph.pk, report.pk)) / f"report.{wanted}"
    assert b"".join(answer.streaming_content) == lies.read_bytes()
    assert answer["Content-Type"] == f"{media}; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="report-{report.pk}.{wanted}"'


def test_the_figures_are_downloaded_as_csv(api, finished):
    report = finished()
    answer = api("viewer").get(f"{URL}/{report.pk}/download", {"format": "csv"})
    assert answer.content.decode() == (
        "by,group,n,hit,exact_set,path_recall\r\nall,all,4,0.75,0.5,\r\nhops,1,3,0.75,0.5,\r\n"
    )
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="report-{report.pk}.csv"'


def test_downloads_that_cannot_be(api, started, finished):
    assert api("viewer").get(f"{URL}/{finished().pk}/download", {"format": "pdf"}).status_code == 400
    lost = finished()
    files.ensure_local_path(files.build_report_name(lost.graph_id, lost.pk)).joinpath("report.md").unlink()
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


def test_a_deleted_report_takes_everything_along(api, tiny_graph, finished, django_capture_on_commit_callbacks):
    report = finished()
    assert api("analyst").delete(f"{URL}/{report.pk}").status_code == 204
    assert (Report.objects.count(), Report.with_trash.count(), ReportQuestion.objects.count()) == (0, 1, 4)
    Report.with_trash.update(deleted_at=timezone.now() - timedelta(days=8))
    with django_capture_on_commit_callbacks(execute=True):
        trash.remove_expired()
    assert (Report.with_trash.count(), ReportQuestion.objects.count()) == (0, 0)
    assert not files.ensure_local_path(files.build_report_name(tiny_graph.pk, report.pk)).exists()


def test_deleting_a_report_that_is_being_made_stops_its_job(api, started):
    report = started().json()["report"]["id"]
    assert api("analyst").delete(f"{URL}/{report}").status_code == 204
    assert Job.objects.get().state == "cancelled"


def test_a_graph_takes_its_reports_along(tiny_graph, finished):
    finished()
    graphs.purge_graph(graph=tiny_graph)
    assert (Report.objects.count(), ReportQuestion.objects.count()) == (0, 0)
    assert not files.ensure_local_path(f"reports/{tiny_graph.pk}").exists()
