"""Tests of a graph over HTTP: kept, changed, removed and brought back, exported and imported."""

import pytest

from retrieval.events import AnswerFinal
from retrieval.results import Answer
from retrieval.types import Usage
from webapp.answers import services as answers
from webapp.answers.models import Run
from webapp.experiments import promotions
from webapp.graph_tests import models, services
from webapp.graphs import progress
from webapp.graphs.models import Graph, GraphVersion
from webapp.jobs.models import Job, JobKind

pytestmark = pytest.mark.usefixtures("owned_graph")

CAPITAL = {"question": "What is the capital of Germany?", "expected": ["Berlin"]}


def url(graph, rest=""):
    return f"/api/v1/graphs/{graph.pk}/tests{rest}"


def keep(client, graph, *tests, **body):
    return client.post(url(graph), {"tests": list(tests), **body}, format="json")


@pytest.fixture
def answered(tiny_graph, users):
    """A run with 21 answers, of which its row lists 20."""
    ask = answers.Ask("Who borders France?", method="inses", options={"iterations": 2}, entities=[1])
    run = answers.create_run(graph=tiny_graph, ask=ask, user=users["viewer"])
    Run.objects.filter(pk=run.pk).update(state="running")
    final = AnswerFinal(tuple(Answer(f"A{i}", 0.9) for i in range(21)), None, "", (), Usage(), 1.0)
    answers.close_run(run_id=run.pk, after=0, event=final)
    run.refresh_from_db()
    return run


def test_a_test_is_kept_changed_removed_and_brought_back(api, tiny_graph):
    client = api("analyst")
    made = keep(client, tiny_graph, CAPITAL)
    assert made.status_code == 201, made.content
    (test,) = made.json()["tests"]
    assert (test["question"], test["expected"], test["method"], test["budget"], test["last"]) == (
        *(CAPITAL["question"], ["Berlin"], "", 50, None),
    )
    changed = client.patch(f"/api/v1/tests/{test['id']}", {"expected": []}, format="json").json()
    assert changed["expected"] == []
    assert keep(client, tiny_graph, CAPITAL).json()["tests"][0]["id"] == test["id"]
    assert client.get(url(tiny_graph)).json()["tests"][0]["expected"] == ["Berlin"]
    assert client.delete(f"/api/v1/tests/{test['id']}").status_code == 204
    assert client.get(url(tiny_graph)).json() == {"hold": False, "tests": []}
    assert client.post(f"/api/v1/trash/tests/{test['id']}/restore", {}, format="json").status_code == 204
    assert [one["id"] for one in client.get(url(tiny_graph)).json()["tests"]] == [test["id"]]


def test_an_answer_is_kept_as_it_was_asked(api, tiny_graph, answered):
    (test,) = keep(api("analyst"), tiny_graph, run=str(answered.pk)).json()["tests"]
    assert test["expected"] == [f"A{i}" for i in range(21)]
    assert (test["method"], test["options"]) == ("inses", {"iterations": 2})
    assert test["entities"] == [services._list_entity_labels(answered)[0]]


def test_an_answer_of_what_answers_by_itself_names_no_method(tiny_graph, users):
    run = answers.create_run(graph=tiny_graph, ask=answers.Ask("q?"), user=users["viewer"])
    Run.objects.filter(pk=run.pk).update(state="running")
    answers.close_run(run_id=run.pk, after=0, event=AnswerFinal((), None, "", (), Usage(), 1.0))
    run.refresh_from_db()
    assert services.build_from_run(run).method == ""


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ({"question": " "}, "bad_question"),
        ({"question": "q", "method": "guess"}, "unknown_method"),
        ({"question": "q", "method": "inses", "options": {"beam": 1}}, "bad_config"),
        ({"question": "q", "options": {"beam": 1}}, "invalid"),
        ({"question": "q", "expected": "Berlin"}, "invalid"),
        ({"question": "q", "budget": 0}, "invalid"),
        ({"question": "q", "program": {"op": "nothing"}}, "bad_program"),
        ({"question": "q", "expected": ["a\0b"]}, "invalid"),
    ],
)
def test_what_cannot_be_a_test(api, tiny_graph, test, code):
    answer = keep(api("analyst"), tiny_graph, CAPITAL, test)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert models.GraphTest.objects.count() == 0


