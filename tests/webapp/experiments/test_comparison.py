"""Reports side by side, question by question."""

import pytest

from tests.webapp.experiments.report_calls import ROWS, URL, row
from webapp.experiments.models import Report, ReportQuestion

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

    assert refused("") == refused(f"{report.pk}") == refused(f"{report.pk},{report.pk}") == (400, "not_comparable")
    assert refused(f"{report.pk},{queued}") == (400, "not_comparable")
    assert refused(",".join(map(str, range(1, 10)))) == (400, "not_comparable")
    assert refused("a,b") == (400, "invalid")
    assert refused(f"{report.pk},999") == (404, "not_found")
