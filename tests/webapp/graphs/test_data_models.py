"""The data model of files: given with an import, inferred before one, and kept with a version."""

import json
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.kg.model.data_model import (
    Column,
    ColumnChoice,
    DataModel,
    Kind,
    KindChoice,
    ModelChoices,
    ModelWarning,
    Reference,
    ReferenceChoice,
)
from retrieval.kg.model.forms import read_model_text
from retrieval.kg.model.merging import merge_models
from tests.webapp.uploads.test_uploads import complete
from webapp.graphs import files, model_api, preview_api
from webapp.graphs.models import Graph
from webapp.jobs.models import Job

CITIES = b"id,name,country\n1,Paris,F\n2,Rome,I\n"
MODEL = {"kinds": [{"table": "cities", "label": "town"}]}
WRONG = {"kinds": [{"label": "town"}]}


KEPT = DataModel(
    kinds=(
        Kind(
            "cities",
            "town",
            2,
            ("name",),
            "id",
            (Column("country", "in", "text", 2, 2, ("F", "I")),),
            ("name", "country"),
            ("Paris is a town.",),
        ),
    ),
    references=(Reference("cities", "country", "countries", "code", "country", 1, 2, ("I",)),),
    warnings=(ModelWarning("cities", "Two rows are the same.", ((2, "1,Paris,F"), (3, "1,Paris,F"))),),
)


def keep(graph, model=KEPT):
    path = files.ensure_local_path(graph.snapshot.path) / "data_model.json"
    path.write_text(json.dumps(model.to_json()), encoding="utf-8")


def infer(client, *ids, **more):
    return client.post("/api/v1/uploads/model", {"uploads": ids, **more}, format="json")


def refused(answer):
    return answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["message"]


def create(client, **more):
    body = {"name": "Cities", "files": [SimpleUploadedFile("cities.csv", CITIES)], **more}
    return client.post("/api/v1/graphs", body, format="multipart")


def test_an_import_takes_a_model(api):
    assert create(api(), model=json.dumps(MODEL)).status_code == 202
    assert Job.objects.get().params["model"] == MODEL


def test_the_import_of_a_version_takes_a_model(api, tiny_graph):
    # Files in the request, JSON in a field of the form.
    body = {"mode": "append", "files": [SimpleUploadedFile("cities.csv", CITIES)], "model": "{}"}
    assert api().post(f"/api/v1/graphs/{tiny_graph.pk}/versions", body, format="multipart").status_code == 202
    assert Job.objects.get().params["model"] == {}


@pytest.mark.parametrize(
    ("model", "code", "message"),
    [
        ('{"kinds": [{"label": "town"}]}', "bad_config", "The data model cannot be read: table is missing."),
        (
            '{"kinds": [{"table": "t", "columns": [{"name": "c", "type": "colour"}]}]}',
            "bad_config",
            "The data model cannot be read: the type of a column is one of text, number, date, boolean, list, link",
        ),
        ('{"references": 1}', "bad_config", "The data model cannot be read: references must be a list of objects."),
        ("[]", "invalid", "model: A data model is a JSON object."),
        ("{", "invalid", "model: A data model is a JSON object."),
        ("[" * 100_000, "invalid", "model: A data model is a JSON object."),
        ('{"kinds": NaN}', "invalid", "model: Value must be valid JSON."),
        ('{"a": "\\u0000"}', "invalid", "model: This JSON cannot be kept: it holds NUL."),
        ('{"a": "' + "x" * 1_000_000 + '"}', "invalid", "model: A data model may have 1,000,000 bytes."),
    ],
    ids=range(9),
)
def test_a_model_that_is_none_is_refused_before_anything_is_kept(api, model, code, message):
    answer = create(api(), model=model)
    assert answer.status_code == 400
    found = answer.json()["error"]
    assert (found["code"], found["message"].startswith(message)) == (code, True), found
    assert found["hint"]
    assert (Graph.objects.count(), Job.objects.count()) == (0, 0)