def test_a_file_of_tests_makes_the_same_tests_elsewhere(api, tiny_graph):
    client = api("analyst")
    strange = {"question": "من؟ 🦊 <b>", "expected": ["x" * 5000, "<script>"], "method": "graph-s3"}
    keep(client, tiny_graph, CAPITAL, {**strange, "options": {"steps": 3}, "entities": ["Germany"]})
    file = client.get(url(tiny_graph, "/download"))
    assert file.headers["Content-Disposition"] == f'attachment; filename="tests-{tiny_graph.pk}.json"'
    ids = list(models.GraphTest.objects.values_list("pk", flat=True))
    assert [one["id"] for one in client.post(url(tiny_graph), file.json(), format="json").json()["tests"]] == ids
    models.GraphTest.objects.all().delete()
    assert client.post(url(tiny_graph), file.json(), format="json").status_code == 201
    assert client.get(url(tiny_graph, "/download")).json() == file.json()


def test_tests_are_asked_by_a_job_and_none_of_them_by_none(api, tiny_graph):
    client = api("analyst")
    assert client.post(url(tiny_graph, "/ask"), {}, format="json").status_code == 409
    keep(client, tiny_graph, CAPITAL)
    round = client.post(url(tiny_graph, "/ask"), {}, format="json").json()
    assert (round["cause"], round["version"], round["tests"], round["hold"]) == ("asked", 1, 1, False)
    job = Job.objects.get(kind=JobKind.TEST)
    assert (job.title, job.params) == ("Test version 1 of Tiny", {"round": round["id"], "gate": False})
    listed = client.get("/api/v1/test-rounds", {"graph": tiny_graph.pk}).json()["results"]
    assert [one["id"] for one in listed] == [round["id"]]
    assert client.post(f"/api/v1/jobs/{job.pk}/cancel").json()["state"] == "cancelled"


@pytest.fixture
def second(tiny_graph):
    """A version that stands and is not current."""
    first = tiny_graph.snapshot
    return GraphVersion.objects.create(
        graph=tiny_graph, version=2, hash="h2", path=first.path, entities=1, relations=1, triples=1
    )


@pytest.mark.parametrize("hold", [False, True])
def test_a_round_that_is_stopped_holds_back_only_where_tests_do(api, tiny_graph, second, users, hold):
    client = api("admin")
    keep(client, tiny_graph, CAPITAL)
    assert client.patch(url(tiny_graph, "/policy"), {"hold": hold}, format="json").json() == {"hold": hold}
    assert services.take_version(tiny_graph, second, users["admin"])
    round = models.TestRound.objects.get()
    assert Graph.objects.get().snapshot_id != second.pk
    client.post(f"/api/v1/jobs/{round.job_id}/cancel")
    round.refresh_from_db()
    assert round.decision == ("held" if hold else "current")
    assert (Graph.objects.get().snapshot_id == second.pk) is not hold
    accepted = client.post(f"/api/v1/test-rounds/{round.pk}/accept")
    assert accepted.status_code == (200 if hold else 409)
    assert Graph.objects.get().snapshot_id == second.pk


def test_no_version_is_made_while_one_is_tested(api, tiny_graph, second, users):
    keep(api("admin"), tiny_graph, CAPITAL)
    services.take_version(tiny_graph, second, users["admin"])
    answer = api("admin").post(f"/api/v1/graphs/{tiny_graph.pk}/versions/1/activate")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


def test_without_tests_nothing_stands_before_a_version_or_a_promotion(api, tiny_graph, second, checkpoint, users):
    assert not services.take_version(tiny_graph, second, users["admin"])
    checkpoint()
    row = checkpoint()
    assert promotions.promote(checkpoint=row, user=None) is not None


def test_a_promotion_waits_for_the_tests(api, tiny_graph, checkpoint):
    first, row = checkpoint(adopted=True), checkpoint()
    keep(api("analyst"), tiny_graph, CAPITAL)
    shown = api("analyst").post(f"/api/v1/checkpoints/{row.pk}/promote").json()
    assert shown["in_use"] is False
    api("analyst").post(f"/api/v1/checkpoints/{row.pk}/promote")
    round = models.TestRound.objects.get()
    assert (round.cause, round.checkpoint_id, round.job.title) == (
        *("promotion", row.pk, f"Test checkpoint {row.pk} of Tiny"),
    )
    services.close_round(round=round)
    round.refresh_from_db()
    assert round.decision == "current"
    assert api("analyst").get(f"/api/v1/checkpoints/{row.pk}").json()["in_use"] is True
    assert api("analyst").get(f"/api/v1/checkpoints/{first.pk}").json()["in_use"] is False


def test_a_new_version_is_taken_over_by_the_gate(tiny_graph, users, api):
    keep(api("analyst"), tiny_graph, CAPITAL)
    from retrieval.kg import snapshot as kg
    from webapp.graphs import files

    manifest = kg.open(files.ensure_local_path(tiny_graph.snapshot.path)).manifest
    made = progress.register_version(graph=tiny_graph, version=2, manifest=manifest)
    assert Graph.objects.get().snapshot.version == 1
    assert models.TestRound.objects.get().version_id == made.pk
