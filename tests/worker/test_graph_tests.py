"""Tests of a graph, asked by a worker: of what is current, of a new version, and with a checkpoint."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.answers import services as answers
from webapp.graph_tests import fact_changes, models, outcomes, services
from webapp.graphs.models import Graph
from webapp.jobs.models import Job, JobKind, JobState
from worker import answering, graph_tests, imports

CAPITAL = services.NewTest("What is the capital of Germany?", ["berlin"])
BORDERS = services.NewTest("Which countries does Switzerland border?", ["France", "Germany"])
COUNT = services.NewTest("How many countries does Switzerland border?", ["2"])


@pytest.fixture
def keep(tiny_graph, users):
    return lambda *tests: services.add(graph=tiny_graph, tests=tests, user=users["analyst"])


def asked():
    """The last round, after its job."""
    round = models.TestRound.objects.exclude(cause="history").first()
    graph_tests.test_graph(round.job_id)
    round.refresh_from_db()
    return round


def change(api, graph, mode, content):
    body = {"mode": mode, "files": [SimpleUploadedFile("more.tsv", content)]}
    answer = api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart")
    assert answer.status_code == 202, answer.content
    imports.import_graph(answer.json()["id"])
    graph.refresh_from_db()


def details(api, round):
    return api("viewer").get(f"/api/v1/test-rounds/{round.pk}").json()


def test_tests_of_the_current_version(api, tiny_graph, keep, users):
    keep(CAPITAL, BORDERS, COUNT, services.NewTest("What is the capital of Germany?", ["Bonn"], seed=1))
    services.start(graph=tiny_graph, user=users["analyst"])
    round = asked()
    assert round.figures == {"passed": 3, "failed": 1, "error": 0, "changed": 0}
    assert (round.decision, round.job.state, round.job.result["metrics"]) == ("", "done", round.figures)
    failed, *passed = details(api, round)["results"]
    assert (failed["outcome"], failed["missing"], failed["unexpected"]) == ("failed", ["Bonn"], ["Berlin"])
    assert [one["outcome"] for one in passed] == ["passed"] * 3
    assert (failed["facts"], failed["before"], failed["method"]) == (1, None, "rel-rag-path")
    listed = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/tests").json()["tests"]
    assert [one["last"]["outcome"] for one in listed] == ["passed", "passed", "passed", "failed"]


def test_a_new_version_names_the_facts_that_changed_an_answer_and_becomes_current(api, tiny_graph, keep):
    keep(CAPITAL, BORDERS, COUNT)
    change(api, tiny_graph, "append", b"Switzerland\tborders\tItaly\n")
    assert tiny_graph.snapshot.version == 1
    round = asked()
    tiny_graph.refresh_from_db()
    assert (round.cause, round.number, round.before, round.decision) == ("version", 2, 1, "current")
    assert tiny_graph.snapshot.version == 2
    assert round.figures == {"passed": 1, "failed": 2, "error": 0, "changed": 2}
    borders, count, capital = details(api, round)["results"]
    italy = ["Switzerland", "borders", "Italy"]
    assert (borders["unexpected"], borders["added"], borders["removed"]) == (["Italy"], [italy], [])
    assert (borders["before"]["number"], sorted(borders["before"]["answers"])) == (1, ["France", "Germany"])
    assert (count["answers"], count["before"]["answers"], count["added"]) == (["3"], ["2"], [italy])
    assert (capital["changed"], capital["outcome"]) == (False, "passed")


def test_failing_tests_hold_a_version_back_until_somebody_accepts_it(api, tiny_graph, keep):
    keep(CAPITAL, BORDERS)
    services.set_hold(graph=tiny_graph, hold=True)
    change(api, tiny_graph, "remove", b"Germany\tcapital\tBerlin\n")
    round = asked()
    assert (round.hold, round.decision) == (True, "held")
    assert Graph.objects.get().snapshot.version == 1
    capital, borders = details(api, round)["results"]
    assert (capital["missing"], capital["removed"]) == (["berlin"], [["Germany", "capital", "Berlin"]])
    assert borders["outcome"] == "passed"
    assert api("viewer").post(f"/api/v1/test-rounds/{round.pk}/accept").status_code == 403
    assert api("admin").post(f"/api/v1/test-rounds/{round.pk}/accept").json()["decision"] == "accepted"
    assert Graph.objects.get().snapshot.version == 2
    # What passes is not held back.
    change(api, tiny_graph, "append", b"Germany\tcapital\tBerlin\nItaly\tcapital\tRome\n")
    assert (asked().decision, Graph.objects.get().snapshot.version) == ("current", 3)


def test_what_a_version_lacks_is_an_error_of_the_test_alone(api, tiny_graph, keep):
    keep(services.NewTest("What is the capital?", ["Berlin"], entities=["Germany", "Atlantis"]), CAPITAL)
    keep(services.NewTest("What is it?", [], method="text-rag"))
    services.start(graph=tiny_graph, user=None)
    round = asked()
    assert round.figures == {"passed": 1, "failed": 0, "error": 2, "changed": 0}
    messages = {one["question"]: one["message"] for one in details(api, round)["results"]}
    assert messages["What is the capital?"] == "Version 1 has no Atlantis."
    assert messages["What is it?"].startswith("text-rag needs passages, and the graph Tiny has none.")


def test_the_same_is_not_asked_twice(api, tiny_graph, keep, monkeypatch):
    keep(CAPITAL)
    services.start(graph=tiny_graph, user=None)
    asked()
    versions = []
    of_test = graph_tests.answerers.open_test_engine
    monkeypatch.setattr(
        graph_tests.answerers,
        "open_test_engine",
        lambda version, *rest: versions.append(version.version) or of_test(version, *rest),
    )
    change(api, tiny_graph, "append", b"Switzerland\tborders\tItaly\n")
    asked()
    assert versions == [2]


def test_a_job_that_is_stopped_in_the_middle_makes_the_version_current_where_tests_only_warn(
    api, tiny_graph, keep, monkeypatch
):
    keep(CAPITAL, BORDERS)
    change(api, tiny_graph, "append", b"Switzerland\tborders\tItaly\n")
    job = Job.objects.get(kind=JobKind.TEST)
    monkeypatch.setattr(
        graph_tests.answerers,
        "open_test_engine",
        lambda *_: api("admin").post(f"/api/v1/jobs/{job.pk}/cancel") and 1 / 0,
    )
    graph_tests.test_graph(job.pk)
    job.refresh_from_db()
    round = models.TestRound.objects.exclude(cause="history").get()
    assert (job.state in (JobState.CANCELLED, JobState.FAILED), round.decision) == (True, "current")
    assert Graph.objects.get().snapshot.version == 2


def test_facts_around_an_answer_are_named_where_no_evidence_changed(tmp_path):
    from retrieval.kg.build import build_snapshot
    from retrieval.kg.table import TripleTable

    facts = [("A", "in", "X"), ("B", "in", "X"), ("C", "in", "Y")]
    old = build_snapshot(TripleTable.from_facts(facts), tmp_path / "old")
    new = build_snapshot(TripleTable.from_facts([*facts[1:], ("A", "in", "Y")]), tmp_path / "new")
    earlier = outcomes.Answered(("A", "B"), (("B", "in", "X"),))
    now = outcomes.Answered(("B",), (("B", "in", "X"),))
    found = fact_changes.explain_change(old, new, earlier, now)
    assert (found.removed, found.added) == ([("A", "in", "X")], [("A", "in", "Y")])


def watch(api, tiny_graph, users):
    """The borders of Switzerland, asked by a viewer, who watches them."""
    run = answers.create_run(graph=tiny_graph, ask=answers.Ask(BORDERS.question), user=users["viewer"])
    answering.answer(str(run.pk))
    made = api("viewer").post("/api/v1/watches", {"run": str(run.pk)}, format="json")
    assert made.status_code == 201, made.content
    return made.json()


def test_a_person_is_told_when_what_they_watch_changes(api, tiny_graph, users):
    made = watch(api, tiny_graph, users)
    assert (sorted(made["expected"]), made["unread"], made["graph_name"]) == (*(["France", "Germany"], False, "Tiny"),)
    assert watch(api, tiny_graph, users)["id"] == made["id"]
    assert api("analyst").get(f"/api/v1/graphs/{tiny_graph.pk}/tests").json()["tests"] == []
    services.set_hold(graph=tiny_graph, hold=True)
    change(api, tiny_graph, "append", b"France\tcapital\tParis\n")
    assert asked().figures == {"passed": 0, "failed": 0, "error": 0, "changed": 0}
    assert not api("viewer").get("/api/v1/watches").json()[0]["unread"]
    change(api, tiny_graph, "append", b"Switzerland\tborders\tItaly\n")
    # What is watched holds nothing back, and is nobody else's.
    round = asked()
    assert (round.decision, details(api, round)["results"]) == ("current", [])
    (told,) = api("viewer").get("/api/v1/watches").json()
    assert (told["unread"], told["last"]["added"]) == (True, [["Switzerland", "borders", "Italy"]])
    assert api("analyst").get("/api/v1/watches").json() == []
    assert api("analyst").get(f"/api/v1/tests/{made['id']}/history").status_code == 404
    moments = api("viewer").get(f"/api/v1/tests/{made['id']}/history").json()["moments"]
    assert [sorted(one["answers"]) for one in moments] == [
        *([["France", "Germany"]] * 2),
        ["France", "Germany", "Italy"],
    ]
    assert api("viewer").post(f"/api/v1/watches/{made['id']}").json()["unread"] is False
    assert api("viewer").delete(f"/api/v1/watches/{made['id']}").status_code == 204
    assert api("viewer").get("/api/v1/watches").json() == []


def test_an_answer_through_time(api, tiny_graph, users):
    change(api, tiny_graph, "append", b"Switzerland\tborders\tItaly\n")
    change(api, tiny_graph, "remove", b"Switzerland\tborders\tFrance\n")
    made = watch(api, tiny_graph, users)
    url = f"/api/v1/tests/{made['id']}"
    moments = api("viewer").get(f"{url}/history").json()["moments"]
    assert [(one["version"], one["answers"], one["current"]) for one in moments] == [
        (1, None, False),
        (2, None, False),
        (3, None, True),
    ]
    job = api("viewer").post(f"{url}/through-time").json()
    assert api("viewer").get(f"{url}/history").json()["job"]["id"] == job["id"]
    graph_tests.test_graph(job["id"])
    history = api("viewer").get(f"{url}/history").json()
    first, second, third = history["moments"]
    assert api("viewer").get("/api/v1/test-rounds").json()["count"] == 0
    assert (sorted(first["answers"]), first["changed"], history["mine"]) == (
        ["France", "Germany"],
        False,
        True,
    )
    assert (second["came"], second["went"], second["added"], second["removed"]) == (
        *(["Italy"], [], [["Switzerland", "borders", "Italy"]], []),
    )
    assert (third["came"], third["went"], third["added"], third["removed"]) == (
        *([], ["France"], [], [["Switzerland", "borders", "France"]]),
    )
    assert history["job"] is None
    assert api("viewer").post(f"{url}/through-time").status_code == 409