def test_an_import_that_is_tried_again_keeps_its_model_unless_another_is_given(api):
    created = create(api(), model=json.dumps(MODEL)).json()
    job = Job.objects.get(pk=created["job"]["id"])
    url = f"/api/v1/jobs/{job.pk}/retry"
    for sent, kept in (
        ({}, MODEL),
        ({"encoding": "latin-1"}, MODEL),
        ({"model": {}}, {}),
    ):
        Job.objects.filter(pk=job.pk).update(state="failed")
        assert api().post(url, sent, format="json").status_code == 202
        job.refresh_from_db()
        assert job.params["model"] == kept
    Job.objects.filter(pk=job.pk).update(state="failed")
    assert refused(api().post(url, {"model": WRONG}, format="json"))[:2] == (400, "bad_config")


def test_the_model_of_a_version_is_shown_and_saved(api, tiny_graph):
    keep(tiny_graph)
    answer = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/model", {"snapshot": tiny_graph.snapshot.hash})
    assert answer["Content-Disposition"] == f'attachment; filename="model-{tiny_graph.pk}-1.json"'
    assert answer.json() == {
        "kinds": [
            {
                "table": "cities",
                "label": "town",
                "count": 2,
                "name": ["name"],
                "key": "id",
                "columns": [
                    {
                        "name": "country",
                        "label": "in",
                        "type": "text",
                        "filled": 2,
                        "distinct": 2,
                        "samples": ["F", "I"],
                        "unit": "",
                        "is_ignored": False,
                    }
                ],
                "name_candidates": ["name", "country"],
                "examples": ["Paris is a town."],
                "is_fixed": False,
            }
        ],
        "references": [
            {
                "table": "cities",
                "column": "country",
                "target": "countries",
                "target_column": "code",
                "label": "country",
                "matched": 1,
                "filled": 2,
                "unmatched": ["I"],
                "is_used": True,
            }
        ],
        "warnings": [
            {
                "table": "cities",
                "message": "Two rows are the same.",
                "rows": [{"line": 2, "text": "1,Paris,F"}, {"line": 3, "text": "1,Paris,F"}],
            }
        ],
        "is_sampled": False,
        "edges": [],
        "languages": [],
    }
    saved = json.dumps(answer.json())  # what was saved is a model that an import takes
    body = {"mode": "append", "files": [SimpleUploadedFile("cities.csv", CITIES)], "model": saved}
    assert api().post(f"/api/v1/graphs/{tiny_graph.pk}/versions", body, format="multipart").status_code == 202


def test_a_version_without_a_model_says_so(api, tiny_graph):
    url = f"/api/v1/graphs/{tiny_graph.pk}/model"
    assert refused(api("viewer").get(url)) == (404, "no_model", "Version 1 of Tiny has no data model.")
    assert refused(api("viewer").get(url, {"snapshot": "other"}))[:2] == (409, "version_gone")
    Graph.objects.update(snapshot=None)
    assert refused(api("viewer").get(url))[:2] == (409, "graph_not_ready")


def test_one_model_of_a_person_is_inferred_at_a_time(api, users):
    client = api("analyst")
    id = complete(client, CITIES, "cities.csv")
    refusal = model_api._make_limit_error()
    with model_api._inferring.take_turn(users["analyst"].pk, most=1, refusal=refusal):
        assert refused(infer(client, id))[:2] == (429, "too_many_uploads")
    assert infer(client, id).status_code == 200


def test_a_look_at_the_model_is_refused_where_nothing_can_be_looked_at(api, tiny_graph):
    client = api("analyst")
    id = complete(client, CITIES, "cities.csv")
    assert refused(infer(client))[:2] == (400, "invalid")
    assert refused(infer(client, id, model=WRONG))[:2] == (400, "bad_config")
    assert refused(infer(client, id, graph=tiny_graph.pk + 1))[:2] == (404, "not_found")
    Graph.objects.update(visibility="private")
    assert refused(infer(client, id, graph=tiny_graph.pk))[:2] == (404, "not_found")
    assert refused(infer(client, sources=["/etc/passwd"]))[:2] == (403, "not_allowed")
    assert refused(infer(api("viewer"), id))[:2] == (403, "forbidden")


