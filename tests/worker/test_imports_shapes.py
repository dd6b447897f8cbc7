"""Versions whose data breaks the SHACL shapes uploaded beside it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.kg.readers import shape_checks
from tests.support import slow
from webapp.graph_tests import services as graph_tests
from webapp.graph_tests.models import TestRound as Round
from webapp.graphs import services
from webapp.jobs.models import Job
from worker import graph_tests as testing
from worker import imports

SHAPES = b"""@prefix : <http://x/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:BoatShape a sh:NodeShape ; sh:targetClass :Boat ;
  sh:property [ sh:path :home ; sh:minCount 1 ; sh:message "a boat has a home" ] .
"""
GOOD = b"@prefix : <http://x/> . :Alder a :Boat ; :home :Oslo . :Birch a :Boat ; :home :Bergen .\n"


@pytest.fixture
def graph(users):
    sent = [SimpleUploadedFile("boats.ttl", GOOD), SimpleUploadedFile("shapes.ttl", SHAPES)]
    made, job = services.create_graph(
        name="Boats",
        description="",
        visibility="public",
        files=sent,
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    made.refresh_from_db()
    return made


def replace(api, graph, content):
    sent = [SimpleUploadedFile("boats.ttl", content), SimpleUploadedFile("shapes.ttl", SHAPES)]
    answer = api().post(f"/api/v1/graphs/{graph.pk}/versions", {"mode": "replace", "files": sent}, format="multipart")
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(pk=answer.json()["id"])
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    job.refresh_from_db()
    return job


def list_problems(job):
    return list(job.problems.values_list("file", "message", "text"))


def test_a_version_that_breaks_its_shapes_waits_until_it_is_chosen(api, graph):
    assert (graph.snapshot.version, graph.snapshot.triples, graph.problem_count) == (1, 4, 0)
    job = replace(api, graph, GOOD + b":Cedar a :Boat .\n")
    assert graph.snapshot.version == 1
    assert (job.result["violations"], list_problems(job)) == (1, [("shapes.ttl", "a boat has a home", "Cedar home")])
    held = graph.snapshots.get(version=2)
    assert held.note == "1 violation of the shapes; used only when it is chosen."
    answer = api().post(f"/api/v1/graphs/{graph.pk}/versions/2/activate")
    assert answer.status_code == 200, answer.content
    graph.refresh_from_db()
    assert graph.snapshot.version == 2


@pytest.mark.parametrize(
    ("expected", "figures"),
    [
        (["Bergen"], {"passed": 1, "failed": 0, "error": 0, "changed": 0}),
        (["Oslo"], {"passed": 0, "failed": 1, "error": 0, "changed": 0}),
    ],
)
def test_tests_are_asked_of_a_version_that_breaks_its_shapes_and_both_results_shown(
    api, graph, users, expected, figures
):
    new = graph_tests.NewTest("What is the home of Birch?", expected)
    graph_tests.add(graph=graph, tests=[new], user=users["admin"])
    replace(api, graph, GOOD + b":Cedar a :Boat .\n")
    testing.test_graph(Round.objects.get().job_id)
    graph.refresh_from_db()
    [shown] = api().get(f"/api/v1/test-rounds?graph={graph.pk}").json()["results"]
    assert (shown["figures"], shown["violations"], shown["decision"]) == (figures, 1, "held")
    assert graph.snapshot.version == 1
    answer = api().post(f"/api/v1/test-rounds/{shown['id']}/accept")
    assert answer.status_code == 200, answer.content
    graph.refresh_from_db()
    assert graph.snapshot.version == 2


def test_a_version_that_keeps_its_shapes_is_used_at_once(api, graph):
    job = replace(api, graph, GOOD + b":Cedar a :Boat ; :home :Oslo .\n")
    assert (graph.snapshot.version, job.result["violations"]) == (2, 0)


def test_a_check_that_takes_too_long_is_a_problem(api, graph, monkeypatch):
    monkeypatch.setattr(imports, "VALIDATION_S", 0.5)
    monkeypatch.setattr(shape_checks, "validate_files", slow.validate_files)
    job = replace(api, graph, GOOD + b":Cedar a :Boat .\n")
    assert graph.snapshot.version == 2
    [(file, message, _)] = list_problems(job)
    assert file == "boats.ttl and 1 more"
    assert message.startswith("the data was not checked by its shapes: Reading the data by its shapes took more than")


def test_shapes_are_proposed_from_the_files_of_a_version(api, graph):
    answer = api("viewer").get(f"/api/v1/graphs/{graph.pk}/shapes")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/turtle; charset=utf-8")
    assert "sh:targetClass <http://x/Boat>" in answer.content.decode()
