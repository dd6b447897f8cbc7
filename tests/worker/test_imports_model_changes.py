"""The data model of a graph that stands is changed: the next version is made of the files that are kept."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from tests.worker.test_imports_models import CITIES, COUNTRIES, list_facts, run, send
from webapp.graphs import files, storage, trash, versions
from webapp.graphs.models import Graph, GraphVersion, SourceFile
from webapp.jobs.models import Job, JobState
from worker import imports

RENAMED = {
    "kinds": [{"table": "cities.csv", "label": "town"}],
    "references": [
        {
            "table": "cities.csv",
            "column": "country code",
            "target": "countries.csv",
            "target_column": "code",
            "label": "lies in",
        }
    ],
}


@pytest.fixture
def graph(api):
    made = run(api().post("/api/v1/graphs", {"name": "A", "uploads": send(api())}, format="json"))
    return Graph.objects.get(pk=made.graph_id)


def change(client, graph, model, **more):
    return client.post(f"/api/v1/graphs/{graph.pk}/model", {"model": model, **more}, format="json")


def preview(client, graph, model):
    return client.post("/api/v1/uploads/model", {"graph": graph.pk, "model": model}, format="json")


def list_examples(answer):
    return [kind["examples"] for kind in answer.json()["kinds"]]


def forget_files(graph):
    for job in Job.objects.filter(graph=graph):
        versions.drop_files(job=job)


def test_without_a_change_the_kept_model_is_shown_and_no_file_is_read(api, graph):
    for source in SourceFile.objects.all():
        files.get_path(source.path).write_bytes(b"")
    assert preview(api(), graph, {}).json() == api().get(f"/api/v1/graphs/{graph.pk}/model").json()


def test_a_relation_is_renamed_without_an_upload(api, graph):
    answer = preview(api(), graph, RENAMED)
    assert answer.status_code == 200, answer.content
    assert answer.json()["kinds"][1]["examples"][0] == "Paris is a town: id 1, lies in France."
    job = run(change(api(), graph, RENAMED, note="as we say"))
    assert job.title == "Change the data model of A"
    graph.refresh_from_db()
    assert (graph.snapshot.version, graph.snapshot.note) == (2, "as we say")
    assert list_facts(graph.pk, "Paris") == [("lies in", "France"), ("type", "town")]
    kept = api().get(f"/api/v1/graphs/{graph.pk}/model").json()
    assert [kind["label"] for kind in kept["kinds"]] == ["country", "town"]


def test_files_are_kept_once_and_as_long_as_the_current_version_is_made_of_them(api, graph):
    before = storage.measure_graphs([graph.pk])[graph.pk].uploads
    assert before == len(CITIES) + len(COUNTRIES)
    run(change(api(), graph, RENAMED))
    assert storage.measure_graphs([graph.pk])[graph.pk].uploads == before
    first = GraphVersion.objects.get(graph=graph, version=1)
    first.deleted_at = timezone.now() - timedelta(days=settings.CLEW.trash_days, seconds=1)
    first.save()
    trash.remove_expired()
    assert not GraphVersion.objects.filter(pk=first.pk).exists()
    graph.refresh_from_db()
    assert [source.name for source in graph.snapshot.files.all()] == ["countries.csv", "cities.csv"]
    assert storage.measure_graphs([graph.pk])[graph.pk].uploads == before
    run(change(api(), graph, {"kinds": [{"table": "cities.csv", "label": "place"}]}))
    assert list_facts(graph.pk, "Paris") == [("lies in", "France"), ("type", "place")]


def test_additions_and_removals_are_repeated_with_the_changed_model(api, graph):
    for mode, content in (
        ("append", b"id,city,country code\n5,Bonn,DE\n"),
        ("remove", b"id,city,country code\n2,Rome,IT\n"),
    ):
        body = {"mode": mode, "files": [SimpleUploadedFile("cities.csv", content)]}
        run(api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart"))
    assert [kind["table"] for kind in api().get(f"/api/v1/graphs/{graph.pk}/model").json()["kinds"]] == [
        "countries.csv",
        "cities.csv",
    ]
    run(change(api(), graph, {"kinds": [{"table": "cities.csv", "label": "town"}]}))
    assert ("type", "town") in list_facts(graph.pk, "Bonn")
    assert ("type", "town") in list_facts(graph.pk, "Paris")


def test_without_files_labels_change_and_the_rest_is_refused(api, graph):
    forget_files(graph)
    assert list(SourceFile.objects.values_list("name", "path", "size")) == [
        ("countries.csv", "", 0),
        ("cities.csv", "", 0),
    ]
    for model in (
        {"kinds": [{"table": "cities.csv", "name": ["id"]}]},
        {"references": [{**RENAMED["references"][0], "is_used": False}]},
        {"kinds": [{"table": "cities.csv", "columns": [{"name": "id", "type": "list"}]}]},
    ):
        for answer in (preview(api(), graph, model), change(api(), graph, model)):
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (400, "bad_config")
            assert error["message"].startswith("The files of this graph are not kept, and ")
            assert error["hint"].startswith("Upload the files again")
    population = {"table": "countries.csv", "columns": [{"name": "population", "unit": "million"}]}
    changes = {**RENAMED, "kinds": [*RENAMED["kinds"], population]}
    assert list_examples(preview(api(), graph, changes)) == [
        [
            "France is a country: code FR, population (million) 68, 2 towns.",
            "Italy is a country: code IT, population (million) 59, 1 town.",
            "Germany is a country: code DE, population (million) 84.",
        ],
        [
            "Paris is a town: id 1, lies in France.",
            "Rome is a town: id 2, lies in Italy.",
            "Lyon is a town: id 3, lies in France.",
        ],
    ]
    run(change(api(), graph, changes))
    assert list_examples(api().get(f"/api/v1/graphs/{graph.pk}/model"))[0][0] == (
        "France is a country: code FR, population (million) 68, 2 towns."
    )
    assert list_facts(graph.pk, "Paris") == [("lies in", "France"), ("type", "town")]
    assert ("population (million)", "68") in list_facts(graph.pk, "France")
    run(
        change(
            api(),
            graph,
            {"kinds": [{"table": "countries.csv", "columns": [{"name": "population", "is_ignored": True}]}]},
        )
    )
    assert [name for name, _ in list_facts(graph.pk, "France")] == ["code", "type"]


def test_a_changed_model_of_equal_facts_is_kept_and_an_equal_one_makes_no_version(api, graph):
    before = graph.snapshot.hash
    assert run(change(api(), graph, {"kinds": [{"table": "countries.csv", "key": None}]})).result["snapshot"] == before
    graph.refresh_from_db()
    assert (graph.snapshot.version, graph.snapshot.hash) == (2, before)
    kept = api().get(f"/api/v1/graphs/{graph.pk}/model").json()
    assert kept["kinds"][0]["key"] is None
    job = run(change(api(), graph, {}))
    assert job.result["unchanged"]
    body = {"mode": "replace", "uploads": send(api()), "model": kept}
    assert run(api().post(f"/api/v1/graphs/{graph.pk}/versions", body, format="json")).result["unchanged"]


def test_an_operator_may_not_keep_files(api, settings):
    from dataclasses import replace

    settings.CLEW = replace(settings.CLEW, keep_files=False)
    made = run(api().post("/api/v1/graphs", {"name": "A", "uploads": send(api())}, format="json"))
    assert list(SourceFile.objects.values_list("path", "size")) == [("", 0), ("", 0)]
    assert storage.measure_graphs([made.graph_id])[made.graph_id].uploads == 0
    run(change(api(), made.graph, RENAMED))
    assert list_facts(made.graph_id, "Paris") == [("lies in", "France"), ("type", "town")]


def test_a_change_that_does_not_fit_is_said_at_once_in_the_page_and_fails_the_job(api, graph):
    wrong = {"kinds": [{"table": "cities.csv", "name": ["nothing"]}]}
    assert preview(api(), graph, wrong).json()["error"]["code"] == "bad_config"
    job = Job.objects.get(pk=change(api(), graph, wrong).json()["id"])
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    graph.refresh_from_db()
    assert (graph.state, graph.snapshot.version) == ("ready", 1)