def test_choices_are_merged_with_those_of_the_current_version():
    given = {
        "kinds": [
            {"table": "cities", "key": None, "columns": [{"name": "country", "unit": "ISO"}, {"name": "new"}]},
            {"table": "rivers", "label": "river"},
        ],
        "references": [
            {"table": "cities", "column": "country", "target": "states", "target_column": "id"},
            {"table": "rivers", "column": "mouth", "target": "cities", "target_column": "id", "is_used": False},
        ],
    }
    merged = ModelChoices.from_json(merge_models(KEPT.to_json(), given))
    assert merged == ModelChoices(
        kinds={"cities": KindChoice("town", ("name",), ""), "rivers": KindChoice("river")},
        columns={
            ("cities", "country"): ColumnChoice("in", "text", "ISO", False),
            ("cities", "new"): ColumnChoice(),
        },
        references={
            ("cities", "country"): ReferenceChoice("states", "id", "country"),
            ("rivers", "mouth"): ReferenceChoice("cities", "id", is_used=False),
        },
    )


def test_of_a_file_elsewhere_the_beginning_is_read_to_its_last_whole_line(api, tmp_path, settings, monkeypatch):
    monkeypatch.setattr(model_api, "SAMPLE", 30)
    monkeypatch.setattr(preview_api, "SAMPLE", 30)
    settings.CLEW = replace(settings.CLEW, import_paths=(tmp_path,))
    whole, part = tmp_path / "whole.csv", tmp_path / "part.csv"
    whole.write_bytes(CITIES[:29])
    part.write_bytes(CITIES)
    assert infer(api("analyst"), sources=[str(whole)]).json()["is_sampled"] is False
    assert infer(api("analyst"), sources=[str(part)]).json()["is_sampled"] is True
    sample = tmp_path / "sample"
    sample.write_bytes(CITIES[:30])
    assert (model_api._cut_last_line(sample), sample.read_bytes()) == (True, b"id,name,country\n1,Paris,F\n")


@pytest.mark.parametrize(
    ("form", "ending", "holds"), [("csvw", "json", '"primaryKey": "id"'), ("rml", "rml.ttl", "rr:template")]
)
def test_a_kept_model_is_saved_in_other_forms_and_read_again(api, tiny_graph, form, ending, holds):
    keep(tiny_graph)
    answer = api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/model", {"form": form})
    assert answer["Content-Disposition"] == f'attachment; filename="model-{tiny_graph.pk}-1.{ending}"'
    text = answer.content.decode()
    assert holds in text
    for wanted in (form, "json"):
        converted = api().post("/api/v1/uploads/model/convert", {"text": text, "form": wanted}, format="json").json()
        assert ModelChoices.from_json(read_model_text(converted["text"])) == ModelChoices.from_json(
            read_model_text(text)
        )
    assert refused(api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/model", {"form": "xml"}))[:2] == (400, "invalid")
    wrong = api().post("/api/v1/uploads/model/convert", {"text": "a,b"}, format="json")
    assert refused(wrong) == (400, "bad_config", "The file is no data model.")


def test_rdf_has_kinds_relations_and_languages_that_are_shown_before_the_import(api, tmp_path, settings):
    settings.CLEW = replace(settings.CLEW, import_paths=(tmp_path,))
    path = tmp_path / "countries.ttl"
    path.write_text(
        "@prefix : <http://e/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':at a :Country ; rdfs:label "Austria"@en, "Österreich"@de ; :capital :vi .\n:vi a :City .\n',
        encoding="utf-8",
    )
    model = infer(api("analyst"), sources=[str(path)]).json()
    assert [(kind["label"], kind["count"], kind["is_fixed"]) for kind in model["kinds"]] == [
        *(("City", 1, True), ("Country", 1, True)),
    ]
    assert model["edges"] == [
        {"table": "Country", "relation": "capital", "target": "City", "count": 1, "attributes": []},
    ]
    assert model["languages"] == [{"tag": "de", "count": 1}, {"tag": "en", "count": 1}]
    # The model of a page is sent with the import, which takes nothing of it.
    assert create(api(), model=json.dumps(model)).status_code == 202
